"""What each seat of Star Commander may know."""
