"""The parts of the picture that stand for values of commands."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data, Part
from gamesvc.games.stratastar.data.geometry import INDEX


def parts(seen: Data) -> Part:
    """Return the finder of parts: each space of the map is one."""

    def part(command: str, field: str, value: object) -> str | None:
        return value if isinstance(value, str) and value in INDEX else None

    return part
