"""Subscriptions: webhooks that get each notice of their user at once, beside all channels, or the news of a match they organise.

A look finds what is new for each of them, so nothing is written in the transactions of events. `deliveries` sends it.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.throttling import count_or_wait
from gamesvc.json_types import JsonMapping
from gamesvc.language import say
from notifications import registry
from notifications.models import Handover, Outbox, Webhook, WebhookDelivery
from notifications.other_channels import deliveries, outward, transfers, webhooks
from notifications.other_channels.transfers import Job, Source
from notifications.registry import Message
from notifications.wanted.wishes import WishRefused

log = logging.getLogger(__name__)

MOST = 10
"""Webhooks of a user, the one in the order of channels included."""
TRIES_A_DAY = 200
"""Test pings and deliveries that a user asks for again, for all webhooks together."""
MOVED, OVER = "match_moved", "match_over"
NEWS = (MOVED, OVER)
"""The types of deliveries about a match."""
# A notice is seen a moment after the time it bears, when its transaction commits.
_OVERLAP_MINUTES = 10
_DAY = 86_400

_FAN_OUT = """
INSERT INTO notifications_webhook_delivery (id, hook_id, notice_id, kind, created_at, due_at, status, error, body)
SELECT gen_random_uuid(), w.id, o.id, o.kind, %(now)s::timestamptz, %(now)s::timestamptz, 'waiting', '', ''
FROM notifications_webhook w JOIN notifications_outbox o ON o.user_id = w.user_id
WHERE NOT w.channel AND w.topic = '' AND w.disabled_at IS NULL AND o.kind = ANY (%(kinds)s::text[])
  AND o.created_at > w.created_at AND o.due_at <= %(now)s::timestamptz
  AND o.due_at > least(w.looked_at, %(now)s::timestamptz) - make_interval(mins => %(overlap)s::int)
  AND (w.kinds IS NULL OR o.kind = ANY (w.kinds))
ORDER BY o.due_at
ON CONFLICT (hook_id, notice_id) WHERE notice_id IS NOT NULL DO NOTHING
"""


@dataclass(frozen=True)
class News:
    """The news of a match for its organiser: the newest version of all, the one they may know, and the data for programs."""

    version: int
    known: int
    kind: str
    data: JsonMapping


Look = Callable[[Collection[Webhook]], Mapping[UUID, News]]
_looks: list[Look] = []


def register() -> None:
    """Register the mail that says that a webhook was switched off."""
    registry.register(deliveries.DISABLED, switched_off, label="A webhook was switched off", essential=True)


def register_look(look: Look) -> None:
    """Register `look(hooks)`, which returns the news of the matches of subscriptions, for those that have any."""
    if look not in _looks:
        _looks.append(look)


def offered() -> list[registry.Kind]:
    """Return the kinds of notices that a subscription may get. Answers to mails and parts of mails are none of them."""
    return [kind for kind in registry.kinds() if not kind.essential and not kind.part]


def all_of(user: User) -> list[Webhook]:
    """Return the webhooks of a user: the one in the order of channels first, then the oldest first."""
    return list(Webhook.objects.filter(user=user).order_by("-channel", "created_at", "pk"))


def find(user: User, hook_id: UUID) -> Webhook | None:
    """Return a webhook of the user."""
    return Webhook.objects.filter(user=user, pk=hook_id).first()


def add(user: User, *, url: str, kinds: Sequence[str] | None = None, topic: str = "", version: int = 0) -> Webhook:
    """Add a subscription, and send it a test ping. Raises `BadAddress` and `WishRefused`.

    `topic` and `version`: the match it is about, and how far that has come. The caller has checked that the user organises it.
    """
    outward.check_host(url)
    chosen = _chosen(kinds, topic)
    with transaction.atomic():
        User.lock(user.pk)
        if Webhook.objects.filter(user=user).count() >= MOST:
            detail = say("You have {most} webhooks, and no more can be added. Remove one first.", most=MOST)
            raise WishRefused("too_many_webhooks", detail, "url")
        hook = Webhook.objects.create(
            user=user, url=url, channel=False, kinds=chosen, topic=topic, looked_version=version, told_version=version
        )
        ping(hook)
    return hook


def set_channel(user: User, url: str) -> tuple[Webhook, bool]:
    """Take or change the webhook in the order of channels (`webhooks.set_up`), and send a new address a test ping."""
    before = webhooks.of(user)
    with transaction.atomic():
        User.lock(user.pk)
        hook, new = webhooks.set_up(user, url)
        if before is None or before.url != url:
            ping(hook)
    return hook, new


def change(hook: Webhook, *, url: str | None = None, kinds: Sequence[str] | None = None, all_kinds: bool = False) -> None:
    """Change the address or the kinds of a webhook. One that was switched off works again.

    Raises `BadAddress` and `WishRefused`.
    """
    if url is not None:
        outward.check_host(url)
    if kinds is not None or all_kinds:
        if hook.channel:
            raise WishRefused("bad_kinds", say("This webhook stands in the order of channels: it gets all kinds."), "kinds")
        hook.kinds = _chosen(kinds, hook.topic)
    moved = url is not None and url != hook.url
    hook.url = url if url is not None else hook.url
    if hook.disabled_at is not None:
        hook.looked_at = timezone.now()  # what came while it was off stays untold
    hook.failing_since = hook.disabled_at = None
    with transaction.atomic():
        hook.save(update_fields=["url", "kinds", "looked_at", "failing_since", "disabled_at"])
        if moved:
            ping(hook)


def _chosen(kinds: Sequence[str] | None, topic: str) -> list[str] | None:
    known = list(NEWS) if topic else [kind.name for kind in offered()]
    if kinds is not None and (not kinds or not set(kinds) <= set(known)):
        raise WishRefused(
            "bad_kinds", say("Name some of these kinds, or none for all: {known}.", known=", ".join(known)), "kinds"
        )
    return list(dict.fromkeys(kinds)) if kinds is not None else None


def ping(hook: Webhook) -> WebhookDelivery:
    """Send a test delivery; the log says what the receiver answered. Raises `TooMany`."""
    _count(hook)
    return deliveries.queue(hook, deliveries.PING, {"webhook": str(hook.pk)})


def again(hook: Webhook, delivery_id: UUID) -> WebhookDelivery | None:
    """Send a delivery of the log again, with its id and its body; None if there is none. Raises `TooMany` and `WishRefused`."""
    row = log_of(hook).filter(pk=delivery_id).first()
    if row is None:
        return None
    if hook.disabled_at is not None or not row.body:
        raise WishRefused("not_again", say("This cannot be sent: the webhook is switched off, or nothing was ever sent."), None)
    if row.status != Handover.Status.WAITING:
        _count(hook)
        deliveries.again(row)
        row.refresh_from_db()
    return row


def _count(hook: Webhook) -> None:
    sentence = say("You may ask for {most} deliveries a day.", most=TRIES_A_DAY)
    count_or_wait(f"webhook tries {hook.user_id}", TRIES_A_DAY, _DAY, sentence)


def log_of(hook: Webhook, *, before: tuple[datetime, UUID] | None = None) -> QuerySet[WebhookDelivery]:
    """Return the deliveries of a webhook before a place in the log, newest first."""
    rows = WebhookDelivery.objects.filter(hook=hook).order_by("-created_at", "-pk")
    if before is not None:
        rows = rows.filter(Q(created_at__lt=before[0]) | Q(created_at=before[0], pk__lt=before[1]))
    return rows


def remove(hook: Webhook) -> None:
    """Delete a webhook and its log."""
    hook.delete()


def source() -> Source:
    """Return what a sweep of transfers looks at to queue what is new. It sends nothing itself.

    Otherwise what is new would wait for any transfer that hangs: the sweep goes on until that ends. Looks take a tenth of the
    time at most: meanwhile nothing is handed over.
    """
    following = -math.inf

    def look(_room: int, _users: Collection[int]) -> Iterator[Job | bool]:
        nonlocal following
        if (began := time.monotonic()) >= following:
            sweep()
            ended = time.monotonic()
            following = ended + max(transfers.LOOK_SECONDS, 9 * (ended - began))
        return iter(())

    return look


def sweep() -> None:
    """Queue what is new for subscriptions: notices of their users, and news of matches."""
    now = timezone.now()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_FAN_OUT, {"now": now, "kinds": [kind.name for kind in offered()], "overlap": _OVERLAP_MINUTES})
        # One of the future is of before the clock was set back, or of another machine, whose clock may be a little ahead.
        known = Q(looked_at__lt=now) | Q(looked_at__gt=now + timedelta(minutes=_OVERLAP_MINUTES))
        Webhook.objects.filter(known, channel=False, topic="").update(looked_at=now)
    _sweep_news()


def _sweep_news() -> None:
    hooks = list(Webhook.objects.filter(channel=False, disabled_at=None).exclude(topic="").select_related("user"))
    found: dict[UUID, News] = {}
    for look in _looks if hooks else ():
        try:
            found |= look(hooks)
        except Exception:
            # Here other apps' code runs: its faults must not stop the notices to anybody.
            log.exception("the news of matches could not be read")
    for hook in hooks:
        if (news := found.get(hook.pk)) is None:
            continue
        seen = Webhook.objects.filter(pk=hook.pk, looked_version__lt=news.version)
        with transaction.atomic():
            # Of two sweepers one tells it; sealed events move the first version only.
            if not seen.update(looked_version=news.version) or news.known <= hook.told_version:
                continue
            Webhook.objects.filter(pk=hook.pk).update(told_version=news.known)
            if hook.kinds is None or news.kind in hook.kinds:
                deliveries.queue_newest(hook, news.kind, news.data)


def switched_off(row: Outbox) -> Message | None:
    """Tell the owner that a webhook was switched off; None if it works again, or was removed."""
    hook = Webhook.objects.filter(pk=row.payload["hook"], disabled_at__isnull=False).first()
    if hook is None:
        return None
    last = log_of(hook).exclude(error="").first()
    context = {
        "host": urlsplit(hook.url).hostname or "",
        "error": last.error if last is not None else "",
        "link": str(settings.BASE_URL).rstrip("/") + "/profile/webhooks/",
    }
    return Message(
        subject=_("A webhook of yours was switched off"),
        text=render_to_string("notifications/webhook_off.txt", context),
        reason="webhook-off",
    )
