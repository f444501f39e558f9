"""The manifest of the game: credit, seats, options (RULES.md 2)."""

from __future__ import annotations

from gamesvc.games.kernel.game import Manifest
from gamesvc.games.stratastar.data import ABILITIES, ABILITY_NAMES
from gamesvc.json_types import JsonObject
from gamesvc.language import mark

_ABILITY_LIST: JsonObject = {
    "type": "array",
    "items": {"enum": list(ABILITIES), "labels": dict(ABILITY_NAMES)},
    "uniqueItems": True,
}


def _flag(title: str, default: bool) -> JsonObject:
    return {"type": "boolean", "default": default, "title": title}


OPTIONS: JsonObject = {
    "type": "object",
    "properties": {
        "starting_fleets": {"enum": [2, 4], "default": 2, "title": "Fleets at the start"},
        "homeworld_choice": {
            "enum": ["choose", "random"],
            "labels": {"choose": "players choose a corner", "random": "drawn"},
            "default": "choose",
            "title": "Homeworlds",
        },
        "free_trade": _flag("Players may trade cards with each other", True),
        "spying": _flag("Spying", True),
        "diplomacy": _flag("Diplomacy can stop a movement", True),
        "retreat": _flag("Fleets can retreat", True),
        "disaster": _flag("Disasters", True),
        "breakthrough": _flag("Breakthrough technology", False),
        "uneven_start": {
            "enum": ["off", "deal", "draft"],
            "labels": {"off": "nobody", "deal": "one ability each, dealt", "draft": "one ability each, picked in turn"},
            "default": "off",
            "title": "Abilities at the start",
        },
        "abilities_all": {**_ABILITY_LIST, "default": [], "title": "Abilities for all players"},
        "abilities_by_seat": {
            "type": "object",
            "additionalProperties": _ABILITY_LIST,
            "default": {},
            "examples": [{"0": ["planning"]}, {"0": ["sabotage", "treaty"], "1": ["wormholes", "border_raids"]}],
            "title": "Abilities of single seats (seat number: abilities)",
        },
        "exploration": _flag("Exploration: the map is unknown at first", False),
        "to_the_death": _flag("To the death: the last empire wins", False),
        "low_technology": _flag("Low technology: no Stargates", False),
        "power_cards": _flag("Power cards worth two", False),
        "pace": {
            "enum": ["fast", "secret"],
            "labels": {"fast": "only those who can do something", "secret": "also those who can only pass"},
            "default": "fast",
            "title": "Who is asked about a reaction or a battle",
            "description": "To ask only some saves time, but the others may learn from it which cards a player lacks. "
            "If everyone is asked, a pause tells nothing. Players can change this for themselves.",
            "told": True,
        },
        "max_rounds": {
            "type": "integer",
            "minimum": 0,
            "maximum": 500,
            "default": 0,
            "title": "Rounds until the match ends on points (0: no limit)",
        },
    },
    "additionalProperties": False,
}

MANIFEST = Manifest(
    id="stratastar",
    title="Stratastar",
    designer="Warp Spawn Games",
    rules_link="",
    version="1.3.2",
    min_seats=2,
    max_seats=4,
    options=OPTIONS,
    summary=mark("Build, trade and fight for twelve worlds, or take an enemy Homeworld. Two to four empires on a 10 x 10 map."),
    credit=mark("Stratastar was published by Warp Spawn Games; counters by David Ashton. This is an unofficial implementation."),
)
