"""Mutes: a receiver wants nothing of a kind, nothing about a match, or nothing at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils.crypto import salted_hmac

from accounts.addresses import user_of_address
from accounts.models import User
from gamesvc.database.prepared import OneOf, Prepared
from notifications.models import Mute, Outbox, Scope
from notifications.wanted import shared_reads

_MUTES = Prepared(lambda: Mute.objects.filter(user=OneOf("users", "bigint")))


@dataclass(frozen=True)
class Receiver:
    """The receiver of notices: a user, or the keyed hash of a stranger's address."""

    user_id: int | None = None
    address_hash: str = ""

    @property
    def mutes(self) -> QuerySet[Mute]:
        if self.user_id is not None:
            return Mute.objects.filter(user_id=self.user_id)
        return Mute.objects.filter(user__isnull=True, address_hash=self.address_hash)


def receiver_of(row: Outbox) -> Receiver:
    """Return the receiver of a notice."""
    return Receiver(user_id=row.user_id) if row.user_id else Receiver(address_hash=address_hash(row.address))


def address_hash(address: str) -> str:
    """Return a stranger's address as a hash under our key: enough to send no further mail without storing the address."""
    return salted_hmac("notifications.mute", address.strip().lower(), algorithm="sha256").hexdigest()


def mute(receiver: Receiver, scope: Scope, value: str = "") -> bool:
    """Store that a receiver wants no more of this. Return False if that was known. `wanted.muting` also tells them."""
    _row, new = receiver.mutes.get_or_create(
        scope=scope,
        value=_value(scope, value),
        defaults={"user_id": receiver.user_id, "address_hash": receiver.address_hash},
    )
    return new


def unmute(receiver: Receiver, scope: Scope, value: str = "") -> None:
    """Remove a mute. A wider mute may remain."""
    receiver.mutes.filter(scope=scope, value=_value(scope, value)).delete()


def is_muted(row: Outbox) -> bool:
    """Return True if the receiver has muted this notice. What a user has muted holds for mail to their address, too."""
    if row.user_id is not None:
        return any(_covers(one, row) for one in _mutes_of(row.user_id))
    unwanted = Q(scope=Scope.ALL) | Q(scope=Scope.KIND, value=row.kind)
    if row.topic:
        unwanted |= Q(scope=Scope.TOPIC, value=row.topic)
    mutes = receiver_of(row).mutes
    if (user := user_of_address(row.address)) is not None:
        mutes |= Receiver(user_id=user.pk).mutes
    return mutes.filter(unwanted).exists()


def refuses(user_id: int, kind: str) -> bool:
    """Return True if a user has muted this kind by name, for kinds that are a part of other mails."""
    return any((one.scope, one.value) == (Scope.KIND, kind) for one in _mutes_of(user_id))


def mutes_of(user: User) -> list[Mute]:
    """Return a user's mutes, for the page of notification settings."""
    return list(Mute.objects.filter(user=user).order_by("scope", "value"))


def _mutes_of(user_id: int) -> list[Mute]:
    return shared_reads.for_all(_mutes_of_all, user_id, lambda: list(Mute.objects.filter(user_id=user_id)))


def _mutes_of_all(notices: Sequence[Outbox]) -> dict[int, list[Mute]]:
    found: dict[int, list[Mute]] = {row.user_id: [] for row in notices if row.user_id is not None}
    for one in _MUTES.rows(users=list(found)):
        if one.user_id is not None:
            found[one.user_id].append(one)
    return found


def _covers(mute: Mute, row: Outbox) -> bool:
    """Return True if a mute of its receiver covers a notice."""
    match mute.scope:
        case Scope.KIND:
            return mute.value == row.kind
        case Scope.TOPIC:
            return bool(row.topic) and mute.value == row.topic
    return mute.scope == Scope.ALL


def _value(scope: Scope, value: str) -> str:
    if (scope == Scope.ALL) != (value == ""):
        raise ValueError("the scopes kind and match name which one, the scope all names nothing")
    return value
