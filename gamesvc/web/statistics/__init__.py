"""What players have shown on pages."""
