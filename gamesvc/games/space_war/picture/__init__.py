"""The board of The Space War as a picture."""
