"""Channels beside mail: handing notices over to them, webhooks, and what may be reached outside."""
