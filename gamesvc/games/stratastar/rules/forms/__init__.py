"""The forms for the phases of a turn."""
