"""Clients of the API for other programs. Nothing of the service imports them."""
