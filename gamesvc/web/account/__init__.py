"""A user's own account on pages."""
