"""What may be taken back, read from the record alone. Pure: events in, answers out.

A match's path (`timeline.effective`) is walked backwards, deed by deed; a deed is what one command, or one act of the service,
appended. What a seat is offered follows from the events that it may see and from nothing else. What others did unseen is told
apart here as well, for the moment of going back: it is kept where it holds all the same.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from gamesvc.games.kernel.dice import Dice, Draw
from gamesvc.games.kernel.game import POSITIONED, REWOUND, Event, Game, Refused, see_event
from gamesvc.games.kernel.timeline import Timeline

CHUNK = 64
BY_SERVICE = ("undo", "redo", "host")


@dataclass(frozen=True, slots=True)
class Past:
    """One event of the record with what its meta says of who did it. `first`: it begins a deed."""

    event: Event
    first: bool
    kind: str
    seat: int | None
    command: dict[str, Any] | None
    occurred_at: datetime
    received_at: datetime

    @property
    def of_game(self) -> bool:
        return self.event.type in (REWOUND, POSITIONED) or not self.event.type.startswith("match.")


@dataclass(slots=True)
class Deed:
    """The events of one command (or act of the service), the oldest first. `kept_by`: the rewind that let it hold."""

    first: Past
    events: list[Past] = field(default_factory=list)
    kept_by: Past | None = None

    @property
    def before(self) -> int:
        """The version before it: what one goes back to."""
        return self.first.event.version - 1

    @property
    def kind(self) -> str:
        return self.first.kind

    @property
    def seat(self) -> int | None:
        return self.first.seat

    @property
    def of_game(self) -> list[Event]:
        return [past.event for past in self.events if past.of_game]

    @property
    def going_back(self) -> Event | None:
        """The service's own rewind in it; None where there is none."""
        return next((e for e in self.of_game if e.type == REWOUND and e.data.get("cause") in BY_SERVICE), None)

    @property
    def begins(self) -> bool:
        """Whether the match begins with it."""
        return any(past.event.type in ("match.started", POSITIONED) for past in self.events)

    def changes_hands(self, seat: int) -> bool:
        """Whether somebody else holds the seat since: what was done before was not his."""
        moved = ("match.seated", "match.vacated")
        return any(past.event.type in moved and past.event.data.get("seat") == seat for past in self.events)

    def seen_by(self, game: Game[Any], viewer: int | None) -> list[Event]:
        """Its events of the game that a viewer may know of, whole."""
        return [event for event in self.of_game if see_event(game, event, viewer) is not None]


class Trail:
    """The record read backwards in pieces: taking back looks at the last few events, however long the match."""

    def __init__(self, read: Callable[[int, int], Sequence[Past]], newest: int) -> None:
        self._read = read
        self._found: dict[int, Past] = {}
        self.newest = newest

    def __getitem__(self, version: int) -> Past:
        if version not in self._found:
            for past in self._read(max(0, version - CHUNK), version):
                self._found[past.event.version] = past
        return self._found[version]

    def back(self, version: int) -> Iterator[tuple[Past, Past | None]]:
        """The path that led to a version, the newest first; beside each event the rewind that kept it, if one did."""
        while version > 0:
            past = self[version]
            yield past, None
            if past.event.type == REWOUND:
                for held in reversed(past.event.data.get("kept", ())):
                    yield self[held], past
                version = int(past.event.data["to"])
            else:
                version -= 1

    def deeds(self, version: int | None = None) -> Iterator[Deed]:
        """The deeds of the path, the newest first."""
        deed: Deed | None = None
        for past, kept_by in self.back(self.newest if version is None else version):
            first = self._first(past.event.version)
            if deed is None or deed.first is not first:
                if deed is not None:
                    yield deed
                deed = Deed(first, [], kept_by)
            deed.events.insert(0, past)
        if deed is not None:
            yield deed

    def all_deeds(self, version: int | None = None) -> Iterator[Deed]:
        """All that happened, taken back or not, the newest first."""
        version = self.newest if version is None else version
        while version > 0:
            first = self._first(version)
            yield Deed(first, [self[at] for at in range(first.event.version, version + 1)])
            version = first.event.version - 1

    def _first(self, version: int) -> Past:
        while not self[version].first:
            version -= 1
        return self[version]


@dataclass(frozen=True, slots=True)
class Found:
    """A seat's latest command, and what has happened since as the seat may see it.

    `to`: the version to go back to. `others`: the seats that acted since. `told`: something hidden was told. `since`: what
    else stands on the path after `to`, seen or unseen, the oldest first.
    """

    deed: Deed
    to: int
    others: frozenset[int]
    told: bool
    since: tuple[Deed, ...]


def find(game: Game[Any], trail: Trail, seat: int, *, changes: Callable[[Deed], bool]) -> Found:
    """A seat's own latest command that can be taken back. Raises `Refused` where there is none.

    `changes`: whether taking a deed back would change what its seat sees; leaving standing orders is nothing to take back.
    """
    others: set[int] = set()
    since: list[Deed] = []
    told = False
    path = trail.deeds()
    for deed in path:
        if deed.begins or deed.changes_hands(seat):
            break
        if not deed.of_game:
            continue
        back = deed.going_back
        if back is not None:
            if back.data["cause"] == "host":
                raise Refused("ruled", "The organiser set the match back here; what lies before that stays.")
            continue
        if deed.seat != seat:
            since.append(deed)
            if seen := deed.seen_by(game, seat):
                others |= {deed.seat} - {None}  # type: ignore[arg-type]
                told |= any(map(game.reveals, seen))
        elif deed.kind == "clock":
            raise Refused("timed_out", "The clock has answered for you since; that is not taken back.")
        elif changes(deed):
            told |= any(map(game.reveals, deed.seen_by(game, seat)))
            to = deed.before
            if deed.kept_by is not None:
                # It holds on another branch than the one it was done on: what else was kept there goes along.
                to = int(deed.kept_by.event.data["to"])
                holder = deed.kept_by
                since += itertools.takewhile(lambda one: one.kept_by is holder, path)  # noqa: B023 - it returns below
            return Found(deed, to, frozenset(others), told, tuple(reversed(since)))
    raise Refused("nothing_to_undo", "There is no command of yours that could be taken back.")


def changing(timeline: Timeline[Any], seat: int) -> Callable[[Deed], bool]:
    """Return the test whether undoing a deed of this seat changes what the seat sees.

    What others can see has changed something. Of what nobody else can see the seat's views before and after are compared.
    """
    game = timeline.game

    def changes(deed: Deed) -> bool:
        after = timeline.at(deed.events[-1].event.version)
        if not unseen(game, deed, seat, game.seats(after)):
            return True
        before = timeline.at(deed.before)
        back = game.rewound(before, after, game.given_back(before, after, {"cause": "undo", "seat": seat, "private": True}))
        return bool(game.view(back, seat) != game.view(after, seat))

    return changes


def find_redo(game: Game[Any], trail: Trail, seat: int) -> Deed | None:
    """The seat's own undo that nothing has followed as far as it can see; None: there is none.

    A redo leads back to before an undo; so what may be redone after it is what could be at that time.
    """
    version: int | None = None
    while True:
        deed = next((one for one in trail.all_deeds(version) if one.begins or one.seen_by(game, seat)), None)
        back = deed.going_back if deed is not None else None
        if deed is None or back is None or back.data.get("seat") != seat:
            return None
        if back.data["cause"] == "undo":
            return deed
        version = int(back.data["to"])


def since_undo(trail: Trail, undone: Deed) -> tuple[Deed, ...]:
    """What stands on the path after an undo, the oldest first. Raises `Taken` where the path has left the undo."""
    since: list[Deed] = []
    for deed in trail.deeds():
        if deed.first is undone.first:
            return tuple(reversed(since))
        if deed.begins:
            break
        if deed.of_game and deed.going_back is None:
            since.append(deed)
    raise Taken(None)


def unseen(game: Game[Any], deed: Deed, seat: int, seats: int) -> bool:
    """Whether nobody but its own seat may know of a deed."""
    return not any(deed.seen_by(game, viewer) for viewer in (None, *range(seats)) if viewer != seat)


class Taken(Exception):
    """Going back would take back another seat's act, which does not hold without what is taken back."""

    def __init__(self, seat: int | None) -> None:
        super().__init__(f"An act of seat {seat} does not hold.")
        self.seat = seat


def kept(timeline: Timeline[Any], state: Any, deeds: Sequence[Deed], *, give_up: bool) -> list[int]:
    """The versions of what other seats did that hold on `state`, to which the match goes back, as they were recorded.

    A deed holds if its command, decided there with the recorded draws, comes to the same events; one whose events change
    nothing there has survived anyway. Raises `Taken` for any other, unless all have agreed to `give_up` theirs.
    """
    held: list[int] = []
    for deed in deeds:
        after = _fold(timeline.game, state, deed.of_game)
        if after is not None and after == state:
            continue
        if after is not None and _same_again(timeline, state, deed):
            held += [event.version for event in deed.of_game]
            state = after
        elif not give_up:
            raise Taken(deed.seat)
    return held


def _fold(game: Game[Any], state: Any, events: Sequence[Event]) -> Any:
    """The state with the events applied; None where they do not fit it."""
    if any(event.type in (REWOUND, POSITIONED) for event in events):
        return None
    try:
        for event in events:
            state = game.evolve(state, event)
    except Exception:  # an event of another past may not fit in any way
        return None
    return state


class _AsRecorded:
    """The draws of a deed, once more."""

    def __init__(self, draws: Sequence[Draw]) -> None:
        self._draws = {int(draw["i"]): draw for draw in draws}

    def below(self, i: int, n: int) -> int:
        draw = self._draws[i]
        return int(draw["got"]) - 1 if draw.get("of") == n else int(draw["got"]) if draw.get("choose") == n else n

    def order(self, i: int, n: int, k: int) -> tuple[int, ...]:
        draw = self._draws[i]
        return tuple(draw["got"]) if n in (draw.get("shuffle"), draw.get("sample")) else ()


def _same_again(timeline: Timeline[Any], state: Any, deed: Deed) -> bool:
    """Whether the deed's command comes to the same events on another state."""
    command, seat = deed.first.command, deed.seat
    if command is None or seat is None:
        return False
    draws = [draw for event in deed.of_game for draw in event.draws]
    there: Timeline[Any] = Timeline.resume(
        timeline.game,
        version=deed.before,
        state=state,
        draws=0,
        kept=timeline.kept,
        recall=timeline.recall,
        log=timeline.log,
    )
    try:
        run = there.command(seat, command, Dice(_AsRecorded(draws), int(draws[0]["i"]) if draws else 0))
    except Exception:  # refused, or asked for what was not drawn then: it would not have happened like this
        return False
    return [(e.type, e.data, e.draws) for e in run.events] == [(e.type, e.data, e.draws) for e in deed.of_game]
