"""Bots for Stratastar; they see what their seat sees."""
