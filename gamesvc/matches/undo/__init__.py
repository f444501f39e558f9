"""Undoing a command, with the consent it needs, and restoring it."""
