"""The Space War as text: orders, events, positions, help."""
