"""The link of a match, by which guests see an open match, and a started one that its host opened to holders of the link."""

from __future__ import annotations

import secrets

from django.db import transaction

from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches import hints
from gamesvc.matches.models import Match


def new_token() -> str:
    """Return the secret part of a link."""
    return secrets.token_urlsafe(32)


def renew(*, by: User, match: Match) -> Match:
    """Give a match another link, for its host. The one before opens nothing from then on. Raises `Refused`."""
    if match.creator_id != by.pk:
        raise Refused("not_host", say("Only the host of the match may do this."))
    match.link_token = new_token()
    match.save(update_fields=["link_token"])
    # Streams that were opened with the link before end when they look.
    transaction.on_commit(lambda: hints.moved(match.pk), robust=True)
    return match
