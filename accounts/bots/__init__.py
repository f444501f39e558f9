"""Bot accounts of users."""
