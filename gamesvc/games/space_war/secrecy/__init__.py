"""The information that each seat of The Space War may have."""
