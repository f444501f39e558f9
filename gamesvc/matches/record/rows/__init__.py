"""The rows that follow from a match's events: which columns are derived, what they must hold, how they are made again."""
