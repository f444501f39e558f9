"""The parts of the picture that stand for values of commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamesvc.games.kernel.game import Data, Part
from gamesvc.games.space_war.data import CARDS
from gamesvc.games.space_war.state import LETTERS
from gamesvc.json_types import JsonMapping


def parts(seen: Data) -> Part:
    """Return the finder of parts: stacks of cards in play, cards in hand, slots of both stations."""
    names = {card["id"]: stack[0]["id"] for zone in (0, 1) for stack in stacks(seen, zone) for card in stack}
    if seen["you"] is not None:
        hand = seen["sides"][seen["you"]]["hand"]
        first = {card: instance for card, _count, instance in grouped(hand)}
        names |= {entry["id"]: first[entry["card"]] for entry in hand}
    slots = [{card["slot"] for card in side["station"]} for side in seen["sides"]]

    def part(command: str, field: str, value: object) -> str | None:
        if not isinstance(value, str):
            return None
        if any(value in known for known in slots):
            station = _station(seen, command)
            return slot_part(station, value) if station is not None and value in slots[station] else None
        return names.get(value)

    return part


def _station(seen: Data, command: str) -> int | None:
    """Return the seat in whose station the viewer chooses slots; None if the view does not tell."""
    you: int | None = seen["you"]
    if you is None or command == "move_station":
        return you
    if command != "choose":
        return 1 - you
    offered = {option for prompt in seen["prompts"] for option in prompt.get("options", ())}
    if any(prompt["seat"] == you and prompt["kind"] == "mend" for prompt in seen["prompts"]):
        return you
    # To be flipped: the station that has all these slots face down.
    down = [{card["slot"] for card in side["station"] if not card["flipped"]} for side in seen["sides"]]
    fits = [seat for seat in (0, 1) if offered <= down[seat]]
    return fits[0] if len(fits) == 1 else None


def slot_part(seat: int, slot: str) -> str:
    """Return the name of the part that shows a slot of a station: both have a slot `s1`."""
    return f"{LETTERS[seat]}-{slot}"


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
    """Return the kinds of card in a hand: card, number, and the id of the first, which names the part of the picture."""
    groups: dict[str, list[str]] = {}
    for entry in hand:
        groups.setdefault(entry["card"], []).append(entry["id"])
    return [(card, len(ids), ids[0]) for card, ids in sorted(groups.items(), key=lambda pair: CARDS[pair[0]].number)]
