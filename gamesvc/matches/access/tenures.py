"""Seat tenure: the players who hold or ever held a seat of a match, and what that closes to them until the match is over.

Whoever has seen a hand returns to that seat alone, and neither rules nor looks behind. The record is `Holding`: it outlasts the
tenure, and an erasure takes the user out of it. A seat given back before the start leaves no record: nothing was dealt yet.
What cannot be known: a second account of the same person.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any
from uuid import UUID

from django.db.models import Q

from accounts import operators
from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.models import Beginning, Holding, Look, Match, Seat
from gamesvc.matches.record.loading import STORE

_EXCUSED = (
    "SELECT type, payload FROM events_event WHERE stream = %s::uuid"
    " AND type IN ('match.joined', 'match.seated', 'match.timed_out') AND version <= %s::int ORDER BY version"
)
UNFINISHED = (Match.Status.OPEN, Match.Status.RUNNING)
_SEATED = (
    "SELECT payload FROM events_event WHERE stream = %s::uuid AND type IN ('match.joined', 'match.seated')"
    " AND version <= %s::int ORDER BY version"
)


def seats_held(user: User, match: Match) -> set[int]:
    """Return the seats whose hidden information the user has seen, while that matters.

    Those held in the match; where there are none, those held in its family: a fork begins with the hand of the seat that made
    it, so whoever has seen a hand in one of them knows it in all.
    """
    return _held(user, [match.pk]) or _held(user, _family(match))


def played(user: User, match: Match) -> bool:
    """Return True if the user holds or ever held a seat of the match or of one in its family."""
    return bool(seats_held(user, match))


def check_seat(*, by: User, match: Match, free: Iterable[int]) -> list[int]:
    """Return the free seats that a user may take in an unfinished match. Raises `Refused` where their past leaves none."""
    if Look.objects.filter(user=by, match__in=_family(match)).exists():
        detail = "You have looked behind in this match, so you take no seat in it. Watch it, or join another match."
        raise Refused("looked_behind", detail)
    held, free = seats_held(by, match), list(free)
    fitting = [seat for seat in free if not held or seat in held]
    if free and not fitting:
        own = " and ".join(f"seat {seat}" for seat in sorted(held))
        detail = f"You held {own}, so you know what it hides. You can return to that seat when it is free, and take no other one."
        raise Refused("another_seat", detail, "seat")
    return fitting


def returns(*, by: User, match: Match, seat: int) -> list[str]:
    """Return the holder ids under which a user has held a seat of a match before; none for a substitute."""
    held = Holding.objects.filter(match=match, user=by, seat=seat)
    return [str(holder) for holder in held.values_list("holder", flat=True)]


def excused(*, match: Match, holders: Collection[str]) -> int:
    """Return how many time-outs of these holders were excused: coming back brings no new ones."""
    count, seated = 0, dict[int, str]()
    for kind, payload in STORE.ask(_EXCUSED, [match.pk, match.version]).fetchall():
        data = json.loads(payload)
        if kind == "match.timed_out":
            count += bool(data["excused"]) and seated.get(data["seat"]) in holders
        else:
            seated[data["seat"]] = data["holder"]
    return count


def closed_to(user: User) -> list[UUID]:
    """Return the unfinished matches that an operator reads like any player, as they have played in them or in their family."""
    mine = Q(pk__in=Holding.objects.filter(user=user).values("match")) | Q(seats__user=user)
    found: set[UUID] = set()
    # Of matches that are over only forks still know what another one hides.
    for match in Match.objects.filter(mine).filter(Q(status__in=UNFINISHED) | Q(beginning__isnull=False)).distinct():
        if match.pk not in found:
            found.update([match.pk, *_family(match)] if match.status in UNFINISHED else _family(match)[1:])
    return list(Match.objects.filter(pk__in=found, status__in=UNFINISHED).values_list("pk", flat=True))


def register() -> None:
    """Close the operators' lists as the match's pages are closed."""
    operators.register_closed(closed_to)


def of_match(match: Match) -> list[dict[str, Any]]:
    """Return the tenures of a match, oldest first, for its organiser.

    Tenures of one player have the same number `player`; it is None where the player was erased, or is not known any more.
    """
    holdings = {str(row.holder): row for row in Holding.objects.filter(match=match)}
    current = {str(holder) for holder in match.seats.exclude(holder=None).values_list("holder", flat=True)}
    numbers: dict[int, int] = {}
    rows = []
    for (payload,) in STORE.ask(_SEATED, [match.pk, match.version]).fetchall():
        holding = holdings.get(json.loads(payload)["holder"])
        if holding is None:
            continue
        player = None if holding.user_id is None else numbers.setdefault(holding.user_id, len(numbers) + 1)
        holder = str(holding.holder)
        rows.append({"seat": holding.seat, "holder": holder, "player": player, "holds": holder in current})
    return rows


def _held(user: User, matches: list[UUID]) -> set[int]:
    if not matches:
        return set()
    now = Seat.objects.filter(match__in=matches, user=user).values_list("index", flat=True)
    ever = Holding.objects.filter(match__in=matches, user=user).values_list("seat", flat=True)
    return set(now.union(ever))


def _origins(match: Match) -> list[UUID]:
    """Return the unfinished matches from which a match was forked, at any distance: one that is over hides nothing."""
    found = []
    origin = _origin(match.pk)
    while origin is not None:
        if origin.status in UNFINISHED:
            found.append(origin.pk)
        origin = _origin(origin.pk)
    return found


def _family(match: Match) -> list[UUID]:
    """Return the match, the unfinished ones from which it was forked, and all forks of these: what is hidden in one of them may
    be hidden in another one."""
    roots = [match.pk, *_origins(match)]
    return [*roots, *_forks_of(roots)]


def _origin(match_id: UUID) -> Match | None:
    beginning = Beginning.objects.filter(match=match_id).select_related("origin").first()
    return beginning.origin if beginning is not None else None


def _forks_of(matches: list[UUID]) -> list[UUID]:
    """Return the matches and analysis boards that were forked from some, at any distance."""
    found: list[UUID] = []
    while matches:
        matches = list(Match.objects.filter(beginning__origin__in=matches).values_list("pk", flat=True))
        found += matches
    return found
