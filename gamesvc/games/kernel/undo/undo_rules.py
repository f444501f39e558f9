"""The rules of undo, derived from the record alone. Pure functions over events.

The path of a match (`Trail.back`) is read backwards, deed by deed. A deed is the group of events that one command, or one
act of the service, appended. The offer to a seat depends only on the events it may see. Hidden deeds of other seats matter when
the match goes back: they are kept if they still hold.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from gamesvc.errors import GamesvcError
from gamesvc.games.kernel.dice import Dice, Draw
from gamesvc.games.kernel.events import POSITIONED, REWOUND
from gamesvc.games.kernel.game import Event, Game, Refused, S
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.games.kernel.undo.trail import Deed, Trail
from gamesvc.language import mark, say

_NOTHING = Refused("nothing_to_undo", mark("You have no command that could be undone."))
MOST_IDLE = 20
"""The most deeds of a seat that an undo skips because they change nothing, such as standing orders. Then it gives up."""


@dataclass(frozen=True, slots=True)
class Behind:
    """The result of looking back from a version. A later look back from a newer one ends here (`look_back`).

    `deed`: the seat's latest command that it can undo, and `to` the version to go back to. Without one, `refusal` says why.
    """

    version: int
    deed: Deed | None = None
    to: int = 0
    refusal: Refused = _NOTHING
    others: frozenset[int] = frozenset()
    told: bool = False
    idle: int = 0

    def found(self, since: Iterable[Deed] = ()) -> Found:
        """Return the command with the deeds since, where they matter. Raises `Refused` without one."""
        if self.deed is None:
            raise Refused(self.refusal.code, say(self.refusal.detail))
        return Found(self.deed, self.to, self.others, self.told, tuple(since))


@dataclass(frozen=True, slots=True)
class Found:
    """A seat's latest command and the later events that the seat may see.

    `to`: the version to go back to. `others`: the seats that have acted since. `told`: hidden information was revealed. `since`:
    the other deeds on the path after `to`, seen or unseen, oldest first; none for a page (`Behind.found`).
    """

    deed: Deed
    to: int
    others: frozenset[int]
    told: bool
    since: tuple[Deed, ...]


def find(game: Game, trail: Trail, seat: int, *, changes: Callable[[Deed], bool]) -> Found:
    """Return the seat's latest command that it can undo. Raises `Refused` if there is none. For `changes` see `look_back`."""
    since: list[Deed] = []
    behind = look_back(game, trail, seat, changes=changes, since=since)
    return behind.found(reversed(since))


def look_back(
    game: Game,
    trail: Trail,
    seat: int,
    *,
    changes: Callable[[Deed], bool],
    since: list[Deed] | None = None,
    known: Behind | None = None,
) -> Behind:
    """Look back along the path for the seat's latest command that it can undo.

    `changes(deed)` returns True if undoing a deed would change the seat's view; other deeds, such as unchanged standing orders,
    are skipped. Each call folds the match up to that deed, so the search ends after `MOST_IDLE` deeds that change nothing.

    `since` is filled with the deeds of others on the way, newest first. `known`: an earlier result. What lies before a version of
    the path never changes, so the search ends there, however much the others have done before it.
    """
    return _Look(game, trail, seat, changes, since, known).done()


class _Look:
    """A search back along the path, and what it has found so far."""

    def __init__(
        self,
        game: Game,
        trail: Trail,
        seat: int,
        changes: Callable[[Deed], bool],
        since: list[Deed] | None,
        known: Behind | None,
    ) -> None:
        self.game, self.trail, self.seat, self.changes, self.known = game, trail, seat, changes, known
        self.since = [] if since is None else since
        self.floor = trail.floor(seat)
        self.path = trail.deeds()
        self.others: set[int] = set()
        self.told = False
        self.idle = 0

    def done(self) -> Behind:
        for deed in self.path:
            # Versions on the path only fall, so nothing of this tenure lies before such a deed.
            if deed.begins or deed.first.event.version <= self.floor:
                break
            known = self.known
            if known is not None and deed.kept_by is None and deed.events[-1].event.version == known.version:
                return self._joined(known)
            if deed.of_game and (found := self._at(deed)) is not None:
                return found
        return self._result()

    def _at(self, deed: Deed) -> Behind | None:
        """Return the result if the look ends at this deed."""
        if (back := deed.going_back) is not None:
            if back.data["cause"] != "host":
                return None
            ruled = Refused("ruled", mark("The organiser rewound the match to this point. What lies before it stays."))
            return self._result(refusal=ruled)
        if deed.seat != self.seat:
            self._pass_by(deed)
            return None
        if deed.kind == "clock":
            timed_out = Refused("timed_out", mark("The clock has answered for you since. That cannot be undone."))
            return self._result(refusal=timed_out)
        if self.changes(deed):
            return self._found(deed)
        self.idle += 1
        return self._result() if self.idle == MOST_IDLE else None

    def _pass_by(self, deed: Deed) -> None:
        """Note another's deed, and what of it the seat may see."""
        self.since.append(deed)
        if seen := deed.seen_by(self.game, self.seat):
            self.others |= {deed.seat} if deed.seat is not None else set()
            self.told |= any(map(self.game.reveals, seen))

    def _found(self, deed: Deed) -> Behind:
        self.told |= any(map(self.game.reveals, deed.seen_by(self.game, self.seat)))
        to = deed.before
        if deed.kept_by is not None:
            # The deed was kept on another branch than its own, so the other deeds kept there are undone with it.
            to = int(deed.kept_by.event.data["to"])
            if to < self.floor:
                return self._result()
            self.since += itertools.takewhile(lambda one: one.kept_by is deed.kept_by, self.path)
        return self._result(deed=deed, to=to)

    def _joined(self, known: Behind) -> Behind:
        """Return an earlier result, with what has been met since."""
        self.others |= known.others
        self.told |= known.told
        self.idle += known.idle
        if self.idle >= MOST_IDLE:
            return self._result()
        return self._result(deed=known.deed, to=known.to, refusal=known.refusal)

    def _result(self, **found: Any) -> Behind:
        return Behind(self.trail.newest, others=frozenset(self.others), told=self.told, idle=self.idle, **found)


def changing(timeline: Timeline, seat: int) -> Callable[[Deed], bool]:
    """Return a test that is True if undoing a deed of this seat changes what the seat sees.

    A deed that others can see counts as a change. For other deeds, the seat's views before and after are compared.
    """
    game = timeline.game

    def changes(deed: Deed) -> bool:
        after = timeline.at(deed.events[-1].event.version)
        if not unseen(game, deed, seat, game.seats(after)):
            return True
        before = timeline.at(deed.before)
        why = {"cause": "undo", "seat": seat, "private": True}
        back = game.rewound(before, after, game.given_back(before, after, deed.of_game, why))
        return bool(game.view(back, seat) != game.view(after, seat))

    return changes


def find_redo(game: Game, trail: Trail, seat: int, seen_until: int | None = None) -> Deed | None:
    """Return the seat's own undo if nothing that it can see has followed; None otherwise.

    A redo goes back to before an undo, so another redo is possible after it if one was possible at that time. `seen_until`: the
    version of the last event that the seat may know. Nothing after it is looked at, and nothing before the seat's tenure.
    """
    version = seen_until
    while True:
        deed = next((one for one in trail.all_deeds(version) if one.begins or one.seen_by(game, seat)), None)
        back = deed.going_back if deed is not None and deed.first.event.version > trail.floor(seat) else None
        if deed is None or back is None or back.data.get("seat") != seat:
            return None
        if back.data["cause"] == "undo":
            return deed
        version = int(back.data["to"])


def since_undo(trail: Trail, undone: Deed) -> tuple[Deed, ...]:
    """Return the deeds on the path after an undo, oldest first. Raises `Taken` if the path no longer includes the undo."""
    since: list[Deed] = []
    for deed in trail.deeds():
        if deed.first is undone.first:
            return tuple(reversed(since))
        if deed.begins:
            break
        if deed.of_game and deed.going_back is None:
            since.append(deed)
    raise Taken(None)


def unseen(game: Game, deed: Deed, seat: int, seats: int) -> bool:
    """Return True if only the deed's own seat may know of it."""
    return not any(deed.seen_by(game, viewer) for viewer in (None, *range(seats)) if viewer != seat)


class Taken(GamesvcError):
    """Going back would cancel another seat's deed that does not hold without the undone ones."""

    def __init__(self, seat: int | None) -> None:
        super().__init__(f"An act of seat {seat} does not hold.")
        self.seat = seat


def kept(timeline: Timeline[S], state: S, deeds: Sequence[Deed], *, give_up: bool) -> list[int]:
    """Return the versions of other seats' events that still hold on `state`, the state the match goes back to.

    A deed holds if its command, decided on that state with the recorded draws, produces the same events. Standing orders always
    hold, unless their seat has set others since: whatever was undone before them, they stand. A deed whose events change nothing
    there needs no keeping. Raises `Taken` for any other deed, unless all players agreed to `give_up` theirs.
    """
    held: list[int] = []
    for deed in _without_replaced(timeline.game, deeds):
        after = _fold(timeline.game, state, deed.of_game)
        if after is not None and after == state:
            continue
        sets_orders = _only_sets_orders(timeline.game, deed)
        if after is not None and sets_orders and _replaced(timeline.game, deed, state, after):
            continue
        if after is not None and (sets_orders or _same_again(timeline, state, deed)):
            held += [event.version for event in deed.of_game]
            state = after
        elif not give_up:
            raise Taken(deed.seat)
    return held


def _without_replaced(game: Game, deeds: Sequence[Deed]) -> Sequence[Deed]:
    """Leave out standing orders that were set again, in the same fields, before anything else happened."""
    left: list[Deed] = []
    later: set[tuple[int | None, frozenset[str]]] = set()
    for deed in reversed(deeds):
        if not _only_sets_orders(game, deed):
            later.clear()
        else:
            fields = deed.seat, frozenset(name for name, value in deed.of_game[0].data.items() if value is not None)
            if fields in later:
                continue
            later.add(fields)
        left.append(deed)
    return left[::-1]


def _only_sets_orders(game: Game, deed: Deed) -> bool:
    """Return True if a deed sets standing orders, and nothing follows from them.

    Its command may name a part of them only. Decided again it would be joined to those of now, and give another event.
    """
    orders, command = game.standing_orders, deed.first.command
    return orders is not None and command is not None and command.get("name") == orders.command and len(deed.of_game) == 1


def _replaced(game: Game[S], deed: Deed, state: S, after: S) -> bool:
    """Return True if a seat has other standing orders in `state` than a deed sets there.

    Standing orders survive a rewind, so it has set those later, perhaps on another branch. Applied again, the deed would replace
    them.
    """
    orders, seat = game.standing_orders, deed.seat
    if orders is None:
        return False
    read = orders.whole or orders.shown
    return read(game.view(after, seat)) != read(game.view(state, seat))


def _fold(game: Game[S], state: S, events: Sequence[Event]) -> S | None:
    """Return the state with the events applied; None if they do not fit it."""
    if any(event.type in (REWOUND, POSITIONED) for event in events):
        return None
    try:
        for event in events:
            state = game.evolve(state, event)
    except Exception:  # an event of another past may fail in any way
        return None
    return state


class _AsRecorded:
    """A source that replays the draws of a deed."""

    def __init__(self, draws: Sequence[Draw]) -> None:
        self._draws = {int(draw["i"]): draw for draw in draws}

    def below(self, i: int, n: int) -> int:
        draw = self._draws[i]
        return int(draw["got"]) - 1 if draw.get("of") == n else int(draw["got"]) if draw.get("choose") == n else n

    def order(self, i: int, n: int, k: int) -> tuple[int, ...]:
        draw = self._draws[i]
        return tuple(draw["got"]) if n in (draw.get("shuffle"), draw.get("sample")) else ()


def _same_again(timeline: Timeline[S], state: S, deed: Deed) -> bool:
    """Return True if the deed's command produces the same events on another state."""
    command, seat = deed.first.command, deed.seat
    if command is None or seat is None:
        return False
    draws = [draw for event in deed.of_game for draw in event.draws]
    there = Timeline.resume(
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
    except Exception:  # refused, or needs a draw that was not recorded: the deed would have gone differently
        return False
    return [(e.type, e.data, e.draws) for e in run.events] == [(e.type, e.data, e.draws) for e in deed.of_game]
