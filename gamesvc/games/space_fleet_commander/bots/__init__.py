"""Bots for Space Fleet Commander. They see only what their seat sees."""
