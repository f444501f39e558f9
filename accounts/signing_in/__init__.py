"""Signing in: what django-allauth asks of us, its forms, and asking again for the password."""
