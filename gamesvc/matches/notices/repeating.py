"""The parts of a mail that are left out while they are as in the player's last mail of the match: picture and calendar entry.

Short texts on cards and units go into the first mail that shows them, and only there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings

from accounts.models import User
from gamesvc.games.kernel.telling import Entry
from gamesvc.json_types import JsonMapping
from gamesvc.matches.models import Match
from gamesvc.matches.notices.pictures.png import to_png
from gamesvc.matches.reading import calendar_entries
from notifications.registry import Shows
from notifications.sending import shown


def last_shown(match: Match, user: User | None) -> Shows:
    """Return what the last mail of the match to a user showed."""
    return shown.last(user.pk, str(match.id)) if user is not None else Shows()


def picture_of(draw: Callable[[], str], drawn: JsonMapping | None, last: Shows) -> dict[str, Any]:
    """Return the picture, unless the last mail showed the same; and the hash by which the next mail knows it.

    `drawn`: what of the position decides that (`Game.drawn`); None: the whole picture.
    """
    svg = draw() if drawn is None else ""
    mark = hashlib.sha256((svg or json.dumps(drawn, sort_keys=True)).encode()).hexdigest()
    same = mark == last.picture
    picture = None if same else to_png(svg or draw(), width=settings.MAIL_PICTURE_WIDTH)
    return {"picture": picture, "picture_mark": mark, "same_picture": same}


def new_to(last: Shows, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries in sight that no earlier mail has explained to its receiver."""
    return [entry for entry in entries if entry.shown and entry.id not in last.explained]


def calendar_part(match: Match, seat: int, user: User | None, last: Shows) -> dict[str, Any]:
    """Return the calendar file, if the seat's deadline is not as the last mail had it."""
    files, sequences = calendar_entries.file_for(match, seat, user, last.calendar)
    return {"attachments": files, "calendar": sequences}


def shows(context: dict[str, Any]) -> Shows:
    """Return what a mail shows, to be stored once it is sent."""
    explained = frozenset(entry.id for entry in context.get("described", ()))
    return Shows(context.get("picture_mark", ""), context.get("calendar", {}), explained)
