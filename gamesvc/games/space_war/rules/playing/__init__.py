"""The cards and effects that a seat may play or use, and the reasons against the others."""
