"""Taking a turn through the API."""
