"""The path of a match, read from the whole log: the plain rule, against which every walk along a path is checked."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.kernel.events import REWOUND
from gamesvc.games.kernel.game import Event


def effective(events: Sequence[Event], version: int) -> list[int]:
    """Return the versions that led to the state at `version`, without undone ones. `events` begin at version 1."""
    path: list[int] = []
    while version > 0:
        path.append(version)
        event = events[version - 1]
        if event.type == REWOUND:
            path.extend(reversed(event.data.get("kept", ())))
            version = int(event.data["to"])
        else:
            version -= 1
    return path[::-1]
