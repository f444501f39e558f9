"""Bots for The Space War. They see only what their seat sees."""
