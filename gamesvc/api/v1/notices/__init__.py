"""Notices and how they come through the API."""
