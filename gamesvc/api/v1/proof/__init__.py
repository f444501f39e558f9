"""Proofs through the API."""
