"""Space Fleet Commander in words: orders, events, positions, help."""
