"""Pages for undo and redo."""
