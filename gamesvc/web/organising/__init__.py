"""What organisers do on pages."""
