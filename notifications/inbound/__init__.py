"""Inbound mail: received, authenticated, stripped of quotes, and passed to the handler of its purpose. Knows no game."""
