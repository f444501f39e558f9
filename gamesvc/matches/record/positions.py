"""Positions that matches begin from: read, written, committed to, dealt again for a seat. Pure.

`match.opened` commits to the position before anyone joins; `match.positioned` reveals it right after `match.started`. In the fork
of a seat, that event also holds the committed position (`dealt`): everything the seat cannot see is dealt again from there with
the match's own draws. `gamesvc/games/README.md`, section Positions, describes the format.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from events import canonical
from gamesvc.games import dealing, trial
from gamesvc.games.kernel import codec
from gamesvc.games.kernel.dice import Dice
from gamesvc.games.kernel.events import POSITIONED, STARTED
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import say
from gamesvc.matches.record.evidence import Record, Wrong, hidden
from gamesvc.matches.record.evidence import field as field_of

TAG = b"gamesvc.position/1"
# Four times what positions of today's games need. Each stays in the log for ever, and in the snapshots of what is played from it.
MOST_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Start:
    """The start of a match that does not begin with the game's own setup.

    `origin`, `version`: the match and version it was forked from. `seat`: what this seat of the origin could not see is dealt
    again at the start. `own_seat`: the seat its host takes. `board`: an analysis board, where the host has all seats without a
    bot and nobody else knows of the match.
    """

    position: JsonMapping
    seats: int
    origin: UUID | None = None
    version: int | None = None
    seat: int | None = None
    own_seat: int | None = None
    board: bool = False
    salt: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def commitment(self) -> str:
        """Return the commitment to the position for `match.opened`."""
        return committed(self.salt, self.position)

    @property
    def from_match(self) -> JsonObject | None:
        """Return the origin of the position for `match.opened`; None for a described one."""
        if self.origin is None:
            return None
        return {"match": str(self.origin), "version": self.version, "seat": self.seat}


def committed(salt: str, position: JsonMapping) -> str:
    """Return the commitment in `match.opened`: a hash that reveals nothing until the salt (32 hex digits) is known."""
    return hashlib.sha256(canonical.prefixed(TAG, salt.encode(), canonical.encode(dict(position)))).hexdigest()


def check_position(game: Game, position: JsonMapping) -> int:
    """Return the number of seats of a position. Raises `Refused` (`bad_position`) if no match can begin from it."""
    check_size(game, position)
    timeline = trial.begin(game, position)
    if game.outcome(timeline.state) is not None:
        raise Refused("game_over", say("The game is over in this position; nothing is left to play."), "position")
    return game.seats(timeline.state)


def check_size(game: Game, position: JsonMapping) -> None:
    """Raise `Refused` (`bad_position`) for a position that is too long to be kept, or cannot be written."""
    try:
        written = canonical.encode(dict(position))
    except canonical.NotCanonical as error:
        raise codec.bad_position(game, str(error)) from None
    if len(written) > MOST_BYTES:
        raise codec.bad_position(game, f"it has {len(written)} bytes, and at most {MOST_BYTES} are read")


def redeal(game: Game, position: JsonMapping, seat: int, dice: Dice, version: int) -> JsonObject:
    """Return the position with everything hidden from a seat dealt again, also in the states that an undo may return to.

    The position is not judged: a refusal before the deal could depend on what the seat must not know.
    """
    state, marked = codec.read_position(game, position, version, judge=False)
    redealt, kept = dealing.redeal(game, state, marked.__getitem__, seat, dice)
    return codec.write_position(game, redealt, version, kept)


def check_committed(records: Sequence[Record]) -> int | None:
    """Check that a match begins from the position that its first event commits to. Raises `Wrong`.

    Returns the version of that position; None if the match has the game's own setup or has not come that far.
    """
    promised = records[0].get("data", {}).get("position")
    started = next((at for at, one in enumerate(records) if one.get("type") == STARTED), None)
    for at, record in enumerate(records):
        if record.get("type") == POSITIONED and (promised is None or started is None or at != started + 1):
            raise Wrong(record["version"], "There is a position here, but version 1 commits to none.")
    if promised is None or started is None or started + 1 == len(records):
        return None
    if records[started + 1].get("type") != POSITIONED:
        raise Wrong(started + 2, "The match starts without the position that version 1 commits to.")
    shown = records[started + 1]
    if hidden(shown):
        return None
    given = field_of(shown, dict, "data", "position")
    if "dealt" in shown["data"]:
        given = field_of(shown, dict, "data", "dealt", "from")
    if committed(field_of(shown, str, "data", "salt"), given) != promised:
        raise Wrong(shown["version"], f"This is not the position to which version 1 commits with {promised}.")
    return int(shown["version"])


def place(run: Run, position: JsonMapping, salt: str, seat: int | None) -> None:
    """Begin a match from a position. With a seat, `match.positioned` also holds the draws that dealt it again."""
    if seat is None:
        run.place(position, salt=salt)
        return
    dealt = redeal(run.game, position, seat, run.dice, run.version + 1)
    run.place(dealt, salt=salt, dealt={"seat": seat, "from": position})
