"""Stratastar in words: orders, events, positions, help."""
