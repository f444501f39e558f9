"""Temporary effects on vessels (locks, preventions, disarms, changed values) and when they end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gamesvc.games.kernel.game import Data
from gamesvc.games.star_commander.state import Modifier
from gamesvc.json_types import JsonObject

MARKS = {
    "attack": "{amount:+d} attack",
    "hp": "{amount:+d} hit points",
    "speed": "{amount:+d} speed",
    "extra_targets": "more targets",
    "lock": "held in place",
    "long_jump": "may make a long jump from {cell}",
    "prevent": "takes no damage",
    "untargetable": "cannot be targeted",
    "deny_attack": "cannot attack",
}
"""A description for each lasting effect: the kinds of modifiers, and `untargetable`, which comes with some preventions."""
UNTIL = {"end_of_turn": "until this turn ends", "turn_of": "until {whose} next turn starts"}
"""A description for each `until` of a lasting effect."""
_VALUES = ("attack", "hp", "speed", "extra_targets")


def lasting(modifiers: Iterable[Modifier]) -> list[JsonObject]:
    """Return the effects of modifiers on a vessel: `mark`, `until`, `seat` and `source` (a card id).

    `seat` is the seat whose next turn ends the effect, or None. Changed values also have an `amount`, long jumps the `cell` where
    they start.
    """
    return [entry for modifier in modifiers for entry in _entries(modifier)]


def _entries(modifier: Modifier) -> Iterator[JsonObject]:
    seat = modifier.until_seat if modifier.until == "turn_of" else None
    end = {"until": modifier.until, "seat": seat, "source": modifier.source}
    details: JsonObject = {"amount": modifier.amount} if modifier.kind in _VALUES else {}
    if modifier.kind == "long_jump":
        details = {"cell": modifier.cell}
    yield {"mark": modifier.kind, **end, **details}
    if modifier.untargetable:
        yield {"mark": "untargetable", **end}


def lasting_words(entries: Iterable[Data], whose: Callable[[int | None], str]) -> list[str]:
    """Describe lasting effects and when they end.

    Effects with the same end share a phrase; changes of the same value are summed.
    """
    by_end: dict[str, dict[tuple[str, str], int]] = {}
    for entry in entries:
        marks = by_end.setdefault(UNTIL[entry["until"]].format(whose=whose(entry["seat"])), {})
        mark = entry["mark"], entry.get("cell", "")
        marks[mark] = marks.get(mark, 0) + entry.get("amount", 0)
    return [
        f"{' and '.join(MARKS[mark].format(amount=amount, cell=cell) for (mark, cell), amount in marks.items())} {end}"
        for end, marks in by_end.items()
    ]
