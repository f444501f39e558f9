"""News of matches for the webhooks that their organisers add: that a match has moved, or is over.

They tell what a spectator may know: an event that is sealed for spectators moves nothing, also if the organiser plays. An
organiser who gave up their seat, and sees the match late, hears of its end alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from accounts.models import User
from gamesvc.language import say
from gamesvc.matches import backoff
from gamesvc.matches.access import selectors
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.models import Match
from gamesvc.matches.record.loading import load
from notifications.models import Webhook
from notifications.other_channels import subscriptions
from notifications.other_channels.subscriptions import MOVED, OVER, News


def register() -> None:
    """Register where webhooks of matches look for news."""
    subscriptions.register_look(look)


def add(*, by: User, url: str, kinds: Collection[str] | None, ident: str) -> Webhook:
    """Add a webhook to a match that the user organises. Raises `Unknown`, `Forbidden`, `BadAddress` and `WishRefused`."""
    access = selectors.access_match(user=by, ident=ident)
    if not access.is_host or access.match.board:
        raise Forbidden(say("Only the organiser of a match can add webhooks to it."))
    kinds = None if kinds is None else list(kinds)
    return subscriptions.add(by, url=url, kinds=kinds, topic=str(access.match.id), version=access.match.version)


def look(hooks: Collection[Webhook]) -> Mapping[UUID, News]:
    """Return the news of the matches of these webhooks, for those that moved and whose owner still organises them.

    A match that cannot be read rests, and the others go on.
    """
    matches = {str(match.id): match for match in Match.objects.filter(pk__in={hook.topic for hook in hooks})}
    found: dict[UUID, News] = {}

    def read(hook_id: UUID) -> int:
        hook = known[hook_id]
        match = matches.get(hook.topic)
        if match is None or match.version <= hook.looked_version or match.creator_id != hook.user_id or _is_late(match):
            return 0
        found[hook_id] = _news(match)
        return 1

    known = {hook.pk: hook for hook in hooks}
    backoff.each("the webhook of a match", known, read, limit=len(known) + 1)
    return found


def _is_late(match: Match) -> bool:
    """Return True if the host sees the match late."""
    return bool(match.watch_delay) and selectors.access_match(user=match.creator, ident=str(match.pk)).is_delayed


def _news(match: Match) -> News:
    known = load(match.id, match.game).viewer_version(None)
    data = {"match": str(match.id), "number": match.number, "version": known, "status": match.status}
    return News(match.version, known, OVER if match.over else MOVED, data)
