"""A match as a file: JSON Lines, one canonical event per line as a viewer may see it, then a trailer.

The trailer holds count, head, and the newest checkpoint that may be shown, with the proof that the match is in it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from events import canonical
from events.proofs import checkpoints
from events.proofs.statements import Inclusion
from events.store import StoredEvent
from gamesvc.games.kernel.game import Viewer
from gamesvc.json_types import JsonObject
from gamesvc.matches.access.selectors import see_record
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.sight import knows
from gamesvc.matches.record.stream import STORE

BATCH = 1000
# Number of checkpointed heads of a match to examine together.
HEADS = 20


def lines(loaded: Loaded, viewer: Viewer) -> Iterator[str]:
    """Yield the lines of an export, each ending with a newline. Events are read from the store in batches."""
    if loaded.ended:
        yield from whole_lines(loaded.match_id, loaded.version)
        return
    until = loaded.viewer_version(viewer)
    head = ""
    for stored in _stored(loaded.match_id, until):
        head = stored.hash.hex()
        yield _line(see_record(loaded, stored, viewer, ended=False))
    yield _trailer(loaded.match_id, until, head, inclusion(loaded, viewer))


def whole_lines(match_id: UUID, version: int) -> Iterator[str]:
    """Yield the lines of a match that is over and ends at this version. Nothing is hidden then, so nothing is folded."""
    head = ""
    for stored in _stored(match_id, version):
        head = stored.hash.hex()
        yield _line(stored.as_record())
    yield _trailer(match_id, version, head, _newest(match_id, version))


def _stored(match_id: UUID, until: int) -> Iterator[StoredEvent]:
    for after in range(0, until, BATCH):
        yield from STORE.read(match_id, after, min(after + BATCH, until))


def _trailer(match_id: UUID, count: int, head: str, proved: Inclusion | None) -> str:
    trailer: JsonObject = {"match": str(match_id), "count": count, "head": head}
    if proved is not None:
        trailer["checkpoint"] = proved.as_json()
    return _line({"trailer": trailer})


def _line(record: JsonObject) -> str:
    return canonical.encode(record).decode() + "\n"


def _newest(match_id: UUID, version: int) -> Inclusion | None:
    """Return the newest checkpoint of a match that is over, with its proof; None if there is none."""
    heads = checkpoints.heads_of(match_id, until=version, below=None, most=1)
    return checkpoints.prove(match_id, heads[0][0]) if heads else None


def inclusion(loaded: Loaded, viewer: Viewer) -> Inclusion | None:
    """Return the newest checkpoint of the match that a viewer may see, with its proof; None if there is none.

    While the match runs, only a checkpoint between two consecutive events known to the viewer is shown. Any other would reveal
    when a sealed event happened, or that one follows the last event they see.
    """
    if loaded.ended:
        return _newest(loaded.match_id, loaded.version)
    # Not at the viewer's own version: nothing they know follows it, and whether a checkpoint has it depends on hidden events.
    until, below = loaded.viewer_version(viewer) - 1, None
    while heads := checkpoints.heads_of(loaded.match_id, until=until, below=below, most=HEADS):
        versions = {version for _number, version, _hash in heads}
        beside = STORE.pick(loaded.match_id, {*versions, *(version + 1 for version in versions)})
        known = {stored.version for stored in beside if knows(loaded, stored, viewer)}
        for number, version, _hash in heads:
            if {version, version + 1} <= known:
                return checkpoints.prove(loaded.match_id, number)
        if len(heads) < HEADS:
            return None
        below = heads[-1][0]
    return None


def write(loaded: Loaded, viewer: Viewer, path: Path) -> int:
    """Write an export to a file atomically. Return the number of its events."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(lines(loaded, viewer))
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
    return loaded.viewer_version(viewer)
