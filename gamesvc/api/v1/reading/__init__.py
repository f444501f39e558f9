"""Reading matches in the API."""
