"""The rules of Star Commander: from commands to events, from events to states."""
