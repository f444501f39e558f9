"""Star Commander in words: orders, events, positions, help."""
