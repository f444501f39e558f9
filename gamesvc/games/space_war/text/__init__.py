"""The Space War in words: orders, events, positions, help."""
