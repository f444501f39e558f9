"""Stratastar as text: orders, events, positions, help."""
