"""Ratings: a consumer of the feed that rates each match at its end, and the same fold from any point on.

Matches are folded in the order of their ends in the log. That order is total and never changes, so a rebuild gives the same
numbers as the consumer did, whatever it had missed. A user has a random id in each game (`Rating`), which stays when they are
erased: their opponents' numbers do not change. Anonymous and private matches count like others, at their end: names are shown
from then on, and of a private match a rating tells no more than the figures of its players do.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from uuid import UUID

from django.db import Error as DatabaseError
from django.db import transaction
from django.db.models import Count, Max, Q

from events.store import Cursor, StoredEvent
from gamesvc.games import catalog
from gamesvc.games.kernel.bots import bot_of
from gamesvc.matches import hints
from gamesvc.matches.events import (
    Ended,
    Joined,
    Left,
    MatchEvent,
    Opened,
    Seated,
    Started,
    TimedOut,
    Vacated,
)
from gamesvc.matches.models import Holding, Match, Rated, Rating
from gamesvc.matches.record.rows import following
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.statistics import rating_rules
from gamesvc.matches.statistics.rating_rules import Placing, Strength
from gamesvc.matches.statistics.totals import Difference

logger = logging.getLogger(__name__)

FOLLOWER = "ratings"
_KINDS: dict[str, type[MatchEvent]] = {
    kind.TYPE: kind for kind in (Opened, Joined, Left, Started, Seated, Vacated, TimedOut, Ended)
}
_EVENTS = """
    SELECT type, payload, occurred_at, epoch, xid::text, pos FROM events_event
    WHERE stream = %s::uuid AND type = ANY(%s::text[]) ORDER BY version
"""
_FACTS = ("match_id", "seat", "place", "shared", "left", "pos", "ended_at")
_NUMBERS = ("mu_before", "sigma_before", "mu", "sigma")
_SUMS = ("mu", "sigma", "low", "matches", "won", "last_at")
AT_ONCE = 500
"""Rows written together."""


# --- what the events say of one match ---


@dataclass(frozen=True, slots=True)
class _Verdict:
    """A match that is over, as it counts: the place of its end in the feed, and the participants, none if it is not rated."""

    match: Match
    cursor: Cursor
    ended_at: datetime
    placings: dict[UUID, Placing]
    pool: Rating.Pool
    bots: dict[UUID, str]

    def fresh(self, holder: UUID, rating: Rating) -> Rated:
        """Return the row of a participant, without its numbers."""
        placing = self.placings[holder]
        return Rated(
            holder=holder,
            match=self.match,
            rating=rating,
            seat=placing.seat,
            place=placing.place,
            shared=placing.shared,
            left=placing.left,
            pos=self.cursor.pos,
            ended_at=self.ended_at,
        )


def _judge(match: Match) -> _Verdict | None:
    """Return how a match counts by its events; None before its end."""
    found = STORE.ask(_EVENTS, [match.pk, list(_KINDS)]).fetchall()
    if not found or found[-1][0] != Ended.TYPE:
        return None
    _type, _payload, ended_at, epoch, xid, pos = found[-1]
    result = rating_rules.result_of(_KINDS[row[0]].of(json.loads(row[1])) for row in found)
    placings = {UUID(one.holder): one for one in result.placings} if result is not None else {}
    bots = _bots(match, [holder for holder, one in placings.items() if result and one.seat in result.bots])
    # A bot that holds several seats would play against itself.
    several = {bot for bot in bots.values() if list(bots.values()).count(bot) > 1}
    placings = {holder: one for holder, one in placings.items() if bots.get(holder) not in several}
    pool = Rating.Pool.PEOPLE if result is None or result.of_people else Rating.Pool.BOTS
    return _Verdict(match, Cursor(epoch, int(xid), pos), ended_at, placings if len(placings) > 1 else {}, pool, bots)


def _bots(match: Match, holders: Sequence[UUID]) -> dict[UUID, str]:
    """Return the names of the bots with these holder ids. The events do not name them."""
    if not holders:
        return {}
    named = dict(match.seats.filter(holder__in=holders).values_list("holder", "bot"))
    usual = bot_of(catalog.game(match.game))
    return {holder: named.get(holder) or usual for holder in holders}


# --- consuming the feed ---


def follow(limit: int = following.BATCH) -> int:
    """Process the next events of the feed. Return their number; 0 if the ratings are up to date."""
    return following.each(FOLLOWER, apply=_apply, limit=limit)


def _apply(event: StoredEvent) -> None:
    if event.type != Ended.TYPE:
        return
    match = Match.objects.filter(pk=event.stream).first()
    if match is None or Rated.objects.filter(match=match).exists():
        return
    try:
        verdict = _judge(match)
    except DatabaseError:
        raise
    except Exception:
        # One match that cannot be read must not stop the ratings of all others. The audit reports it.
        logger.exception("Match %s could not be rated.", match.pk)
        return
    if verdict is not None and verdict.placings:
        _write(match, verdict)
        transaction.on_commit(lambda: hints.moved(match.pk), robust=True)


def _write(match: Match, verdict: _Verdict | None) -> None:
    """Store the participants of a match, and fold the ratings from it on. Participants keep the ids of their ratings."""
    kept = list(Rated.objects.filter(match=match).select_related("rating"))
    places = {(row.rating.game, row.rating.pool): row.pos for row in kept}
    Rated.objects.filter(match=match).delete()
    if verdict is not None and verdict.placings:
        here = match.game, verdict.pool
        ratings = {row.holder: row.rating for row in kept if (row.rating.game, row.rating.pool) == here}
        ratings |= _ratings(verdict, verdict.placings.keys() - ratings.keys())
        Rated.objects.bulk_create(verdict.fresh(holder, ratings[holder]) for holder in verdict.placings)
        places[here] = min(verdict.cursor.pos, places.get(here, verdict.cursor.pos))
    for (game, pool), first in places.items():
        _fold(game, pool, first)
    _sum_up({row.rating_id for row in kept})


def _ratings(verdict: _Verdict, holders: Iterable[UUID]) -> dict[UUID, Rating]:
    """Return the rating of each of these participants, created if they have none. One who was erased gets one of nobody."""
    users = dict(Holding.objects.filter(holder__in=holders).values_list("holder", "user_id"))
    found = {}
    for holder in holders:
        start = {"mu": rating_rules.START.mu, "sigma": rating_rules.START.sigma, "low": rating_rules.START.low}
        game, pool = verdict.match.game, verdict.pool
        if bot := verdict.bots.get(holder, ""):
            found[holder], _new = Rating.objects.get_or_create(game=game, bot=bot, defaults={"pool": pool, **start})
        elif (user := users.get(holder)) is not None:
            found[holder], _new = Rating.objects.get_or_create(game=game, pool=pool, user_id=user, defaults=start)
        else:
            found[holder] = Rating.objects.create(game=game, pool=pool, **start)
    return found


# --- the fold ---


def _fold(game: str, pool: str, first: int) -> None:
    """Fold the ratings of a game from the match that ended at `first` on, and store what changes."""
    rows = Rated.objects.filter(rating__game=game, rating__pool=pool, pos__gte=first).order_by("pos", "seat")
    strengths: dict[UUID, Strength] = {}
    changed: list[Rated] = []
    for _pos, group in groupby(rows.iterator(chunk_size=AT_ONCE), key=lambda row: row.pos):
        together = list(group)
        before = [strengths.get(row.rating_id) or _before(row.rating_id, first) for row in together]
        after = rating_rules.after(before, [row.place for row in together])
        for row, old, new in zip(together, before, after, strict=True):
            strengths[row.rating_id] = new
            if tuple(getattr(row, name) for name in _NUMBERS) != (*old, *new):
                row.mu_before, row.sigma_before, row.mu, row.sigma = *old, *new
                changed.append(row)
        if len(changed) >= AT_ONCE:
            Rated.objects.bulk_update(changed, _NUMBERS)
            changed.clear()
    Rated.objects.bulk_update(changed, _NUMBERS)
    _sum_up(set(strengths))


def _before(rating: UUID, pos: int) -> Strength:
    """Return a rating before the match that ended at `pos`."""
    last = Rated.objects.filter(rating=rating, pos__lt=pos).order_by("-pos").values_list("mu", "sigma").first()
    return Strength(*last) if last is not None else rating_rules.START


def _sum_up(ratings: set[UUID]) -> None:
    """Store the sums of ratings that their rated matches give."""
    wrong = []
    for rating in Rating.objects.filter(pk__in=ratings).order_by("pk"):
        sums = _sums(rating.pk)
        if tuple(getattr(rating, name) for name in _SUMS) != sums:
            for name, value in zip(_SUMS, sums, strict=True):
                setattr(rating, name, value)
            wrong.append(rating)
    Rating.objects.bulk_update(wrong, _SUMS, batch_size=AT_ONCE)


def _sums(rating: UUID) -> tuple[object, ...]:
    """Return the columns of a rating that follow from its rated matches, in the order of `_SUMS`."""
    found = Rated.objects.filter(rating=rating)
    sums = found.aggregate(all=Count("pk"), won=Count("pk", filter=Q(place=1, shared=False)), last=Max("ended_at"))
    strength = _before(rating, 2**63 - 1)
    return (strength.mu, strength.sigma, strength.low, sums["all"], sums["won"], sums["last"])


# --- from zero ---


def rebuild(match_id: UUID) -> list[Difference]:
    """Rate one match again from its events, and fold the ratings from it on if anything was wrong. Return the differences.

    A match that the consumer has not reached yet is left to it.
    """
    with transaction.atomic():
        following.hold(FOLLOWER)
        found = differences(match_id)
        if found:
            match = Match.objects.get(pk=match_id)
            _write(match, _judge(match))
        return found


def differences(match_id: UUID) -> list[Difference]:
    """Return where the ratings stored for a match differ from the events and from those before it. Changes nothing.

    If this holds of every match, all ratings are those that a fold from zero gives.
    """
    match = Match.objects.get(pk=match_id)
    verdict = _judge(match)
    kept = list(Rated.objects.filter(match=match).select_related("rating").order_by("seat"))
    if verdict is None:
        return [Difference(str(row.holder), "was rated before the end") for row in kept]
    if verdict.cursor > following.position(FOLLOWER):
        return []
    found = [*_wrong_facts(verdict, kept)]
    return found or [*_wrong_numbers(kept)]


def _wrong_facts(verdict: _Verdict, kept: Sequence[Rated]) -> Iterator[Difference]:
    rows = {row.holder: row for row in kept}
    for holder in sorted(verdict.placings.keys() | rows.keys()):
        row = rows.get(holder)
        if holder not in verdict.placings or row is None:
            yield Difference(str(holder), "was rated, by the events not" if row is not None else "was not rated")
            continue
        right = verdict.fresh(holder, row.rating)
        for name in _FACTS:
            if getattr(row, name) != getattr(right, name):
                yield Difference(str(holder), f"{name} was {getattr(row, name)}, by the events it is {getattr(right, name)}")
        if (row.rating.game, row.rating.pool) != (verdict.match.game, verdict.pool):
            yield Difference(str(holder), "was rated in another game or pool")


def _wrong_numbers(kept: Sequence[Rated]) -> Iterator[Difference]:
    if not kept:
        return
    before = [_before(row.rating_id, row.pos) for row in kept]
    after = rating_rules.after(before, [row.place for row in kept])
    for row, old, new in zip(kept, before, after, strict=True):
        if tuple(getattr(row, name) for name in _NUMBERS) != (*old, *new):
            yield Difference(str(row.holder), f"the rating went from {row.mu_before} to {row.mu}, by the events to {new.mu}")
        if tuple(getattr(row.rating, name) for name in _SUMS) != _sums(row.rating_id):
            yield Difference(str(row.holder), "the rating is not what its last match left")
