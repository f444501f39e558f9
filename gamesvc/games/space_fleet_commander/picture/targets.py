"""The targets of the picture that stand for values of commands."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.targets import Finder
from gamesvc.games.space_fleet_commander.data import ROSTER, SHIPS


def formation_die(die: int) -> str:
    """Return the id of a formation die as a thing in the picture. Its number alone could be a slot."""
    return f"d{die}"


def finder(view: Data) -> Finder:
    """Return the finder of targets: hexes, kinds of ship, and on the viewer's own sheet the dice and the slots of the fleet."""
    names: dict[object, str] = {place: f"cell:{place}" for place in view["map"]["hexes"]}
    if (sheet := view["sheet"]) is not None:
        names |= {ship: f"ship:{ship}" for ship in SHIPS}
        names |= {slot: f"slot:{slot}" for slot in ROSTER.order}
        if sheet["phase"] == "fleet":
            names |= {die: f"die:{formation_die(die)}" for die in range(len(view["formation"]))}
        else:
            names |= {die["id"]: f"die:{die['id']}" for die in sheet["dice"]}

    def found(command: str, field: str, value: object) -> str | None:
        return names.get(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else None

    return found
