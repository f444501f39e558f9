"""Operators' pages about matches: the page of a match, and the lists of what belongs to matches."""

from gamesvc.matches.admin import conduct, lists, matches

__all__ = ["conduct", "lists", "matches"]
