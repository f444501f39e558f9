"""Figures about players from their finished matches, and the reliability a match requires."""
