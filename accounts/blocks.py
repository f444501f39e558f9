"""Blocks between users. A block works both ways, and nobody is told who set it. It holds for the bots of a user too.

What it keeps apart is decided by the apps above: invitations, messages, seats.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.db import transaction
from django.db.models import Q

from accounts.models import Block, User
from gamesvc.database.prepared import OneOf, Prepared
from gamesvc.errors import Refusal, not_there
from gamesvc.language import say

MOST = 500
"""Blocks of one user."""

_BETWEEN = Prepared(
    lambda: Block.objects.filter(Q(user=OneOf("users", "bigint")) | Q(blocked=OneOf("users", "bigint"))).values_list(
        "user_id", "blocked_id"
    )
)


class BlockRefused(Refusal):
    """A block that cannot be as requested."""


def of(user: User) -> list[Block]:
    """Return a user's blocks, by the name of the blocked user."""
    return list(Block.objects.filter(user=user).select_related("blocked").order_by("blocked__username"))


def has_blocked(user: User, other: User) -> bool:
    """Return True if the user blocks the other one."""
    return Block.objects.filter(user=user, blocked=other).exists()


@transaction.atomic
def block(*, by: User, name: str) -> Block:
    """Block a user by name. Repeating it changes nothing. Raises `BlockRefused`."""
    other = User.named(name)
    if other is None:
        raise not_there(BlockRefused("unknown_user", say("There is no user {username!r}.", username=name), "name"))
    if other.pk == by.pk:
        raise BlockRefused("own_name", say("You cannot block yourself."), "name")
    # One user's blocks are counted one after the other.
    User.lock(by.pk)
    if Block.objects.filter(user=by).exclude(blocked=other).count() >= MOST:
        raise BlockRefused("too_many_blocks", say("You already block {most} players. Unblock one first.", most=MOST), "name")
    return Block.objects.get_or_create(user=by, blocked=other)[0]


def unblock(*, by: User, name: str) -> None:
    """End a block by the name of the blocked user, who may be suspended by now. Raises `BlockRefused` if there is none."""
    if not Block.objects.filter(user=by, blocked__username=name).delete()[0]:
        raise not_there(BlockRefused("not_blocked", say("You do not block this player."), "name"))


def apart(user: User | int | None) -> frozenset[int]:
    """Return the ids of the users whom a user blocks, or who block them, and of their bots."""
    if user is None:
        return frozenset()
    return apart_from_any([user if isinstance(user, int) else user.pk])


def apart_each(users: Collection[int]) -> dict[int | None, frozenset[int]]:
    """Return for each of these users what `apart` returns."""
    rows = _BETWEEN.values(users=list(users))
    touched = {user for row in rows for user in row}
    return {user: apart(user) if user in touched else frozenset() for user in users}


def apart_from_any(users: Collection[int | None]) -> frozenset[int]:
    """Return the ids of the users between whom and one of these a block stands, and of their bots."""
    rows = _BETWEEN.values(users=list(users))
    found = {other for own, blocked in rows for other in (own, blocked) if other not in users}
    if found:
        found |= set(User.objects.filter(bot_owner__in=found).values_list("pk", flat=True)) - set(users)
    return frozenset(found)


def between(user: User, others: Iterable[int | None]) -> bool:
    """Return True if a block stands between a user and one of the others, set by either of the two."""
    return not apart(user).isdisjoint({other for other in others if other is not None})
