"""The targets of the picture that stand for values of commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.targets import Finder
from gamesvc.games.space_war.data import CARDS, ROWS
from gamesvc.json_types import JsonMapping
from gamesvc.language import mark

_OWN_STATION = ("move_station", "use_ability", "use_action", "use_anytime", "use_commander")
"""The commands whose slots are those of the station of their seat."""

NEAR_EMPTY = 3
"""With so few cards in the opponent's pile the end of a turn asks which station cards an empty pile flips (RULES.md 5)."""


def finder(seen: Data) -> Finder:
    """Return the finder of targets: stacks of cards in play, cards in hand, station cards and their rows, open items, seats."""
    names = {card["id"]: f"card:{stack[0]['id']}" for zone in (0, 1) for stack in stacks(seen, zone) for card in stack}
    names |= {
        card["id"]: f"slot:{side['seat']}:{card['slot']}" for side in seen["sides"] for card in side["station"] if "card" in card
    }
    if seen["you"] is not None:
        hand = seen["sides"][seen["you"]]["hand"]
        first = {card: instance for card, _count, instance in grouped(hand)}
        names |= {entry["id"]: f"hand:{first[entry['card']]}" for entry in hand}
    slots = [{card["slot"] for card in side["station"]} for side in seen["sides"]]
    items = {item["item"]: f"item:{item['item']}" for item in open_items(seen)}

    def found(command: str, field: str, value: object) -> str | None:
        if isinstance(value, int) and not isinstance(value, bool):
            return items.get(value) if field in ("item", "upto") else f"seat:{value}" if field == "seat" else None
        if not isinstance(value, str):
            return None
        if field in ("row", "play.row") and value in ROWS:
            return f"row:{seen['you']}:{value}"
        if any(value in known for known in slots):
            station = _station(seen, command, value)
            return f"slot:{station}:{value}" if station is not None and value in slots[station] else None
        return names.get(value)

    return found


def open_items(seen: Data) -> list[JsonMapping]:
    """Return the items that the picture lists: the last ones of the opponent, else the last ones of the viewer."""
    others = [item for item in seen["items"] if item["by"] != seen["you"]]
    return others[-6:] or seen["items"][-3:]


def _station(seen: Data, command: str, slot: str) -> int | None:
    """Return the seat in whose station the viewer chooses a slot; None if the view does not tell."""
    you: int | None = seen["you"]
    if you is None or command in _OWN_STATION:
        return you
    if command == "choose":
        fits = {prompt.get("station", you) for prompt in seen["prompts"] if slot in prompt.get("options", ())}
    elif command == "react":
        # A card of the viewer's station can only be repaired, one of the opponent's only be flipped.
        turned = {(side["seat"], card["slot"]): card["flipped"] for side in seen["sides"] for card in side["station"]}
        fits = {seat for seat in (0, 1) if turned.get((seat, slot)) is (seat == you)}
    elif command == "end_turn" and seen["sides"][1 - you]["pile"] > NEAR_EMPTY:
        return None  # chosen for an empty pile, which is far away
    else:
        fits = {1 - you}
    return fits.pop() if len(fits) == 1 else None


def stacks(seen: Data, zone: int) -> list[list[JsonMapping]]:
    """Return the cards in a zone, identical cards in the same condition in one stack."""
    marked = {item["what"] for item in seen["items"]} | {t for item in seen["items"] for t in item.get("targets", ())}
    piles: dict[tuple[object, ...], list[JsonMapping]] = {}
    for p in seen["pieces"]:
        if p["zone"] == zone:
            key = (
                p["card"],
                p["controller"],
                p["owner"],
                p["damage"],
                p["counters"],
                p["on"],
                tuple(p["marks"]),
                p["attacks_used"],
                p["attack"],
                p["x"],
            )
            own = p["id"] if p["id"] in marked else ""
            piles.setdefault((*key, own), []).append(p)
    return list(piles.values())


def grouped(hand: Sequence[Mapping[str, str]]) -> list[tuple[str, int, str]]:
    """Return the kinds of card in a hand: card, number, and the id of the first, which names the target."""
    groups: dict[str, list[str]] = {}
    for entry in hand:
        groups.setdefault(entry["card"], []).append(entry["id"])
    return [(card, len(ids), ids[0]) for card, ids in sorted(groups.items(), key=lambda pair: CARDS[pair[0]].number)]


KINDS = {
    "seat": mark("A player's band: actions, cards and commander. Aim at a player here."),
    "row": mark("A row of the station. Unflipped cards in it give cards to draw, actions, or a larger hand."),
    "slot": mark("A card of the station. Damage flips it, and a flipped card can be played from the station."),
    "item": mark("An act that the opponent may still answer. It can be answered with a reaction, or let stand."),
}
"""Help on a kind of target, where `explain` has nothing to say about each."""
