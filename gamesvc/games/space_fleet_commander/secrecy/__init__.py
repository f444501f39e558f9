"""What each seat of Space Fleet Commander may know."""
