"""Star Commander as text: orders, events, positions, help."""
