"""Looking back: a match step by step, and as it was at a moment. Viewers see what they saw then."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from gamesvc.games.kernel.game import Refused, Viewer
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches.access.selectors import Access, seat_names
from gamesvc.matches.reading import board
from gamesvc.matches.record import sight, stream
from gamesvc.matches.story import sentences


def version_at(access: Access, moment: datetime) -> int:
    """Return the version of the last event the viewer knew at a moment. Raises `Refused` for a moment before the first event.

    Never the version of an event hidden from them: asking for one moment after another would reveal its time.
    """
    found = stream.version_at(access.match.id, moment)
    if found is None:
        raise Refused("no_such_version", say("The match did not exist at that moment."), "at")
    loaded = access.load()
    return found if loaded.ended else sight.last_known(loaded, access.viewer, min(found, loaded.version))


def step(access: Access, version: int, as_seat: Viewer = None) -> JsonObject:
    """Return the changes from `version` to the next one the viewer knows: in words, and as differences of their view."""
    before = board.look(access, as_seat, version) if version else None
    after = board.look(access, as_seat, version + 1)
    told = sentences.tell(after.loaded, after.viewer, seat_names(access.seats), version, version + 1, opened=_opened(access))
    return {
        "match": str(access.match.id),
        "from": version,
        "to": version + 1,
        "seat": after.viewer,
        "words": [one.sentence for one in told],
        "changes": list(differences(before.view if before is not None else None, after.view)),
    }


def _opened(access: Access) -> bool:
    return access.match.ended_at is not None


def differences(before: object, after: object, path: str = "") -> Iterator[JsonObject]:
    """Yield the differences of two JSON values: JSON pointers with the values before and after, null if missing.

    `op` is `add`, `remove` or `replace`, as in RFC 6902. Lists of different lengths are replaced as a whole.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        for name in sorted({*before, *after}, key=str):
            inside = f"{path}/{_escaped(name)}"
            if name not in before:
                yield {"op": "add", "path": inside, "before": None, "after": after[name]}
            elif name not in after:
                yield {"op": "remove", "path": inside, "before": before[name], "after": None}
            else:
                yield from differences(before[name], after[name], inside)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for at, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from differences(old, new, f"{path}/{at}")
    elif before != after:
        yield {"op": "replace", "path": path, "before": before, "after": after}


def _escaped(name: object) -> str:
    return str(name).replace("~", "~0").replace("/", "~1")
