"""Taking a command back, with the consent it needs, and restoring it."""
