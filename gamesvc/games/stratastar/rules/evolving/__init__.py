"""One small function per event type: the state before and the event to the state after. They look up no number."""
