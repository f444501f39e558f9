"""The rules of Space Fleet Commander: from commands to events, from events to states."""
