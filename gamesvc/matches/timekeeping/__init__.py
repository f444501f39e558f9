"""Deadlines at work: the sweep, timeouts, pauses, vacations, outages, and the explanation of a deadline.

Not here: the arithmetic of clocks (`clock`).
"""
