"""The odds of attempts: probabilities by requirement and dice, and the value of a hex including what lies beyond it.

For the greedy bot only. Estimates come from fixed samples, so that the result is the same in every process.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gamesvc.games.space_fleet_commander.data import BOARDS, PLANETFALL, Board, Requirement
from gamesvc.games.space_fleet_commander.rules.missions import Histogram, requirement, steps_to
from gamesvc.json_types import JsonMapping

SAMPLES = 160
Fleet = tuple[int, int, int]
"""The numbers of white, red and black dice."""


@lru_cache(maxsize=20_000)
def chance(need: Requirement, fleet: Fleet, destroyers: int) -> float:
    """Return the probability that an attempt with these dice meets a requirement if every reroll aims at it alone."""
    rng = random.Random(f"{need} {fleet} {destroyers}")
    white, red, black = fleet
    met = 0
    for _ in range(SAMPLES):
        values = [rng.randint(1, 6) for _ in range(white + red + black)]
        for rerolled in (white + red, white):
            for at in _spare(need, values, rerolled):
                values[at] = rng.randint(1, 6)
        met += steps_to(need, _counts(values), destroyers) is not None
    return met / SAMPLES


def _counts(values: Sequence[int]) -> Histogram:
    return (values.count(2), values.count(3), values.count(4), values.count(5), values.count(6))


def _spare(need: Requirement, values: Sequence[int], first: int) -> list[int]:
    """Return the indices of the first dice that do not help. A simple estimate, good enough to compare hexes."""
    if need.type == "sum_at_least":
        return [at for at in range(first) if values[at] <= 3]
    if need.type in ("count_of", "every"):
        return [at for at in range(first) if values[at] not in need.values]
    if need.type == "contains_each":
        kept: set[int] = {value for value in values[first:] if value > 1}
        spare = []
        for at in range(first):
            if values[at] in kept or values[at] == 1:
                spare.append(at)
            kept.add(values[at])
        return spare
    ranked = sorted(range(2, 7), key=lambda value: -values.count(value))[: len(need.sizes)]
    wanted = dict(zip(ranked, sorted(need.sizes, reverse=True)))
    left = {value: size - sum(1 for other in values[first:] if other == value) for value, size in wanted.items()}
    spare = []
    for at in range(first):
        if left.get(values[at], 0) > 0:
            left[values[at]] -= 1
        else:
            spare.append(at)
    return spare


@dataclass(frozen=True, slots=True)
class Weights:
    """The bot's values in stars, tuned by self-play."""

    hit: float = 0.55
    time: float = 1.5
    one: float = 0.12
    further: float = 0.75
    rate: float = 3.0
    region: float = 0.45
    push: float = 1.0


@dataclass(frozen=True, slots=True)
class Scout:
    """A look ahead on a map for one decision."""

    board: Board
    planetfall: str
    fleet: Fleet
    destroyers: int
    colonies: int
    buoy: bool
    boxes: int  # remaining time boxes
    weights: Weights

    @classmethod
    def of(cls, view: JsonMapping, weights: Weights) -> Scout:
        sheet = view["sheet"]
        board = BOARDS[view["map"]["id"]]
        live = [row["ship"] for row in sheet["roster"] if row["live"]]
        dice = [colour for row in sheet["roster"] if row["live"] for _, colour in row["dice"]]
        return cls(
            board,
            view["planetfall"],
            (dice.count("white"), dice.count("red"), dice.count("black")),
            live.count("destroyer"),
            live.count("colony_ship"),
            "temporal_buoy" in live,
            board.time_boxes - sheet["time"],
            weights,
        )

    def odds(self, place: str, fleet: Fleet) -> float:
        kind = self.board.kind(place)
        return chance(requirement(kind, self.planetfall), fleet, self.destroyers if kind.combat else 0)

    def gain(self, place: str) -> float:
        """Return the stars of a hex minus the cost of its hazards."""
        kind = self.board.kind(place)
        stars = float(kind.stars + (2 * self.colonies if kind.id == PLANETFALL else 0))
        for hazard in kind.hazards:
            stars -= self.hit_cost() if hazard == "damage" else 0.0 if self.buoy else self.weights.time
        return stars

    def hit_cost(self) -> float:
        """Return the cost of a hit, which matters while turns are left."""
        return self.weights.hit * (0.3 + 0.7 * min(1.0, self.boxes / 8))

    def exits(self, place: str, gone: frozenset[str]) -> list[str]:
        return [near for near in self.board.neighbours[place] if near not in gone]

    def ahead(self, place: str, gone: frozenset[str], fleet: Fleet, depth: int) -> float:
        """Return the value of the next attempt from a hex with these dice, assuming better exits are tried first."""
        found = []
        for way in self.exits(place, gone):
            worth = self.gain(way)
            if depth > 1:
                worth += self.weights.further * self.ahead(way, gone | {way}, self.fleet, depth - 1)
            elif not self.exits(way, gone | {way}):
                worth -= self.weights.rate * min(3, self.boxes)
            found.append((worth, self.odds(way, fleet)))
        if not found:
            return -self.weights.rate * min(3, self.boxes)
        found.sort(reverse=True)
        total, left = 0.0, 1.0
        for worth, likely in found:
            total += left * likely * worth
            left *= 1 - likely
        return total - left * 2 * self.hit_cost()

    def region(self, place: str, gone: frozenset[str]) -> float:
        """Return the value that the unexplored region around a hex can still give in the remaining turns."""
        stars, seen, waiting = 0.0, set(gone) | {place}, [place]
        while waiting:
            for near in self.board.neighbours[waiting.pop()]:
                if near not in seen:
                    seen.add(near)
                    waiting.append(near)
                    stars += self.board.kind(near).stars
        return min(self.weights.region * stars, self.weights.rate * max(0, self.boxes - 1))

    def standing(self, place: str, gone: frozenset[str]) -> float:
        """Return the value of being on a hex at the start of a turn."""
        if not self.exits(place, gone):
            return 0.0
        return max(0.0, self.weights.further * self.ahead(place, gone, self.fleet, 2)) + self.region(place, gone)

    def pushing(self, place: str, gone: frozenset[str], fleet: Fleet) -> tuple[float, int]:
        """Return the best value of another attempt with one die less, and that die's colour (0 white, 1 red, 2 black)."""
        best = (-99.0, 2)
        if sum(fleet) < 2 or not self.exits(place, gone):
            return best
        base = self.standing(place, gone)
        for colour in (2, 1, 0):
            if fleet[colour]:
                less = (fleet[0] - (colour == 0), fleet[1] - (colour == 1), fleet[2] - (colour == 2))
                best = max(best, (self._attempt(place, gone, less, base), colour))
        return best

    def _attempt(self, place: str, gone: frozenset[str], fleet: Fleet, base: float) -> float:
        found = []
        for way in self.exits(place, gone):
            after = self.standing(way, gone | {way})
            found.append((self.gain(way) + after - base, self.odds(way, fleet)))
        found.sort(reverse=True)
        total, left = 0.0, 1.0
        for worth, likely in found:
            total += left * likely * worth
            left *= 1 - likely
        ones = sum(fleet) / 6 * self.weights.one
        return total - left * 2 * self.hit_cost() - ones

    def exploring(self, place: str, gone: frozenset[str], fleet: Fleet) -> float:
        """Return the value of exploring a hex with the dice left this turn: stars, hazards, new position, further attempts."""
        gone = gone | {place}
        worth = self.gain(place)
        if not self.exits(place, gone):
            return worth
        return worth + self.standing(place, gone) + self.weights.push * max(0.0, self.pushing(place, gone, fleet)[0])
