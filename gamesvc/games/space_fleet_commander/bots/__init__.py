"""Bots for Space Fleet Commander; they see what their seat sees."""
