"""The earlier versions of a match to which it went back, each folded once while the match is loaded.

A rewind needs the state and the clocks of the version to which it goes back, which may lie before the snapshot from which a match
is loaded. There the match may have gone back further. Looked up for each rewind, everything would be folded as often as there are
ways to it: with a few rewinds between two snapshots, a load would never end. So it is found first which events are needed, from
the newest to the oldest, and then each of them is folded once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import UUID

from events.store import StoredEvent
from gamesvc.games.kernel.events import SERVICE_CAUSES
from gamesvc.games.kernel.game import Event, Game
from gamesvc.matches.clock.account import Account
from gamesvc.matches.events import Rewound
from gamesvc.matches.record.stream import STORE

if TYPE_CHECKING:
    from gamesvc.matches.record.loading import Loaded


@dataclass(slots=True)
class Past:
    """The states and clocks at earlier versions of a match, as far as they were met while it is loaded."""

    states: dict[int, Any] = field(default_factory=dict)
    clocks: dict[int, Account] = field(default_factory=dict)

    def note(self, loaded: Loaded, wanted: Collection[int]) -> None:
        """Note what a match that was folded knows of these versions."""
        if wanted and loaded.timeline.started:
            known = loaded.timeline.kept | {loaded.version: loaded.timeline.state}
            self.states |= {version: known[version] for version in wanted if version in known}
            self.clocks.setdefault(loaded.version, loaded.account.copy())


Near = Callable[[Game, UUID, int], "Loaded"]
CatchUp = Callable[["Loaded", Sequence[StoredEvent], Past, Collection[int]], None]


def look_back(loaded: Loaded, stored: Sequence[StoredEvent], past: Past, *, near: Near, catch_up: CatchUp) -> None:
    """Let a match know the states before it to which the events that follow go back, and `past` the clocks there.

    `near` returns the match at or shortly before a version. `catch_up` folds events that follow it, and notes what is wanted.
    """
    needed = behind(loaded, stored)
    pieces: list[tuple[Loaded, Sequence[StoredEvent], set[int]]] = []
    waiting = needed - past.states.keys()
    while waiting:
        last = max(waiting)
        begun = near(loaded.game, loaded.match_id, last)
        tail: Sequence[StoredEvent] = STORE.read(loaded.match_id, begun.version, last)
        pieces.append((begun, tail, {version for version in waiting if version >= begun.version}))
        waiting = {version for version in waiting if version < begun.version} | (behind(begun, tail) - past.states.keys())
    for begun, tail, wanted in reversed(pieces):
        catch_up(begun, tail, past, wanted)
    loaded.timeline.kept |= {version: past.states[version] for version in needed if version in past.states}


def behind(loaded: Loaded, stored: Sequence[StoredEvent]) -> set[int]:
    """Return the versions before those of a match to which events go back, except marked states: a game restores no clocks."""
    told = [Rewound.of(one.data) for one in stored if one.type == Rewound.TYPE]
    known = loaded.timeline.kept.keys()
    return {one.to for one in told if 0 < one.to < loaded.version and (one.to not in known or one.cause in SERVICE_CAUSES)}


def rewound_to(events: Iterable[Event | StoredEvent]) -> set[int]:
    """Return the versions that these events go back to."""
    return {Rewound.of(event.data).to for event in events if event.type == Rewound.TYPE}
