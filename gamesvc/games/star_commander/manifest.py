"""The options of a match (RULES.md 2) and the manifest."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data, Manifest, Refused
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say

OPTIONS: JsonObject = {
    "type": "object",
    "properties": {
        "edition": {
            "title": "Edition",
            "enum": ["classic", "revised"],
            "default": "revised",
            "labels": {"classic": "Classic (October 2022)", "revised": "Revised (November 2022)"},
        },
        "grid": {
            "title": "Grid",
            "enum": [0, 3, 4, 5],
            "default": 0,
            "labels": {"0": "By seats: 3 for two, 4 for three, 5 for four", "3": "3 x 3", "4": "4 x 4", "5": "5 x 5"},
        },
        "trade": {"title": "Trade between players", "type": "boolean", "default": True},
        "lethal": {
            "title": "Damage that destroys (classic only)",
            "enum": ["at_least", "more_than"],
            "default": "at_least",
            "labels": {"at_least": "as much as the hit points, or more", "more_than": "more than the hit points"},
        },
        "turn_limit": {"title": "Turn limit (0: none)", "type": "integer", "minimum": 0, "maximum": 500, "default": 0},
    },
    "required": [],
    "additionalProperties": False,
}

MANIFEST = Manifest(
    id="star_commander",
    title="Star Commander",
    designer="Lindsay Wardell",
    rules_link="https://rules.starcomgame.com",
    version="1.3.2",
    min_seats=2,
    max_seats=4,
    options=OPTIONS,
    summary=mark("Explore a diamond of systems, develop them, build fleets, and answer each other's cards."),
    credit=mark("Star Commander was designed by Lindsay Wardell. This is an unofficial implementation with texts of our own."),
)


def options_of(options: Data, seats: int) -> int:
    """Return the number of cells along a side of the grid."""
    return int(options["grid"]) or seats + 1


def check_options(options: Data, seats: int) -> None:
    if options["edition"] == "revised" and options["lethal"] != "at_least":
        raise Refused("bad_options", say("lethal = more_than is an option of the classic edition only."), "options.lethal")
