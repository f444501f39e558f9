"""`bench verify`: events hashed and linked by the format, beside SHA-256 alone over the same bytes.

`verify_chain` is an audit of stored rows. `verify_file` does the same with the lines of an export, each proved to be canonical to
the last byte. `verify_match` is the whole proof, draws and decisions included.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

from events import canonical
from gamesvc.games import catalog
from gamesvc.games.kernel.dice import Dice, KeyedSource, draw_key
from gamesvc.games.kernel.game import Game
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.json_types import JsonObject
from gamesvc.matches.proof import verification
from gamesvc.ops.benches import Row, row
from gamesvc.ops.written import Written, ended, opening

GAME = "stratastar"
MATCH = UUID(int=1)
SECRET = bytes(range(32))
NIGHT = datetime(2026, 11, 20, tzinfo=UTC)
# In slices, ours and raw in turn, so that a change in the machine's speed affects both.
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
        verification.read_chain(lines)

    def match() -> None:
        report = verification.verify(content)
        if not report.ok:
            raise AssertionError(str(report.first_failure))

    def raw() -> None:
        before = bytes(32)
        for one in bytes_of_events:
            before = hashlib.sha256(before + hashlib.sha256(one).digest()).digest()

    more = {"events": len(records), "bytes": sum(map(len, bytes_of_events))}
    named: list[tuple[str, Callable[[], None]]] = [("chain", chain), ("file", file), ("match", match)]
    return [measure(f"verify_{name}", act, raw, len(records), seconds, more) for name, act in named]


def measure(name: str, act: Callable[[], None], raw: Callable[[], None], events: int, seconds: float, more: JsonObject) -> Row:
    """Return the events per second of `act`, and of `raw` beside it."""
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


def hashed_bytes(one: JsonObject) -> bytes:
    """Return the bytes that a digest covers."""
    fields = (one["type"].encode(), b"%d" % one["type_version"], one["data"], one["meta"], one["occurred_at"].encode())
    opened = (canonical.EVENT_TAG, str(MATCH).encode(), b"%d" % one["version"])
    return canonical.prefixed(*opened, *fields, one["salt"].hex().encode())


def make_export() -> bytes:
    """Return the export of a whole match between bots, as the service writes it."""
    game: Game = catalog.game(GAME)
    seats = game.manifest.min_seats
    options = check_options(game, {}, seats)
    written = Written(game, MATCH, NIGHT)
    timeline: Timeline = Timeline(game)
    for event in opening(game, options, seats, SECRET):
        written.add([event], "system")
        timeline.apply(event)
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
    written.add([ended(outcome, SECRET)], "bot", follows=True)
    return written.content()
