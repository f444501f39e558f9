"""A clock policy as text, for pages and mails: short for lists, complete for the match page."""

from __future__ import annotations

from datetime import timedelta

from gamesvc.games.kernel.wording import capital, counted, listed
from gamesvc.json_types import JsonMapping
from gamesvc.matches.clock.notation import WEEKDAYS
from gamesvc.matches.clock.parsing import parse
from gamesvc.matches.clock.policy import Policy

_DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def pace(told: JsonMapping) -> str:
    """Return the speed of a match in a few words: `2 days a turn`."""
    policy = parse(told, judge=False)
    if policy.adjudication is not None:
        days = _days(policy.adjudication.weekdays)
        return f"{days} at {' and '.join(f'{at:%H:%M}' for at in policy.adjudication.times)}"
    if policy.bank is not None:
        own = f"{_length(policy.times['turn'])} a turn and " if "turn" in policy.times else ""
        gain = f", {_length(policy.bank.increment)} more with each turn" if policy.bank.increment else ""
        return f"{own}a bank of {_length(policy.bank.start)}{gain}"
    return f"{_length(policy.times['turn'])} a turn"


def sentences(told: JsonMapping) -> list[str]:
    """Return the whole policy, one sentence for each part."""
    policy = parse(told, judge=False)
    found = [f"{capital(pace(told))}{_zone(policy)}."]
    if policy.bank is not None:
        found.append(f"The bank never holds more than {_length(policy.bank.cap)}.")
    for kind, name in (("commit", "each simultaneous phase"), ("reaction", "each reaction"), ("choice", "each choice")):
        if kind in policy.times:
            found.append(f"{capital(_length(policy.times[kind]))} for {name}.")
    if policy.grace:
        found.append(f"An answer up to {_length(policy.grace)} late still counts.")
    found.append(f"Each player has at least {_length(policy.minimum)} to answer.")
    if policy.days_off is not None:
        off = [f"{_DAY_NAMES[day]}s" for day in sorted(policy.days_off.weekdays)]
        off += [f"public holidays ({policy.days_off.holidays})"] if policy.days_off.holidays else []
        found.append(f"{capital(listed(off))} do not count ({policy.days_off.zone}).")
    if policy.quiet is not None:
        found.append(f"A player's quiet hours do not count, up to {_length(policy.quiet)} a day.")
    if policy.vacation:
        found.append("Vacations stop the clock of the player who is away.")
    return [*found, *_time_outs(policy)]


_AFTER = {
    "default": "When time runs out, the game answers for the player as its rules say.",
    "pass": "When time runs out, the player passes, or the game answers instead.",
    "lose": "A player whose time runs out loses.",
    "bot": "A player whose time runs out is replaced by a bot.",
}


def _time_outs(policy: Policy) -> list[str]:
    told = policy.told
    found = [_AFTER[told.get("timeout", "default")]]
    if told.get("excused"):
        again = "the time of the turn begins again"
        if policy.bank is not None and not policy.own_time("turn"):
            again = f"the bank has at least {_length(policy.bank.increment)} again"
        found.append(f"{_times(told['excused'])} for each player this is excused: {again}.")
    if told.get("after"):
        found.append(f"After {told['after']} in a row the seat is free for a substitute; after some days a bot plays on.")
    if policy.bank is not None and told.get("after"):
        found.append(f"A substitute starts with a bank of {_length(policy.bank.start)}.")
    return found


def _times(count: int) -> str:
    return {1: "Once", 2: "Twice"}.get(count, f"{count} times")


def _length(length: timedelta) -> str:
    days, rest = divmod(int(length.total_seconds()) // 60, 24 * 60)
    hours, minutes = divmod(rest, 60)
    parts = [(days, "day"), (hours, "hour"), (minutes, "minute")]
    return listed([counted(count, name) for count, name in parts if count]) or "no time"


def _days(weekdays: frozenset[int]) -> str:
    if len(weekdays) == len(WEEKDAYS):
        return "every day"
    return f"every {listed([_DAY_NAMES[day] for day in sorted(weekdays)])}"


def _zone(policy: Policy) -> str:
    return f" ({policy.adjudication.zone})" if policy.adjudication is not None else ""
