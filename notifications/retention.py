"""Retention of notices, mails and related rows (see `accounts.retention`).

A notice is deleted once it is settled and old. While its topic is in use, two kinds remain: the one whose mail began the thread,
since the next mail would get its Message-ID again, and those that still wait for an answer.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from accounts.retention import FIXED, WITH_PLAYERS, Declared, Old
from notifications import registry
from notifications.models import Handover, InboundMail, MailStatus, Outbox, ReplyAddress, Status
from notifications.other_channels.deliveries import LOG_KEPT
from notifications.returned import suppression
from notifications.sending import calendar, shown, threads
from notifications.wanted import presence, reminders

log = logging.getLogger(__name__)

# A mail's links and its return path need the notice; a bounce report needs the earlier ones for its evaluation.
SHORTEST_NOTICES = timedelta(days=30)
SHORTEST_BOUNCES = suppression.FORGOTTEN

Living = Callable[[set[str]], set[str]]
_living: list[Living] = []


def register_topics(living: Living) -> None:
    """Register `living(topics)`, which returns the topics in which notices may still come."""
    if living not in _living:
        _living.append(living)


def notices_days() -> float:
    return float(max(settings.NOTICES_KEPT_DAYS, SHORTEST_NOTICES.days))


def mails_days() -> float:
    return float(settings.INBOUND_MAILS_KEPT_DAYS)


def _needed_notices(rows: Sequence[Outbox]) -> Collection[UUID]:
    topics = {row.topic for row in rows if row.topic}
    alive = {topic for living in _living for topic in living(topics)}
    return {row.pk for row in rows if row.topic in alive and (row.message_id == threads.root_id(row) or _asks(row))}


def _asks(row: Outbox) -> bool:
    """Return True if a notice can still be acted on."""
    kind = registry.find(row.kind)
    if kind is None or kind.deadline is None:
        return False
    try:
        return kind.deadline(row) is not None
    except Exception:
        # As with texts: the app that queued the notice is asked, and its faults must not prevent other deletions.
        log.exception("it is not known if the notice %s still holds; it is kept", row.id)
        return True


def _needed_addresses(rows: Sequence[ReplyAddress]) -> Collection[UUID]:
    return InboundMail.objects.filter(address__in=rows, status=MailStatus.WAITING).values_list("address_id", flat=True)


RULES: Declared = {
    "notifications.Bounce": (Old("happened_at", lambda: max(settings.BOUNCES_KEPT_DAYS, SHORTEST_BOUNCES.days)),),
    "notifications.CalendarEntry": (Old("changed_at", lambda: calendar.KEPT.days, Q(cancelled=True)),),
    "notifications.CalendarFeed": WITH_PLAYERS,
    "notifications.ChatAddress": WITH_PLAYERS,
    "notifications.Handover": "deleted with its notice",
    "notifications.InboundMail": (Old("received_at", mails_days, ~Q(status=MailStatus.WAITING)),),
    "notifications.LastShown": (Old("sent_at", lambda: shown.KEPT.days),),
    "notifications.Mailbox": FIXED,
    "notifications.Mute": WITH_PLAYERS,
    "notifications.Outbox": (Old("due_at", notices_days, ~Q(status=Status.QUEUED), _needed_notices),),
    "notifications.Preference": WITH_PLAYERS,
    "notifications.Presence": (Old("seen_at", lambda: presence.KEPT.days),),
    "notifications.Reminder": (Old("deadline", lambda: reminders.KEPT.days),),
    "notifications.Rest": (Old("until", lambda: 0.0),),
    "notifications.ReplyAddress": (Old("expires_at", mails_days, needed=_needed_addresses),),
    "notifications.Suppression": "one row for each address that takes no mail; forgotten, it would get some again",
    "notifications.PushSubscription": WITH_PLAYERS,
    "notifications.Webhook": WITH_PLAYERS,
    "notifications.WebhookDelivery": (Old("created_at", lambda: LOG_KEPT.days, ~Q(status=Handover.Status.WAITING)),),
}
