"""What each seat of The Space War may know."""
