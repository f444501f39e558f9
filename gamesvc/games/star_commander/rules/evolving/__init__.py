"""The changes that each event makes to the state, by the subjects of the events."""
