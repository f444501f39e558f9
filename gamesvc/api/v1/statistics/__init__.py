"""What players have shown through the API."""
