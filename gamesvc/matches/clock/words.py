"""A clock policy as text, for pages and mails: short for lists, complete for the match page."""

from __future__ import annotations

from datetime import timedelta

from gamesvc.games.kernel.wording import capital, counted, listed
from gamesvc.json_types import JsonMapping
from gamesvc.language import mark, say
from gamesvc.matches.clock.notation import WEEKDAYS
from gamesvc.matches.clock.parsing import parse
from gamesvc.matches.clock.policy import Policy

_DAY_NAMES = (
    mark("Monday"),
    mark("Tuesday"),
    mark("Wednesday"),
    mark("Thursday"),
    mark("Friday"),
    mark("Saturday"),
    mark("Sunday"),
)


def pace(told: JsonMapping) -> str:
    """Return the speed of a match in a few words: `2 days a turn`."""
    policy = parse(told, judge=False)
    if policy.adjudication is not None:
        days = _days(policy.adjudication.weekdays)
        return say("{days} at {times}", days=days, times=listed(f"{at:%H:%M}" for at in policy.adjudication.times))
    if policy.bank is not None:
        bank = say("a bank of {length}", length=_length(policy.bank.start))
        if policy.bank.increment:
            bank = say("{bank}, {length} more with each turn", bank=bank, length=_length(policy.bank.increment))
        return (
            say("{length} a turn and {bank}", length=_length(policy.times["turn"]), bank=bank) if "turn" in policy.times else bank
        )
    return say("{length} a turn", length=_length(policy.times["turn"]))


def sentences(told: JsonMapping) -> list[str]:
    """Return the whole policy, one sentence for each part."""
    policy = parse(told, judge=False)
    found = [f"{capital(pace(told))}{_zone(policy)}."]
    if policy.bank is not None:
        found.append(say("The bank never holds more than {length}.", length=_length(policy.bank.cap)))
    for kind, sentence in _EACH.items():
        if kind in policy.times:
            found.append(say(sentence, length=capital(_length(policy.times[kind]))))
    if policy.grace:
        found.append(say("An answer up to {length} late still counts.", length=_length(policy.grace)))
    found.append(say("Each player has at least {length} to answer.", length=_length(policy.minimum)))
    if policy.days_off is not None:
        off = [say(_DAYS_OFF[day]) for day in sorted(policy.days_off.weekdays)]
        off += [say("public holidays ({place})", place=policy.days_off.holidays)] if policy.days_off.holidays else []
        found.append(say("{days} do not count ({zone}).", days=capital(listed(off)), zone=policy.days_off.zone))
    if policy.quiet is not None:
        found.append(say("A player's quiet hours do not count, up to {length} a day.", length=_length(policy.quiet)))
    if policy.vacation:
        found.append(say("Vacations stop the clock of the player who is away."))
    return [*found, *_time_outs(policy)]


_EACH = {
    "commit": mark("{length} for each simultaneous phase."),
    "reaction": mark("{length} for each reaction."),
    "choice": mark("{length} for each choice."),
}
_DAYS_OFF = (
    mark("Mondays"),
    mark("Tuesdays"),
    mark("Wednesdays"),
    mark("Thursdays"),
    mark("Fridays"),
    mark("Saturdays"),
    mark("Sundays"),
)
_AFTER = {
    "default": mark("When time runs out, the game answers for the player as its rules say."),
    "pass": mark("When time runs out, the player passes, or the game answers instead."),
    "lose": mark("A player whose time runs out loses."),
    "bot": mark("A player whose time runs out is replaced by a bot."),
}


def _time_outs(policy: Policy) -> list[str]:
    told = policy.told
    found = [say(_AFTER[told.get("timeout", "default")])]
    if told.get("excused"):
        again = say("the time of the turn begins again")
        if policy.bank is not None and not policy.own_time("turn"):
            again = say("the bank has at least {length} again", length=_length(policy.bank.increment))
        found.append(say("{times} for each player this is excused: {again}.", times=_times(told["excused"]), again=again))
    if told.get("after"):
        found.append(
            say("After {count} in a row the seat is free for a substitute; after some days a bot plays on.", count=told["after"])
        )
    if policy.bank is not None and told.get("after"):
        found.append(say("A substitute starts with a bank of {length}.", length=_length(policy.bank.start)))
    return found


def _times(count: int) -> str:
    return {1: say("Once"), 2: say("Twice")}.get(count, say("{count} times", count=count))


def _length(length: timedelta) -> str:
    days, rest = divmod(int(length.total_seconds()) // 60, 24 * 60)
    hours, minutes = divmod(rest, 60)
    parts = [(days, "day"), (hours, "hour"), (minutes, "minute")]
    return listed([counted(count, name) for count, name in parts if count]) or say("no time")


def _days(weekdays: frozenset[int]) -> str:
    if len(weekdays) == len(WEEKDAYS):
        return say("every day")
    return say("every {days}", days=listed([say(_DAY_NAMES[day]) for day in sorted(weekdays)]))


def _zone(policy: Policy) -> str:
    return f" ({policy.adjudication.zone})" if policy.adjudication is not None else ""
