"""Bots for Stratastar. They see only what their seat sees."""
