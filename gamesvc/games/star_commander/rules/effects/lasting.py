"""Temporary effects on vessels (locks, preventions, disarms, changed values) and when they end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gamesvc.games.star_commander.state import Modifier
from gamesvc.json_types import JsonObject

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
