"""The first answers to requests that create something (`Answered`): kept for a day, for whoever repeats his request.

They are given by the API. Some hold what only their reader may know, such as the link of an invitation, which works until it is
used: so none is kept longer than it is needed.
"""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from gamesvc.matches.models import Answered

KEPT_FOR = timedelta(days=1)


def forget_old() -> int:
    """Delete the answers whose day is over; return how many."""
    return Answered.objects.filter(created_at__lt=timezone.now() - KEPT_FOR).delete()[0]
