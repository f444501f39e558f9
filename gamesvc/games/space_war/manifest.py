"""What is told of the game before anybody plays it, its options, and the full width of its commands."""

from __future__ import annotations

from typing import Any

from gamesvc.games.kernel import Manifest, Schema
from gamesvc.games.space_war.data import DECKS, ROWS
from gamesvc.games.space_war.decks import DECK
from gamesvc.games.space_war.legal import ORDERS

MANIFEST = Manifest(
    id="space_war",
    title="The Space War",
    designer="Jim Westergren",
    rules_link="https://thespacewar.com/rules",
    version="1.1.1",
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
                "title": "Time-outs in a row that lose the match (0: never)",
                "default": 3,
            },
        },
    },
    summary="Two stations, two fleets, one commander each: play ships, missiles and surprises, and react to everything.",
    credit=(
        "The Space War is a card game by Jim Westergren, all rights reserved by its author. This is an unofficial "
        "implementation without any of its pictures or card texts. Rules and cards: https://thespacewar.com/rules"
    ),
)

_ID: Schema = {"type": "string", "maxLength": 12}
_IDS: Schema = {"type": "array", "items": _ID, "maxItems": 70}
_MODE: Schema = {"type": "integer", "minimum": 1, "maximum": 3}
_X: Schema = {"type": "integer", "minimum": 0, "maximum": 200}
_ROW: Schema = {"enum": list(ROWS)}
_OPTIONS: Schema = {
    "type": "object",
    "properties": {"draw": {"type": ["boolean", "integer"]}, "mill": {"type": "integer"}},
    "additionalProperties": False,
}
_PLAY: dict[str, Schema] = {
    "card": _ID,
    "x": _X,
    "mode": _MODE,
    "targets": _IDS,
    "slots": _IDS,
    "row": _ROW,
    "options": _OPTIONS,
    "n": _X,
}


def _command(required: tuple[str, ...] = (), **properties: Any) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


COMMANDS: dict[str, Schema] = {
    "choose_starter": _command(("seat",), seat={"type": "integer", "minimum": 0, "maximum": 1}),
    "prepare": _command(("cards", "commander"), cards=_IDS, extra_row=_ROW, commander={"type": "string", "maxLength": 40}),
    "let_stand": _command(upto={"type": "integer"}),
    "react": _command(
        ("play",), item={"type": "integer"}, play={"type": "object", "properties": _PLAY, "additionalProperties": False}
    ),
    "pause": _command(),
    "replay": _command(),
    "go_on": _command(),
    "set_orders": _command(("orders",), **ORDERS),
    "choose": _command(("prompt", "picks"), prompt={"type": "integer"}, picks=_IDS),
    "draw": _command(("mill",), mill={"type": "boolean"}),
    "pay_upkeep": _command(("keep",), keep=_IDS),
    "play_card": _command(("card",), **_PLAY),
    "add_station": _command(("card", "row"), card=_ID, row=_ROW),
    "move_station": _command(("slot", "row"), slot=_ID, row=_ROW),
    "use_commander": _command(mode=_MODE, n=_X, slots=_IDS, targets=_IDS, row=_ROW),
    "use_counters": _command(("card", "n"), card=_ID, n=_X),
    "use_anytime": _command(("card",), card=_ID, mode=_MODE, targets=_IDS, slots=_IDS),
    "use_action": _command(("card",), card=_ID, slots=_IDS),
    "end_phase": _command(),
    "discard": _command(("cards",), cards=_IDS),
    "move": _command(("card",), card=_ID),
    "attack": _command(("attacker", "target"), attacker=_ID, target=_ID),
    "attack_station": _command(("attacker",), attacker=_ID, slots=_IDS, shields=_IDS),
    "use_ability": _command(("card",), card=_ID, mode=_MODE, targets=_IDS, slots=_IDS, row=_ROW),
    "collide": _command(("card",), card=_ID, target=_ID, slots=_IDS),
    "end_turn": _command(flip_slots=_IDS),
    "time_out": _command(does={"type": "string", "maxLength": 2000}),
    "resign": _command(),
}
