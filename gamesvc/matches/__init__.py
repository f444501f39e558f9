"""The heart of the service: a match is an engine plus seats, a clock and a stream of events."""
