"""Space Fleet Commander as text: orders, events, positions, help."""
