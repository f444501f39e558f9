"""Pages of notices and notification settings."""
