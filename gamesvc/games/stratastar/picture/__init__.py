"""The board of Stratastar as a picture."""
