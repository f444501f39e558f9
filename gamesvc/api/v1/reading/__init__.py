"""Matches as they stand through the API."""
