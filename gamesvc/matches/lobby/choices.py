"""The choices of a host for a new match, checked: seats, time control, who may join, watch, write and undo, bots."""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.kernel.game import Game, Refused
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import say
from gamesvc.matches.clock.notation import PRESETS
from gamesvc.matches.clock.parsing import parse
from gamesvc.matches.models import Match
from gamesvc.matches.record.positions import Start

HOURS = (1, 24 * 30)
LONGEST_WATCH_DELAY = 24 * 30
"""In hours."""


def count_seats(engine: Game, seats: int | None, start: Start | None) -> int:
    """Return the number of seats: the one asked for, else that of the position, else the game's least. Raises `Refused`."""
    count = (engine.manifest.min_seats if start is None else start.seats) if seats is None else seats
    if start is not None and count != start.seats:
        raise Refused(
            "bad_seats", say("The position is for {seats} seats, not {count}.", seats=start.seats, count=count), "seats"
        )
    return count


def choose_clock(clock: JsonMapping | str | None, hours: int) -> JsonObject:
    """Return the policy for `match.opened`, from the name of a preset, a policy in parts, or plain hours. Raises `Refused`."""
    _check_hours(hours)
    if not clock:
        return {"hours": hours}
    if isinstance(clock, str):
        if clock not in PRESETS:
            raise Refused(
                "bad_clock",
                say("There is no clock {clock!r}; there are: {presets}.", clock=clock, presets=", ".join(PRESETS)),
                "clock",
            )
        return dict(PRESETS[clock][1])
    if not isinstance(clock, Mapping):
        raise Refused("bad_clock", say("clock is the name of a preset or an object with the parts of a policy."), "clock")
    parse(clock)
    return dict(clock)


def _check_hours(hours: int) -> None:
    if not HOURS[0] <= hours <= HOURS[1]:
        raise Refused(
            "bad_hours",
            say("hours must lie within {low} to {high}, not {given}.", low=HOURS[0], high=HOURS[1], given=hours),
            "hours",
        )


def check(entry: str, watch: str, watch_delay: int, press: str, undo: str) -> None:
    """Raise `Refused` for a value that there is not."""
    if entry not in Match.Entry.values or watch not in Match.Watch.values:
        raise Refused("bad_entry", say("entry is public or invited; watch is nobody, link or all."), "entry")
    if press not in Match.PressKind.values:
        raise Refused("bad_press", say("press is none, public or private."), "press")
    if undo not in Match.Undo.values:
        raise Refused("bad_undo", say("undo is free, consent or never."), "undo")
    if not 0 <= watch_delay <= LONGEST_WATCH_DELAY:
        raise Refused(
            "bad_watch_delay",
            say("Spectators see a match 0 to {most} hours late, not {given}.", most=LONGEST_WATCH_DELAY, given=watch_delay),
            "watch_delay",
        )


def check_bots(engine: Game, bots: Mapping[int, str], count: int, *, take_seat: bool, start: Start | None) -> None:
    """Raise `Refused` for bots that the game has not, or that leave no seat for the host."""
    for index, bot in bots.items():
        if not 0 <= index < count or bot not in engine.bots:
            known = ", ".join(engine.bots)
            raise Refused(
                "bad_bots", say("Bots sit on seats 0 to {most} and are one of: {known}.", most=count - 1, known=known), "bots"
            )
    if len(bots) > count - take_seat:
        raise Refused("bad_bots", say("No seat is left for you beside these bots; set take_seat to false or take fewer."), "bots")
    if take_seat and start is not None and start.own_seat in bots:
        raise Refused(
            "bad_bots", say("Seat {own_seat} is yours: the position is as that seat sees it.", own_seat=start.own_seat), "bots"
        )
