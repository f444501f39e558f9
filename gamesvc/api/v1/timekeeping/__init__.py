"""Deadlines, pauses and absences through the API."""
