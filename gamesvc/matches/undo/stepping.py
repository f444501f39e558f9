"""Steps on an analysis board: back along what was played on it, and forth again. Nobody has to agree, whatever was revealed."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import abandoned
from gamesvc.language import say
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.models import Seat
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import loading, stream
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.undo import undo_acts
from gamesvc.matches.undo.undo_acts import Decided, Outcome


def go_to(*, access: Access, to: int, channel: str, command_id: uuid.UUID) -> Outcome:
    """Go to a version of an analysis board, for its owner; it may be one that was gone back from. Raises `Refused`."""
    match = access.match
    if not match.board or access.seat is None or access.user is None:
        raise Refused("not_a_board", say("Only on an analysis board can you go to any version."))
    seat = access.seat.index
    loaded = loading.load(match.id, match.game)
    undo_acts.check_running(match, loaded)
    end = _target(loaded, to)
    log = stream.Log(loaded.game, match.id, loaded.version)
    back = bool(abandoned(lambda version: log[version - 1], loaded.version, end))

    def decide(loaded: Loaded, seats: Sequence[Seat]) -> Decided:
        undo_acts.check_running(match, loaded)
        turns.check_room(match, loaded)
        cause = "undo" if back else "redo"
        return undo_acts.rewind(match, loaded, seats, end, (), [], cause=cause, seat=seat, private=False, give_up=True)

    content = {"name": "undo" if back else "redo"}
    return undo_acts.carry_out(match, Sender.player(access.user.pk, seat, channel), command_id, content, decide, counted=True)


def _target(loaded: Loaded, version: int) -> int:
    """Return the version after the act that contains a version. Raises `Refused` for one without a position."""
    first = loading.first_playable(loaded)
    if first is None or not first <= version <= loaded.version:
        detail = say("Versions with a position are {first} to {last}.", first=first or 0, last=loaded.version)
        raise Refused("no_such_version", detail, "to")
    return loading.act_end(loaded, version)
