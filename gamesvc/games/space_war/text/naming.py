"""Card names in orders: finds the instance that a name refers to by its place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.notation import begins, items, pick
from gamesvc.games.space_war.data import CARDS, COMMANDERS, printed
from gamesvc.json_types import JsonMapping

PLACES = ("hand", "flipped", "play", "enemy", "discard", "enemy discard")
_ANYWHERE = ("enemy", "play", "hand", "flipped", "discard", "enemy discard")

_TRIGGERS = {
    "play_card": ("played",),
    "use_ability": ("ability",),
    "use_anytime": ("any_time",),
    "use_commander": ("action_phase",),
    "react": ("played", "any_time"),
}


def _lying(seen: Data) -> dict[str, dict[str, list[str]]]:
    """Return the visible instances by place and card name. `free`: cards in hand that may cost 0."""
    you = seen["you"] if seen["you"] is not None else 0
    own, other = seen["sides"][you], seen["sides"][1 - you]
    entries: dict[str, list[JsonMapping]] = {
        "hand": own["hand"] or [],
        "flipped": [entry for entry in own["station"] if entry["flipped"]],
        "play": [entry for entry in seen["pieces"] if entry["controller"] == you],
        "enemy": [entry for entry in seen["pieces"] if entry["controller"] != you],
        "discard": own["discard"],
        "enemy discard": other["discard"],
    }
    held = [entry for entry in (*entries["hand"], *entries["flipped"]) if "card" in entry]
    entries["free"] = [entry for entry in held if not CARDS[entry["card"]].cost]
    lying: dict[str, dict[str, list[str]]] = {place: {} for place in entries}
    for place, cards in entries.items():
        for entry in cards:
            if "card" in entry:
                lying[place].setdefault(entry["card"], []).append(entry["id"])
    return lying


def instance_of(word: str, seen: Data, places: Sequence[str], taken: Sequence[str] = ()) -> str:
    """Return an id or slot unchanged, or the instance that a card name refers to.

    `places` are searched in order for a card of that name, then all other places. Instances in `taken` are skipped.
    """
    if re.fullmatch(r"[ab]-\d+|s\d+|[ab]:s\d+", word):
        return word
    lying = _lying(seen)
    start = word.replace("_", "")
    for place in (*places, *PLACES):
        left = {card: [one for one in ids if one not in taken] for card, ids in lying[place].items()}
        names = {card: ids[0] for card, ids in left.items() if ids}
        if any(begins(card.replace("_", ""), start) for card in names):
            return pick(word, names, "card")
    return pick(word, {card: ids[0] for place in PLACES for card, ids in lying[place].items()}, "card")


def instances_of(words: Sequence[str], seen: Data, places: Sequence[str]) -> list[str]:
    """Return the instances that names refer to, none of them twice."""
    chosen: list[str] = []
    for word in items(words):
        chosen.append(instance_of(word, seen, places, chosen))
    return chosen


def aims_of(card: str, verb: str, mode: int | None) -> tuple[str, ...]:
    """Return the places where the targets of a card's effect are, the most likely first."""
    if card == "discovery":
        return ("hand",)
    for effect in printed(card).effects if card in CARDS or card in COMMANDERS else ():
        if effect["trigger"] not in _TRIGGERS.get(verb, ()) or (mode is not None and effect.get("mode", mode) != mode):
            continue
        target = effect.get("target")
        if effect.get("from") == ["discard_pile"] or (isinstance(target, dict) and target.get("zone") == "discard_pile"):
            return ("discard",)
        if "discard_in_play" in effect.get("cost", {}):
            return ("play",)
        if isinstance(target, dict) and "side" in target:
            return {"own": ("play",), "enemy": ("enemy",), "any": ("enemy", "play")}[target["side"]]
    return _ANYWHERE


def card_at(instance: str, seen: Data) -> str:
    """Return the card id of a visible instance; empty for any other."""
    return next((card for cards in _lying(seen).values() for card, ids in cards.items() if instance in ids), "")
