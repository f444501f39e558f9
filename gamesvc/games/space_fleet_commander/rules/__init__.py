"""The rules of Space Fleet Commander: commands become events, events become states."""
