"""Figures about players from their finished matches, their ratings, and the reliability a match requires."""
