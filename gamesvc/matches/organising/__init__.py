"""What an organiser or operator does to a match that others play: measures, rewinds, looks behind a seat."""
