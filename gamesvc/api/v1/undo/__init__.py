"""Undo and redo in the API."""
