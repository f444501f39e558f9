"""Notices: the outbox, mail and webhooks out, bounces, preferences; mail in (`inbound`). Knows no game."""
