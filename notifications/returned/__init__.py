"""Returned mail: delivery reports and complaints, and the addresses that get no more mail."""
