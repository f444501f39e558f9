"""The information that each seat of Space Fleet Commander may have."""
