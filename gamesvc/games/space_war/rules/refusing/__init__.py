"""The reasons for refusing commands."""
