"""The rules of The Space War: from commands to events, from events to states."""
