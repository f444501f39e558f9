"""Who may see and do what in a match, who held its seats, and the names its seats are shown by."""
