"""The events of a match as sentences, and its options and moments as text."""
