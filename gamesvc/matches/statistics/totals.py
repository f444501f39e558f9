"""Statistics of players: a consumer of the feed that stores the figures of each seat tenure, and their sums.

Forks, analysis boards and matches from a described position do not count. The figures belong to the random id by which the events
know the holder, so after an erasure they identify nobody.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import Error as DatabaseError
from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.utils import timezone

from accounts import erasure
from accounts.models import User
from events.store import StoredEvent
from gamesvc.errors import GamesvcError
from gamesvc.games import catalog
from gamesvc.json_types import JsonObject
from gamesvc.matches.models import Holding, Match, Reckoned, Seat
from gamesvc.matches.record import loading
from gamesvc.matches.record.rows import following
from gamesvc.matches.record.rows.reckoning import Numbers, Reckoning
from gamesvc.matches.record.stream import STORE

logger = logging.getLogger(__name__)

FOLLOWER = "statistics"
# Reliability covers recent behaviour only: old faults are forgiven.
WINDOW = timedelta(days=365)
_NUMBERS = [one.name for one in dataclasses.fields(Numbers) if one.name != "seat"]


def register() -> None:
    """Register the erasure of users from the figures."""
    erasure.register("statistics", _erase)


def _erase(user: User) -> None:
    # The consumer changes the figures of several matches too: each could wait for what the other has changed.
    following.hold(FOLLOWER)
    Holding.objects.filter(user=user).update(user=None)


# --- consuming the feed ---


def follow(limit: int = following.BATCH) -> int:
    """Process the next events of the feed. Return their number; 0 if the statistics are up to date."""
    return following.follow(FOLLOWER, applied=_applied, apply=_apply, limit=limit)


def _applied(match_id: UUID) -> int:
    return Reckoned.objects.filter(pk=match_id).values_list("version", flat=True).first() or 0


def _apply(match_id: UUID, events: Sequence[StoredEvent]) -> None:
    """Process one match to its end: an act is appended as a whole, and must be counted as a whole."""
    match = Match.objects.filter(pk=match_id).first()
    if match is None:
        return
    row = Reckoned.objects.filter(pk=match_id).first() or Reckoned(match=match)
    try:
        reckoning = _resume(match, row).fold(STORE.read(match_id, row.version))
    except DatabaseError:
        raise
    except Exception as error:
        # One match that cannot be folded must not stop the statistics of all others.
        logger.exception("The statistics of match %s are stuck at version %s.", match_id, row.version)
        row.fault = f"{type(error).__name__}: {error}"
        row.save()
        return
    _save(row, reckoning)


def _resume(match: Match, row: Reckoned) -> Reckoning:
    game = catalog.game(match.game)
    if not row.version:
        return Reckoning(loading.fresh(game, match.id))
    kept = _stored(match.id)
    numbers = {holder: kept[holder] for holder in row.notes["holders"] if holder in kept}
    return Reckoning.resume(loading.load_at(game, match.id, row.version), row.notes, numbers)


def _stored(match_id: UUID) -> dict[str, Numbers]:
    """Return the stored figures of a match, by holder."""
    rows = Holding.objects.filter(match_id=match_id)
    return {str(row.holder): Numbers(row.seat, **{name: getattr(row, name) for name in _NUMBERS}) for row in rows}


def _save(row: Reckoned, reckoning: Reckoning) -> None:
    row.version, row.notes, row.fault = reckoning.loaded.version, reckoning.as_notes(), ""
    row.save()
    users = dict(Seat.objects.filter(match_id=row.match_id, holder__in=list(reckoning.numbers)).values_list("holder", "user_id"))
    holdings = [
        Holding(
            holder=UUID(holder),
            match_id=row.match_id,
            user_id=users.get(UUID(holder)),
            seat=numbers.seat,
            **{name: getattr(numbers, name) for name in _NUMBERS},
        )
        for holder, numbers in reckoning.numbers.items()
    ]
    # The user is written when they sit down, and never changed here.
    Holding.objects.bulk_create(holdings, update_conflicts=True, unique_fields=["holder"], update_fields=["seat", *_NUMBERS])


# --- from zero ---


class Moving(GamesvcError):
    """A match went on faster than it could be counted."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A wrong figure."""

    holder: str
    detail: str


def rebuild(match_id: UUID, attempts: int = 10) -> list[Difference]:
    """Count one match again from its first event, and store the result. Return the differences found.

    The consumer is held up only while the result is written. If it was faster, the match is counted once more.
    """
    match = Match.objects.get(pk=match_id)
    for _ in range(attempts):
        before = _applied(match_id)
        reckoning = Reckoning(loading.fresh(catalog.game(match.game), match_id)).fold(STORE.read(match_id, 0, before))
        then = {holder: dataclasses.replace(numbers) for holder, numbers in reckoning.numbers.items()}
        notes = reckoning.as_notes()
        reckoning.fold(STORE.read(match_id, before))
        with transaction.atomic():
            following.hold(FOLLOWER)
            row = Reckoned.objects.filter(pk=match_id).first() or Reckoned(match=match)
            if row.version != before:
                continue
            found = _differences(then, _stored(match_id)) if before else []
            if before and row.notes != notes:
                found.append(Difference("", "what was kept to go on from is not what the events say"))
            if found or row.fault or reckoning.loaded.version != before:
                Holding.objects.filter(match_id=match_id).update(**{name: getattr(_NOTHING, name) for name in _NUMBERS})
                _save(row, reckoning)
            return found
    raise Moving(f"The statistics went on {attempts} times while the match was reckoned again; rebuild it alone.")


_NOTHING = Numbers(0)


def differences(match_id: UUID) -> list[Difference]:
    """Return the differences between the stored figures of a match and its events, up to the consumer's position. Changes
    nothing.
    """
    row = Reckoned.objects.filter(pk=match_id).first()
    if row is None or not row.version:
        return []
    kept = _stored(match_id)
    match = Match.objects.get(pk=match_id)
    reckoning = Reckoning(loading.fresh(catalog.game(match.game), match_id)).fold(STORE.read(match_id, 0, row.version))
    found = _differences(reckoning.numbers, kept)
    if row.notes != reckoning.as_notes():
        found.append(Difference("", "what was kept to go on from is not what the events say"))
    # The consumer may have gone on between the two reads.
    return found if _applied(match_id) == row.version else []


def _differences(expected: dict[str, Numbers], found: dict[str, Numbers]) -> list[Difference]:
    differences = []
    for holder in sorted(expected.keys() | found.keys()):
        ours, kept = expected.get(holder), found.get(holder)
        for name in _NUMBERS if ours is None or kept is None else ("seat", *_NUMBERS):
            right, wrong = getattr(ours or _NOTHING, name), getattr(kept or _NOTHING, name)
            if right != wrong:
                differences.append(Difference(holder, f"{name} was {wrong}, by the events it is {right}"))
    return differences


# --- sums ---


@dataclass(frozen=True, slots=True)
class Record:
    """The sums over a player's tenures in a period."""

    matches: int = 0
    finished: int = 0
    given_up: int = 0
    timeouts: int = 0
    excused: int = 0
    answers: int = 0
    answer_seconds: int = 0

    @property
    def finished_percent(self) -> int | None:
        """Return the share of the player's finished matches that they played to the end, rounded down; None if there are none."""
        over = self.finished + self.given_up
        return 100 * self.finished // over if over else None

    def as_json(self) -> JsonObject:
        return {
            "matches": self.matches,
            "finished": self.finished,
            "given_up": self.given_up,
            "finished_percent": self.finished_percent,
            "timeouts": self.timeouts,
            "excused": self.excused,
            "answers": self.answers,
            "average_answer_seconds": self.answer_seconds // self.answers if self.answers else None,
        }


FINISHED = Count("pk", filter=Q(finished=True))
GIVEN_UP = Count("pk", filter=Q(vacated=True))
# Answers count only once a match is over: in a running match they could reveal that a hidden answer was given, and when.
OVER = ~Q(match__status=Match.Status.RUNNING)


def counted(since: datetime | None = None) -> QuerySet[Holding]:
    """Return the tenures that count: of all time, or those with a change since a moment.

    Of running matches, anonymous ones and those that spectators see late are left out: a change would reveal who has just acted,
    run out of time, or given up their seat.
    """
    holdings = Holding.objects.filter(counts=True, user__isnull=False, last_at__isnull=False)
    secret = Q(match__anonymous=True) | Q(match__watch_delay__gt=0)
    holdings = holdings.exclude(secret, match__status=Match.Status.RUNNING)
    return holdings if since is None else holdings.filter(last_at__gte=since)


def since() -> datetime:
    """Return the start of the period that reliability covers."""
    return timezone.now() - WINDOW


def record_of(user: User, since: datetime | None = None) -> Record:
    """Return a player's record since a moment, or of all time."""
    sums = (
        counted(since)
        .filter(user=user)
        .aggregate(
            all=Count("pk"),
            finished=FINISHED,
            given_up=GIVEN_UP,
            timeouts=Sum("timeouts"),
            excused=Sum("excused"),
            answers=Sum("answers", filter=OVER),
            seconds=Sum("answer_seconds", filter=OVER),
        )
    )
    return Record(*(sums[name] or 0 for name in ("all", "finished", "given_up", "timeouts", "excused", "answers", "seconds")))


def results_of(user: User) -> list[JsonObject]:
    """Return the results per game in matches against other players: won, shared and lost."""
    won, last = Q(place=1, shared=False), Q(place=1, shared=True)
    found = (
        counted()
        .filter(user=user, place__isnull=False)
        .values(game=F("match__game"))
        .annotate(played=Count("pk"), won=Count("pk", filter=won), shared_first=Count("pk", filter=last), last_at=Max("last_at"))
        .order_by("game")
    )
    return [
        {
            "game": one["game"],
            "played": one["played"],
            "won": one["won"],
            "shared": one["shared_first"],
            "lost": one["played"] - one["won"] - one["shared_first"],
        }
        for one in found
    ]


def player_json(user: User) -> JsonObject:
    """Return everything that other players may know about a player."""
    return {
        "name": user.username,
        "window_days": WINDOW.days,
        "lately": record_of(user, since()).as_json(),
        "ever": record_of(user).as_json(),
        "games": results_of(user),
    }
