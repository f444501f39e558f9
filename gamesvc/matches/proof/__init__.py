"""Proving a match from its record or its export: chain, draws, decisions, clocks."""
