"""Measurements of mail: the rate both ways, whole matches, and mails made to cost much."""
