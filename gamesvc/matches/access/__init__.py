"""Permissions in a match, the tenure of its seats, and the names under which seats are shown."""
