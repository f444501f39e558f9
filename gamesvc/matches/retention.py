"""The retention of all rows: the one table of periods, and the one sweep that deletes (see `accounts.retention`)."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import Q

import notifications.retention
from accounts import retention
from accounts.retention import FIXED, WITH_PLAYERS, Declared, Old
from gamesvc.matches.models import HeldOrders, Match
from gamesvc.matches.record import idempotency
from notifications.retention import mails_days

LASTING = 60.0
OUTAGES_KEPT = timedelta(days=365)
WITH_MATCHES = "grows with the matches, and is kept with them"
_OVER = ~Q(state=HeldOrders.State.HELD) | ~Q(match__status=Match.Status.RUNNING)

RULES: Declared = {
    **retention.RULES,
    **notifications.retention.RULES,
    "matches.Answered": (Old("created_at", lambda: idempotency.KEPT_FOR.days),),
    "matches.Beginning": WITH_MATCHES,
    "matches.DoneWord": "deleted with its mail",
    "matches.FeedCursor": FIXED,
    "matches.Follow": WITH_PLAYERS,
    "matches.Heartbeat": FIXED,
    "matches.HeldOrders": (Old("created_at", mails_days, _OVER),),
    "matches.Holding": WITH_MATCHES,
    "matches.Invitation": WITH_MATCHES,
    "matches.Look": WITH_MATCHES,
    "matches.Match": WITH_MATCHES,
    "matches.MessageBan": (Old("until", lambda: 0),),
    "matches.Note": WITH_PLAYERS,
    "matches.Outage": (Old("started_at", lambda: OUTAGES_KEPT.days, Q(settled_at__isnull=False, failed={})),),
    "matches.PauseWish": "deleted as soon as it is settled",
    "matches.Premove": WITH_MATCHES,
    "matches.Press": WITH_MATCHES,
    "matches.Question": "deleted as soon as it is answered",
    "matches.Rated": WITH_MATCHES,
    "matches.Rating": "one for each user or bot and game; kept without its user after an erasure, for the ratings of others",
    "matches.Reason": WITH_MATCHES,
    "matches.Reckoned": WITH_MATCHES,
    "matches.Refusal": (Old("received_at", lambda: settings.REFUSALS_KEPT_DAYS),),
    "matches.Report": (Old("closed_at", lambda: settings.REPORTS_KEPT_DAYS, Q(closed_at__isnull=False)),),
    "matches.ReportAct": "deleted with its report",
    "matches.Seat": WITH_MATCHES,
    "matches.UndoRequest": WITH_MATCHES,
}
# Tables without a model.
TABLES = {
    "accounts_user_groups": WITH_PLAYERS,
    "accounts_user_user_permissions": WITH_PLAYERS,
    "auth_group_permissions": FIXED,
    "cache": "emptied by Django beyond 20,000 entries, first of those that have expired",
    "django_migrations": FIXED,
    "events_checkpoint": "one an hour and one for a match that ends; never deleted: what was signed must stay provable",
    "events_checkpoint_head": WITH_MATCHES,
    "events_epoch": FIXED,
    "events_event": "the record of the matches, of which nothing is ever deleted",
    "events_snapshot": "two for each match, and one for each hundred of its events",
}


def register() -> None:
    """Register the check for topics that are still in use."""
    notifications.retention.register_topics(living)


def living(topics: set[str]) -> set[str]:
    """Return the topics that are unfinished matches."""
    matches = set()
    for topic in topics:
        with contextlib.suppress(ValueError):
            matches.add(UUID(topic))
    alive = Match.objects.filter(pk__in=matches, status__in=Match.UNFINISHED)
    return {str(pk) for pk in alive.values_list("pk", flat=True)}


def forget(lasting: float = LASTING) -> int:
    """Delete rows past their retention. Return how many."""
    return retention.sweep(RULES, lasting=lasting)
