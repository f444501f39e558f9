"""A user's own account through the API."""
