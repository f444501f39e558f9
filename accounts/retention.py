"""Retention of rows. Every app declares it for each of its models; `sweep` deletes old rows in small batches.

A declaration is either a sentence, for rows that are not deleted here (it says how their number grows, or what deletes them), or
one `Old` for each way a row reaches its age. Tests compare the declarations with the models and the indexes.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

logger = logging.getLogger(__name__)

BATCH = 500
FIXED = "a fixed number of rows"
WITH_PLAYERS = "grows with the players, and is erased with them"


@dataclass(frozen=True, slots=True)
class Old:
    """Rows to delete `days` after the moment in `column`: those matching `where`, except those that `needed` returns.

    An index begins with the column and holds all rows of `where`. `needed` gets rows and returns the keys of those that stay.
    """

    column: str
    days: Callable[[], float]
    where: Q = field(default_factory=Q)
    needed: Callable[[Sequence[Any]], Collection[Any]] | None = None

    def rows(self, model: type[Model], now: datetime) -> QuerySet[Model]:
        """Return the rows that have reached their age."""
        return model._base_manager.filter(self.where, **{f"{self.column}__lt": now - timedelta(days=self.days())})


# Behind which rows this process ended, by table and column. Rows that stay, and those that fail, could else use up each sweep.
_ended: dict[tuple[str, str], Q] = {}

Declared = Mapping[str, str | tuple[Old, ...]]

RULES: Declared = {
    "accounts.AbsenceChange": "deleted as soon as the deadlines that a vacation touches are moved",
    "accounts.Absence": WITH_PLAYERS,
    "accounts.ApiToken": (
        Old("expires_at", lambda: settings.TOKENS_KEPT_DAYS, Q(expires_at__isnull=False)),
        Old("revoked_at", lambda: settings.TOKENS_KEPT_DAYS, Q(revoked_at__isnull=False)),
    ),
    "accounts.App": WITH_PLAYERS,
    "accounts.Authorization": (
        Old("expires_at", lambda: settings.TOKENS_KEPT_DAYS),
        Old("revoked_at", lambda: settings.TOKENS_KEPT_DAYS, Q(revoked_at__isnull=False)),
    ),
    "accounts.Block": WITH_PLAYERS,
    "accounts.FormerName": WITH_PLAYERS,
    "accounts.SignIn": (Old("at", lambda: settings.SIGN_INS_KEPT_DAYS),),
    "accounts.Throttle": (Old("ends_at", lambda: 0),),
    "accounts.User": WITH_PLAYERS,
    # Our confirmations are signed links (django-allauth's EMAIL_CONFIRMATION_HMAC), and no user has permissions of their own.
    "account.EmailAddress": WITH_PLAYERS,
    "account.EmailConfirmation": FIXED,
    "admin.LogEntry": "grows with what operators do, and is kept: it is their audit trail",
    "auth.Group": FIXED,
    "auth.Permission": FIXED,
    "contenttypes.ContentType": FIXED,
    "mfa.Authenticator": WITH_PLAYERS,
    "sessions.Session": (Old("expire_date", lambda: 0),),
}


def sweep(declared: Declared, *, lasting: float) -> int:
    """Delete rows that have reached their age, until none are left or `lasting` seconds are over. Return how many.

    The tables take turns, so that a large one does not delay the others, and one that fails keeps none from its turn. The next
    sweep continues.
    """
    end, now, deleted = time.monotonic() + lasting, timezone.now(), 0
    turns = deque(_batches(apps.get_model(name), old, now) for name, olds in declared.items() for old in _olds(olds))
    while turns and time.monotonic() < end:
        batches = turns.popleft()
        try:
            count = next(batches, None)
        except Exception:
            if not connection.is_usable():
                raise
            logger.exception("Old rows of a table could not be deleted; the next sweep tries again.")
            continue
        if count is not None:
            deleted += count
            turns.append(batches)
    return deleted


def _olds(declared: str | tuple[Old, ...]) -> tuple[Old, ...]:
    return () if isinstance(declared, str) else declared


def _batches(model: type[Model], old: Old, now: datetime) -> Iterator[int]:
    """Delete the old rows of a model once, by age, from where the last sweep ended. Yield the number deleted after each batch."""
    rows = old.rows(model, now)
    ordered = rows.order_by(old.column, "pk")
    if old.needed is None:
        ordered = ordered.only("pk", old.column)
    place = (model._meta.label, old.column)
    while batch := list(ordered.filter(_ended.get(place, Q()))[:BATCH]):
        moment = getattr(batch[-1], old.column)
        later = Q(**{f"{old.column}__gt": moment}) | Q(pk__gt=batch[-1].pk)
        _ended[place] = Q(**{f"{old.column}__gte": moment}) & later
        needed = set(old.needed(batch)) if old.needed is not None else set()
        # Checked again: a row may have changed since it was read.
        going = rows.filter(pk__in=[row.pk for row in batch if row.pk not in needed]).only("pk")
        yield going.delete()[1].get(model._meta.label, 0)
    _ended.pop(place, None)
