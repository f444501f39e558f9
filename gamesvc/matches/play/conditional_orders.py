"""Conditional orders at work: after an act is recorded, give the commands whose condition it has met.

This runs in a worker, behind the answer to whoever acted: how long an answer takes, and what it reads, does not tell that an
opponent has laid orders by. A hint starts it after every act, with conditional orders or without; a sweep finds what a lost hint
left, and neither a clock nor a turn notice goes out to a seat before its own orders were given (`settled`).

Each order remembers the version up to which it was looked at. The acts after it are tried one by one, each with the state it
left, without those taken back since. What is given is an append of its own through the channel `standing`, in one transaction
with the course of its order. So a worker that dies, or two that meet, repeat nothing.
Not here: what a condition says (`record.conditions`), leaving and cancelling orders (`standing_orders`).
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import OperationalError, transaction
from django.db.models import F
from django.utils import timezone

from events.store import DuplicateCommand, StoredEvent, VersionConflict
from gamesvc.games.kernel.game import REWOUND, Refused, see_event
from gamesvc.matches import sweeping
from gamesvc.matches.models import Match, Premove
from gamesvc.matches.play import turns
from gamesvc.matches.record import conditions, loading
from gamesvc.matches.record.conditions import FAULT, OPEN
from gamesvc.matches.record.loading import STORE, Loaded
from notifications import outbox

logger = logging.getLogger(__name__)

MOST_AUTOMATIC = 10
"""So many automatic commands at most follow one act of a person, a bot or the clock; then the seats are asked."""
# One match is tried again so often where others act in between; the sweep goes on with it.
ATTEMPTS = 30

Status = Premove.Status


class _Overtaken(Exception):
    """The order was cancelled, or given by another worker."""


def sweep(limit: int = 200) -> int:
    """Give what conditional orders have waited for in any match; return how many commands were given."""
    matches = behind().values_list("match", flat=True).distinct()
    return sweeping.each("the conditional orders of match", list(matches), play, limit=limit)


def behind() -> Any:
    """Return the open orders of matches in which something has happened since they were looked at."""
    return Premove.objects.filter(status__in=OPEN, looked_version__lt=F("match__version"))


def pending(matches: Iterable[UUID]) -> set[UUID]:
    """Return those of some matches that have conditional orders to look at: one question for many."""
    return set(behind().filter(match__in=list(matches)).values_list("match", flat=True))


def settled(match: Match, seat: int) -> None:
    """Give what a seat has laid by before it is told that it must act."""
    if behind().filter(match=match, seat=seat).exists():
        play(match.pk)


def play(match_id: UUID) -> int:
    """Give every command of a match whose condition is met, until none is left; return how many that were.

    A seat is looked at only for acts of which it may see something: an order that answers to a hidden act would tell that there
    was one, and when.
    """
    match, given = Match.objects.get(pk=match_id), 0
    for _ in range(ATTEMPTS):
        rows = list(Premove.objects.filter(match=match, status__in=OPEN).order_by("seat", "number"))
        if not rows:
            break
        loaded = loading.load(match.id, match.game)
        ready = None if loaded.ended else _look(match, loaded, rows)
        if ready is not None:
            given += _give(match, loaded, ready)
        elif _keep(match, loaded, rows):
            break
    return given


# --- looking ---


def _look(match: Match, loaded: Loaded, rows: Sequence[Premove]) -> Premove | None:
    """Arm the orders whose condition is met, in memory; return the first that can be given now."""
    since = min(row.looked_version for row in rows)
    acts = standing_acts(STORE.read(match.id, since, loaded.version), since)
    awaited = {one.seat for one in loaded.awaited()}
    state_at = functools.cache(lambda version: _state_at(loaded, version))
    ready = None
    for row in rows:
        fresh = [_Seen(loaded, act, row.seat) for act in acts if act[-1].version > row.looked_version]
        seen = [act for act in fresh if act.visible]
        if row.status == Status.WAITING:
            _arm(match, row, seen, state_at)
        if ready is None and seen and row.status == Status.ARMED and row.seat in awaited:
            ready = row
    return ready if _automatic(acts) < MOST_AUTOMATIC else None


class _Seen:
    """One act as a seat sees it."""

    def __init__(self, loaded: Loaded, act: Sequence[StoredEvent], seat: int) -> None:
        self.version = act[-1].version
        self.game = loaded.game
        self.events = [loading.lift(loaded.game, stored) for stored in act]
        self.visible = any(see_event(loaded.game, event, seat) is not None for event in self.events)


def standing_acts(stored: Sequence[StoredEvent], since: int) -> list[list[StoredEvent]]:
    """Return the commands of the game after version `since` that no rewind has taken back, each with its events that stand."""
    lines: dict[int, tuple[StoredEvent, ...]] = {since: ()}
    line: tuple[StoredEvent, ...] = ()
    for one in stored:
        if one.type == REWOUND:
            line = lines.get(one.data["to"], ())
        line = lines[one.version] = (*line, one)
    standing = {one.version for one in line}
    commands = [act for act in loading.acts(stored) if "command" in act[0].meta]
    return [left for act in commands if (left := [one for one in act if one.version in standing])]


def _automatic(acts: Sequence[Sequence[StoredEvent]]) -> int:
    """Return how many automatic commands stand at the end."""
    count = 0
    for act in reversed(acts):
        if not act[-1].meta.get("automatic"):
            break
        count += 1
    return count


def _state_at(loaded: Loaded, version: int) -> Any:
    return (loaded if version == loaded.version else loading.load_at(loaded.game, loaded.match_id, version)).timeline.state


def _arm(match: Match, row: Premove, acts: Sequence[_Seen], state_at: Callable[[int], Any]) -> None:
    """Arm an order with the first act that meets its condition. One that cannot be read ends here."""
    try:
        for act in acts:
            if conditions.holds(act.game, row.condition, row.seat, act.events, functools.partial(state_at, act.version)):
                row.status, row.armed_version = Status.ARMED, act.version
                return
    except OperationalError:
        raise
    except Exception:
        logger.exception("The condition of premove %s could not be read.", row.id)
        _drop(match, row, FAULT)


def _keep(match: Match, loaded: Loaded, rows: Sequence[Premove]) -> bool:
    """Write down what was looked at; False where the match has gone on since."""
    with transaction.atomic():
        # The match first, as for whoever leaves or cancels orders. What was taken back since must not arm anything.
        version = Match.objects.select_for_update(no_key=True).values_list("version", flat=True).get(pk=match.pk)
        if version != loaded.version:
            return False
        for row in rows:
            if loaded.ended:
                row.status, row.why, row.ended_at = Status.DROPPED, "The match is over.", timezone.now()
            row.looked_version = loaded.version
            _write(row, "looked_version", "why", "ended_at")
    return True


# --- giving ---


def _give(match: Match, loaded: Loaded, row: Premove) -> int:
    """Give the next command of an order whose condition is met; return 1 if it was done here."""
    # When its case came is part of the key: after the match went back it may come again, and the command is another one.
    key = f"{row.id} {row.armed_version} {row.given}"
    try:
        with transaction.atomic():
            stored = turns.give(match=match, loaded=loaded, seat=row.seat, command=row.commands[row.given], key=key)
            _advance(row, stored[-1].version)
        return 1
    except (VersionConflict, _Overtaken):
        return 0  # something came in between; all is looked at again
    except OperationalError:
        raise
    except DuplicateCommand:
        if Premove.objects.filter(pk=row.pk, status__in=OPEN, given=row.given).exists():
            logger.exception("Premove %s could not be given.", row.id)
            _drop(match, row, FAULT)
    except Refused as refused:
        _drop(match, row, refused.detail)
    except Exception:
        logger.exception("Premove %s could not be given.", row.id)
        _drop(match, row, FAULT)
    return 0


def _advance(row: Premove, version: int) -> None:
    """Write that one more command was given, in the transaction that appended it. Raises `_Overtaken`."""
    given, done = row.given, row.given + 1 == len(row.commands)
    written = Premove.objects.filter(pk=row.pk, status__in=OPEN, given=given).update(
        status=Status.DONE if done else Status.ARMED,
        armed_version=row.armed_version,
        given=given + 1,
        given_version=version,
        ended_at=timezone.now() if done else None,
    )
    if not written:
        raise _Overtaken


def _drop(match: Match, row: Premove, why: str) -> None:
    """End an order that cannot be given, and tell its owner."""
    row.status, row.why, row.ended_at = Status.DROPPED, why, timezone.now()
    with transaction.atomic():
        if _write(row, "why", "ended_at") and row.user_id is not None:
            payload = {"match": str(match.id), "seat": row.seat, "premove": str(row.id)}
            outbox.notify(outbox.Notice(kind="standing_dropped", user_id=row.user_id, topic=str(match.id), payload=payload))


def _write(row: Premove, *fields: str) -> bool:
    """Write the course of an order unless it was cancelled or given meanwhile."""
    open_still = Premove.objects.filter(pk=row.pk, status__in=OPEN, given=row.given)
    return bool(open_still.update(**{name: getattr(row, name) for name in ("status", "armed_version", *fields)}))
