"""Players among each other: blocks and reports."""
