"""`bench verify`: events hashed and linked as the format says, and SHA-256 over the same bytes alone for comparison.

`verify_chain` is what an audit does with stored rows, `verify_file` the same from the lines of an export, each proved to be
canonical to the last byte; `verify_match` is the whole proof, draws and decisions included.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from events import canonical
from events.memory import MemoryStore
from events.types import Head, NewEvent, StoredEvent
from gamesvc.games import catalog
from gamesvc.games.dice import Dice, KeyedSource, commitment, draw_key
from gamesvc.games.kernel import Event, Game
from gamesvc.games.timeline import Timeline, check_options
from gamesvc.matches import proof
from gamesvc.matches.benches import Row, row

GAME = "stratastar"
MATCH = UUID(int=1)
SECRET = bytes(range(32))
NIGHT = datetime(2026, 11, 20, tzinfo=UTC)
# In slices, ours and raw in turn, so that a machine whose speed drifts does not favour one of them.
SLICES = 5


def rows(seconds: float) -> list[Row]:
    content = make_export()
    lines = content.split(b"\n")[:-2]
    records = [canonical.read_record(line) for line in lines]
    rowed = [
        {
            **{name: record[name] for name in ("version", "type", "type_version", "occurred_at")},
            "data": canonical.encode(record["data"]),
            "meta": canonical.encode(record["meta"]),
            "salt": bytes.fromhex(record["salt"]),
        }
        for record in records
    ]
    hashes = [bytes.fromhex(record["hash"]) for record in records]
    bytes_of_events = [hashed_bytes(one) for one in rowed]

    def chain() -> None:
        before = canonical.genesis(MATCH)
        stream = str(MATCH)
        for one, hash in zip(rowed, hashes, strict=True):
            before = canonical.link(before, canonical.digest(stream=stream, **one))
            if before != hash:
                raise AssertionError(f"version {one['version']} does not verify")

    def file() -> None:
        proof.read_chain(lines)

    def match() -> None:
        report = proof.verify(content)
        if not report.ok:
            raise AssertionError(str(report.first_failure))

    def raw() -> None:
        before = bytes(32)
        for one in bytes_of_events:
            before = hashlib.sha256(before + hashlib.sha256(one).digest()).digest()

    more = {"events": len(records), "bytes": sum(map(len, bytes_of_events))}
    named: list[tuple[str, Callable[[], None]]] = [("chain", chain), ("file", file), ("match", match)]
    return [measure(f"verify_{name}", act, raw, len(records), seconds, more) for name, act in named]


def measure(
    name: str, act: Callable[[], None], raw: Callable[[], None], events: int, seconds: float, more: dict[str, Any]
) -> Row:
    """Events per second of `act`, and of `raw` beside it."""
    done = {act: 0, raw: 0}
    took = {act: 0.0, raw: 0.0}
    for _ in range(SLICES):
        for one in (act, raw):
            began = time.perf_counter()
            while (now := time.perf_counter() - began) < seconds / SLICES / 2:
                one()
                done[one] += events
            took[one] += now
    return row(name, done[act] / took[act], "events/s", done[raw] / took[raw], **more)


def hashed_bytes(one: dict[str, Any]) -> bytes:
    """The bytes a digest is computed over."""
    fields = (one["type"].encode(), b"%d" % one["type_version"], one["data"], one["meta"], one["occurred_at"].encode())
    opened = (canonical.EVENT_TAG, str(MATCH).encode(), b"%d" % one["version"])
    return canonical.prefixed(*opened, *fields, one["salt"].hex().encode())


def make_export() -> bytes:
    """A whole match between bots, its events and trailer as the service writes them."""
    game: Game[Any] = catalog.game(GAME)
    seats = game.manifest.min_seats
    options = check_options(game, {}, seats)
    written = Written(game)
    timeline: Timeline[Any] = Timeline(game)
    opened = {"game": GAME, "rules": game.manifest.rules, "options": options, "seats": seats, "commitment": commitment(SECRET)}
    lobby = [
        Event("match.opened", opened),
        *(Event("match.joined", {"seat": seat, "contribution": ""}) for seat in range(seats)),
        Event("match.started", {"seats": seats}),
    ]
    for version, event in enumerate(lobby, 1):
        written.add([event], "system")
        timeline.apply(Event(event.type, event.data, version))
    dice = Dice(KeyedSource(draw_key(SECRET, str(MATCH), ())))
    run = timeline.begin(options, seats, dice)
    written.add(run.events, "system", follows=True)
    timeline.follow(run)
    rng = random.Random("bench")
    while (outcome := game.outcome(timeline.state)) is None:
        seat = game.awaited(timeline.state)[0].seat
        state = timeline.state
        command = game.bots["greedy"](game.view(state, seat), game.legal_commands(state, seat), rng)
        run = timeline.command(seat, command, dice)
        written.add(run.events, "bot", seat=seat, command=dict(command))
        timeline.follow(run)
    ended = {"reason": outcome.reason, "outcome": outcome.as_json(), "secret": SECRET.hex()}
    written.add([Event("match.ended", ended)], "bot", follows=True)
    return written.content()


class Written:
    """The lines of an export in the making."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self.stored: list[StoredEvent] = []
        self.store = MemoryStore()

    def add(
        self,
        events: Sequence[Event],
        kind: str,
        *,
        seat: int | None = None,
        command: dict[str, Any] | None = None,
        follows: bool = False,
    ) -> None:
        """Append the events of one act; `follows`: they belong to the act before."""
        new = []
        command_id = uuid4()
        for at, event in enumerate(events):
            actor = {"kind": kind} if seat is None else {"kind": kind, "seat": seat}
            meta: dict[str, Any] = {"actor": actor, "rules": self.game.manifest.rules}
            if event.draws:
                meta["draws"] = list(event.draws)
            if at == 0 and not follows:
                meta |= {"command_id": str(command_id), "channel": kind, "received_at": canonical.write_time(NIGHT)}
                if command is not None:
                    meta["command"] = command
            new.append(NewEvent(self.game.full_type(event.type), event.type_version, dict(event.data), meta, NIGHT))
        expected = self.stored[-1].head if self.stored else Head.empty(MATCH)
        self.stored += self.store.append(MATCH, new, expected=expected, command_id=command_id)

    def content(self) -> bytes:
        trailer = {"match": str(MATCH), "count": len(self.stored), "head": self.stored[-1].hash.hex()}
        lines = [*(one.as_record() for one in self.stored), {"trailer": trailer}]
        return b"".join(canonical.encode(line) + b"\n" for line in lines)
