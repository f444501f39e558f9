"""A match as a file: JSON Lines, one canonical event a line as a viewer may see it, then a trailer."""

from __future__ import annotations

from collections.abc import Iterator

from events import canonical
from gamesvc.games.kernel import Viewer
from gamesvc.matches.loading import STORE, Loaded
from gamesvc.matches.selectors import see_record

BATCH = 1000


def lines(loaded: Loaded, viewer: Viewer) -> Iterator[str]:
    """The lines of an export, each ending with a newline; read from the store in batches."""
    until = loaded.viewer_version(viewer)
    head = ""
    for after in range(0, until, BATCH):
        for stored in STORE.read(loaded.match_id, after, min(after + BATCH, until)):
            head = stored.hash.hex()
            yield canonical.encode(see_record(loaded.game, stored, viewer, ended=loaded.ended)).decode() + "\n"
    yield canonical.encode({"trailer": {"match": str(loaded.match_id), "count": until, "head": head}}).decode() + "\n"
