"""One small function per event type: the state before and the event to the state after. They take every number from the event."""
