"""Statistics of players: a follower of the feed that keeps what each holding of a seat came to, and what they add up to.

Forks, what-if boards and matches from a described position count in nothing. The numbers hang on the random id that the
events know the holder by, so that after an erasure they are nobody's.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import Error as DatabaseError
from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.utils import timezone

from accounts import erasure
from accounts.models import User
from events.store import StoredEvent
from gamesvc.games import catalog
from gamesvc.matches.models import Holding, Match, Reckoned, Seat
from gamesvc.matches.record import following, loading
from gamesvc.matches.record.loading import STORE
from gamesvc.matches.record.reckoning import Numbers, Reckoning

logger = logging.getLogger(__name__)

FOLLOWER = "statistics"
# Reliability looks at what somebody did lately: an old fault is forgiven.
WINDOW = timedelta(days=365)
_NUMBERS = [one.name for one in dataclasses.fields(Numbers) if one.name != "seat"]


def register() -> None:
    """Have the numbers of erased users be nobody's."""
    erasure.register("statistics", _erase)


def _erase(user: User) -> None:
    Holding.objects.filter(user=user).update(user=None)


# --- following the feed ---


def follow(limit: int = following.BATCH) -> int:
    """Take the next events of the feed into the statistics. Returns how many; 0 when they are up to date."""
    return following.follow(FOLLOWER, applied=_applied, apply=_apply, limit=limit)


def _applied(match_id: UUID) -> int:
    return Reckoned.objects.filter(pk=match_id).values_list("version", flat=True).first() or 0


def _apply(match_id: UUID, events: Sequence[StoredEvent]) -> None:
    """Go on in one match, to the end of what it has: an act is appended whole, and must be reckoned whole."""
    match = Match.objects.filter(pk=match_id).first()
    if match is None:
        return
    row = Reckoned.objects.filter(pk=match_id).first() or Reckoned(match=match)
    try:
        reckoning = _resume(match, row).fold(STORE.read(match_id, row.version))
    except DatabaseError:
        raise
    except Exception as error:
        # One match that cannot be folded must not stop the numbers of all others.
        logger.exception("The statistics of match %s stand still at version %s.", match_id, row.version)
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
    """The numbers kept for a match, by holder."""
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
    # Who it was is known since he sat down; it is never changed here.
    Holding.objects.bulk_create(holdings, update_conflicts=True, unique_fields=["holder"], update_fields=["seat", *_NUMBERS])


# --- from zero ---


class Moving(Exception):
    """A match went on faster than it could be reckoned."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A number that was kept wrongly."""

    holder: str
    detail: str


def rebuild(match_id: UUID, attempts: int = 10) -> list[Difference]:
    """Reckon one match again from its first event, and keep that. Returns what had been kept otherwise.

    The follower is held up only while the result is written; where it was faster, the match is reckoned once more.
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
    """Say where the numbers kept for a match differ from its events, up to where the follower has read. Changes nothing."""
    row = Reckoned.objects.filter(pk=match_id).first()
    if row is None or not row.version:
        return []
    kept = _stored(match_id)
    match = Match.objects.get(pk=match_id)
    reckoning = Reckoning(loading.fresh(catalog.game(match.game), match_id)).fold(STORE.read(match_id, 0, row.version))
    found = _differences(reckoning.numbers, kept)
    if row.notes != reckoning.as_notes():
        found.append(Difference("", "what was kept to go on from is not what the events say"))
    # The follower may have gone on between the two reads.
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


# --- what the numbers add up to ---


@dataclass(frozen=True, slots=True)
class Record:
    """What a player's holdings add up to, over some time."""

    matches: int = 0
    finished: int = 0
    given_up: int = 0
    timeouts: int = 0
    excused: int = 0
    answers: int = 0
    answer_seconds: int = 0

    @property
    def finished_percent(self) -> int | None:
        """Of the matches that are over for him, how many he saw to their end, rounded down. None: there are none yet."""
        over = self.finished + self.given_up
        return 100 * self.finished // over if over else None

    def as_json(self) -> dict[str, Any]:
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
# Answers are told of matches that are over: one may be hidden while they run, and with it that it was given, and when.
OVER = ~Q(match__status=Match.Status.RUNNING)


def counted(since: datetime | None = None) -> QuerySet[Holding]:
    """The holdings that count: of all time, or those with something new since a moment.

    Not those of a running match that hides its players' names: what is new there would tell who has just acted.
    """
    holdings = Holding.objects.filter(counts=True, user__isnull=False, last_at__isnull=False)
    holdings = holdings.exclude(match__anonymous=True, match__status=Match.Status.RUNNING)
    return holdings if since is None else holdings.filter(last_at__gte=since)


def since() -> datetime:
    """From when on reliability is looked at."""
    return timezone.now() - WINDOW


def record_of(user: User, since: datetime | None = None) -> Record:
    """What a player has shown since a moment, or ever."""
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


def results_of(user: User) -> list[dict[str, Any]]:
    """Per game, of the matches with another person in them: how many were won, shared and lost."""
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


def player_json(user: User) -> dict[str, Any]:
    """All that is told of a player to other players."""
    return {
        "name": user.username,
        "window_days": WINDOW.days,
        "lately": record_of(user, since()).as_json(),
        "ever": record_of(user).as_json(),
        "games": results_of(user),
    }
