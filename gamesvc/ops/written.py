"""Exports of matches outside any database, in the service's own format, for self-play and benches."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import NAMESPACE_OID, UUID, uuid4, uuid5

from events import canonical
from events.memory import MemoryStore
from events.types import Head, NewEvent, StoredEvent
from gamesvc.games.kernel.dice import commitment, seed_secret
from gamesvc.games.kernel.game import Event, Game, Outcome
from gamesvc.games.selfplay import Record
from gamesvc.json_types import JsonObject
from gamesvc.matches.events import Ended, Joined, Opened, Started


class Written:
    """The lines of an export under construction. Everything in it happens at one moment."""

    def __init__(self, game: Game, match: UUID, moment: datetime) -> None:
        self.game = game
        self.match = match
        self.moment = moment
        self.stored: list[StoredEvent] = []
        self.store = MemoryStore()

    def add(
        self,
        events: Sequence[Event],
        kind: str,
        *,
        seat: int | None = None,
        command: JsonObject | None = None,
        follows: bool = False,
    ) -> None:
        """Append the events of one act; `follows`: they belong to the act before."""
        new = []
        command_id = uuid4()
        for at, event in enumerate(events):
            actor = {"kind": kind} if seat is None else {"kind": kind, "seat": seat}
            meta: JsonObject = {"actor": actor, "rules": self.game.manifest.rules}
            if event.draws:
                meta["draws"] = list(event.draws)
            if at == 0 and not follows:
                meta |= {"command_id": str(command_id), "channel": kind, "received_at": canonical.write_time(self.moment)}
                if command is not None:
                    meta["command"] = command
            new.append(NewEvent(self.game.full_type(event.type), event.type_version, dict(event.data), meta, self.moment))
        expected = self.stored[-1].head if self.stored else Head.empty(self.match)
        self.stored += self.store.append(self.match, new, expected=expected, command_id=command_id)

    def content(self) -> bytes:
        trailer = {"match": str(self.match), "count": len(self.stored), "head": self.stored[-1].hash.hex()}
        lines = [*(one.as_record() for one in self.stored), {"trailer": trailer}]
        return b"".join(canonical.encode(line) + b"\n" for line in lines)


def opening(game: Game, options: JsonObject, seats: int, secret: bytes) -> list[Event]:
    """Return the service's events before the first of the game: players, rules, and the commitment to the draws."""
    rules = game.manifest.rules
    opened = Opened(game=game.id, rules=rules, options=options, seats=seats, commitment=commitment(secret))
    joined = [Joined(seat=seat, contribution="") for seat in range(seats)]
    return [event.event(version) for version, event in enumerate([opened, *joined, Started(seats)], 1)]


def ended(outcome: Outcome, secret: bytes) -> Event:
    """Return the last event of a match."""
    return Ended(outcome.reason, outcome.as_json(), secret.hex()).event()


def match_of(game: Game, seed: str) -> UUID:
    """Return the id of a match that bots play from a seed."""
    return uuid5(NAMESPACE_OID, f"selfplay {game.id} {seed}")


def write(game: Game, record: Record) -> bytes:
    """Return the export of a match between bots that was played with `opening` and the id of `match_of`."""
    assert record.outcome is not None
    written = Written(game, match_of(game, record.seed), datetime.now(UTC))
    before = record.seats + 2
    for event in record.events[:before]:
        written.add([event], "system")
    written.add(record.events[before : record.ends[0]], "system", follows=True)
    for (seat, command), (start, end) in zip(record.commands, itertools.pairwise(record.ends), strict=True):
        if seat is None:
            written.add(record.events[start:end], "host")
        else:
            written.add(record.events[start:end], "bot", seat=seat, command=command)
    written.add([ended(record.outcome, seed_secret(record.seed))], "bot", follows=True)
    return written.content()
