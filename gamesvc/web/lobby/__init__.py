"""Pages of the lobby and of changes of seats."""
