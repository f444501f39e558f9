"""Conditional orders at work: after each act, submit the commands whose condition is now met.

This runs in a worker, after the player has got their answer. So neither the duration of an answer nor what it reads reveals that
an opponent has conditional orders. Every act sends a hint, with conditional orders or without; a sweep replaces lost hints.
Before a clock or a turn notice turns to a seat, the seat's own orders are given (`settled`).

Each order remembers the version up to which the match was searched. Later acts are tried one by one, each with the state after
it, except those undone since. After some of them that is stored, whether or not the match has gone on: else one that goes on
while it is searched would be searched from the same act again and again. A command is an append of its own through the channel
`standing`, in one transaction with the progress of its order. So a restarted worker, or two at once, repeat nothing.

Branches of a tree are stricter: each is met only by the very next act after the one before it, and lapses with any other act.

Not here: the meaning of conditions (`record.conditions`), the walk through a tree (`branches`), creating and cancelling orders
(`standing_orders`).
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from django.db import OperationalError, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from events.store import DuplicateCommand, StoredEvent, VersionConflict
from gamesvc.away import is_at_fault
from gamesvc.database.prepared import OneOf, Prepared
from gamesvc.errors import GamesvcError
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.matches import backoff
from gamesvc.matches.events import Rewound
from gamesvc.matches.models import Match, Premove
from gamesvc.matches.play import branches, turns
from gamesvc.matches.play.branches import Seen
from gamesvc.matches.record import conditions, loading, stream
from gamesvc.matches.record.conditions import FAULT, OPEN
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.sharing import Spent
from notifications import outbox

logger = logging.getLogger(__name__)

MOST_AUTOMATIC = 10
"""Most automatic commands after one act of a player, a bot or the clock. After that the seats are asked."""
# Attempts in one match when others act in between. After that the sweep continues with it.
ATTEMPTS = 30
MOST_ACTS = 50
"""The most acts with which waiting orders are tried before that is stored: a worker may be late by any number of acts."""

Status = Premove.Status
_BEHIND_IN = Prepared(lambda: behind().filter(match=OneOf("matches", "uuid")).values_list("match_id", "seat"))


class _Overtaken(GamesvcError):
    """The order was cancelled, or given by another worker."""


def sweep(limit: int = 200) -> int:
    """Submit the conditional orders that are due in any match, in turns between the users who opened the matches.

    Return how many commands were given.
    """
    due = behind().values_list("match__creator", "match").distinct()
    return backoff.each("the conditional orders of match", Spent().in_turn(due), play, limit=limit)


def behind() -> QuerySet[Premove]:
    """Return the open orders of matches in which something has happened since they were searched."""
    return Premove.objects.filter(status__in=OPEN, looked_version__lt=F("match__version"))


def pending(matches: Iterable[UUID]) -> set[UUID]:
    """Return the matches among the given ones whose conditional orders must be checked, in one query."""
    return set(behind().filter(match__in=list(matches)).values_list("match", flat=True))


def due_in(matches: Iterable[UUID]) -> set[tuple[UUID, int]]:
    """Return the seats of these matches, as (match, seat), whose conditional orders are to be looked at (`play`)."""
    return set(_BEHIND_IN.values(matches=list(matches)))


def play(match_id: UUID) -> int:
    """Submit every command of a match whose condition is met, until none is left. Return how many were given.

    A seat's orders are checked only against acts it can see: a reaction to a hidden act would reveal it, and its time.
    """
    match, given = Match.objects.get(pk=match_id), 0
    for _ in range(ATTEMPTS):
        rows = list(Premove.objects.filter(match=match, status__in=OPEN).select_related("after").order_by("seat", "number"))
        if not rows:
            break
        loaded = loading.load(match.id, match.game)
        before = {row.pk: row.status for row in rows}
        ready, until = (None, loaded.version) if loaded.ended else _look(match, loaded, rows)
        if ready is not None:
            given += _give(match, loaded, ready)
        elif _keep(match, loaded, rows, before, until):
            break
    return given


# --- checking ---


def _look(match: Match, loaded: Loaded, rows: Sequence[Premove]) -> tuple[Premove | None, int]:
    """Arm the orders whose condition is met, in memory. Return the first that can be given now, and the version up to which
    waiting orders were tried: after many acts not the newest, and then none is given yet.
    """
    since = min(row.looked_version for row in rows)
    stored = STORE.read(match.id, since, loaded.version)
    acts = standing_acts(stored, since)
    # A seat may have many orders, which all look at the same acts and views.
    seen_by = functools.cache(lambda seat: [one for act in acts if (one := Seen(loaded, act, seat)).visible])
    seen = {row.pk: [act for act in seen_by(row.seat) if act.version > row.looked_version] for row in rows}
    waiting = [row for row in rows if row.status == Status.WAITING and not branches.is_branch(row)]
    until = _until(loaded, acts, waiting)
    known: dict[UUID | None, Premove] = {row.pk: row for row in rows}
    for row in filter(branches.is_branch, rows):
        branches.follow(row, known.get(row.after_id) or row.after, seen[row.pk])
    views = _Views(loaded, stored)
    # Act by act: so the match is followed once, however many orders there are.
    tries = [(act, row) for row in waiting for act in seen[row.pk] if act.version <= until]
    for act, row in sorted(tries, key=lambda one: one[0].version):
        if row.status == Status.WAITING:
            _arm(match, row, act, views)
    awaited = {one.seat for one in loaded.awaited()}
    ready = next((row for row in rows if row.status == Status.ARMED and seen[row.pk] and row.seat in awaited), None)
    return (ready if until == loaded.version and _automatic(acts) < MOST_AUTOMATIC else None), until


def _until(loaded: Loaded, acts: Sequence[Sequence[StoredEvent]], waiting: Sequence[Premove]) -> int:
    """Return the version up to which orders that wait are tried now."""
    looked = min((row.looked_version for row in waiting), default=loaded.version)
    later = [act[-1].version for act in acts if act[-1].version > looked]
    return later[MOST_ACTS - 1] if len(later) > MOST_ACTS else loaded.version


def standing_acts(stored: Sequence[StoredEvent], since: int) -> list[list[StoredEvent]]:
    """Return the commands of the game after version `since` that no rewind has removed, each with its remaining events."""
    before: dict[int, int] = {}
    here = since
    for one in stored:
        if one.type == Rewound.TYPE:
            to = Rewound.of(one.data).to
            here = to if to in before else since
        before[one.version], here = here, one.version
    standing = set()
    while here != since:
        standing.add(here)
        here = before[here]
    commands = [act for act in stream.acts(stored) if "command" in act[0].meta]
    return [left for act in commands if (left := [one for one in act if one.version in standing])]


def _automatic(acts: Sequence[Sequence[StoredEvent]]) -> int:
    """Return how many automatic commands are at the end."""
    count = 0
    for act in reversed(acts):
        if not act[-1].meta.get("automatic"):
            break
        count += 1
    return count


class _Views:
    """Views of seats after one act and the next. The match is folded on from act to act, and views of the last one are kept.

    `stored`: the events that follow some version before these acts, up to the newest.
    """

    def __init__(self, loaded: Loaded, stored: Sequence[StoredEvent]) -> None:
        self._loaded, self._stored = loaded, stored
        self._then: Timeline | None = None
        self._seen: dict[int, object] = {}
        self._version = 0

    def at(self, version: int, seat: int) -> object:
        """Return what a seat sees at a version, which is not before the last one that was asked for."""
        if version != self._version:
            self._version, self._seen = version, {}
        if seat not in self._seen:
            self._seen[seat] = self._loaded.game.view(self._state(), seat)
        return self._seen[seat]

    def _state(self) -> object:
        if self._version == self._loaded.version:
            return self._loaded.timeline.state
        if self._then is None:
            self._then = loading.load_at(self._loaded.game, self._loaded.match_id, self._version).timeline
        before = self._stored[0].version - 1
        events = self._stored[self._then.version - before : self._version - before]
        return self._then.fold(stream.lift(self._loaded.game, one) for one in events).state


def _arm(match: Match, row: Premove, act: Seen, views: _Views) -> None:
    """Arm an order if an act meets its condition. An unreadable order ends here."""
    try:
        if conditions.holds(act.game, row.condition, row.seat, act.events, lambda: views.at(act.version, row.seat)):
            row.status, row.armed_version = Status.ARMED, act.version
    except OperationalError:
        raise
    except Exception as fault:
        if is_at_fault(fault):
            raise
        logger.exception("The condition of the conditional order %s could not be read.", row.id)
        _drop(match, row, FAULT)


def _keep(match: Match, loaded: Loaded, rows: Sequence[Premove], before: Mapping[UUID, str], until: int) -> bool:
    """Store the progress of the orders since `before`, of all that wait on at once: those that still wait were tried `until` a
    version.

    Return False if there is more to look at: the match has gone on, or an order has changed since it was read. It may go on each
    time, so the progress is stored all the same, unless it has gone back: acts undone since must not arm anything.
    """
    with transaction.atomic():
        # Lock the match first, as creating or cancelling orders does.
        version = Match.objects.select_for_update(no_key=True).values_list("version", flat=True).get(pk=match.pk)
        if version != loaded.version and any(one.type == Rewound.TYPE for one in STORE.read(match.pk, loaded.version, version)):
            return False
        for row in rows:
            if loaded.ended:
                row.status, row.why, row.ended_at = Status.DROPPED, "The match is over.", timezone.now()
        whole = until == loaded.version
        # What is armed is given only after the newest act that its seat can see: until then those acts count as not looked at.
        looked = {"looked_version": loaded.version} if whole else {}
        changed = [row for row in rows if row.status != before[row.pk]]
        written = [_write(row, "why", "ended_at", **looked) for row in changed]
        tried = [row for row in rows if row.status == before[row.pk] and (whole or row.status == Status.WAITING)]
        waiting = [row.pk for row in tried if row.looked_version < until]
        # What a rewind has changed since the orders were read has a later version.
        as_read = Premove.objects.filter(pk__in=waiting, looked_version__lt=until)
        as_read = as_read.filter(status__in=OPEN, looked_version__lte=max(row.looked_version for row in rows))
        written.append(as_read.update(looked_version=until) == len(waiting))
    return whole and version == loaded.version and all(written)


# --- giving ---


def _give(match: Match, loaded: Loaded, row: Premove) -> int:
    """Submit the next command of an armed order. Return 1 if it was done here."""
    # The version of arming is part of the key: after a rewind the condition may be met again, for another command. So is that
    # with which the match has gone back to where it was met: what was given there since was undone.
    since = (row.before or {}).get("since")
    key = f"{row.id} {row.armed_version} {row.given}{f' {since}' if since else ''}"
    try:
        with transaction.atomic():
            stored = turns.give(
                match=match, loaded=loaded, seat=row.seat, user_id=row.user_id, command=row.commands[row.given], key=key
            )
            _advance(row, stored)
        return 1
    except (VersionConflict, _Overtaken):
        return 0  # something came in between; everything is checked again
    except OperationalError:
        raise
    except DuplicateCommand:
        if _as_read(row).exists():
            logger.exception("The conditional order %s could not be played.", row.id)
            _drop(match, row, FAULT)
    except Refused as refused:
        _drop(match, row, refused.detail)
    except Exception as fault:
        if is_at_fault(fault):
            raise
        logger.exception("The conditional order %s could not be played.", row.id)
        _drop(match, row, FAULT)
    return 0


def _advance(row: Premove, stored: Sequence[StoredEvent]) -> None:
    """Record that one more command was given, in the transaction of its append. Raises `_Overtaken`.

    A command may go back itself, as a reaction does, even behind the case of its order. That undoes other orders, not its own.
    """
    given, done = row.given, row.given + 1 == len(row.commands)
    back = [one.version for one in stored if one.type == Rewound.TYPE]
    undone_by_itself = Premove.objects.filter(pk=row.pk, looked_version__in=back)
    written = (_as_read(row) | undone_by_itself).update(
        status=Status.DONE if done else Status.ARMED,
        armed_version=row.armed_version,
        given=given + 1,
        given_version=stored[-1].version,
        ended_at=timezone.now() if done else None,
        looked_version=row.looked_version,
        why=row.why,
        before=row.before,
    )
    if not written:
        raise _Overtaken


def _drop(match: Match, row: Premove, why: str) -> None:
    """End an order that cannot be given, and notify its owner."""
    row.status, row.why, row.ended_at = Status.DROPPED, why, timezone.now()
    with transaction.atomic():
        if _write(row, "why", "ended_at") and row.user_id is not None:
            payload = {"match": str(match.id), "seat": row.seat, "premove": str(row.id)}
            outbox.notify(outbox.Notice(kind="standing_dropped", user_id=row.user_id, topic=str(match.id), payload=payload))


def _write(row: Premove, *fields: str, **more: int) -> bool:
    """Store the progress of an order, unless it was cancelled, given or undone meanwhile."""
    return bool(_as_read(row).update(**{name: getattr(row, name) for name in ("status", "armed_version", *fields)}, **more))


def _as_read(row: Premove) -> QuerySet[Premove]:
    """Return the order, unless it was cancelled or given since it was read, looked at, or undone by a rewind."""
    return Premove.objects.filter(pk=row.pk, status__in=OPEN, given=row.given, looked_version=row.looked_version)
