"""A match as a file: JSON Lines, one canonical event per line as a viewer may see it, then a trailer.

The trailer holds count, head, and the newest checkpoint that may be shown, with the proof that the match is in it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from events import canonical
from events.proofs import checkpoints
from events.proofs.statements import Inclusion
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
    until = loaded.viewer_version(viewer)
    head = ""
    for after in range(0, until, BATCH):
        for stored in STORE.read(loaded.match_id, after, min(after + BATCH, until)):
            head = stored.hash.hex()
            yield canonical.encode(see_record(loaded, stored, viewer, ended=loaded.ended)).decode() + "\n"
    trailer: JsonObject = {"match": str(loaded.match_id), "count": until, "head": head}
    if (proved := inclusion(loaded, viewer)) is not None:
        trailer["checkpoint"] = proved.as_json()
    yield canonical.encode({"trailer": trailer}).decode() + "\n"


def inclusion(loaded: Loaded, viewer: Viewer) -> Inclusion | None:
    """Return the newest checkpoint of the match that a viewer may see, with its proof; None if there is none.

    While the match runs, only a checkpoint between two consecutive events known to the viewer is shown. Any other would reveal
    when a sealed event happened, or that one follows the last event they see.
    """
    until, below = loaded.viewer_version(viewer), None
    while heads := checkpoints.heads_of(loaded.match_id, until=until, below=below, most=HEADS):
        versions = {version for _number, version, _hash in heads}
        beside = STORE.pick(loaded.match_id, {*versions, *(version + 1 for version in versions)})
        known = {stored.version for stored in beside if loaded.ended or knows(loaded, stored, viewer)}
        for number, version, _hash in heads:
            if loaded.ended or (version < until and {version, version + 1} <= known):
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
