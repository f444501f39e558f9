"""The bots `random` and `greedy`. From view and forms alone, `greedy` weighs stars, exits, damage and two steps ahead."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.bots import play_random
from gamesvc.games.kernel.game import Bot, Command, Data, Form
from gamesvc.games.space_fleet_commander.bots.fleets import plan_fleet, ship_worth
from gamesvc.games.space_fleet_commander.bots.odds import Fleet, Scout, Weights
from gamesvc.games.space_fleet_commander.data import COLOURS, PLANETFALL, ROSTER, Requirement
from gamesvc.games.space_fleet_commander.rules.missions import requirement, steps_to
from gamesvc.json_types import JsonMapping

WEIGHTS = Weights()
ROUGH, FINE, BEST = 6, 24, 5  # samples for every way to reroll, then for the best of them
Counts = tuple[int, ...]
"""The number of dice that show 1 to 6."""


@dataclass
class _Sight:
    """One decision about dice: the value of each possible result of the attempt."""

    scout: Scout
    view: Data
    rng: random.Random
    worths: list[tuple[float, Requirement, int]] = field(default_factory=list)
    fail: float = 0.0
    barges: int = 0
    known: dict[Counts, float] = field(default_factory=dict)
    later: dict[tuple[Counts, tuple[int, ...]], float] = field(default_factory=dict)

    @classmethod
    def of(cls, view: Data, rng: random.Random) -> _Sight:
        scout = Scout.of(view, WEIGHTS)
        sheet = view["sheet"]
        sight = cls(scout, view, rng)
        gone = frozenset(sheet["path"])
        fleet = _fleet(die for die in sheet["dice"] if die["status"] != "aside")
        sight.fail = scout.standing(sheet["token"], gone) - 2 * scout.hit_cost()
        for place in sheet["open"]:
            kind = scout.board.kind(place)
            worth = scout.exploring(place, gone, fleet)
            sight.worths.append((worth, requirement(kind, scout.planetfall), scout.destroyers if kind.combat else 0))
        sight.worths.sort(key=lambda one: -one[0])
        sight.barges = sum(1 for row in sheet["roster"] if row["live"] and row["ship"] == "prison_barge")
        return sight

    def worth(self, counts: Counts) -> float:
        """Return the value of the dice as they are at the end of Phase 3."""
        found = self.known.get(counts)
        if found is None:
            ones = max(0, counts[0] - self.barges)
            shown = (counts[1], counts[2], counts[3], counts[4], counts[5])
            best = next((w for w, need, steps in self.worths if steps_to(need, shown, steps) is not None), None)
            found = (self.fail if best is None else best) - ones * self.scout.weights.one
            self.known[counts] = found
        return found

    def before_last(self, fixed: Counts, whites: tuple[int, ...]) -> float:
        """Return the value before Phase 3 if the white dice are rerolled in the best way."""
        key = (fixed, whites)
        found = self.later.get(key)
        if found is None:
            found = max(self.rerolling(_plus(fixed, kept), len(whites) - len(kept)) for kept in _keeps(whites))
            self.later[key] = found
        return found

    def rerolling(self, fixed: Counts, count: int) -> float:
        """Return the mean value of rolling `count` dice for the last time."""
        return sum(weight * self.worth(_add(fixed, rolled)) for rolled, weight in _rolls(count))


def _fleet(dice: Iterable[JsonMapping]) -> Fleet:
    shown = [die["colour"] for die in dice]
    return shown.count("white"), shown.count("red"), shown.count("black")


def _add(a: Counts, b: Counts) -> Counts:
    return tuple(x + y for x, y in zip(a, b))


def _plus(fixed: Counts, values: Sequence[int]) -> Counts:
    counts = list(fixed)
    for value in values:
        counts[value - 1] += 1
    return tuple(counts)


@cache
def _keeps(values: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the different ways to keep some of these dice."""
    return tuple({kept for size in range(len(values) + 1) for kept in itertools.combinations(values, size)})


@cache
def _rolls(count: int) -> tuple[tuple[Counts, float], ...]:
    """Return every result of `count` dice with its probability."""
    results: dict[Counts, float] = {(0,) * 6: 1.0}
    for _ in range(count):
        after: dict[Counts, float] = {}
        for counts, weight in results.items():
            for value in range(6):
                more = (*counts[:value], counts[value] + 1, *counts[value + 1 :])
                after[more] = after.get(more, 0.0) + weight / 6
        results = after
    return tuple(results.items())


# --- decisions ---


def play_greedy(view: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    """Choose by phase. If the plan does not fit what another player began on this sheet, play at random."""
    command = _choose(view, offered, rng)
    return command if forms.offered(offered, command) else play_random(view, offered, rng)


def _choose(view: Data, offered: Sequence[Form], rng: random.Random) -> Command:
    main = [form for form in offered if not form.aside]
    sheet = view["sheet"]
    match sheet["phase"]:
        case "fleet":
            return _form(view, main, rng)
        case "reroll_1" | "reroll_2":
            return {"name": "reroll", "dice": _choose_reroll(view, rng)}
        case "tinker":
            return _choose_tinker(view, main, rng)
        case "explore":
            return _choose_target(view, main)
        case "push":
            return _choose_push(view)
        case "hit":
            return _choose_hit(view, main)
        case "repair":
            return _choose_repair(sheet)
    return play_random(view, offered, rng)


def _form(view: Data, main: Sequence[Form], rng: random.Random) -> Command:
    """Place the ships of the best fleet found one by one, then upgrade wherever possible."""
    sheet = view["sheet"]
    standing = {row["slot"]: row["ship"] for row in sheet["roster"]}
    for die, ship, slot in plan_fleet(tuple(view["formation"])):
        if standing.get(slot) != ship:
            return {"name": "place_ship", "die": die, "ship": ship, "slot": slot}
    for form in main:
        if form.name == "set_upgrade":
            [slot] = form.parameters["slot"]["enum"]
            targets = [target for target in form.parameters["target"]["enum"] if target]
            if slot not in sheet["upgrades"] and targets:
                return {"name": "set_upgrade", "slot": slot, "target": targets[0]}
    for form in main:
        if form.name == "confirm_fleet":
            return {"name": "confirm_fleet"}
    return play_random(view, main, rng)


def _choose_reroll(view: Data, rng: random.Random) -> list[str]:
    sight = _Sight.of(view, rng)
    sheet = view["sheet"]
    live = [die for die in sheet["dice"] if die["status"] == "live"]
    last = sheet["phase"] == "reroll_2"
    free = [die for die in live if die["colour"] == "white" or (die["colour"] == "red" and not last)]
    fixed = _plus((0,) * 6, [die["value"] for die in live if die not in free])
    if last:
        whites = tuple(sorted(die["value"] for die in free))
        kept = max(_keeps(whites), key=lambda keep: (sight.rerolling(_plus(fixed, keep), len(whites) - len(keep)), len(keep)))
        return _others(free, kept)
    ways = sorted({tuple(sorted(way)) for way in _first_ways(live, free)})
    ranked = sorted(((_estimate(sight, fixed, free, way, ROUGH), way) for way in ways), reverse=True)
    ranked = sorted(((_estimate(sight, fixed, free, way, FINE), way) for _, way in ranked[:BEST]), reverse=True)
    return [die["id"] for die in free if die["id"] in ranked[0][1]]


def _others(free: Sequence[Data], kept: Sequence[int]) -> list[str]:
    left = list(kept)
    rerolled = []
    for die in free:
        if die["value"] in left:
            left.remove(die["value"])
        else:
            rerolled.append(die["id"])
    return rerolled


def _first_ways(live: Sequence[Data], free: Sequence[Data]) -> list[list[str]]:
    """Return candidate rerolls for Phase 2: all dice but those with certain values, or all but one of each value."""
    ways: list[list[str]] = [[]]
    shown = sorted({die["value"] for die in free} - {1})
    for size in range(len(shown) + 1):
        for values in itertools.combinations(shown, size):
            ways.append([die["id"] for die in free if die["value"] not in values])
    held = {die["value"] for die in live if die not in free}
    straight = []
    for die in sorted(free, key=lambda one: one["colour"] == "white"):
        if die["value"] in held or die["value"] == 1:
            straight.append(die["id"])
        held.add(die["value"])
    return [*ways, straight]


def _estimate(sight: _Sight, fixed: Counts, free: Sequence[Data], way: Sequence[str], samples: int) -> float:
    """Return the estimated mean value of rerolling these dice in Phase 2."""
    rng = sight.rng
    total = 0.0
    if not way:
        samples = 1
    for _ in range(samples):
        values = [(die["colour"], rng.randint(1, 6) if die["id"] in way else die["value"]) for die in free]
        reds = _plus(fixed, [value for colour, value in values if colour == "red"])
        whites = tuple(sorted(value for colour, value in values if colour == "white"))
        total += sight.before_last(reds, whites)
    return total / samples


def _choose_tinker(view: Data, main: Sequence[Form], rng: random.Random) -> Command:
    """Choose the adjustments with the highest value. Every Prison Barge removes a 1."""
    sight = _Sight.of(view, rng)
    live = {die["id"]: die["value"] for die in view["sheet"]["dice"] if die["status"] == "live"}
    best: tuple[float, int, Command] | None = None
    for form in main:
        most = form.parameters["remove"]["maxItems"]
        item = form.parameters["remove"]["items"].get("properties", {"ship": {"enum": []}, "die": {"enum": []}})
        remove = [{"ship": ship, "die": die} for ship, die in zip(item["ship"]["enum"], item["die"]["enum"])][:most]
        for adjust in form.parameters["adjust"]["enum"]:
            values = dict(live)
            for step in adjust:
                values[step["die"]] += step["delta"]
            worth = sight.worth(_plus((0,) * 6, list(values.values())))
            if best is None or (worth, -len(adjust)) > best[:2]:
                best = (worth, -len(adjust), {"name": "tinker", "adjust": adjust, "remove": remove})
    assert best is not None
    return best[2]


def _choose_target(view: Data, main: Sequence[Form]) -> Command:
    scout = Scout.of(view, WEIGHTS)
    sheet = view["sheet"]
    fleet = _fleet(die for die in sheet["dice"] if die["status"] != "aside")
    gone = frozenset(sheet["path"])
    goal = scout.board.stars_to_win if view["mode"] == "classic" else 10**6

    def worth(place: str) -> float:
        kind = scout.board.kind(place)
        stars = kind.stars + (2 * scout.colonies if kind.id == PLANETFALL else 0)
        return 1000.0 if sheet["stars"] + stars >= goal else scout.exploring(place, gone, fleet)

    places = [form.parameters["hex"]["enum"][0] for form in main if "hex" in form.parameters]
    return {"name": "explore", "hex": max(places, key=worth)}


def _choose_push(view: Data) -> Command:
    scout = Scout.of(view, WEIGHTS)
    sheet = view["sheet"]
    free = [die for die in sheet["dice"] if die["status"] != "aside"]
    worth, colour = scout.pushing(sheet["token"], frozenset(sheet["path"]), _fleet(free))
    if worth <= 0:
        return {"name": "end_turn"}
    die = next(die for die in free if die["colour"] == COLOURS[colour])
    return {"name": "push_on", "die": die["id"]}


def _pain(sheet: Data, slot: str) -> float:
    """Return the loss from one damage on a slot: none without a live ship, most if a ship would be destroyed."""
    row = next((row for row in sheet["roster"] if row["slot"] == slot and row["live"]), None)
    if row is None:
        return 0.0
    left: int = row["hull"] - row["damage"]
    return ship_worth(row["ship"], len(row["dice"])) / left


def _choose_hit(view: Data, main: Sequence[Form]) -> Command:
    sheet = view["sheet"]
    names = {form.name: form for form in main}
    options: list[tuple[float, Command]] = [(_pain(sheet, sheet["hit"]["slot"]), {"name": "accept_hit"})]
    if "redirect_hit" in names:
        options += [
            (_pain(sheet, slot), {"name": "redirect_hit", "slot": slot})
            for slot in names["redirect_hit"].parameters["slot"]["enum"]
        ]
    if "reroll_hit" in names:
        mean = sum(_pain(sheet, ROSTER.plot[a + b]) for a in range(1, 7) for b in range(1, 7)) / 36
        options.append((mean, {"name": "reroll_hit"}))
    return min(options, key=lambda option: option[0])[1]


def _choose_repair(sheet: Data) -> Command:
    repair = sheet["repair"]
    return {
        "name": "repair",
        "tender": repair["tender"],
        "target": max(repair["candidates"], key=lambda slot: _pain(sheet, slot)),
    }


BOTS: Mapping[str, Bot] = {"random": play_random, "greedy": play_greedy}
