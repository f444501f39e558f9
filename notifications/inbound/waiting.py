"""The mail that a deadline waits for: received in time, and not processed yet."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from notifications import outbox
from notifications.inbound import held, store
from notifications.inbound.doors import imap
from notifications.models import InboundMail, MailStatus

# Longest delay of a due deadline for mail received before it, once a worker has tried to read that mail.
HOLDS_BACK = timedelta(minutes=10)


def waits_before(*, topic: str, user_id: int, moment: datetime) -> bool:
    """Return True if mail of a user in a topic from before a moment is unread, here or in a mailbox not polled since."""
    return _waiting(topic, user_id, moment).exists() or imap.behind(topic=topic, user_id=user_id, moment=moment)


def untried(*, topic: str, user_id: int, moment: datetime) -> bool:
    """Return True if nobody has tried yet to read what `waits_before` has found: the workers or their broker were away.

    That is no fault of its sender, so no deadline gives up on it.
    """
    tried = _waiting(topic, user_id, moment).order_by("-attempts").values_list("attempts", flat=True).first()
    return not tried if tried is not None else imap.untried(moment)


def topics_waiting(topics: Iterable[str]) -> set[str]:
    """Return the topics in which `waits_before` may return True for a user, in one query."""
    asked = set(topics)
    if imap.account() is not None:
        return asked
    waiting = InboundMail.objects.filter(status=MailStatus.WAITING, address__topic__in=asked)
    return set(waiting.values_list("address__topic", flat=True))


def set_aside(*, topic: str, user_id: int, moment: datetime) -> int:
    """Give up on mail that a deadline has waited for long enough, and notify its sender. Return how many mails it was."""
    error = "not worked on in time for the deadline it was sent for"
    with transaction.atomic():
        rows = list(_waiting(topic, user_id, moment).select_related("address").select_for_update(of=("self",)))
        InboundMail.objects.filter(pk__in=[row.pk for row in rows]).update(
            status=MailStatus.FAILED, error=error, finished_at=timezone.now()
        )
        outbox.notify(*(store.failed_notice(row) for row in rows if held.may_answer(row.address)))
    return len(rows)


def _waiting(topic: str, user_id: int, moment: datetime) -> QuerySet[InboundMail]:
    return InboundMail.objects.filter(
        status=MailStatus.WAITING, counts_at__lt=moment, address__topic=topic, address__user_id=user_id
    )
