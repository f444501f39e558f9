"""The sentences about events, by subject."""
