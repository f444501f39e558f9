"""Notices and notification settings in the API."""
