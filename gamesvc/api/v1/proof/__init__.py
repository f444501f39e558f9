"""Proofs in the API."""
