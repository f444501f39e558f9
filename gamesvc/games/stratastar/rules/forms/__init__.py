"""The forms of the phases of a turn."""
