"""The end of Phase 3: legal uses of Fire Support Ships and Prison Barges (RULES.md 12.6, 12.7). Checks and forms share this code.

Ships of a kind are interchangeable. An accepted list of adjustments therefore uses the first live Fire Support Ships in roster
order and dice in pool order, and never reverses a step. That leaves one list for each result.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence

from gamesvc.games.kernel.game import Form, Refused
from gamesvc.games.kernel.wording import listed
from gamesvc.games.space_fleet_commander.rules.wording import die_words, ship_words
from gamesvc.games.space_fleet_commander.state import Die, Sheet, able, in_attempt
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say

Step = JsonObject


def _blacks(sheet: Sheet) -> list[Die]:
    return [die for die in in_attempt(sheet) if die.colour == "black"]


def _changes(dice: Sequence[Die], most: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to change the dice by up to `most` steps in total, results within 1 to 6, no change first."""
    ranges = [range(max(-most, 1 - die.value), min(most, 6 - die.value) + 1) for die in dice]
    found = [change for change in itertools.product(*ranges) if sum(map(abs, change)) <= most]
    return iter(sorted(found, key=lambda change: sum(map(abs, change))))


def adjust_lists(sheet: Sheet) -> list[list[Step]]:
    """Return every accepted list of adjustments, the empty one first."""
    ships, dice = able(sheet, "black_adjust"), _blacks(sheet)
    lists = []
    for change in _changes(dice, len(ships)):
        steps = [(die.id, 1 if by > 0 else -1) for die, by in zip(dice, change) for _ in range(abs(by))]
        lists.append([{"ship": ship, "die": die, "delta": delta} for ship, (die, delta) in zip(ships, steps)])
    return lists


def ones_after(sheet: Sheet, adjust: Sequence[Step]) -> list[str]:
    """Return the dice that show 1 after the adjustments, in pool order."""
    by: dict[str, int] = {}
    for step in adjust:
        by[step["die"]] = by.get(step["die"], 0) + step["delta"]
    return [die.id for die in in_attempt(sheet) if die.value + by.get(die.id, 0) == 1]


def check_tinker(sheet: Sheet, adjust: Sequence[Step], remove: Sequence[Step]) -> None:
    """Raise `Refused` unless these adjustments, followed by these removals, are possible."""
    ships, blacks = able(sheet, "black_adjust"), {die.id: die for die in _blacks(sheet)}
    wanted = [dict(step) for step in adjust]
    for step in wanted:
        if step["ship"] not in ships:
            known = ", ".join(ships) or say("none")
            raise Refused(
                "not_live",
                say("No live Fire Support Ship is in slot {ship!r}. They are: {known}.", ship=step["ship"], known=known),
                "adjust",
            )
        if step["die"] not in blacks:
            known = ", ".join(blacks) or say("none")
            raise Refused(
                "colour_not_allowed",
                say("{die} is not a black die of this attempt. They are: {known}.", die=step["die"], known=known),
                "adjust",
            )
    if wanted not in adjust_lists(sheet):
        raise Refused(
            "bad_adjust",
            say(
                "Each Fire Support Ship changes one black die by 1 within 1 to 6, the first ship in roster "
                "order first ({ships}), dice in pool order, each change kept.",
                ships=", ".join(ships),
            ),
            "adjust",
        )
    _check_removals(sheet, wanted, remove)


def _check_removals(sheet: Sheet, wanted: Sequence[Step], remove: Sequence[Step]) -> None:
    barges, ones = able(sheet, "remove_one"), ones_after(sheet, wanted)
    for entry in remove:
        if entry["ship"] not in barges:
            known = ", ".join(barges) or say("none")
            raise Refused(
                "not_live",
                say("There is no live Prison Barge in slot {ship!r}. They are: {known}.", ship=entry["ship"], known=known),
                "remove",
            )
        if entry["die"] not in ones:
            known = ", ".join(ones) or say("none")
            raise Refused(
                "not_in_attempt", say("{die} does not show 1. These dice do: {known}.", die=entry["die"], known=known), "remove"
            )
    for name in ("ship", "die"):
        if len({entry[name] for entry in remove}) < len(remove):
            raise Refused("bad_parameter", say("remove: no {name} may be named twice.", name=say(name)), "remove")


def tinker_forms(sheet: Sheet) -> list[Form]:
    """Return one form for each set of dice that Prison Barges can choose from after the adjustments; without them, one form."""
    barges = able(sheet, "remove_one")
    groups: dict[tuple[str, ...], list[list[Step]]] = {}
    for adjust in adjust_lists(sheet):
        groups.setdefault(tuple(ones_after(sheet, adjust) if barges else ()), []).append(adjust)
    return [
        Form(
            "tinker",
            _label(ones) if barges else say("Adjust the dice"),
            {"adjust": _adjust_schema(sheet, lists), "remove": _remove_schema(sheet, barges, ones)},
        )
        for ones, lists in groups.items()
    ]


def _label(ones: Sequence[str]) -> str:
    return say("End of Phase 3: {dice} showing 1", dice=listed(ones)) if ones else say("End of Phase 3: no die showing 1")


def _adjust_schema(sheet: Sheet, lists: Sequence[Sequence[Step]]) -> JsonObject:
    usual: JsonObject = {"default": []} if [] in lists else {}
    return {"title": mark("Fire Support Ships change"), "enum": lists, "labels": adjust_labels(sheet, lists), **usual}


def adjust_labels(sheet: Sheet, lists: Sequence[Sequence[Step]]) -> JsonObject:
    """Return the words for lists of adjustments in a form: the dice that each changes, with their values before and after."""
    return {json.dumps(adjust, sort_keys=True): _adjust_words(sheet, adjust) for adjust in lists}


def _adjust_words(sheet: Sheet, adjust: Sequence[Step]) -> str:
    by: dict[str, int] = {}
    for step in adjust:
        by[step["die"]] = by.get(step["die"], 0) + step["delta"]
    dice = {die.id: die.value for die in in_attempt(sheet)}
    told = [say("{die} from {old} to {new}", die=die, old=dice[die], new=dice[die] + change) for die, change in by.items()]
    return listed(told) if told else say("nothing")


def _remove_schema(sheet: Sheet, barges: Sequence[str], ones: Sequence[str]) -> JsonObject:
    most = min(len(barges), len(ones))
    schema: JsonObject = {"title": mark("Prison Barges remove"), "type": "array", "minItems": 0, "maxItems": most}
    if most:
        ships, dice = ship_words(sheet), die_words(sheet)
        item = {
            "ship": {"enum": list(barges), "labels": {slot: ships[slot] for slot in barges}},
            "die": {"enum": list(ones), "labels": {die: dice[die] for die in ones}},
        }
        schema["items"] = {"type": "object", "properties": item, "required": ["ship", "die"], "additionalProperties": False}
        schema["pairwise"] = ["ship", "die"]
    else:
        schema["items"] = {"enum": []}
    return schema
