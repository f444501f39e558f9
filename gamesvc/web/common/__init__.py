"""Shared parts of all pages, and pages that belong to no match."""
