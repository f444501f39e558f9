"""Taking a turn on pages."""
