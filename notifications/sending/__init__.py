"""Sending: claiming due notices, composing and signing mails, digests, calendar entries.

The texts come from the apps above, through `registry`.
"""
