"""The time account of a match for a viewer, computed again from the log step by step, so that a timeout can be disputed.

The steps are noted where the log is folded (`clock.account`). A page is computed from the snapshot before it and covers a limited
part of the log, so its cost does not depend on the match's length.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from events.canonical import write_time
from events.store import StoredEvent
from gamesvc.games.kernel.game import Event, Viewer, see_event
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.matches.clock.account import Key, Line
from gamesvc.matches.clock.compute import Clock
from gamesvc.matches.clock.spans import SECOND
from gamesvc.matches.models import Match
from gamesvc.matches.record import loading, sight, stream
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.past import rewound_to
from gamesvc.matches.record.stream import STORE, lift

# Lines in one page, or a few more: the lines of one act stay together.
MOST_LINES = 50
# Events computed at a time, at least: a piece begins at the snapshot before them, so that nothing is folded in vain.
PIECE = 50
# Pieces computed for one page, even if none has a matching line.
MOST_PIECES = 2
# The version with which an act ends, and its lines.
Steps = tuple[int, list[Line]]


@dataclass(frozen=True, slots=True)
class TimeAccount:
    """The time account of a match for one viewer: the policy, the open clocks, and its history line by line."""

    policy: JsonMapping
    paused_since: datetime | None
    clocks: Mapping[Key, Clock]
    banks: Mapping[int, int]
    lines: Sequence[tuple[int, Line]]
    older: int | None = None
    """The version before which there may be more lines; None if these are the first."""

    def as_json(self) -> JsonObject:
        return {
            "policy": dict(self.policy),
            "paused_since": _text(self.paused_since),
            "clocks": [
                {
                    "seat": seat,
                    "question": question,
                    "kind": clock.kind,
                    "asked_at": write_time(clock.asked),
                    "due_at": _text(clock.due),
                    "grace_from": _text(clock.grace_from),
                    "because": clock.because(),
                }
                for (seat, question), clock in self.clocks.items()
            ],
            "banks": [{"seat": seat, "seconds": left} for seat, left in sorted(self.banks.items())],
            "lines": [
                {
                    "version": version,
                    "at": write_time(line.at),
                    "seat": line.seat,
                    "question": line.question,
                    "what": line.what,
                    "used": line.used,
                    "left": line.own,
                    "bank": line.bank,
                    "due_at": _text(line.due_at),
                    "because": line.clock.because() if line.due_at is not None else None,
                }
                for version, line in self.lines
            ],
        }


def explain(
    match: Match, seat: int | None = None, *, viewer: Viewer = None, before: int | None = None, loaded: Loaded | None = None
) -> TimeAccount:
    """Return the last lines of the time account, or those before a version, for one seat or for all.

    Viewers get all lines of their own seat. Of other seats they get the lines of acts they may know: the time of a hidden act is
    hidden too. Once the match is over everything is open. `loaded`: the match as far as they may know of it.
    """
    loaded = loaded or loading.load(match.id, match.game)
    reader = _Reader(loaded, viewer)
    steps, older = _page(reader, loaded.version if before is None else min(before - 1, loaded.version), seat)
    account = loaded.account
    return TimeAccount(
        policy=account.policy.told if account.policy is not None else {},
        paused_since=account.paused_since,
        clocks={
            key: replace(clock, excluded=()) if reader.anonymous and key[0] != viewer else clock
            for key, clock in account.open.items()
            if seat in (None, key[0])
        },
        banks=_banks(reader, range(loaded.seats) if seat is None else (seat,)),
        lines=[(version, line) for version, lines in reversed(steps) for line in lines],
        older=older,
    )


def _page(reader: _Reader, until: int, seat: int | None) -> tuple[list[Steps], int | None]:
    """Return the last acts up to a version with matching lines, newest first, and the version to continue before."""
    acts: list[Steps] = []
    count, reached = 0, 0
    for since, steps in reader.back(until):
        reached = since
        for version, lines in steps:
            if wanted := [line for line in lines if seat in (None, line.seat)]:
                if count >= MOST_LINES:
                    return acts, acts[-1][0]
                acts.append((version, wanted))
                count += len(wanted)
        if count >= MOST_LINES:
            break
    return acts, reached if reached > 1 else None


def _banks(reader: _Reader, seats: Collection[int]) -> dict[int, int]:
    """Return the seconds in the bank of each seat in `seats`, from the last line that the viewer may see.

    A seat without a recent line is included only for its own player: it is unknown whether others may know a later step.
    """
    account, viewer, ended = reader.loaded.account, reader.viewer, reader.loaded.ended
    banks: dict[int, int] = {}
    if account.policy is None or not account.policy.bank:
        return banks
    reached = 0
    for since, steps in reader.back(reader.loaded.version):
        reached = since
        for _version, lines in steps:
            banks = {line.seat: line.bank for line in lines if line.seat in seats} | banks
        if len(banks) == len(seats):
            return banks
    if reached > 1:
        banks = {seat: account.bank(seat) // SECOND for seat in seats if ended or seat == viewer} | banks
    return banks


class _Reader:
    """The clock steps of a match as one viewer may see them, computed piece by piece from the newest back."""

    def __init__(self, loaded: Loaded, viewer: Viewer) -> None:
        self.loaded = loaded
        self.viewer = viewer
        self.anonymous = not loaded.ended and loaded.anonymous

    def back(self, until: int) -> Iterator[tuple[int, Iterable[Steps]]]:
        """Yield the last pieces up to a version, newest first: the piece's first version, and its acts that have lines.

        An act that continues after the version is left out.
        """
        goes_on = _goes_on(self.loaded, until)
        for _ in range(MOST_PIECES):
            if until < 1:
                return
            then = loading.load_near(self.loaded.game, self.loaded.match_id, max(until - PIECE, 0))
            begin = then.version
            acts = list(stream.acts(STORE.read(self.loaded.match_id, begin, until)))
            yield begin + 1, reversed(self._reckon(then, acts[:-1] if goes_on else acts))
            until, goes_on = begin, False

    def _reckon(self, then: Loaded, acts: Iterable[Sequence[StoredEvent]]) -> list[Steps]:
        collected: list[Line] = []
        then.account.lines = collected
        found = []
        stored = [one for act in acts for one in act]
        past, targets = loading.recall(then, stored), rewound_to(stored)
        for act in stream.acts(stored):
            events = [lift(then.game, one) for one in act]
            then.fold(act, events, targets=targets, past=past)
            if lines := [shown for line in collected if (shown := self._shown(line, act, events)) is not None]:
                found.append((act[-1].version, lines))
            collected.clear()
        return found

    def _shown(self, line: Line, act: Sequence[StoredEvent], events: Sequence[Event]) -> Line | None:
        if self.loaded.ended or line.seat == self.viewer:
            return line
        if all(see_event(self.loaded.game, event, self.viewer) is None for event in events):
            return None
        line = replace(line, at=act[-1].occurred_at)
        return _anonymous(line) if self.anonymous else line


def _goes_on(loaded: Loaded, version: int) -> bool:
    """Return True if the act that contains a version has events after it."""
    return any(
        "command_id" not in stored.meta for stored in STORE.read(loaded.match_id, version, min(version + 1, loaded.version))
    )


def _anonymous(line: Line) -> Line:
    """Return a line without nights and vacations, which would identify its player."""
    return replace(line, what=sight.impersonal(line.what), clock=replace(line.clock, excluded=()))


def _text(moment: datetime | None) -> str | None:
    return write_time(moment) if moment is not None else None
