"""The parts of the picture that stand for values of commands."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data, Part
from gamesvc.games.space_fleet_commander.data import ROSTER


def parts(view: Data) -> Part:
    """Return the finder of parts: hexes, and on the viewer's own sheet the dice and the slots of the fleet."""
    names = {place: place for place in view["map"]["hexes"]}
    if (sheet := view["sheet"]) is not None:
        names |= {slot: slot_part(slot) for slot in ROSTER.order}
        if sheet["phase"] != "fleet":
            names |= {die["id"]: die["id"] for die in sheet["dice"]}

    def part(command: str, field: str, value: object) -> str | None:
        return names.get(value) if isinstance(value, str) else None

    return part


def slot_part(slot: str) -> str:
    """Return the name of the part that shows a slot of the fleet."""
    return f"slot {slot}"
