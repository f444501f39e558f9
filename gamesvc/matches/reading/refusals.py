"""The audit trail of refused commands: user, command, time, channel and reason. Erasable and pruned.

A refused command reveals what its sender knows, hidden facts included. So until the end of a match users read only their own
refusals in full. The organiser and operators who have not played see of others the seat, the code and the time. The rest is
visible to an operator who looks behind that seat, on record (`looks`).
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import QuerySet

from accounts.models import User
from gamesvc.json_types import JsonObject
from gamesvc.matches.access import authority
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.models import Look, Match, Refusal
from gamesvc.matches.record import secrets


def of_match(access: Access) -> QuerySet[Refusal]:
    """Return the refusals of a match that a reader may know, newest first: all for those who may audit it, else their own."""
    refusals = Refusal.objects.filter(match=access.match).select_related("user").order_by("-received_at", "-id")
    if access.user is None:
        return refusals.none()
    return refusals if authority.may_audit(access.user, access.match) else refusals.filter(user=access.user)


def number_of(refusal: Refusal) -> int:
    """Return the number by which readers know a refusal. The row's own would tell how many commands of others were refused."""
    return secrets.veiled(refusal.pk, "refusal", refusal.match_id)


def numbered(found: QuerySet[Refusal], match: Match, number: int) -> Refusal | None:
    """Return the one of some refusals of a match with this number, if it is among them."""
    return found.filter(pk=secrets.unveiled(number, "refusal", match.pk)).first()


def behind(look: Look) -> Sequence[Refusal]:
    """Return the commands refused to the seat that an operator looks behind, up to that moment, newest first."""
    return list(
        Refusal.objects.filter(match=look.match, seat=look.seat, received_at__lte=look.at).order_by("-received_at", "-id")
    )


def opened(refusal: Refusal, match: Match, reader: User) -> bool:
    """Return True if a reader may see the command itself: their own, and all once the match is over."""
    return match.over or refusal.user_id == reader.pk


def as_json(refusal: Refusal, match: Match, reader: User) -> JsonObject:
    """Return a refusal as a reader may see it. The commands of others in an unfinished match are left out."""
    whole = opened(refusal, match, reader)
    return {
        "id": number_of(refusal),
        "seat": refusal.seat,
        "name": refusal.user.username if refusal.user is not None and not match.hides_names else None,
        "channel": refusal.channel if whole else None,
        "received_at": refusal.received_at.isoformat(),
        "command": refusal.command if whole else None,
        "code": refusal.code,
        "detail": refusal.detail if whole else None,
        "parameter": refusal.parameter if whole else None,
    }
