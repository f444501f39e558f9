"""The cards, commanders and decks from `cards.toml`, read once and checked. Nothing here depends on a match."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from gamesvc.json_types import JsonMapping

Effect = JsonMapping

TYPES = ("spaceship", "missile", "duration", "event", "defense")
TRIGGERS = frozenset(
    [
        "played",
        "played_from_hand",
        "static",
        "draw_phase",
        "draw_phase_end",
        "ability",
        "attack",
        "after_attack",
        "action_phase",
        "any_time",
        "response",
        "damaged",
        "would_be_destroyed",
        "destroyed",
        "replace_draw",
        "end_of_first_turn",
    ]
)
OPS = frozenset(
    [
        "attack_bonus",
        "set_attack",
        "attacks",
        "keyword",
        "range",
        "attack_only",
        "untargetable_by_attack",
        "protect",
        "forbid",
        "play_limit",
        "suppress",
        "cost_increase",
        "no_hand_limit",
        "set_max_station",
        "set_actions_per_card",
        "choose_own_flips",
        "grant_collide",
        "destroy",
        "damage",
        "collide",
        "paralyze",
        "repair",
        "station_damage",
        "station_damage_or_shield",
        "repair_station",
        "discard_from_play",
        "control",
        "attach",
        "counter",
        "fail_attack",
        "draw",
        "discard",
        "discard_target",
        "draw_then_discard",
        "mill",
        "look",
        "search",
        "put_on_top",
        "return_to_hand",
        "station_to_hand",
        "station_add",
        "rearrange_station",
        "add_counter",
        "gain_actions",
        "extra_turn",
        "custom",
    ]
)


@dataclass(frozen=True, slots=True)
class Card:
    """A card or commander as printed. A `cost` of None is X; `attack` and `defense` are None if nothing is printed."""

    id: str
    name: str
    number: int
    type: str
    cost: int | None
    attack: int | None
    defense: int | None
    keywords: frozenset[str]
    text: str
    effects: tuple[Effect, ...]
    life: int = 0
    deck: str = ""

    def triggered(self, trigger: str) -> list[tuple[int, Effect]]:
        """Return the effects with the given trigger, each with its index on the card."""
        return [(at, effect) for at, effect in enumerate(self.effects) if effect["trigger"] == trigger]

    @property
    def is_shield(self) -> bool:
        return "shield" in self.keywords

    @property
    def stands_alone(self) -> bool:
        """Return False for a ship or missile without a defense of its own: a Duplication or an unattached Death Ray."""
        return self.type not in ("spaceship", "missile") or self.defense is not None


@dataclass(frozen=True, slots=True)
class Deck:
    """A preset deck: the count of each card, and the commanders of its faction."""

    id: str
    name: str
    cards: Mapping[str, int]
    commanders: tuple[str, ...]


def _card(entry: JsonMapping, kind: str) -> Card:
    cost = entry.get("cost", 0)
    attack = entry.get("attack")
    for effect in entry["effects"]:
        if effect["trigger"] not in TRIGGERS or effect["op"] not in OPS:
            raise ValueError(f"cards.toml: {entry['id']} has an effect that is not in the vocabulary: {effect}")
    return Card(
        id=entry["id"],
        name=entry["name"],
        number=entry["number"],
        type=kind,
        cost=None if cost == "X" else cost,
        attack=None if attack == "X" else attack,
        defense=entry.get("defense"),
        keywords=frozenset(entry.get("keywords", ())),
        text=entry["text"],
        effects=tuple(entry["effects"]),
        life=entry.get("life", 0),
        deck=entry.get("deck", ""),
    )


def _load() -> tuple[JsonMapping, Mapping[str, Card], Mapping[str, Card], Mapping[str, Deck]]:
    raw = tomllib.loads((Path(__file__).parent / "cards.toml").read_text(encoding="utf-8"))
    cards = {entry["id"]: _card(entry, entry["type"]) for entry in raw["card"]}
    commanders = {entry["id"]: _card(entry, "commander") for entry in raw["commander"]}
    decks = {
        entry["id"]: Deck(entry["id"], entry["name"], MappingProxyType(entry["cards"]), tuple(entry["commanders"]))
        for entry in raw["deck"]
    }
    if len(cards) != len(raw["card"]) or cards.keys() & commanders.keys():
        raise ValueError("cards.toml: a card id stands twice")
    for card in cards.values():
        if card.type not in TYPES:
            raise ValueError(f"cards.toml: {card.id} is of no known type: {card.type}")
    for deck in decks.values():
        if unknown := deck.cards.keys() - cards.keys() or set(deck.commanders) - commanders.keys():
            raise ValueError(f"cards.toml: deck {deck.id} names {sorted(unknown)}")
        if sum(deck.cards.values()) != 60:
            raise ValueError(f"cards.toml: deck {deck.id} has {sum(deck.cards.values())} cards, not 60")
    return raw["limits"], MappingProxyType(cards), MappingProxyType(commanders), MappingProxyType(decks)


LIMITS, CARDS, COMMANDERS, DECKS = _load()
ROWS = ("draw", "action", "hand")
FLIPS_FIRST = ("action", "draw", "hand")
"""The order of rows in which a seat without a preference flips cards."""
KINDS = ("play", "attack", "collide", "ability", "commander", "anytime", "phase")
"""The kinds of items."""
BARRIER_CARDS = frozenset(card.id for card in CARDS.values() if "barrier" in card.keywords)
_BY_NAME = {card.name: card.id for card in CARDS.values()}
RESPONDERS = frozenset(card.id for card in (*CARDS.values(), *COMMANDERS.values()) if card.triggered("response"))


def printed(card_id: str) -> Card:
    """Return the card or commander with an id."""
    return CARDS[card_id] if card_id in CARDS else COMMANDERS[card_id]


def uses_of(effect: Effect) -> int:
    """Return how many times per turn an effect with a `limit` can be used."""
    return int(effect["limit"].split("/")[0])


def name_of(card_id: str) -> str:
    return printed(card_id).name


def labelled(label: str) -> str | None:
    """Return the card of which a label names an instance, such as `Drone a-12`; None for a label of something else."""
    return _BY_NAME.get(label.rsplit(" ", 1)[0])
