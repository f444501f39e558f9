"""The information that each seat of Star Commander may have."""
