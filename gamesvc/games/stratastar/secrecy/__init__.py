"""The information that each seat of Stratastar may have."""
