"""Matches, the core of the service: an engine with seats, a clock and a stream of events."""
