"""Figures about players in the API."""
