"""Bots for The Space War; they see what their seat sees."""
