"""The changes that each event makes to the state, by the same subjects as `events`."""
