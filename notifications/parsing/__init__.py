"""Hostile mail, read within limits: its parts, its text, quotes, answering machines, delivery reports."""
