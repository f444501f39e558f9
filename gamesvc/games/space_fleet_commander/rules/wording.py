"""Words for the dice and the ships that the forms of a seat offer."""

from __future__ import annotations

from gamesvc.games.space_fleet_commander.rules import fleet
from gamesvc.games.space_fleet_commander.state import Sheet
from gamesvc.language import say


def die_words(sheet: Sheet) -> dict[str, str]:
    """Return the description of each die: colour and value."""
    return {die.id: f"{say(die.colour)} {die.value} ({die.id})" for die in sheet.dice}


def ship_words(sheet: Sheet) -> dict[str, str]:
    """Return the description of each occupied slot: ship and hull."""
    return {
        v.slot: say(
            "{ship} in {slot} ({left} of {hull} hull left)",
            ship=fleet.ship_name(v),
            slot=v.slot,
            left=v.hull - v.damage,
            hull=v.hull,
        )
        for v in sheet.ships
    }
