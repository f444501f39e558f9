"""Bots for Star Commander. They see only what their seat sees."""
