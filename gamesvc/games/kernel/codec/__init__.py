"""Convert states to JSON and back, guided by the type hints of their frozen dataclasses.

Used for positions and snapshots: everything written here can be read back. Versions inside a state (`game.Version`) are written
as a distance from a base, so that a match can begin from a position at any version.
"""

from gamesvc.games.kernel.codec.hints import Malformed
from gamesvc.games.kernel.codec.parts import Parts
from gamesvc.games.kernel.codec.plain import check_plain
from gamesvc.games.kernel.codec.positions import (
    POSITION_FORMAT,
    bad_position,
    complete,
    read_position,
    read_states,
    write_position,
    write_states,
)
from gamesvc.games.kernel.codec.reading import from_json
from gamesvc.games.kernel.codec.schemas import schema
from gamesvc.games.kernel.codec.writing import to_json, with_sorted_keys

__all__ = [
    "POSITION_FORMAT",
    "Malformed",
    "Parts",
    "bad_position",
    "check_plain",
    "complete",
    "from_json",
    "read_position",
    "read_states",
    "schema",
    "to_json",
    "with_sorted_keys",
    "write_position",
    "write_states",
]
