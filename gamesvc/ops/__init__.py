"""Tools for operators and developers: backups, checks of releases, simulation, benches, demonstration.

Nothing in the service needs them; they may use all of it.
"""
