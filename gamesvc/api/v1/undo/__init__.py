"""Taking back through the API."""
