"""A match in memory: its events folded to a state, with what each viewer may know of it.

Each process remembers the matches it touched last; a load then reads only the events that came since. What is
remembered is never trusted for writing: the append itself checks version and hash.
"""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db import connection

from events.store import Head, PostgresStore, StoredEvent
from gamesvc.games import catalog
from gamesvc.games.kernel import Event, Game, Viewer, see_event
from gamesvc.games.timeline import Timeline
from gamesvc.matches import snapshots

REMEMBERED = 512

STORE = PostgresStore()


@dataclass(slots=True)
class Loaded:
    """The newest known version of a match. `seen[viewer]` is the version of the last event that viewer may know of."""

    match_id: UUID
    game: Game[Any]
    head: Head
    timeline: Timeline[Any]
    opened: dict[str, Any] = field(default_factory=dict)
    contributions: dict[int, str] = field(default_factory=dict)
    holders: dict[int, str] = field(default_factory=dict)
    started: bool = False
    ended: bool = False
    seen: dict[Viewer, int] = field(default_factory=dict)
    snapshot_version: int = 0
    went_back: bool = False

    @property
    def version(self) -> int:
        return self.head.version

    @property
    def seats(self) -> int:
        return int(self.opened.get("seats", 0))

    def awaited(self) -> Sequence[Any]:
        """The questions open now; none before the start and after the end."""
        return self.game.awaited(self.timeline.state) if self.started and not self.ended else ()

    def viewer_version(self, viewer: Viewer) -> int:
        return self.head.version if self.ended else self.seen.get(viewer, 0)

    def fold(self, stored: Sequence[StoredEvent], lifted: Sequence[Event]) -> None:
        """Take over events that follow; `lifted` are the same as the engine reads them."""
        self.timeline.fold(lifted)
        self.note(stored, lifted)

    def note(self, stored: Sequence[StoredEvent], lifted: Sequence[Event]) -> None:
        """Everything but the state: head, who holds which seat, what each viewer may know of."""
        for record, event in zip(stored, lifted, strict=True):
            match event.type:
                case "match.opened":
                    self.opened = dict(event.data)
                case "match.joined":
                    self.holders[event.data["seat"]] = event.data["holder"]
                    self.contributions[event.data["seat"]] = event.data["contribution"]
                case "match.left":
                    self.holders.pop(event.data["seat"], None)
                    self.contributions.pop(event.data["seat"], None)
                case "match.started":
                    self.started = True
                case "match.ended":
                    self.ended = True
                case "match.rewound":
                    self.went_back |= event.data["to"] < self.snapshot_version
            for viewer in (None, *range(self.seats)):
                if see_event(self.game, event, viewer) is not None:
                    self.seen[viewer] = event.version
            self.head = Head(record.version, record.hash, record.occurred_at)

    def copy(self) -> Loaded:
        """One's own copy to work on; states are shared, they never change."""
        old = self.timeline
        timeline: Timeline[Any] = Timeline.resume(
            self.game,
            version=old.version,
            state=old.state if old.started else None,
            draws=old.draws,
            kept=old.kept,
            recall=old.recall,
            log=old.log,
        )
        return replace(
            self,
            timeline=timeline,
            opened=self.opened,
            contributions=dict(self.contributions),
            holders=dict(self.holders),
            seen=dict(self.seen),
        )


def lift(game: Game[Any], stored: StoredEvent) -> Event:
    """A stored event as today's engine reads it."""
    event = Event(
        game.bare_type(stored.type), stored.data, stored.version, stored.type_version, tuple(stored.meta.get("draws", ()))
    )
    return game.lift(event)


def read_log(game: Game[Any], match_id: UUID, until: int | None = None) -> list[Event]:
    return [lift(game, stored) for stored in STORE.read(match_id, 0, until)]


def state_at(game: Game[Any], match_id: UUID, version: int) -> Any:
    """The state a match had at a version, from the nearest snapshot before it."""
    return load_at(game, match_id, version).timeline.state


def load_at(game: Game[Any], match_id: UUID, version: int) -> Loaded:
    """A match as it was at a version."""
    loaded = _from_snapshot(game, match_id, until=version) or fresh(game, match_id)
    tail = STORE.read(match_id, loaded.version, version)
    loaded.fold(tail, [lift(game, stored) for stored in tail])
    return loaded


def fresh(game: Game[Any], match_id: UUID) -> Loaded:
    """A match with no events read yet."""
    timeline: Timeline[Any] = Timeline(
        game, recall=functools.partial(state_at, game, match_id), log=functools.partial(read_log, game, match_id)
    )
    return Loaded(match_id, game, Head.empty(match_id), timeline)


_remembered: OrderedDict[UUID, Loaded] = OrderedDict()
_lock = threading.Lock()


def load(match_id: UUID, game_id: str) -> Loaded:
    """Read a match up to its newest event."""
    with _lock:
        known = _remembered.get(match_id)
    if known is not None:
        loaded = known.copy()
    else:
        game = catalog.game(game_id)
        loaded = _from_snapshot(game, match_id) or fresh(game, match_id)
    tail = STORE.read(match_id, loaded.version)
    if tail:
        loaded.fold(tail, [lift(loaded.game, stored) for stored in tail])
        # What an open transaction has read may be its own writing, and that may be rolled back.
        if not connection.in_atomic_block:
            save_snapshot(loaded)
            remember(loaded)
    return loaded


def save_snapshot(loaded: Loaded) -> None:
    """Keep a snapshot when the tail behind the last one has grown, or when the match went back behind it. After commit only."""
    if not loaded.started:
        return
    if loaded.version - loaded.snapshot_version <= snapshots.TAIL and not loaded.went_back:
        return
    contents = {
        "opened": loaded.opened,
        "contributions": list(loaded.contributions.items()),
        "holders": list(loaded.holders.items()),
        "started": loaded.started,
        "ended": loaded.ended,
        "seen": list(loaded.seen.items()),
        "draws": loaded.timeline.draws,
    }
    timeline = loaded.timeline
    snapshots.put(loaded.game, loaded.match_id, loaded.head, contents, timeline.state, timeline.keep_marked())
    loaded.snapshot_version, loaded.went_back = loaded.version, False


def _from_snapshot(game: Game[Any], match_id: UUID, until: int | None = None) -> Loaded | None:
    found = snapshots.get(game, match_id, until)
    if found is None:
        return None
    head, contents = found
    timeline: Timeline[Any] = Timeline.resume(
        game,
        version=head.version,
        state=contents["state"],
        draws=contents["draws"],
        kept=contents["kept"],
        recall=functools.partial(state_at, game, match_id),
        log=functools.partial(read_log, game, match_id),
    )
    return Loaded(
        match_id,
        game,
        head,
        timeline,
        opened=contents["opened"],
        contributions=dict(contents["contributions"]),
        holders=dict(contents["holders"]),
        started=contents["started"],
        ended=contents["ended"],
        seen=dict(contents["seen"]),
        snapshot_version=head.version,
    )


def remember(loaded: Loaded) -> None:
    """Keep a match for the next load in this process, unless a newer version of it is kept already."""
    with _lock:
        known = _remembered.get(loaded.match_id)
        if known is None or known.version <= loaded.version:
            _remembered[loaded.match_id] = loaded.copy()
        _remembered.move_to_end(loaded.match_id)
        while len(_remembered) > REMEMBERED:
            _remembered.popitem(last=False)


def forget_all() -> None:
    """Start from the store again (tests, and after a restore)."""
    with _lock:
        _remembered.clear()
