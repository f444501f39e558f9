"""The board of Space Fleet Commander as a picture."""
