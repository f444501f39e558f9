"""Taking back on pages."""
