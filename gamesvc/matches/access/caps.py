"""Caps on what one player may cause in the mailboxes of others: so often an hour and a day in one match.

Whatever is done and undone at will, a request to pause or a move that is taken back, tells others by mail each time.
"""

from __future__ import annotations

from uuid import UUID

from accounts.throttling import throttle
from gamesvc.games.kernel.game import Refused

PER_HOUR = 40
PER_DAY = 200
HOUR, DAY = 3600, 86_400
CALLS_A_DAY = 5


def check(what: str, user_id: int | None, match_id: UUID) -> None:
    """Count once more that a user has done something in a match of which others are told. Raises `Refused` beyond the caps."""
    if user_id is None:
        return
    for most, seconds in ((PER_HOUR, HOUR), (PER_DAY, DAY)):
        if wait := throttle(f"told {what} {seconds} {user_id} {match_id}", most, seconds):
            minutes = -(-wait // 60)
            detail = f"The others are told of this by mail, so it is done {most} times {_span(seconds)} at most in a match."
            raise Refused("told_too_often", f"{detail} Try again in {minutes} minute{'' if minutes == 1 else 's'}.")


def may_call_followers(user_id: int | None) -> bool:
    """Count one more seat that a player leaves; False where those who follow the game were called for enough of theirs today."""
    return user_id is None or throttle(f"calls for a substitute {user_id}", CALLS_A_DAY, DAY) == 0


def _span(seconds: int) -> str:
    return "an hour" if seconds == HOUR else "a day"
