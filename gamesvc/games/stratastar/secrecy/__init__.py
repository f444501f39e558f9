"""What each seat of Stratastar may know."""
