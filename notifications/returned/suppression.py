"""Which addresses get no more mail, and why: at once where there is no mailbox, after a bad week where one takes nothing, and
of one kind where its owner called a mail unwanted.

It is the address that is suppressed, not the person: another address works at once, and the site always shows his turns.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from accounts.addresses import sending_addresses, verified_addresses
from accounts.models import User
from notifications.models import Bounce, Outbox, Report, Source, Suppression
from notifications.wanted.preferences import address_hash

HALF_LIFE = timedelta(days=7)
# A day on which mail was refused counts one, and half of that a week later: four bad days in a row reach it.
LIMIT = 3.0
FORGOTTEN = 8 * HALF_LIFE


def weigh(bounce: Bounce) -> bool:
    """Draw the consequence of a report; return True if the address is suppressed by it.

    A report by mail may be anyone's who holds a mail of ours with its return path. It counts once a second one comes, about a
    mail that was sent after the first: by then an address that works has shown its owner that nothing is wrong.
    """
    if bounce.source == Source.DSN and not _said_again(bounce):
        return False
    match bounce.report:
        case Report.HARD:
            _suppress(bounce)
        case Report.COMPLAINT:
            _suppress(bounce, kind=bounce.kind)
        case _:
            if score(bounce.address_hash, at=bounce.happened_at) < LIMIT:
                return False
            _suppress(bounce)
    return True


def score(address: str, *, at: datetime) -> float:
    """How badly an address (its hash) took mail before `at`: one for each day with a soft bounce, halved with each week since.

    Many refusals of one day are one: a full mailbox refuses all the mails of a busy evening. What was before the owner asked
    to be sent mail again does not count.
    """
    bounces = Bounce.objects.filter(address_hash=address, report=Report.SOFT, happened_at__gt=at - FORGOTTEN, happened_at__lte=at)
    lifted = Suppression.objects.filter(address_hash=address, kind="").values_list("lifted_at", flat=True).first()
    if lifted is not None:
        bounces = bounces.filter(happened_at__gt=lifted)
    proved = [bounce.happened_at for bounce in bounces.exclude(source=Source.DSN)]
    days = {moment.date() for moment in (*proved, *_confirmed(list(bounces.filter(source=Source.DSN))))}
    return sum((0.5 ** ((at.date() - day) / HALF_LIFE) for day in days), 0.0)


def find(address: str, kind: str) -> Suppression | None:
    """Why nothing of this kind is sent to an address; None if it may be."""
    wanted = Q(kind="") | Q(kind=kind)
    return Suppression.objects.filter(wanted, address_hash=address_hash(address), lifted_at=None).first()


def unreachable(users: Iterable[User]) -> set[int]:
    """Which of these people no notice can reach by mail (their ids): they have no proved address, or mail to it comes back."""
    users = list(users)
    hashes = {pk: address_hash(address) for pk, address in sending_addresses(users).items()}
    stopped = Suppression.objects.filter(address_hash__in=hashes.values(), kind="", lifted_at=None)
    gone = set(stopped.values_list("address_hash", flat=True))
    return {user.pk for user in users if user.pk not in hashes or hashes[user.pk] in gone}


def of_user(user: User) -> list[Suppression]:
    """What is not sent to a person's addresses any more, for his own page."""
    hashes = [address_hash(address) for address in verified_addresses(user)]
    return list(Suppression.objects.filter(address_hash__in=hashes, lifted_at=None).order_by("created_at"))


def lift(user: User, suppression_id: int) -> bool:
    """Send to this address again, because its owner says that it works; False if there is nothing to lift."""
    wanted = [row.pk for row in of_user(user) if row.pk == suppression_id]
    return bool(Suppression.objects.filter(pk__in=wanted).update(lifted_at=timezone.now()))


def _confirmed(reports: list[Bounce]) -> list[datetime]:
    """Return the moments of those reports by mail that another bears out: an earlier one, or one about a mail sent later."""
    sent = {bounce.pk: _sent_at(bounce) for bounce in reports}
    moments = [bounce.happened_at for bounce in reports]
    again = {pk: at for pk, at in sent.items() if at is not None and any(moment < at for moment in moments)}
    last = max(again.values(), default=None)
    return [one.happened_at for one in reports if one.pk in again or (last is not None and one.happened_at < last)]


def _sent_at(bounce: Bounce) -> datetime | None:
    """Return when the mail went out that a report is about; None if that is not known any more."""
    row = Outbox.objects.filter(pk=bounce.delivery).first() if bounce.delivery is not None else None
    return row.sent_at if row is not None else None


def _said_again(bounce: Bounce) -> bool:
    """Return True if an earlier report by mail says the same of the address, and this one's mail was sent after it."""
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
