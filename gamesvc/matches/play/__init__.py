"""Taking a turn: submitting, previews, standing and conditional orders, bots."""
