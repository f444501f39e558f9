"""The manifest of the game, its options, and the full width of its commands."""

from __future__ import annotations

from gamesvc.games.kernel.game import Manifest
from gamesvc.games.space_war.data import DECKS
from gamesvc.games.space_war.data.decks import DECK
from gamesvc.language import mark

MANIFEST = Manifest(
    id="space_war",
    title="The Space War",
    designer="Jim Westergren",
    rules_link="https://thespacewar.com/rules",
    version="1.2.5",
    min_seats=2,
    max_seats=2,
    options={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "decks": {
                "type": "array",
                "title": "Decks of the two seats",
                "description": f"A preset ({', '.join(DECKS)}), or a deck list of 50 to 70 cards, one card a line: 3 Luck.",
                "items": {"type": "string", "minLength": 1, "maxLength": 4000, "examples": [*DECKS, DECK]},
                "minItems": 2,
                "maxItems": 2,
                "default": ["terrans", "swarm"],
            },
            "commander_pool": {
                "enum": ["faction", "any"],
                "title": "Commanders to choose from",
                "labels": {"faction": "those of the deck's faction", "any": "all"},
                "default": "faction",
            },
            "starter": {
                "enum": ["chosen", "random"],
                "title": "Who starts",
                "labels": {"chosen": "a seat drawn by lot chooses", "random": "drawn by lot"},
                "default": "chosen",
            },
            "reaction_points": {
                "enum": ["all", "plays_only"],
                "title": "Moments to react to",
                "labels": {"all": "plays, attacks and the ends of phases", "plays_only": "plays and attacks only"},
                "default": "all",
            },
            "max_timeouts": {
                "type": "integer",
                "minimum": 0,
                "maximum": 20,
                "title": "Timeouts in a row that lose the match (0: never)",
                "default": 3,
            },
        },
    },
    summary=mark("Two stations, two fleets, one commander each: play ships, missiles and surprises, and react to everything."),
    credit=mark(
        "The Space War is a card game by Jim Westergren, all rights reserved by its author. This is an unofficial "
        "implementation without any of its pictures or card texts. Rules and cards: https://thespacewar.com/rules"
    ),
)
