"""Wishes of receivers: which notices they want, how, when, and which they do not."""
