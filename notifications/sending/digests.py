"""Mails that combine several things: the daily digest, and the summary of gathered notices (`timing`).

The apps above provide the content as briefs; here they are sorted by urgency and laid out.
"""

from __future__ import annotations

import logging
import textwrap
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from notifications import moments, registry
from notifications.models import Outbox, Preference, Scope
from notifications.parsing.text import END, MARK
from notifications.registry import Brief, Message
from notifications.wanted import carrying, preferences, timing
from notifications.wanted.digest_hour import next_digest

log = logging.getLogger(__name__)

DIGEST = "digest"
BATCH = 50
MOST_BRIEFS = 40
"""Matches that one mail tells of one by one: thousands would keep the mails of others waiting."""
AGAIN_AFTER = timedelta(hours=1)
WIDTH = 72
# Most lines about one match; the rest is on its page.
MOST_LINES = 8

Source = Callable[[Outbox, User], list[Brief]]
_sources: list[Source] = []


def register() -> None:
    """Register the two kinds of combined mails."""
    registry.register(DIGEST, digest, label="The daily digest", part=True)
    registry.register(timing.SUMMARY, summary, label="Several notices in one mail", part=True)


def register_source(source: Source) -> None:
    """Register `source(digest row, user)`, which returns a user's open matters and the events since their last look."""
    if source not in _sources:
        _sources.append(source)


def sweep() -> int:
    """Queue the digests that are due, each once. Return how many."""
    queued = 0
    while True:
        with transaction.atomic():
            now = timezone.now()
            rows = list(
                Preference.objects.select_for_update(skip_locked=True, of=("self",))
                .select_related("user")
                .filter(digest_at__lte=now, topic="")
                .order_by("digest_at")[:BATCH]
            )
            for row in rows:
                try:
                    with transaction.atomic():
                        queued += _queue(row, now)
                except Exception:
                    # One user whose digest cannot be planned must not block it for all others.
                    log.exception("the digest of user %s could not be queued", row.user_id)
                    Preference.objects.filter(pk=row.pk).update(digest_at=now + AGAIN_AFTER)
        if len(rows) < BATCH:
            return queued


def _queue(row: Preference, now: datetime) -> bool:
    hour, since = row.digest_hour, row.digested_at
    planned = next_digest(row.user, hour, now) if hour is not None and row.user.is_active else None
    Preference.objects.filter(pk=row.pk).update(digest_at=planned, digested_at=now)
    if planned is None or _unwanted(row.user):
        return False
    payload = {"since": since.isoformat()} if since is not None else {}
    told_by = Outbox.objects.create(kind=DIGEST, user=row.user, payload=payload, created_at=now, due_at=now)
    # Notices that waited for their threshold are included; urgent ones still go at once.
    carrying.merge([one.pk for one in timing.waiting(row.user_id).filter(due_at__gt=now)], told_by.pk)
    return True


def _unwanted(user: User) -> bool:
    wide = [(Scope.ALL, ""), (Scope.KIND, DIGEST)]
    return any((mute.scope, mute.value) in wide for mute in preferences.mutes_of(user))


def digest(row: Outbox) -> Message | None:
    """Return everything open for a user, the most urgent first, with recent events; None if there is nothing."""
    if row.user is None:
        return None
    briefs = [brief for source in _sources for brief in source(row, row.user)]
    waiting = [brief for brief in briefs if brief.due_at is not None]
    if waiting:
        first = min(brief.due_at for brief in waiting if brief.due_at is not None)
        subject = _waiting(sum(brief.count for brief in waiting), first, row.user)
    else:
        subject = _("What happened in your matches")
    return _message(row, subject, _("Your matches today"), briefs, DIGEST)


def summary(row: Outbox) -> Message | None:
    """Return the gathered notices, each in a few lines; None if all are obsolete."""
    if row.user is None:
        return None
    told: dict[str, list[tuple[registry.Briefer, Outbox]]] = {}
    for gathered in Outbox.objects.filter(merged_into=row.pk).select_related("user").order_by("created_at"):
        kind = registry.find(gathered.kind)
        if kind is not None and kind.brief is not None:
            told.setdefault(gathered.topic or str(gathered.pk), []).append((kind.brief, gathered))
    found = (brief_of(gathered) for one in list(told.values())[:MOST_BRIEFS] for brief_of, gathered in one)
    briefs = [brief for brief in found if brief is not None]
    if len(told) > MOST_BRIEFS:
        briefs.append(more(len(told) - MOST_BRIEFS))
    count = sum({brief.key: brief.count for brief in briefs}.values())
    headline = ngettext("%(count)s match waits for you", "%(count)s matches wait for you", count) % {"count": count}
    first = min((brief.due_at for brief in briefs if brief.due_at is not None), default=None)
    subject = _waiting(count, first, row.user) if first is not None else headline
    return _message(row, subject, headline, briefs, timing.SUMMARY)


def more(count: int, due_at: datetime | None = None) -> Brief:
    """Return the brief of matches that wait for a player and are not told one by one, the first of them until a moment."""
    headline = ngettext("%(count)s match waits for you", "%(count)s matches wait for you", count) % {"count": count}
    return Brief("more", _("More matches"), headline, f"{settings.BASE_URL}/", due_at, count=count)


def _waiting(count: int, first: datetime, user: User | None) -> str:
    """Return the subject of a mail about matches that wait for a player, the first of them until a moment."""
    told = ngettext(
        "%(count)s match waits for you, until %(due)s", "%(count)s matches wait for you, the first until %(due)s", count
    )
    return told % {"count": count, "due": _local(first, user)}


def _message(row: Outbox, subject: str, headline: str, briefs: Iterable[Brief], reason: str) -> Message | None:
    """Return the mail of some briefs. A single one has its notice's reply address; of several each shows its own."""
    once = {brief.key: brief for brief in briefs}
    ordered = sorted(once.values(), key=lambda brief: (brief.due_at is None, brief.due_at.timestamp() if brief.due_at else 0))
    if not ordered:
        return None
    reply_to = ordered[0].reply_to if len(ordered) == 1 else ""
    context: dict[str, object] = {
        "mark": MARK if reply_to else "",
        "end": END,
        "headline": headline,
        "parts": [_part(brief, row.user) for brief in ordered],
        "alone": len(ordered) == 1,
        "profile": f"{settings.BASE_URL}/profile/",
    }
    return Message(
        subject=subject,
        text=_wrapped(render_to_string("notifications/summary.txt", context)),
        html=render_to_string("notifications/summary.html", context),
        reason=reason,
        reply_to=reply_to,
    )


def _part(brief: Brief, user: User | None) -> dict[str, object]:
    return {
        "title": brief.title,
        "headline": brief.headline,
        "link": brief.link,
        "due": _local(brief.due_at, user) if brief.due_at else "",
        "due_utc": moments.utc(brief.due_at) if brief.due_at else "",
        "lines": brief.lines[-MOST_LINES:],
        "earlier": max(0, len(brief.lines) - MOST_LINES),
        "orders": brief.orders,
        "reply_to": brief.reply_to,
    }


def _local(moment: datetime, user: User | None) -> str:
    zone = user.zone if user is not None else timezone.get_default_timezone()
    return moments.local(moment, zone)


def _wrapped(text: str) -> str:
    """Return text of at most 72 columns. A long word, such as a link, stays whole."""
    lines = []
    for line in text.splitlines():
        indent = "  " if line.startswith(("- ", "  ")) else ""
        wrapped = textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        lines += wrapped or [""]
    return "\n".join(lines) + "\n"
