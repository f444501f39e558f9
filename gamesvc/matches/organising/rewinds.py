"""Rewinds by an organiser, without the players' consent and with a reason.

The event holds a code and a random id; the text lies in an erasable table (`Reason`).
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from accounts import erasure
from accounts.models import User
from events.store import DuplicateCommand, Statement, StoredEvent, VersionConflict
from gamesvc.games.kernel.game import Refused, see_event
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches import errors
from gamesvc.matches.access import authority, daily_limits, selectors, tenures
from gamesvc.matches.events import Rewound, read_event
from gamesvc.matches.models import Holding, Look, Match, Reason, Seat
from gamesvc.matches.play import turns
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Act, Actor, fresh_seats, record
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.story import undo_words
from gamesvc.matches.undo import undo_acts, undo_announcements
from gamesvc.matches.undo.undo_acts import Outcome

_WRITE = (
    "INSERT INTO matches_reason (id, match_id, user_id, words, written_at)"
    " SELECT %s::uuid, %s::uuid, %s::bigint, %s::text, %s::timestamptz WHERE EXISTS (SELECT FROM appended)"
)


def register() -> None:
    """Register the erasure of texts by organisers and operators."""
    erasure.register("reasons", erase_reasons)


def erase_reasons(user: User) -> None:
    """Blank the texts a user wrote, and those about matches in which they ever held a seat.

    The author of a text is kept: an operator who has looked behind may not take a seat in the match (`tenures`).
    """
    about = Q(user=user) | Q(match__in=Holding.objects.filter(user=user).values("match"))
    for words in (Reason, Look):
        words._base_manager.filter(about).update(words="")


def rewind(
    *,
    by: User,
    match: Match,
    to: int,
    code: str,
    reason: str,
    expected_version: int,
    command_id: uuid.UUID,
    received_at: datetime,
    channel: str = "api",
) -> Outcome:
    """Rewind (or redo) a running match to a version between two commands. The players are notified of the reason.

    Raises `Forbidden` for other users, `Refused` for a bad version or reason, `Stale`, `KeyReused` or `Busy`.
    """
    authority.check_may_rule(by, match)
    if code not in undo_words.CODES:
        raise Refused("bad_code", say("code is one of {codes}.", codes=", ".join(undo_words.CODES)), "code")
    words = authority.read_told_reason(by, reason)
    seats: Sequence[Seat] | None = None
    for _ in range(turns.ATTEMPTS):
        if stored := STORE.command(match.id, command_id):
            return _repeated(match, stored, to, code, words)
        loaded = loading.load(match.id, match.game)
        seats = fresh_seats(match, loaded, seats)
        undo_acts.check_running(match, loaded)
        undo_acts.check_fresh(loaded, None, expected_version)
        _check_target(loaded, to)
        reason_id = uuid.uuid4()
        run = loaded.timeline.rewind(to, turns.dice_for(match, loaded), cause="host", code=code, reason_id=str(reason_id))
        more = [Statement(_WRITE, [reason_id, match.id, by.pk, words, received_at])]
        more += undo_announcements.ruled(match, seats, code, str(reason_id))
        act = Act(Actor("host"), channel, command_id, received_at)
        try:
            with transaction.atomic():
                # Count before locking, as other measures do, or two at once would deadlock.
                daily_limits.check("measures", by.pk, match.pk)
                tenures.lock_user(by)
                authority.check_may_rule(by, match)
                return _outcome(loaded, record(match, loaded, run.events, act, seats=seats, run=run, more=more))
        except (VersionConflict, DuplicateCommand):
            continue
    raise errors.Busy


def _check_target(loaded: Loaded, to: int) -> None:
    """Refuse a version that is not between two commands in the observers' record, or lies before the first move."""
    following = STORE.read(loaded.match_id, to, to + 1) if 0 <= to < loaded.version else []
    past = undo_acts.past_of(loaded, following[0]) if following else None
    if past is None or not past.first or not past.of_game or see_event(loaded.game, past.event, None) is None:
        raise Refused("bad_version", say("`to` is the version before a command; the log and the history show them."), "to")
    if not _begun(loaded, to):
        raise Refused(
            "bad_version", say("The match begins with its first command, so it cannot be rewound to before that."), "to"
        )


def _begun(loaded: Loaded, version: int) -> bool:
    """Return True if the game had begun at a version."""
    return loading.load_at(loaded.game, loaded.match_id, version).timeline.started


def _repeated(match: Match, stored: Sequence[StoredEvent], to: int, code: str, words: str) -> Outcome:
    first = read_event(stored[0])
    if not isinstance(first, Rewound) or (first.to, first.code) != (to, code):
        raise errors.KeyReused
    kept = Reason.objects.filter(pk=first.reason_id).exclude(words="").first()
    if kept is not None and kept.words != words:
        raise errors.KeyReused
    return _outcome(loading.load(match.id, match.game), stored)


def _outcome(loaded: Loaded, stored: Sequence[StoredEvent]) -> Outcome:
    seen: list[JsonObject] = [selectors.see_record(loaded, one, None, ended=False) for one in stored]
    return Outcome(loaded.match_id, max(one["version"] for one in seen if "type" in one), seen, True, None)
