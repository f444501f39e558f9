"""Pages for taking a turn."""
