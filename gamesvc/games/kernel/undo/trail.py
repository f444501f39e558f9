"""The events that led to a version, without those undone since, as an undo walks back along them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from gamesvc.games.kernel.events import POSITIONED, REWOUND, SERVICE_CAUSES, STARTED, makes_state
from gamesvc.games.kernel.game import Event, Game, see_event
from gamesvc.json_types import JsonObject

CHUNK = 64


@dataclass(frozen=True, slots=True)
class Past:
    """One event of the record with its author from the event's metadata. `first`: it begins a deed."""

    event: Event
    first: bool
    kind: str
    seat: int | None
    command: JsonObject | None
    occurred_at: datetime
    received_at: datetime

    @property
    def of_game(self) -> bool:
        return makes_state(self.event.type)


@dataclass(slots=True)
class Deed:
    """The events of one command (or act of the service), oldest first. `kept_by`: the rewind that preserved it."""

    first: Past
    events: list[Past] = field(default_factory=list)
    kept_by: Past | None = None

    @property
    def before(self) -> int:
        """Return the version before the deed, which an undo goes back to."""
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
        """Return the service's own rewind within the deed, or None."""
        return next((e for e in self.of_game if e.type == REWOUND and e.data.get("cause") in SERVICE_CAUSES), None)

    @property
    def begins(self) -> bool:
        """Return True if the match begins with this deed."""
        return any(past.event.type in (STARTED, POSITIONED) for past in self.events)

    def seen_by(self, game: Game, viewer: int | None) -> list[Event]:
        """Return the deed's game events that a viewer may know of, with all their data."""
        return [event for event in self.of_game if see_event(game, event, viewer) is not None]


class Trail:
    """The record, read backwards in pieces: an undo looks at the last few events, however long the match is.

    `hands`: the version at which each seat last changed hands, undone or not. Its player undoes and redoes nothing before it.
    """

    def __init__(self, read: Callable[[int, int], Sequence[Past]], newest: int, hands: Mapping[int, int] | None = None) -> None:
        self._read = read
        self._found: dict[int, Past] = {}
        self.newest = newest
        self._hands = hands or {}

    def floor(self, seat: int) -> int:
        """Return the version at which a seat's tenure began; 0 if the seat never changed hands."""
        return self._hands.get(seat, 0)

    def __getitem__(self, version: int) -> Past:
        if version not in self._found:
            for past in self._read(max(0, version - CHUNK), version):
                self._found[past.event.version] = past
        return self._found[version]

    def back(self, version: int) -> Iterator[tuple[Past, Past | None]]:
        """Yield the events on the path to a version, newest first, each with the rewind that kept it or None."""
        while version > 0:
            past = self[version]
            yield past, None
            for held in reversed(past.event.kept):
                yield self[held], past
            version = past.event.predecessor

    def deeds(self, version: int | None = None) -> Iterator[Deed]:
        """Yield the deeds on the path, newest first."""
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
        """Yield all deeds, undone or not, newest first."""
        version = self.newest if version is None else version
        while version > 0:
            first = self._first(version)
            yield Deed(first, [self[at] for at in range(first.event.version, version + 1)])
            version = first.event.version - 1

    def _first(self, version: int) -> Past:
        while not self[version].first:
            version -= 1
        return self[version]
