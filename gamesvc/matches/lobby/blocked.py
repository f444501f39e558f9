"""Blocks between players in the lobby: who is not seated together, and whose invitations and messages do not arrive.

An anonymous match hides who its players are, so a block changes nothing in it before its end: what a block hides would tell
which of them is the blocked one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from accounts import blocks
from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.models import Match, Seat

U = TypeVar("U", bound=User | int | None)


def check_seat(*, by: User, match: Match, seats: Iterable[Seat]) -> None:
    """Raise `Refused` if a block stands between a user and the host or a player of a match. It does not say who set it."""
    others = [match.creator_id, *(seat.user_id for seat in seats)]
    if not match.hides_names and any(blocks.between(user, others) for user in _speaking(by)):
        raise Refused(
            "not_together", say("You cannot take a seat here: you and one of the others in this match do not play together.")
        )


def check_invitation(*, by: User, user: User) -> None:
    """Raise `Refused` if a block stands between two users. It does not say who set it."""
    others = [one.pk for one in _speaking(user)]
    if any(blocks.between(one, others) for one in _speaking(by)):
        raise Refused("not_together", say("{username} cannot be invited to this match.", username=user.username), "username")


def apart(user: User) -> frozenset[int]:
    """Return the users between whom and a user, or the owner of a bot, a block stands, and their bots."""
    return blocks.apart_from_any([one.pk for one in _speaking(user)])


def _speaking(user: User) -> list[User]:
    """Return a user, and the owner of a bot: a block of its owner keeps the bot apart too."""
    return [user, *([user.bot_owner] if user.bot_owner is not None else [])]


def hidden_from(user: U, match: Match, apart: Callable[[U], frozenset[int]] = blocks.apart) -> frozenset[int]:
    """Return the users whose messages in a match a user does not get. `apart` looks for blocks."""
    return frozenset() if match.hides_names else apart(user)
