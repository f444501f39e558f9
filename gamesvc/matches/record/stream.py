"""The stored events of a match: read in pieces, parted into acts, and lifted to what today's engine reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import overload
from uuid import UUID

from events.store import PostgresStore, StoredEvent
from gamesvc.games.kernel.game import Event, Game
from gamesvc.matches.clock.account import Step
from gamesvc.matches.events import read_events

# Number of events read at a time when searching around a version.
NEAR = 50


STORE = PostgresStore()


def appends(stored: Sequence[StoredEvent]) -> Iterator[tuple[int, int]]:
    """Yield start and end index of each append. The first event of an append carries the command's id."""
    start = 0
    for at, one in enumerate(stored):
        if at > start and "command_id" in one.meta:
            yield start, at
            start = at
    if stored:
        yield start, len(stored)


def acts(stored: Sequence[StoredEvent]) -> Iterator[Sequence[StoredEvent]]:
    """Yield the acts: events that were appended together."""
    return (stored[start:end] for start, end in appends(stored))


def acts_back(match_id: UUID, until: int, after: int = 0) -> Iterator[Sequence[StoredEvent]]:
    """Yield the acts from version `until` back to `after`, newest first. They are read in pieces, only as far as needed."""
    begun: Sequence[StoredEvent] = ()
    while until > after:
        since = max(after, until - NEAR)
        stored = [*STORE.read(match_id, since, until), *begun]
        # The first act of a piece may have begun in the piece before.
        cut = since > after and "command_id" not in stored[0].meta
        whole = list(acts(stored))
        begun = whole.pop(0) if cut else ()
        yield from reversed(whole)
        until = since


def version_at(match_id: UUID, moment: datetime) -> int | None:
    """Return the version of a match at a moment, searched from its end; None before its first event."""
    # Times never go back within a stream.
    found = STORE.ask(
        "SELECT version FROM events_event WHERE stream = %s::uuid AND occurred_at <= %s::timestamptz"
        " ORDER BY version DESC LIMIT 1",
        [match_id, moment],
    ).fetchone()
    return int(found[0]) if found is not None else None


def events_after(match_id: UUID, version: int, until: int) -> Iterator[StoredEvent]:
    """Yield the events after a version, oldest first. They are read in pieces, only as far as needed."""
    for after in range(version, until, NEAR):
        yield from STORE.read(match_id, after, min(after + NEAR, until))


def step_of(stored: Sequence[StoredEvent]) -> Step:
    """Return an append in the form that the clocks use."""
    first = stored[0]
    actor = first.meta["actor"]
    received = first.meta.get("received_at")
    return Step(
        read_events(stored),
        actor["kind"],
        actor.get("seat"),
        datetime.fromisoformat(received) if received is not None else first.occurred_at,
        stored[-1].occurred_at,
        bool(first.meta.get("automatic")),
    )


def lift(game: Game, stored: StoredEvent) -> Event:
    """Return a stored event as today's engine reads it."""
    event = Event(
        game.bare_type(stored.type), stored.data, stored.version, stored.type_version, tuple(stored.meta.get("draws", ()))
    )
    return game.lift(event)


class Log(Sequence[Event]):
    """The events of a match from version 1, as today's engine reads them. Pieces are read when they are needed."""

    def __init__(self, game: Game, match_id: UUID, until: int, unwritten: Sequence[Event] = ()) -> None:
        self._game = game
        self._match_id = match_id
        self._until = until
        self._stored = unwritten[0].version - 1 if unwritten else until
        self._known = {event.version: event for event in unwritten}

    def __len__(self) -> int:
        return self._until

    @overload
    def __getitem__(self, index: int) -> Event: ...

    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...

    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        if isinstance(index, slice):
            return [self[one] for one in range(self._until)[index]]
        version = range(1, self._until + 1)[index]
        if version not in self._known:
            before = (version - 1) // NEAR * NEAR
            for stored in STORE.read(self._match_id, before, min(before + NEAR, self._stored)):
                self._known[stored.version] = lift(self._game, stored)
        return self._known[version]
