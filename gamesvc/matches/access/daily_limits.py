"""Hourly and daily limits on what one player may cause to others: acts, messages, invitations, calls for substitutes.

Acts that are done and undone at will, such as requests to pause and undos, are announced by mail each time. Commands that nobody
else may know of, such as standing orders, announce nothing, and every page of the match has to look past them. The same is true
of side moves: offers and other commands that do not move the match on, so that they could be given endlessly. Players who join
and leave, a host who fills and empties seats, and a player who pauses or undoes alone tell nobody, and yet the record grows with
each act.

A user and their bot accounts have one budget together. Limits within one match count each account: where other people play, only
one account of a person has a seat (`tenures`).
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from accounts.bots import bots
from accounts.models import User
from accounts.throttling import count_or_wait, throttle, throttle_in_turn
from gamesvc.errors import TooMany
from gamesvc.games.kernel.game import Refused
from gamesvc.language import again_in, joined, mark, say

PER_HOUR = 40
PER_DAY = 200
TOLD_IN_ALL_PER_DAY = 500
"""Pauses, undos and measures of a user and their bots in all matches of which the others are told."""
RENEWED_PER_DAY = 10
"""Times that a user has the open questions of all their matches sent again, with new reply addresses."""
UNSEEN_PER_HOUR = 300
UNSEEN_PER_DAY = 1000
UNSEEN_IN_ALL_PER_DAY = 10_000
"""In all matches of a user and their bots together. Each may take 10 kB, which stay in the record."""
CONDITIONAL_PER_DAY = 1000
"""Conditional orders, or lines of them, that a user and their bots place in all matches. Each may take 80 kB."""
ASIDE_PER_HOUR = 300
ASIDE_PER_DAY = 1000
ASKED_PER_TURN = 3
"""Side moves of a player in one turn, such as offers, for whose answer the match waits: to one other player."""
REFUSED_PER_HOUR = 300
REFUSED_PER_DAY = 1000
"""Commands of a user that the rules refuse, in all matches together, and requests to create something. Each is stored: a command
for a year.
"""
ALONE_PER_HOUR = 300
"""Undos and redos where no other player holds a seat, as on an analysis board."""
ALONE_PER_DAY = 1000
JOINS_PER_DAY = 20
"""Seats that a user takes in one match before it starts."""
ASIDE = "asked aside"
"""The name of side moves among the acts of which others are told: programs that trade in many matches make many."""
HOUR, DAY = 3600, 86_400
_TURN = 60 * DAY
"""A turn lasts no longer, as far as limits know."""
MESSAGES_PER_HOUR = 30
"""Messages of a user in one match."""
MESSAGES_PER_DAY = 200
INVITATIONS_PER_DAY = 50
INVITATIONS_TO_ONE_PER_DAY = 5
"""To one user or mail address, by one user."""
CHALLENGES_OF_BOTS_PER_DAY = 200
"""To bot accounts, by one user. No person gets a mail of them."""
INVITATIONS_TO_ADDRESS_PER_DAY = 10
"""To one mail address, by all users."""
REPORTS_PER_DAY = 10
"""Reports of one user to the operators."""
CALLS_PER_DAY = 5
"""Seats for which one user, by leaving them or as an organiser, has followers of the game called."""
ANSWERS_PER_DAY = 5000
"""Requests of one user and their bots whose answer is stored for a day, so that repeating them has no effect."""


def count_for(by: User, what: str, most: int, seconds: int, sentence: str) -> None:
    """Count one more act of a user, with those of their bots. Raises `TooMany` with the sentence and when to try again."""
    count_or_wait(f"{what} {bots.root(by)}", most, seconds, sentence)


def count_message(by: User, match_id: UUID) -> None:
    """Count one more message of a user, with those of their bots. Raises `TooMany` as `count_for`."""
    full = throttle_in_turn(
        [
            (f"press {match_id} {bots.root(by)}", MESSAGES_PER_HOUR, HOUR),
            (f"press {bots.root(by)}", MESSAGES_PER_DAY, DAY),
        ]
    )
    if full is not None:
        a_match, a_day = (
            say("You can send at most {most} messages an hour in a match.", most=MESSAGES_PER_HOUR),
            say("You can send at most {most} messages a day.", most=MESSAGES_PER_DAY),
        )
        at, wait = full
        raise TooMany(joined((a_match, a_day)[at], again_in(wait)), wait)


def check(what: str, user_id: int | None, match_id: UUID) -> None:
    """Count one more act of a user in a match of which others are told. Raises `Refused` beyond the limits."""
    sentence = mark("The others get a mail about this, so you can do it at most {often} in a match.")
    _count(f"told {what}", user_id, match_id, _both(PER_HOUR, PER_DAY), code="told_too_often", sentence=sentence)
    if what != ASIDE:
        sentence = mark("The others get a mail about this, so you can do it at most {often} in all matches together.")
        _count_in_all("told", user_id, TOLD_IN_ALL_PER_DAY, code="told_too_often", sentence=sentence)


def check_unseen(user_id: int | None, match_id: UUID) -> None:
    """Count one more command that no other player may know of, such as standing orders. Raises `Refused` beyond the limits."""
    sentence = mark("You can change orders that nobody else sees at most {often} in a match.")
    _count("unseen", user_id, match_id, _both(UNSEEN_PER_HOUR, UNSEEN_PER_DAY), code="unseen_too_often", sentence=sentence)
    sentence = mark("You can change orders that nobody else sees at most {often} in all matches together.")
    _count_in_all("unseen", user_id, UNSEEN_IN_ALL_PER_DAY, code="unseen_too_often", sentence=sentence)


def check_conditional(user_id: int) -> None:
    """Count one more conditional order, or line of them, of a user or a bot of theirs. Raises `Refused` beyond the limit."""
    sentence = mark("You can place conditional orders at most {often} in all matches together.")
    _count_in_all("conditional", user_id, CONDITIONAL_PER_DAY, code="unseen_too_often", sentence=sentence)


def count_answer(by: User) -> None:
    """Count one more answer that is stored for a user. Raises `TooMany` beyond the limit."""
    sentence = say("You can send at most {most} requests a day that are stored to be repeated safely.", most=ANSWERS_PER_DAY)
    count_for(by, "answers", ANSWERS_PER_DAY, DAY, sentence)


def check_aside(user_id: int | None, match_id: UUID) -> None:
    """Count one more command that does not move the match on, such as an offer. Raises `Refused` beyond the limits."""
    sentence = mark("You can make offers and other side moves at most {often} in a match.")
    _count("aside", user_id, match_id, _both(ASIDE_PER_HOUR, ASIDE_PER_DAY), code="aside_too_often", sentence=sentence)


def check_refused(user_id: int | None) -> None:
    """Count one more refusal of what a user, or one of their bots, has asked for. Raises `Refused` beyond the limits.

    So a program that tries without end learns no more, and cannot fill the disk.
    """
    if user_id is not None:
        sentence = mark("What you ask for can be refused at most {often}.")
        limits = _both(REFUSED_PER_HOUR, REFUSED_PER_DAY)
        _count("refused", bots.root_of(user_id), None, limits, code="refused_too_often", sentence=sentence)


def check_asked(match_id: UUID, *, by: int, turn: str, seat: int) -> None:
    """Count one more side move by a seat, in one turn, for which the match waits for another's answer. Raises `Refused` beyond
    the limit.

    Meanwhile the asker's clock stands. So two players could take turns at asking and answering, and the others wait for ever.
    """
    if throttle(f"asked {match_id} {by} {turn} {seat}", ASKED_PER_TURN, _TURN):
        detail = say(
            "In one turn you can let the match wait for a player's answers at most {most} times. Make the offer without waiting.",
            most=ASKED_PER_TURN,
        )
        raise Refused("asked_too_often", detail)


def check_join(user_id: int | None, match_id: UUID) -> None:
    """Count one more seat that a user takes before the start. Raises `Refused` beyond the limit.

    So leaving needs no limit of its own.
    """
    _count_recorded(
        "join",
        mark("You can join this match at most {often}: the game log records each one."),
        user_id,
        match_id,
        ((JOINS_PER_DAY, DAY),),
    )


def check_seats(user_id: int | None, match_id: UUID) -> None:
    """Count one more seat that the host fills or empties before the start. Raises `Refused` beyond the limits."""
    _count_recorded(
        "seats",
        mark("You can fill or empty seats of this match at most {often}: the game log records each one."),
        user_id,
        match_id,
        _both(PER_HOUR, PER_DAY),
    )


def check_pause_alone(user_id: int | None, match_id: UUID) -> None:
    """Count one more pause that needs nobody's consent. Raises `Refused` beyond the limits.

    So resuming needs no limit of its own.
    """
    _count_recorded(
        "pause alone",
        mark("You can pause this match at most {often}: the game log records each one."),
        user_id,
        match_id,
        _both(PER_HOUR, PER_DAY),
    )


def check_undo_alone(user_id: int | None, match_id: UUID) -> None:
    """Count one more undo or redo that nobody else is told of. Raises `Refused` beyond the limits."""
    _count_recorded(
        "undo alone",
        mark("You can undo and redo in this match at most {often}: the game log records each one."),
        user_id,
        match_id,
        _both(ALONE_PER_HOUR, ALONE_PER_DAY),
    )


def may_call_followers(user_id: int) -> bool:
    """Count one more seat that a user leaves or has others leave. Return False if followers were called for enough of them
    today.
    """
    return throttle(f"calls for a substitute {bots.root_of(user_id)}", CALLS_PER_DAY, DAY) == 0


def _both(hourly: int, daily: int) -> tuple[tuple[int, int], ...]:
    return (hourly, HOUR), (daily, DAY)


def _count_in_all(key: str, user_id: int | None, most: int, *, code: str, sentence: str) -> None:
    """Count one more act of a user, with those of their bots, in whichever match. Raises `Refused` beyond the limit of a day."""
    if user_id is not None:
        _count(f"{key} in all", bots.root_of(user_id), None, ((most, DAY),), code=code, sentence=sentence)


def _count_recorded(key: str, sentence: str, user_id: int | None, match_id: UUID, limits: Sequence[tuple[int, int]]) -> None:
    _count(f"recorded {key}", user_id, match_id, limits, code="recorded_too_often", sentence=sentence)


def _count(
    key: str, user_id: int | None, match_id: UUID | None, limits: Sequence[tuple[int, int]], *, code: str, sentence: str
) -> None:
    """Count one more act, in one match or in all. Raises `Refused` beyond a limit.

    The limit stands for `{often}` in the sentence, with when to try again.
    """
    if user_id is None:
        return
    full = throttle_in_turn([(f"{key} {seconds} {user_id} {match_id}", most, seconds) for most, seconds in limits])
    if full is not None:
        at, wait = full
        most, seconds = limits[at]
        often = say("{most} times an hour", most=most) if seconds == HOUR else say("{most} times a day", most=most)
        raise Refused(code, joined(say(sentence, often=often), again_in(wait)))
