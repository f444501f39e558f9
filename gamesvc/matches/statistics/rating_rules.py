"""The rules of ratings: which matches count, the places of their participants, and how a result changes ratings. Pure.

The model is openskill's Thurstone-Mosteller, every participant against every other one (Weng and Lin, 2011). A rating is a
strength `mu` with its uncertainty `sigma`; about nine times in ten the true strength lies within `RANGE` sigmas of `mu`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from openskill.models import ThurstoneMostellerFull

from gamesvc.matches.events import Ended, Joined, Left, MatchEvent, Opened, Seated, Started, TimedOut, Vacated

# Strengths on a scale where most players lie between 1,100 and 1,900: 200 points more win about three matches in four.
_MODEL = ThurstoneMostellerFull(mu=1500, sigma=250, beta=200, tau=3)
RANGE = 2
RATED_FROM = 5
"""A rating is provisional, and not shown, before so many rated matches."""
# Rounded numbers are the same on every machine.
_DIGITS = 6


class Strength(NamedTuple):
    """A rating: its value, and its uncertainty."""

    mu: float
    sigma: float

    @property
    def low(self) -> float:
        """Return the low end of the range."""
        return round(self.mu - RANGE * self.sigma, _DIGITS)


START = Strength(_MODEL.mu, _MODEL.sigma)


def after(before: Sequence[Strength], places: Sequence[int]) -> list[Strength]:
    """Return the ratings after a match, from those before it and the places, in the same order."""
    # Sums of floating-point numbers depend on their order, so the order of seats must not.
    order = sorted(range(len(places)), key=lambda at: (places[at], before[at]))
    teams = [[_MODEL.rating(mu=before[at].mu, sigma=before[at].sigma)] for at in order]
    rated = _MODEL.rate(teams, ranks=[places[at] for at in order])
    found = {at: Strength(round(one.mu, _DIGITS), round(one.sigma, _DIGITS)) for at, [one] in zip(order, rated, strict=True)}
    return [found[at] for at in range(len(places))]


@dataclass(frozen=True, slots=True)
class Placing:
    """The place of a participant, 1 for the best; `shared` if others have it too. Who lost their seat (`left`) is last."""

    holder: str
    seat: int
    place: int
    shared: bool
    left: bool


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a match that is rated, and the seats that bots of the game held from its start.

    `of_people`: neither these nor bot accounts began it.
    """

    placings: tuple[Placing, ...]
    bots: frozenset[int]
    of_people: bool


@dataclass(slots=True)
class _Tenure:
    """The tenure of a participant who began the match. `strangers`: a substitute has held the seat since."""

    holder: str
    bot: bool
    timeouts: int = 0
    here: bool = True
    removed: bool = False
    strangers: bool = False


@dataclass(slots=True)
class _Course:
    """The state of a match as far as its events are read. `seats`: the kind and holder of each seat before the start."""

    counts: bool = True
    seats: dict[int, tuple[str, bool]] = field(default_factory=dict)
    programs: set[int] = field(default_factory=set)
    began: dict[int, _Tenure] = field(default_factory=dict)
    ranking: Sequence[Sequence[int]] | None = None

    def tell(self, event: MatchEvent) -> None:
        match event:
            case Opened():
                self.counts = event.position is None and not event.board
            case Joined():
                self.seats[event.seat] = event.holder, event.kind == "bot"
                (self.programs.add if event.kind == "program" else self.programs.discard)(event.seat)
            case Left():
                self.seats.pop(event.seat, None)
                self.programs.discard(event.seat)
            case Started():
                self.counts = self.counts and not event.alone
                self.began = {seat: _Tenure(holder, bot) for seat, (holder, bot) in self.seats.items()}
            case TimedOut() if (tenure := self.began.get(event.seat)) is not None and tenure.here:
                tenure.timeouts += not event.excused
            case Vacated() if (tenure := self.began.get(event.seat)) is not None and tenure.here:
                tenure.here = False
                # An organiser, who gives a code, may remove anyone: that is the player's fault only if they had timed out.
                tenure.removed = bool(event.code) and not tenure.timeouts
            case Seated() if (tenure := self.began.get(event.seat)) is not None:
                _seat(tenure, event)
            case Ended() if event.outcome is not None:
                self.ranking = event.outcome["ranking"]
            case _:
                pass


def _seat(tenure: _Tenure, event: Seated) -> None:
    """Let a new holder take a seat. A user who returns is the one who began if no substitute was there meanwhile."""
    if event.kind == "bot":
        tenure.here = False
    elif event.returns is not None and not tenure.strangers:
        tenure.here, tenure.removed = True, False
    else:
        tenure.here, tenure.strangers = False, True


def result_of(events: Iterable[MatchEvent]) -> Result | None:
    """Return the result of a match that is over; None if it is not rated.

    Not rated: analysis boards, forks and other described positions; matches without an outcome, as when they are cancelled,
    aborted or lapse; those with fewer than two participants from the start; those of one person and their bots alone.
    """
    course = _Course()
    for event in events:
        course.tell(event)
    if not course.counts or course.ranking is None:
        return None
    # An organiser's decision and a bot's replacement are nobody's result.
    taking_part = {seat: one for seat, one in course.began.items() if not one.removed and (one.here or not one.bot)}
    if len(taking_part) < 2:
        return None
    stayed = [[seat for seat in group if seat in taking_part and taking_part[seat].here] for group in course.ranking]
    left = [seat for seat, tenure in taking_part.items() if not tenure.here]
    placings, before = [], 0
    for group in (*stayed, left):
        for seat in sorted(group):
            tenure = taking_part[seat]
            placings.append(Placing(tenure.holder, seat, before + 1, len(group) > 1, not tenure.here))
        before += len(group)
    bots = frozenset(seat for seat, one in course.began.items() if one.bot)
    return Result(tuple(placings), bots, of_people=not bots and not course.programs)
