"""The effects of cards."""
