"""The printed material, read once from the TOML files beside this module and checked: map, deck, costs, abilities.

Only `decide`, forms and texts use this module. `evolve` does not: events carry every number that was applied.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from gamesvc.json_types import JsonObject

_HERE = Path(__file__).parent


def _load(name: str) -> JsonObject:
    with (_HERE / name).open("rb") as file:
        table = tomllib.load(file)
    if table.get("format") != 1:
        raise ValueError(f"{name}: format 1 expected")
    return table


_MAP = _load("map.toml")
_DECK = _load("deck.toml")
_RULES = _load("abilities.toml")

COLUMNS: str = _MAP["columns"]
ROWS: int = _MAP["rows"]
CORNERS: tuple[str, ...] = tuple(_MAP["corners"])
CORNER_ORDER: tuple[str, ...] = tuple(_MAP["default_corner_order"])
CHITS: dict[str, int] = dict(_MAP["chits"])
HAZARDS: frozenset[str] = frozenset(_MAP["hazards"]["kinds"])
FLEETS: int = _MAP["empire"]["fleets"]
STARGATES: int = _MAP["empire"]["stargates"]
COLONIES: int = _MAP["empire"]["colonies"]
START_STARGATES: int = _MAP["start"]["stargates"]
START_HAND: int = _MAP["start"]["hand"]
WORLDS_TO_WIN: int = _MAP["limits"]["worlds_to_win"]
BASE_HAND: int = _MAP["limits"]["base_hand"]
COLONIES_PER_CARD: int = _MAP["limits"]["colonies_per_hand_card"]
BASE_SUPPORT: int = _MAP["limits"]["base_support"]
COLONIES_PER_SUPPORT: int = _MAP["limits"]["colonies_per_support"]
RETOOL_MAX: int = _MAP["limits"]["retool_max"]
COLONIES_PER_WORLD: int = _MAP["limits"]["colonies_per_world"]

CARDS: tuple[str, ...] = tuple(_DECK["canonical_order"])
RANK: dict[str, int] = {card: at for at, card in enumerate(CARDS)}
KINDS: tuple[str, ...] = tuple(card["id"] for card in _DECK["card"] if card["power"])
POWER: dict[str, str] = {card["id"]: card["power"] for card in _DECK["card"] if card["power"]}
WORTH: dict[str, int] = {card: 2 if card in POWER.values() else 1 for card in CARDS}
CARD_NAMES: dict[str, str] = {card["id"]: card["name"] for card in _DECK["card"]} | {
    card["power"]: f"Power {card['name']}" for card in _DECK["card"] if card["power"]
}
RESEARCH = "research"


def deck(power_cards: bool) -> tuple[str, ...]:
    """Return all cards of a match in canonical order (RULES.md 1, 16.1)."""
    cards: list[str] = []
    for card in _DECK["card"]:
        power = _DECK["power_cards_per_kind"] if power_cards and card["power"] else 0
        cards += [card["id"]] * (card["count"] - power)
        if power:
            cards += [card["power"]] * power
    return tuple(sorted(cards, key=RANK.__getitem__))


COSTS: dict[str, tuple[tuple[str, int], ...]] = {
    entry["id"]: tuple(entry["cost"].items()) for entry in (*_RULES["action"], *_RULES["ability"]) if entry["cost"]
}
"""The costs by action or ability id: pairs of card kind and value."""
OPTIONAL: dict[str, str] = {entry["id"]: entry["rule"] for entry in _RULES["action"] if "rule" in entry}
"""The optional rule that allows an action, by action id."""
ABILITIES: tuple[str, ...] = tuple(entry["id"] for entry in _RULES["ability"])
ABILITY_NAMES: dict[str, str] = {entry["id"]: entry["name"] for entry in _RULES["ability"]}
ABILITY_TEXTS: dict[str, str] = {entry["id"]: entry["text"] for entry in _RULES["ability"]}
LOW_TECHNOLOGY_ONLY: frozenset[str] = frozenset(entry["id"] for entry in _RULES["ability"] if entry.get("low_technology_only"))


def abilities(low_technology: bool) -> tuple[str, ...]:
    """Return the abilities available in a match, in table order."""
    return tuple(ability for ability in ABILITIES if low_technology or ability not in LOW_TECHNOLOGY_ONLY)


def table_row(roll: int, low_technology: bool) -> tuple[str, ...]:
    """Return the abilities that a roll of the 1D10 offers (RULES.md 10)."""
    row = _RULES["table"]["low_technology_3"] if roll == 3 and low_technology else _RULES["table"][str(roll)]
    return abilities(low_technology) if row == ["*"] else tuple(row)


def _check() -> None:
    spaces = len(COLUMNS) * ROWS
    if spaces != _MAP["spaces"] or sum(CHITS.values()) != _MAP["shuffled_spaces"] or spaces - len(CORNERS) != sum(CHITS.values()):
        raise ValueError("map.toml: the chits do not fill the spaces")
    if set(CORNER_ORDER) != set(CORNERS) or not set(CHITS) > HAZARDS:
        raise ValueError("map.toml: corners or hazards do not fit")
    for power_cards in (False, True):
        if len(deck(power_cards)) != _DECK["total"]:
            raise ValueError("deck.toml: the cards do not add up")
    rows = {ability for roll in range(1, 10) for ability in table_row(roll, True)}
    if not rows <= set(ABILITIES) or {kind for cost in COSTS.values() for kind, _ in cost} - {*KINDS, RESEARCH}:
        raise ValueError("abilities.toml: unknown ability or card kind")


_check()
