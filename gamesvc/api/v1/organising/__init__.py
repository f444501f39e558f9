"""What organisers do through the API."""
