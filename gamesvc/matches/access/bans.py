"""Bans from messages, by decision of the operators: for how long a user may write nothing that other players read."""

from __future__ import annotations

from django.utils import timezone

from accounts.bots import bots
from accounts.models import User
from gamesvc.database.prepared import Given, Prepared
from gamesvc.matches.models import MessageBan

_LONGEST = Prepared(
    lambda: (
        MessageBan.objects.filter(user__in=bots.accounts_of(Given("owner", "bigint")), until__gt=Given("now", "timestamptz"))
        .order_by("-until")
        .values_list("until")[:1]
    )
)


def end_for(user: User) -> str | None:
    """Return when a user's ban ends, in their zone; None without a ban.

    Bots write for their owner, so a ban of one of these accounts is one of all.
    """
    for (until,) in _LONGEST.values(owner=bots.root(user), now=timezone.now()):
        return str(until.astimezone(user.zone).strftime("%Y-%m-%d %H:%M"))
    return None
