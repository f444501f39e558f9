"""Caps on what one player may cause to others in a match: so often an hour and a day.

Whatever is done and undone at will, a request to pause or a move that is taken back, tells others by mail each time. What a seat
does unseen, such as leaving orders, tells nobody, and all who look at the match look over it.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from accounts.throttling import throttle
from gamesvc.games.kernel.game import Refused

PER_HOUR = 40
PER_DAY = 200
UNSEEN_PER_HOUR = 300
UNSEEN_PER_DAY = 1000
HOUR, DAY = 3600, 86_400
CALLS_A_DAY = 5


def check(what: str, user_id: int | None, match_id: UUID) -> None:
    """Count once more that a user has done something in a match of which others are told. Raises `Refused` beyond the caps."""
    why = "The others are told of this by mail, so it is done {} at most in a match."
    _count(f"told {what}", user_id, match_id, ((PER_HOUR, HOUR), (PER_DAY, DAY)), "told_too_often", why)


def check_unseen(user_id: int | None, match_id: UUID) -> None:
    """Count one more command of which nobody else may know, such as standing orders. Raises `Refused` beyond the caps."""
    why = "What nobody else sees, such as standing orders, is changed {} at most in a match."
    _count("unseen", user_id, match_id, ((UNSEEN_PER_HOUR, HOUR), (UNSEEN_PER_DAY, DAY)), "unseen_too_often", why)


def may_call_followers(user_id: int | None) -> bool:
    """Count one more seat that a player leaves; False where those who follow the game were called for enough of theirs today."""
    return user_id is None or throttle(f"calls for a substitute {user_id}", CALLS_A_DAY, DAY) == 0


def _count(what: str, user_id: int | None, match_id: UUID, limits: Iterable[tuple[int, int]], code: str, why: str) -> None:
    if user_id is None:
        return
    for most, seconds in limits:
        if wait := throttle(f"{what} {seconds} {user_id} {match_id}", most, seconds):
            minutes = -(-wait // 60)
            often = f"{most} times {'an hour' if seconds == HOUR else 'a day'}"
            raise Refused(code, f"{why.format(often)} Try again in {minutes} minute{'' if minutes == 1 else 's'}.")
