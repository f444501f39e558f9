"""Deadlines, pauses and absences on pages."""
