"""Channels beside mail: handovers of notices, webhooks, and the addresses that may be reached."""
