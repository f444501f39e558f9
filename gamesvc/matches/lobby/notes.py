"""Private notes of a player about a match. They follow the user, not the seat: a substitute finds an empty page."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.lobby import press
from gamesvc.matches.models import Match, Note

LONGEST = 8000


def read(match: Match, user: User) -> str:
    """Return the user's notes about a match; empty if there are none."""
    note = Note.objects.filter(match=match, user=user).first()
    return note.text if note is not None else ""


def write(match: Match, user: User, text: str) -> str:
    """Replace the user's notes about a match; an empty text deletes them. Return them as stored. Raises `Refused`."""
    kept = press.clean(text)
    if len(kept) > LONGEST:
        detail = say("Notes have at most {most} characters; these have {length}.", most=LONGEST, length=len(kept))
        raise Refused("note_too_long", detail, "text")
    with transaction.atomic():
        User.lock(user.pk)
        if kept:
            Note.objects.update_or_create(match=match, user=user, defaults={"text": kept, "changed_at": timezone.now()})
        else:
            Note.objects.filter(match=match, user=user).delete()
    return kept
