"""Figures about players from their finished matches, and what a match asks of its players' past."""
