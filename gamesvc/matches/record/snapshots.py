"""Snapshots of matches. They lie beside the log and only save time; they are never trusted.

A snapshot is valid only with the fingerprint of the rules code that reads it and the hash of the event it belongs to. After a
release, or after tampering, it is ignored and made again.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson

import gamesvc.games
from events import canonical
from events import snapshot_table as store
from events.store import Head
from gamesvc.games.kernel import codec
from gamesvc.games.kernel.game import Game
from gamesvc.json_types import JsonObject
from gamesvc.matches.clock import account

# Write a snapshot after this many events: writing one costs less than folding as many at each load.
TAIL = 25
# Distance between the snapshots that are kept for looking back.
STRETCH = store.STRETCH
# Format of what a load keeps beside the state (`loading.save_snapshot`). Raise it with each change of that.
CONTENTS = 3
# The rooms of a game and the modules of the kernel that fold events to states.
_FOLDS = ("state.py", "events", "rules", "data")
_SHARED = ("codec", "dice.py", "events.py", "frozen.py", "game.py", "limits.py", "timeline.py", "typed.py")


def folding(game_id: str) -> list[Path]:
    """List the files that fold a game's events to states: its events, rules, data and state, and the shared modules."""
    games = Path(gamesvc.games.__file__).parent
    rooms = [*(games / game_id / name for name in _FOLDS), *(games / "kernel" / name for name in _SHARED)]
    files = {path for room in rooms for path in (room, *room.rglob("*"))}
    return sorted(path for path in files if path.is_file() and path.suffix in (".py", ".toml"))


@functools.cache
def fingerprint(game_id: str) -> str:
    """Return the SHA-256 over the code that folds events to states (`folding`).

    It also covers the formats of what lies beside the state, so that no snapshot counts as current that cannot be read. Changed
    wording, pictures or bots leave snapshots valid.
    """
    games = Path(gamesvc.games.__file__).parent
    found = hashlib.sha256(f"contents {CONTENTS}, account {account.FORMAT}\n".encode())
    for path in folding(game_id):
        found.update(f"{path.relative_to(games)} {path.stat().st_size}\n".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


def put(game: Game, match_id: UUID, head: Head, contents: JsonObject, state: object, kept: dict[int, Any]) -> None:
    """Store a state with the states an undo may return to. `contents` is the rest of a load, as plain JSON."""
    payload = {
        **contents,
        "occurred_at": canonical.write_time(head.occurred_at) if head.occurred_at is not None else None,
        **codec.write_states(game, state, kept, head.version, base=0),
    }
    store.put(match_id, fingerprint(game.id), store.Snapshot(head.version, head.hash, orjson.dumps(payload)))


def get(game: Game, match_id: UUID, until: int | None = None) -> tuple[Head, JsonObject] | None:
    """Return the newest snapshot up to `until`: its head and its contents, with `state` and `kept` decoded."""
    found = store.get(match_id, fingerprint(game.id), until=until)
    return None if found is None else read(game, found)


def get_many(games: Mapping[UUID, Game]) -> dict[UUID, tuple[Head, JsonObject]]:
    """Return the newest snapshots of many matches in one query. Matches without a snapshot are missing."""
    rows = store.get_many({match_id: fingerprint(game.id) for match_id, game in games.items()})
    found = {match_id: read(games[match_id], row) for match_id, row in rows.items()}
    return {match_id: one for match_id, one in found.items() if one is not None}


def read(game: Game, row: store.Snapshot) -> tuple[Head, JsonObject] | None:
    """Return the decoded snapshot; None if it cannot be read."""
    try:
        contents = orjson.loads(row.payload)
        contents["state"], contents["kept"] = codec.read_states(game, contents, row.version, base=0)
    except (orjson.JSONDecodeError, codec.Malformed, KeyError, TypeError, ValueError):
        return None
    return Head(row.version, row.hash, canonical.read_time(contents["occurred_at"])), contents
