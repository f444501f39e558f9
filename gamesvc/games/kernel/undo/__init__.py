"""Undo: what a seat may undo (`undo_rules`), found in the record read backwards (`trail`)."""
