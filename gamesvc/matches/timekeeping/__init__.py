"""Deadlines at work: the sweep, time-outs, pauses, vacations, outages, and the explanation of a deadline.

The arithmetic of clocks is in `clock`.
"""
