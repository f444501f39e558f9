"""The manifest of the game, the shapes of its commands, and the check of its options."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data, Manifest, Refused
from gamesvc.games.space_fleet_commander.data import BOARDS, HERE, STANDARD
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say

OPTIONS: JsonObject = {
    "type": "object",
    "properties": {
        "mode": {
            "title": "Mode",
            "description": "Classic: alone, 70 stars win. High score: alone, no limit. Race: 2 to 6 sheets with the same dice.",
            "enum": ["classic", "high_score", "race"],
            "labels": {"classic": "Classic", "high_score": "High score", "race": "Race"},
            "default": "classic",
            "default_by_seats": {str(seats): "race" for seats in range(2, 7)},
        },
        "map": {
            "title": "Map",
            "enum": list(BOARDS),
            "labels": {board.id: board.name for board in BOARDS.values()},
            "default": STANDARD,
        },
        "planetfall": {
            "title": "Planetfall",
            "description": "How many dice must show 3 for a planetfall.",
            "enum": ["three", "strict"],
            "labels": {"three": "three dice show 3", "strict": "every usable die shows 3"},
            "default": "three",
        },
        "lockstep": {
            "title": "Lockstep",
            "description": "Race only: all unfinished sheets end a turn before any starts the next.",
            "type": "boolean",
            "default": False,
        },
    },
    "additionalProperties": False,
}

MANIFEST = Manifest(
    id="space_fleet_commander",
    title="Space Fleet Commander",
    designer="Mike Heim",
    rules_link="",
    version="1.0.0",
    min_seats=1,
    max_seats=6,
    options=OPTIONS,
    summary=mark("Form a fleet, roll and reroll its dice, and explore a hex map for stars before time or ships run out."),
    credit=mark("Space Fleet Commander, designed by Mike Heim, edited by Marc Pavone. Unofficial implementation."),
)


def check_options(options: Data, seats: int) -> None:
    """Raise `Refused` unless the options fit: a race has 2 to 6 seats, other modes one; lockstep is for races."""
    if options["mode"] == "race" and seats < 2:
        raise Refused(
            "bad_seats",
            say("A race is for 2 to 6 seats, not {seats}. Alone, choose the mode classic or high_score.", seats=seats),
            "seats",
        )
    if options["mode"] != "race" and seats != 1:
        raise Refused(
            "bad_seats",
            say(
                "The mode {mode} is for 1 seat, not {seats}. For more seats choose the mode race.",
                mode=options["mode"],
                seats=seats,
            ),
            "seats",
        )
    if options["lockstep"] and options["mode"] != "race":
        raise Refused("bad_options", say("lockstep is for the mode race only. Leave it out."), "options.lockstep")


def rules_help() -> str:
    """Return our own summary of the rules as Markdown."""
    return (HERE.parent / "text" / "help.md").read_text(encoding="utf-8")
