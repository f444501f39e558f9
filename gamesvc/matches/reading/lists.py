"""Matches that anyone may look at: the running ones to watch, and the archive of finished ones, newest first."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from accounts.models import User
from gamesvc.matches.access import selectors
from gamesvc.matches.models import Match

# The statuses of matches in these lists.
PUBLIC = (Match.Status.RUNNING, Match.Status.FINISHED)


def watched() -> QuerySet[Match]:
    """Return the running matches that their hosts opened to everyone, newest first."""
    return Match.objects.filter(status=Match.Status.RUNNING, watch=Match.Watch.ALL).order_by("-number")


def archived(reader: User | None, *, player: User | None = None) -> QuerySet[Match]:
    """Return the finished matches that everyone may look at, newest first; with a player, theirs.

    Readers who look for themselves find all their matches.
    """
    shown = Q(watch=Match.Watch.ALL)
    if player is None:
        return Match.objects.filter(shown, status=Match.Status.FINISHED).order_by("-number")
    found = selectors.matches_of(player).filter(status=Match.Status.FINISHED, board=False)
    return found if reader == player else found.filter(shown)
