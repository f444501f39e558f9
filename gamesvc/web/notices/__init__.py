"""Notices and how they come on pages."""
