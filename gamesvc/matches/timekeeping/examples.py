"""Deadlines of turns that nobody has begun: what a clock policy means in dates, for users who choose one."""

from __future__ import annotations

from datetime import datetime, timedelta

from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonMapping
from gamesvc.matches.clock.parsing import parse
from gamesvc.matches.clock.spans import NoTime, advance

ZERO = timedelta(0)


def turn_due(clock: JsonMapping, begins: datetime) -> datetime | None:
    """Return when a turn is due that begins at a moment, for a player without quiet hours and vacations; None without a clock."""
    try:
        policy = parse(clock)
        if policy.fixed("turn"):
            return policy.next_adjudication(begins + policy.minimum)
        bank = policy.bank.start if policy.bank is not None and policy.banked("turn") else ZERO
        off = policy.days_off
        length = max(policy.own_time("turn") + bank, policy.minimum)
        due, _excluded = advance(begins, length, lambda since, until: off.spans(since, until) if off else [])
    except (Refused, NoTime):
        return None
    return due
