"""Bots for Star Commander; they see what their seat sees."""
