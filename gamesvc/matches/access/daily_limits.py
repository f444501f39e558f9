"""Hourly and daily limits on what one player may cause to others: acts, messages, invitations, calls for substitutes.

Acts that are done and undone at will, such as requests to pause and undos, are announced by mail each time. Commands that nobody
else may know of, such as standing orders, announce nothing, and every page of the match has to look past them. The same is true
of side moves: offers and other commands that do not move the match on, so that they could be given endlessly. Players who join
and leave, a host who fills and empties seats, and a player who pauses or undoes alone tell nobody, and yet the record grows with
each act.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from accounts.throttling import throttle
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import counted

PER_HOUR = 40
PER_DAY = 200
UNSEEN_PER_HOUR = 300
UNSEEN_PER_DAY = 1000
ASIDE_PER_HOUR = 300
ASIDE_PER_DAY = 1000
ALONE_PER_HOUR = 300
"""Undos and redos where no other player holds a seat, as on an analysis board."""
ALONE_PER_DAY = 1000
JOINS_PER_DAY = 20
"""Seats that a user takes in one match before it starts."""
HOUR, DAY = 3600, 86_400
MESSAGES_PER_HOUR = 30
"""Messages of a user in one match."""
MESSAGES_PER_DAY = 200
INVITATIONS_PER_DAY = 50
INVITATIONS_TO_AN_ADDRESS_PER_DAY = 5
CALLS_PER_DAY = 5
"""Seats for which one user, by leaving them or as an organiser, has followers of the game called."""


def check(what: str, user_id: int | None, match_id: UUID) -> None:
    """Count one more act of a user in a match of which others are told. Raises `Refused` beyond the limits."""
    if over := _over(f"told {what}", user_id, match_id, ((PER_HOUR, HOUR), (PER_DAY, DAY))):
        often, again = over
        raise Refused("told_too_often", f"The others get a mail about this, so you can do it {often} in a match. {again}")


def check_unseen(user_id: int | None, match_id: UUID) -> None:
    """Count one more command that no other player may know of, such as standing orders. Raises `Refused` beyond the limits."""
    if over := _over("unseen", user_id, match_id, ((UNSEEN_PER_HOUR, HOUR), (UNSEEN_PER_DAY, DAY))):
        often, again = over
        raise Refused("unseen_too_often", f"You can change orders that nobody else sees {often} in a match. {again}")


def check_aside(user_id: int | None, match_id: UUID) -> None:
    """Count one more command that does not move the match on, such as an offer. Raises `Refused` beyond the limits."""
    if over := _over("aside", user_id, match_id, ((ASIDE_PER_HOUR, HOUR), (ASIDE_PER_DAY, DAY))):
        often, again = over
        raise Refused("aside_too_often", f"You can make offers and other side moves {often} in a match. {again}")


def check_join(user_id: int | None, match_id: UUID) -> None:
    """Count one more seat that a user takes before the start. Raises `Refused` beyond the limit.

    So leaving needs no limit of its own.
    """
    _check_recorded("join this match", "join", user_id, match_id, ((JOINS_PER_DAY, DAY),))


def check_seats(user_id: int | None, match_id: UUID) -> None:
    """Count one more seat that the host fills or empties before the start. Raises `Refused` beyond the limits."""
    _check_recorded("fill or empty seats of this match", "seats", user_id, match_id, ((PER_HOUR, HOUR), (PER_DAY, DAY)))


def check_pause_alone(user_id: int | None, match_id: UUID) -> None:
    """Count one more pause that needs nobody's consent. Raises `Refused` beyond the limits.

    So resuming needs no limit of its own.
    """
    _check_recorded("pause this match", "pause alone", user_id, match_id, ((PER_HOUR, HOUR), (PER_DAY, DAY)))


def check_undo_alone(user_id: int | None, match_id: UUID) -> None:
    """Count one more undo or redo that nobody else is told of. Raises `Refused` beyond the limits."""
    often = ((ALONE_PER_HOUR, HOUR), (ALONE_PER_DAY, DAY))
    _check_recorded("undo and redo in this match", "undo alone", user_id, match_id, often)


def _check_recorded(act: str, what: str, user_id: int | None, match_id: UUID, limits: Iterable[tuple[int, int]]) -> None:
    if over := _over(f"recorded {what}", user_id, match_id, limits):
        often, again = over
        raise Refused("recorded_too_often", f"You can {act} {often}: each time is kept in its record. {again}")


def may_call_followers(user_id: int) -> bool:
    """Count one more seat that a user leaves or has others leave. Return False if followers were called for enough of them
    today.
    """
    return throttle(f"calls for a substitute {user_id}", CALLS_PER_DAY, DAY) == 0


def _over(what: str, user_id: int | None, match_id: UUID, limits: Iterable[tuple[int, int]]) -> tuple[str, str] | None:
    """Count an act. Beyond a limit, return how often it is allowed and when to try again, in words."""
    if user_id is None:
        return None
    for most, seconds in limits:
        if wait := throttle(f"{what} {seconds} {user_id} {match_id}", most, seconds):
            often = f"{most} times {'an hour' if seconds == HOUR else 'a day'}"
            minutes, hours = -(-wait // 60), -(-wait // HOUR)
            return often, f"Try again in {counted(minutes, 'minute') if wait <= 2 * HOUR else counted(hours, 'hour')}."
    return None
