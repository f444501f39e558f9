"""Forks of a match, private analysis boards, and matches from a described position.

A fork of a running match takes along only what its seat can see. Everything else is dealt again twice: here with fresh random
numbers and in other places, so that nothing hidden is stored, and at the start of the fork with its own draws, so that anyone can
check them. Once the match is over, the whole position is open.
"""

from __future__ import annotations

import contextlib
import secrets as system
import uuid
from typing import Any

from django.db.models import Q
from django.utils import timezone

from events.store import VersionConflict
from gamesvc.games import dealing
from gamesvc.games.kernel import codec, intake
from gamesvc.games.kernel.dice import Dice, KeyedSource
from gamesvc.games.kernel.game import Game, Refused, Viewer
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import say
from gamesvc.matches.access import holders
from gamesvc.matches.access.selectors import Access, access_many
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.matches.play.turns import ended
from gamesvc.matches.record import loading, positions, sight, stream
from gamesvc.matches.record.append import Act, Actor, fresh_seats, record
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.positions import Start
from gamesvc.request_limits import computing_time

MOST_SHOWN = 50
MOST_LOOKED_AT = 200


def fork(*, access: Access, version: int, board: bool = False, as_seat: int | None = None, **options: Any) -> Match:
    """Create a new match, or a private analysis board, from a version of a match.

    While the match runs only a seat may do this, for itself. Once it is over, `as_seat` takes what that seat saw and deals the
    rest again; without it the whole position is used. `options` are those of `opening.create_match`. Raises `Forbidden`,
    `Refused` and `TooMany`.
    """
    by, match = access.user, access.match
    assert by is not None
    loaded = loading.load(match.id, match.game)
    seat = _check_seat(access, loaded, as_seat)
    if not loaded.ended and match.anonymous and not board:
        detail = "This match is anonymous until the end, and a fork would reveal the names. Open an analysis board instead."
        raise Refused("anonymous", detail, "kind")
    at, shown = settled_version(loaded, seat if not loaded.ended else None, version)
    start = Start(
        position=_position(loaded, at, shown, seat),
        seats=match.seat_count,
        origin=match.id,
        version=shown,
        seat=seat,
        own_seat=seat,
        board=board,
    )
    if board:
        options = {name: value for name, value in options.items() if name in ("bots", "channel", "contribution_text")}
        options |= {"entry": Match.Entry.INVITED, "watch": Match.Watch.NOBODY, "press": Match.PressKind.NONE}
    return opening.create_match(
        **{"entry": Match.Entry.INVITED, **options}, by=by, game=match.game, options=match.options, start=start
    )


def _check_seat(access: Access, loaded: Loaded, as_seat: int | None) -> int | None:
    """Return the seat for which a fork is dealt again; None for the whole position. Raises `Refused` and `Forbidden`."""
    if not loaded.started:
        raise Refused("not_started", say("The match has not started, so there is no position to fork yet."), "version")
    if as_seat is not None and not 0 <= as_seat < access.match.seat_count:
        raise Refused("bad_seat", say("Seats are 0 to {last}.", last=access.match.seat_count - 1), "seat")
    if loaded.ended:
        return as_seat
    if access.seat is None:
        raise Forbidden(say("While a match runs, only its players can fork it, each from what they see."))
    if access.match.board:
        return as_seat if as_seat in access.may_be else access.seat.index
    if as_seat not in (None, access.seat.index):
        raise Forbidden(say("While a match runs, you can fork it only as your own seat sees it."))
    assert access.user is not None
    # The seat may have changed hands since the request came in.
    holders.check(access.match, fresh_seats(access.match, loaded, access.seats), access.seat.index, access.user.pk)
    return access.seat.index


def settled_version(loaded: Loaded, viewer: Viewer, version: int) -> tuple[int, int]:
    """Return the version at the end of the act that contains `version`, and the last version up to there known to the viewer.

    No match can begin in the middle of an act. Later acts hidden from the viewer are included, so that nothing hidden decides the
    position; the viewer's view is the same. Raises `Refused` for versions without a position.
    """
    first, last = loaded.started_at, loaded.viewer_version(viewer)
    if first is None or not first <= version <= last:
        raise Refused(
            "no_such_version", say("Versions with a position are {first} to {last}.", first=first, last=last), "version"
        )
    end = loading.act_end(loaded, version)
    for act in stream.acts_back(loaded.match_id, end):
        known = [stored.version for stored in act if loaded.ended or sight.knows(loaded, stored, viewer)]
        if known and known[0] <= version:
            break
    return _with_unknown(loaded, viewer, act[-1].version), known[-1]


def _with_unknown(loaded: Loaded, viewer: Viewer, version: int) -> int:
    """Return the version after the acts that follow and that the viewer knows nothing of."""
    begins = version
    for stored in stream.events_after(loaded.match_id, version, loaded.version):
        if "command_id" in stored.meta:
            begins = stored.version - 1
        if loaded.ended or sight.knows(loaded, stored, viewer):
            return begins
    return loaded.version


def _position(loaded: Loaded, version: int, shown: int, seat: int | None) -> JsonObject:
    """Return the position at a version, written as of the one `shown`: else it would tell how many hidden acts lie between."""
    game = loaded.game
    then = loading.load_at(game, loaded.match_id, version).timeline
    state, marked = then.state, then.keep_marked()
    if seat is not None:
        dice = Dice(KeyedSource(system.token_bytes(32)))
        state, marked = dealing.deal(game, state, marked.__getitem__, seat, dice)
    position = codec.write_position(game, state, shown, marked)
    # What began from a described position may be as strange as that, and as dear to judge.
    with computing_time.of_unknown_cost() if loaded.from_position else contextlib.nullcontext():
        positions.check_position(game, position)
    return position


# Checking a position takes as long as folding a match, and a strange one many times as long.
@computing_time.of_unknown_cost()
def described(game: Game, position: JsonMapping) -> Start:
    """Return the start of a match from a position that a user describes. Raises `Refused` (`bad_position`) and `TooMany`."""
    intake.check(position, "position")
    position = codec.complete(game, position, Dice(KeyedSource(system.token_bytes(32))))
    seats = positions.check_position(game, position)
    state, marked = codec.read_position(game, position, 1)
    if marked.get(1, state) != state:
        raise codec.bad_position(game, "/marked has another state with `back` 0 than the one described")
    # What was left out is written as well.
    whole = codec.write_position(game, state, 1, marked)
    positions.check_size(game, whole)
    return Start(position=whole, seats=seats)


def position_at(access: Access, version: int) -> JsonObject:
    """Return the whole position of a finished match, in the format that `described` reads. Raises `Forbidden` before the end."""
    loaded = loading.load(access.match.id, access.match.game)
    if not loaded.ended:
        raise Forbidden(
            say("The whole position is shown when the match is over. Until then you can fork it only as your own seat sees it.")
        )
    at, _shown = settled_version(loaded, None, version)
    then = loading.load_at(loaded.game, loaded.match_id, at).timeline
    return codec.write_position(loaded.game, then.state, at, then.keep_marked())


def forks_of(access: Access) -> list[Access]:
    """Return the forks of a match that the reader may know, newest first; none for spectators who see the match late."""
    if access.is_delayed:
        return []  # each tells from which version it comes
    found = Match.objects.filter(beginning__origin=access.match).order_by("-number")
    if access.user is None:
        found = found.filter(watch=Match.Watch.ALL)
    # Other users' boards are hidden, and would use up MOST_LOOKED_AT.
    found = found.filter(Q(board=False) | Q(creator=access.user))
    return access_many(access.user, found[:MOST_LOOKED_AT])[:MOST_SHOWN]


def close_board(*, access: Access, channel: str = "api") -> Match:
    """End an analysis board without an outcome, for its owner. Raises `Refused`."""
    match = access.match
    if not match.board:
        raise Refused("not_a_board", say("Only an analysis board can be closed at any time."))
    while True:
        loaded = loading.load(match.id, match.game)
        if loaded.ended:
            raise Refused("match_over", say("The analysis board is already closed."))
        over = ended(match, "cancelled").event(loaded.version + 1)
        try:
            record(match, loaded, [over], Act(Actor("host"), channel, uuid.uuid4(), timezone.now()), seats=access.seats)
        except VersionConflict:
            continue  # a bot was faster
        match.refresh_from_db()
        return match
