"""Addresses that get no more mail: at once without a mailbox, after a bad week of refusals, for one kind after a complaint.

The address is suppressed, not the user: another address works at once, and the site always shows their turns.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.utils import timezone

from accounts.addresses import sending_addresses, verified_addresses
from accounts.models import User
from gamesvc.database.prepared import OneOf, Prepared
from notifications import registry
from notifications.models import Bounce, Outbox, Report, Scope, Source, Suppression
from notifications.wanted import muting, preferences
from notifications.wanted.preferences import address_hash

HALF_LIFE = timedelta(days=7)
# A day with a refusal counts one, and half of that a week later: four bad days in a row reach it.
LIMIT = 3.0
FORGOTTEN = 8 * HALF_LIFE
_IN_FORCE = Prepared(lambda: Suppression.objects.filter(address_hash=OneOf("hashes", "text"), lifted_at=None).order_by("kind"))


def weigh(bounce: Bounce) -> bool:
    """Draw the consequence of a report. Return True if it suppresses the address.

    A report by mail could be sent by anyone who holds a mail of ours with its return path. It counts once a second one comes,
    about a mail sent after the first: by then the owner of a working address would have noticed. A mail with words of others may
    be refused for these: an opponent could write such ones every day.
    """
    if bounce.source == Source.DSN and not _said_again(bounce):
        return False
    match bounce.report:
        case Report.HARD:
            _suppress(bounce)
        case Report.COMPLAINT:
            _suppress(bounce, kind=bounce.kind)
            _mute_part(bounce)
        case _:
            if bounce.kind in registry.quoting() or score(bounce.address_hash, at=bounce.happened_at) < LIMIT:
                return False
            _suppress(bounce)
    return True


def score(address: str, *, at: datetime) -> float:
    """Return how badly an address (its hash) took mail before `at`: one for each day with a soft bounce, halved each week.

    Many refusals of one day count once: a full mailbox refuses all the mails of a busy evening. Refusals from before the owner
    asked for mail again do not count, nor those of mails with words of others.
    """
    bounces = Bounce.objects.filter(address_hash=address, report=Report.SOFT, happened_at__gt=at - FORGOTTEN, happened_at__lte=at)
    bounces = bounces.exclude(kind__in=registry.quoting())
    lifted = Suppression.objects.filter(address_hash=address, kind="").values_list("lifted_at", flat=True).first()
    if lifted is not None:
        bounces = bounces.filter(happened_at__gt=lifted)
    proved = [bounce.happened_at for bounce in bounces.exclude(source=Source.DSN)]
    days = {moment.date() for moment in (*proved, *_confirmed(list(bounces.filter(source=Source.DSN))))}
    return sum((0.5 ** ((at.date() - day) / HALF_LIFE) for day in days), 0.0)


def of_addresses(addresses: Iterable[str]) -> dict[str, list[Suppression]]:
    """Return why mail to addresses is stopped, all of it or of one kind; an empty list for most of them."""
    hashes = {address: address_hash(address) for address in addresses}
    stopped: dict[str, list[Suppression]] = {}
    for one in _IN_FORCE.rows(hashes=list(hashes.values())):
        stopped.setdefault(one.address_hash, []).append(one)
    return {address: stopped.get(hashed, []) for address, hashed in hashes.items()}


def unreachable(users: Iterable[User]) -> set[int]:
    """Return the ids of users that no mail reaches: they have no verified address, or mail to it bounces."""
    users = list(users)
    hashes = {pk: address_hash(address) for pk, address in sending_addresses(users).items()}
    stopped = Suppression.objects.filter(address_hash__in=hashes.values(), kind="", lifted_at=None)
    gone = set(stopped.values_list("address_hash", flat=True))
    return {user.pk for user in users if user.pk not in hashes or hashes[user.pk] in gone}


def unconfirmed(users: Iterable[User]) -> set[int]:
    """Return the ids of users whose address is not confirmed yet: no mail reaches them so far, and none has bounced."""
    users = list(users)
    known = sending_addresses(users)
    return {user.pk for user in users if user.pk not in known}


def of_user(user: User) -> list[Suppression]:
    """Return the suppressions of a user's addresses, for the profile page."""
    hashes = [address_hash(address) for address in verified_addresses(user)]
    return list(Suppression.objects.filter(address_hash__in=hashes, lifted_at=None).order_by("created_at"))


def lift(user: User, suppression_id: int) -> bool:
    """Resume mail to this address on its owner's request. Return False if there is nothing to lift."""
    wanted = next((row for row in of_user(user) if row.pk == suppression_id), None)
    if wanted is None:
        return False
    if _is_part(wanted.kind):
        preferences.unmute(preferences.Receiver(user_id=user.pk), Scope.KIND, wanted.kind)
    return bool(Suppression.objects.filter(pk=wanted.pk).update(lifted_at=timezone.now()))


def _mute_part(bounce: Bounce) -> None:
    """Mute a kind of combined mails, too: what one would include then goes alone, instead of being dropped with it."""
    if bounce.user_id is not None and _is_part(bounce.kind):
        muting.mute(preferences.Receiver(user_id=bounce.user_id), [(Scope.KIND, bounce.kind)])


def _is_part(kind: str) -> bool:
    found = registry.find(kind)
    return found is not None and found.part


def _confirmed(reports: list[Bounce]) -> list[datetime]:
    """Return the times of reports by mail that another one confirms: an earlier one, or one about a mail sent later."""
    sent = {bounce.pk: _sent_at(bounce) for bounce in reports}
    moments = [bounce.happened_at for bounce in reports]
    again = {pk: at for pk, at in sent.items() if at is not None and any(moment < at for moment in moments)}
    last = max(again.values(), default=None)
    return [one.happened_at for one in reports if one.pk in again or (last is not None and one.happened_at < last)]


def _sent_at(bounce: Bounce) -> datetime | None:
    """Return when the mail of a report was sent; None if that is no longer known."""
    row = Outbox.objects.filter(pk=bounce.delivery).first() if bounce.delivery is not None else None
    return row.sent_at if row is not None else None


def _said_again(bounce: Bounce) -> bool:
    """Return True if an earlier report by mail says the same about the address, and this one's mail was sent after it."""
    sent_at = _sent_at(bounce)
    if sent_at is None:
        return False
    earlier = Bounce.objects.filter(
        address_hash=bounce.address_hash, report=bounce.report, happened_at__lt=sent_at, happened_at__gt=sent_at - FORGOTTEN
    ).exclude(pk=bounce.pk)
    if bounce.report == Report.COMPLAINT:
        earlier = earlier.filter(kind=bounce.kind)
    return earlier.exists()


def _suppress(bounce: Bounce, kind: str = "") -> None:
    Suppression.objects.update_or_create(
        address_hash=bounce.address_hash,
        kind=kind,
        defaults={
            "user_id": bounce.user_id,
            "report": bounce.report,
            "status": bounce.status,
            "detail": bounce.detail,
            "created_at": bounce.happened_at,
            "lifted_at": None,
        },
    )
