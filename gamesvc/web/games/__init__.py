"""Pages about a game: what it is, its rules, its cards, and its lesson."""
