"""The record of matches: append, load, snapshots, and the rows that follow from events.

Not here: access to it (`access`) and its wording (`story`).
"""
