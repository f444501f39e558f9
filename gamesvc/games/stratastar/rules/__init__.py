"""The rules of Stratastar: from commands to events, from events to states."""
