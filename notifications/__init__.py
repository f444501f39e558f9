"""Notices: the outbox, mail and webhooks out, bounces, notification settings; mail in (`inbound`). Knows no game."""
