"""A match in memory: its events folded to a state, with the events each viewer may know.

Each process remembers the matches it touched last; a load then reads only the newer events. Remembered data is never trusted for
writing: the append itself checks version and hash.

A database server that takes over from another one may have lost its last moments. What a process remembers of these never was: so
it forgets all with each new connection, and a match of which newer events do not follow what it remembers.
"""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.backends.signals import connection_created

from events.canonical import link
from events.store import Head, StoredEvent
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Awaited, Event, Game, Viewer, see_event
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.games.kernel.undo.undo_rules import Behind
from gamesvc.json_types import JsonObject
from gamesvc.matches.clock import fold
from gamesvc.matches.clock.account import Account
from gamesvc.matches.events import (
    Ended,
    Joined,
    Left,
    MatchEvent,
    Opened,
    Rewound,
    Seated,
    Started,
    Vacated,
    read_event,
)
from gamesvc.matches.record import snapshot_renewal, snapshots
from gamesvc.matches.record.past import Past, look_back, rewound_to
from gamesvc.matches.record.stream import STORE, Log, appends, events_after, lift, step_of

REMEMBERED = 512
REMEMBERED_POSITIONS = 64
"""Most of these that began from a position: one that a user describes may take fifty times the memory of others."""


def hour() -> timedelta:
    """Return the length of an hour on the clocks."""
    return timedelta(seconds=settings.SECONDS_PER_HOUR)


def fresh_account() -> Account:
    return Account(hour=hour())


@dataclass(slots=True)
class Loaded:
    """The newest known version of a match. `seen[viewer]` is the version of the last event that viewer may know."""

    match_id: UUID
    game: Game
    head: Head
    timeline: Timeline
    opened: Opened | None = None
    """The first event; None before it."""
    contributions: dict[int, str] = field(default_factory=dict)
    holders: dict[int, str] = field(default_factory=dict)
    hands: dict[int, int] = field(default_factory=dict)
    """The version at which each seat of the running match last lost or got its holder. No rewind undoes that."""
    started_at: int | None = None
    """The version of `match.started`; None before it. The position exists from the next game event on."""
    ended: bool = False
    seen: dict[Viewer, int] = field(default_factory=dict)
    snapshot_version: int = 0
    went_back: bool = False
    account: Account = field(default_factory=fresh_account)
    """All clocks after the newest complete append."""
    behind: dict[int, Behind] = field(default_factory=dict)
    """The last look back of each seat for a command to undo (`matches.undo`), shared by all copies of the match."""

    @property
    def version(self) -> int:
        return self.head.version

    @property
    def started(self) -> bool:
        """True from `match.started` on: nobody can join now."""
        return self.started_at is not None

    @property
    def seats(self) -> int:
        return self.opened.seats if self.opened is not None else 0

    @property
    def anonymous(self) -> bool:
        return self.opened is not None and bool(self.opened.anonymous)

    @property
    def from_position(self) -> bool:
        """True for a match that began from a position, not with the game's own setup."""
        return self.opened is not None and self.opened.position is not None

    def awaited(self) -> Sequence[Awaited]:
        """Return the pending decisions; none before the first game event and after the end."""
        return self.game.awaited(self.timeline.state) if self.timeline.started and not self.ended else ()

    def viewer_version(self, viewer: Viewer) -> int:
        return self.head.version if self.ended else self.seen.get(viewer, 0)

    def fold(
        self,
        stored: Sequence[StoredEvent],
        lifted: Sequence[Event],
        *,
        targets: Collection[int] | None = None,
        past: Past | None = None,
    ) -> None:
        """Add the events that follow. `lifted` holds the same events as the engine reads them.

        `targets`: the versions that these and later events go back to, if the caller knows them. `past`: what is known before
        these events, or found on the way (`recall`).
        """
        targets = rewound_to(lifted) if targets is None else targets
        past = recall(self, stored) if past is None else past
        clocks_at = functools.partial(self.account_at, past=past)
        for start, end in appends(stored):
            if (before := stored[start].version - 1) in targets:
                past.clocks[before] = self.account.copy()
            self.timeline.fold(lifted[start:end], targets)
            self.note(stored[start:end], lifted[start:end])
            fold.follow(self.account, step_of(stored[start:end]), self.awaited(), recall=clocks_at)

    def account_at(self, version: int, past: Past | None = None) -> Account:
        """Return the clocks as they were at a version, for a rewind to it. For `past` see `fold`."""
        past = Past() if past is None else past
        if version not in past.clocks:
            past.clocks[version] = load_at(self.game, self.match_id, version, past).account
        return past.clocks[version]

    def note(self, stored: Sequence[StoredEvent], lifted: Sequence[Event]) -> None:
        """Take note of everything except the state: head, seat holders, and the events each viewer may know."""
        for record, event in zip(stored, lifted, strict=True):
            if (told := read_event(event)) is not None:
                self._note(told)
                if isinstance(told, Seated | Vacated):
                    self.hands[told.seat] = event.version
                elif isinstance(told, Started):
                    self.started_at = event.version
                elif isinstance(told, Rewound):
                    # Another process may have saved the snapshot of the last mark.
                    self.went_back |= told.to < max(self.snapshot_version, _mark(event.version - 1))
            for viewer in (None, *range(self.seats)):
                if see_event(self.game, event, viewer) is not None:
                    self.seen[viewer] = event.version
            self.head = Head(record.version, record.hash, record.occurred_at)

    def _note(self, event: MatchEvent) -> None:
        match event:
            case Opened():
                self.opened = event
            case Joined():
                self.contributions[event.seat] = event.contribution
            case Left():
                self.contributions.pop(event.seat, None)
            case Ended():
                self.ended = True
        sit(self.holders, event)

    def copy(self) -> Loaded:
        """Return a copy to work on. States are immutable and shared."""
        old = self.timeline
        timeline: Timeline = Timeline.resume(
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
            hands=dict(self.hands),
            seen=dict(self.seen),
            account=self.account.copy(),
        )


def sit(holders: dict[int, str], event: MatchEvent) -> None:
    """Update the seat holders after one more event."""
    match event:
        case Joined() | Seated():
            holders[event.seat] = event.holder
        case Left() | Vacated():
            holders.pop(event.seat, None)


def act_end(loaded: Loaded, version: int) -> int:
    """Return the version of the last event in the act that contains a version."""
    for stored in events_after(loaded.match_id, version, loaded.version):
        if "command_id" in stored.meta:
            return stored.version - 1
    return loaded.version


def first_playable(loaded: Loaded) -> int | None:
    """Return the version of the first position that players act in, after the set-up; None before the match starts."""
    return None if loaded.started_at is None else act_end(loaded, loaded.started_at)


def state_at(game: Game, match_id: UUID, version: int) -> object:
    """Return the state of a match at a version, folded from the nearest snapshot before it."""
    return load_at(game, match_id, version).timeline.state


def load_at(game: Game, match_id: UUID, version: int, past: Past | None = None) -> Loaded:
    """Return a match as it was at a version. For `past` see `Loaded.fold`."""
    loaded = _near(game, match_id, version)
    _catch_up(loaded, STORE.read(match_id, loaded.version, version), past)
    return loaded


def load_near(game: Game, match_id: UUID, version: int) -> Loaded:
    """Return a match as it was after an act at a version or shortly before: where its last snapshot is, if that is near."""
    loaded = _near(game, match_id, version)
    if version - loaded.version > snapshots.STRETCH:
        tail = STORE.read(match_id, loaded.version, version)
        *_, (last, _end) = appends(tail)  # which may go on after the version
        _catch_up(loaded, tail[:last])
    return loaded


def _near(game: Game, match_id: UUID, version: int) -> Loaded:
    return _from_snapshot(game, match_id, until=version) or fresh(game, match_id)


def _catch_up(loaded: Loaded, tail: Sequence[StoredEvent], past: Past | None = None, wanted: Collection[int] = ()) -> None:
    """Fold the events that follow. Save snapshots on the way if there are many (no snapshot fits today's rules code).

    `wanted`: versions whose states and clocks are to be in `past` then, besides those that these events go back to.
    """
    past = recall(loaded, tail, past)
    lifted = [lift(loaded.game, one) for one in tail]
    targets = rewound_to(lifted).union(wanted)
    start = 0
    for begin, _end in appends(tail):
        if begin - start > snapshots.STRETCH:
            loaded.fold(tail[start:begin], lifted[start:begin], targets=targets, past=past)
            start = begin
            if not connection.in_atomic_block:
                save_snapshot(loaded)
    loaded.fold(tail[start:], lifted[start:], targets=targets, past=past)
    past.note(loaded, wanted)
    if targets:
        loaded.timeline.fold(())  # forgets what was needed on the way only


def recall(loaded: Loaded, stored: Sequence[StoredEvent], past: Past | None = None) -> Past:
    """Let a match know the states before it to which the events that follow go back. Return them with their clocks (`past`)."""
    past = Past() if past is None else past
    look_back(loaded, stored, past, near=_near, catch_up=_catch_up)
    return past


def fresh(game: Game, match_id: UUID) -> Loaded:
    """Return a match with no events read yet."""
    timeline: Timeline = Timeline(
        game, recall=functools.partial(state_at, game, match_id), log=functools.partial(Log, game, match_id)
    )
    return Loaded(match_id, game, Head.empty(match_id), timeline)


_remembered: OrderedDict[UUID, Loaded] = OrderedDict()
_from_positions: OrderedDict[UUID, None] = OrderedDict()
_lock = threading.Lock()


def load(match_id: UUID, game_id: str, *, young: bool = False) -> Loaded:
    """Return a match up to its newest event. `young`: it was too short for a snapshot just now, so skip that lookup."""
    loaded = _begun(match_id, game_id, young=young)
    tail = STORE.read(match_id, loaded.version)
    if not _continues(loaded, tail):
        loaded = _begun(match_id, game_id)
        tail = STORE.read(match_id, loaded.version)
    _follow(loaded, tail)
    return loaded


def load_beside(match_id: UUID, game_id: str, query: str, params: Sequence[Any]) -> tuple[Loaded, Any]:
    """Return a match up to its newest event, and the one row of a query, both of one moment, in one round trip."""
    loaded = _begun(match_id, game_id)
    row, tail = STORE.read_beside(match_id, loaded.version, query, params)
    if not _continues(loaded, tail):
        loaded = _begun(match_id, game_id)
        row, tail = STORE.read_beside(match_id, loaded.version, query, params)
    _follow(loaded, tail)
    return loaded, row


def _begun(match_id: UUID, game_id: str, *, young: bool = False) -> Loaded:
    """Return a match as far as it is remembered here or in a snapshot."""
    with _lock:
        known = _remembered.get(match_id)
    if known is not None:
        return known.copy()
    game = catalog.game(game_id)
    return (None if young else _from_snapshot(game, match_id)) or fresh(game, match_id)


def load_many(games: Mapping[UUID, str]) -> dict[UUID, Loaded]:
    """Return many matches by id, in two queries. `games` maps each match to the id of its game."""
    with _lock:
        found = {match_id: known.copy() for match_id in games if (known := _remembered.get(match_id)) is not None}
    missing = {match_id: catalog.game(game_id) for match_id, game_id in games.items() if match_id not in found}
    kept = snapshots.get_many(missing) if missing else {}
    for match_id, game in missing.items():
        found[match_id] = (_resume(game, match_id, *kept[match_id]) if match_id in kept else None) or fresh(game, match_id)
    if found:
        for match_id, tail in STORE.read_many({match_id: loaded.version for match_id, loaded in found.items()}).items():
            if _continues(found[match_id], tail):
                _follow(found[match_id], tail)
            else:
                found[match_id] = load(match_id, games[match_id])
    return found


def _continues(loaded: Loaded, tail: Sequence[StoredEvent]) -> bool:
    """Return True if events follow what was known of the match. If not, it was lost with a database server: forget it.

    What is read then may not follow either, where the record itself was changed. The audit finds that; reading goes on.
    """
    if not tail or not loaded.version or link(loaded.head.hash, tail[0].digest) == tail[0].hash:
        return True
    _forget(loaded.match_id)
    return False


def doubt(loaded: Loaded) -> None:
    """Forget a match after a conflict if the log does not hold what was known of it."""
    if loaded.version and [one.hash for one in STORE.pick(loaded.match_id, [loaded.version])] != [loaded.head.hash]:
        _forget(loaded.match_id)


def _forget(match_id: UUID) -> None:
    with _lock:
        _remembered.pop(match_id, None)
        _from_positions.pop(match_id, None)


def _follow(loaded: Loaded, tail: Sequence[StoredEvent]) -> None:
    """Add the events that have come since, and remember the result."""
    if not tail:
        return
    _catch_up(loaded, tail)
    if not connection.in_atomic_block and (len(tail) > snapshots.TAIL or loaded.went_back):
        save_snapshot(loaded)
    if lasts():
        remember(loaded.copy())


def lasts() -> bool:
    """Return True if reads are final. Within a transaction they may include its own writes, which may be rolled back."""
    return not connection.in_atomic_block


def openings(match_ids: Collection[UUID]) -> dict[UUID, Opened]:
    """Return the data of each match's first event by match id, in one query."""
    return {match_id: Opened.of(stored.data) for match_id, stored in STORE.firsts(match_ids).items()}


def save_at_mark(loaded: Loaded, since: int) -> None:
    """Save a snapshot after an append to `since`, if it reached a multiple of the distance or went back behind the last one.

    So of all processes that follow a match one saves each snapshot. If that one dies, the next mark comes soon. Call it after
    commit only.
    """
    if _mark(since) != _mark(loaded.version) or loaded.went_back:
        _save(loaded)


def _mark(version: int) -> int:
    """Return the last version up to this one at which a snapshot is due."""
    return version - version % (snapshots.TAIL + 1)


def save_snapshot(loaded: Loaded) -> None:
    """Save a snapshot if many events follow the last one, or if the match was rewound behind it. Call it after commit only."""
    if loaded.version - loaded.snapshot_version > snapshots.TAIL or loaded.went_back:
        _save(loaded)


def _save(loaded: Loaded) -> None:
    if not loaded.timeline.started:
        return
    contents = {
        "opened": loaded.opened.as_json() if loaded.opened is not None else None,
        "contributions": list(loaded.contributions.items()),
        "holders": list(loaded.holders.items()),
        "hands": list(loaded.hands.items()),
        "started_at": loaded.started_at,
        "ended": loaded.ended,
        "seen": list(loaded.seen.items()),
        "draws": loaded.timeline.draws,
        "account": loaded.account.as_json(),
    }
    timeline = loaded.timeline
    snapshots.put(loaded.game, loaded.match_id, loaded.head, contents, timeline.state, timeline.keep_marked())
    loaded.snapshot_version, loaded.went_back = loaded.version, False


def _from_snapshot(game: Game, match_id: UUID, until: int | None = None) -> Loaded | None:
    found = snapshots.get(game, match_id, until)
    return None if found is None else _resume(game, match_id, *found)


def _resume(game: Game, match_id: UUID, head: Head, contents: JsonObject) -> Loaded | None:
    """Return a match from its snapshot; None if the snapshot has another format."""
    try:
        account, opened = Account.from_json(contents["account"], hour()), Opened.of(contents["opened"])
        hands = dict(contents["hands"])
    except (KeyError, TypeError, ValueError):
        return None
    timeline: Timeline = Timeline.resume(
        game,
        version=head.version,
        state=contents["state"],
        draws=contents["draws"],
        kept=contents["kept"],
        recall=functools.partial(state_at, game, match_id),
        log=functools.partial(Log, game, match_id),
    )
    return Loaded(
        match_id,
        game,
        head,
        timeline,
        opened=opened,
        contributions=dict(contents["contributions"]),
        holders=dict(contents["holders"]),
        hands=hands,
        started_at=contents["started_at"],
        ended=contents["ended"],
        seen=dict(contents["seen"]),
        snapshot_version=head.version,
        account=account,
    )


def remember(loaded: Loaded) -> None:
    """Remember a match for the next load in this process, unless a newer version is known. The caller must not use it again."""
    with _lock:
        known = _remembered.get(loaded.match_id)
        if known is None or known.version <= loaded.version:
            _remembered[loaded.match_id] = loaded
        _remembered.move_to_end(loaded.match_id)
        if loaded.from_position:
            _from_positions[loaded.match_id] = None
            _from_positions.move_to_end(loaded.match_id)
        while len(_from_positions) > REMEMBERED_POSITIONS:
            _remembered.pop(_from_positions.popitem(last=False)[0], None)
        while len(_remembered) > REMEMBERED:
            _from_positions.pop(_remembered.popitem(last=False)[0], None)


def after(loaded: Loaded) -> Loaded:
    """Return the match after an append that has just been made: the remembered one, or a fresh load."""
    with _lock:
        known = _remembered.get(loaded.match_id)
    if known is not None and known.version > loaded.version:
        return known.copy()
    return load(loaded.match_id, loaded.game.id)


def forget_all() -> None:
    """Forget all remembered matches, for tests."""
    snapshot_renewal.look_again()
    _forget_remembered()


def register() -> None:
    """Register for new connections to the database: what was remembered may have been lost with the server before."""
    connection_created.connect(_forget_remembered, dispatch_uid="matches.forget_remembered")


def _forget_remembered(**_signal: object) -> None:
    with _lock:
        _remembered.clear()
        _from_positions.clear()
