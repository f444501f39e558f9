"""Deadlines, pauses and absences in the API."""
