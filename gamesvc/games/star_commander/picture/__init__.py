"""The board of Star Commander as a picture."""
