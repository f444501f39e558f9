"""The record of matches: appended, loaded, kept as snapshots, and the rows that follow from it.

Not here: who may read it (`access`) and how it is told in words (`story`).
"""
