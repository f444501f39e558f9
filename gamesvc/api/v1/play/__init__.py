"""Taking a turn in the API."""
