"""The commands with their parameters in full width."""

from __future__ import annotations

from gamesvc.games.kernel.game import Form, Schema
from gamesvc.games.kernel.telling import StandingOrders
from gamesvc.games.kernel.vocabulary import closed_object
from gamesvc.games.space_war.data import CARDS, COMMANDERS, KINDS, RESPONDERS, ROWS, name_of
from gamesvc.language import mark

ORDER_PARTS: dict[str, Schema] = {
    "when": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "kind": {"enum": list(KINDS)},
            "card": {"enum": [*CARDS, *COMMANDERS], "labels": {card: name_of(card) for card in (*CARDS, *COMMANDERS)}},
            "type": {"enum": ["spaceship", "missile", "duration", "event", "defense"]},
            "min_cost": {"type": "integer", "minimum": 0, "maximum": 50},
            "max_cost": {"type": "integer", "minimum": 0, "maximum": 50},
            "target": {
                "type": "string",
                "minLength": 1,
                "maxLength": 8,
                "pattern": "^[A-Za-z0-9:_-]+$",
                "shape": mark("the id of a card or a station slot, as the view gives it"),
            },
            "hits_station": {"type": "boolean"},
            "any": {"const": True},
        },
    },
    "use": {
        "type": "array",
        "items": {"enum": sorted(RESPONDERS), "labels": {card: name_of(card) for card in sorted(RESPONDERS)}},
        "minItems": 1,
        "maxItems": len(RESPONDERS),
        "uniqueItems": True,
        "ordered": True,
    },
    "times": {"type": "integer", "minimum": 1, "maximum": 99},
    "until": {"enum": ["turn", "cancelled"]},
}


def _order_schema() -> Schema:
    when, times, until = ORDER_PARTS["when"], ORDER_PARTS["times"], ORDER_PARTS["until"]
    plain = {"when": when, "do": {"enum": ["stand", "ask"]}, "times": times, "until": until}
    react = {"when": when, "do": {"const": "react"}, "use": ORDER_PARTS["use"], "times": times, "until": until}
    return {
        "oneOf": [
            {**closed_object(react, ["when", "do", "use"]), "title": mark("React")},
            {**closed_object(plain, ["when", "do"]), "title": mark("Let it stand, or ask me")},
        ]
    }


ORDERS: dict[str, Schema] = {
    "orders": {"type": "array", "items": _order_schema(), "minItems": 0, "maxItems": 12, "ordered": True},
    "flip_preference": {
        "type": "array",
        "title": mark("Rows to flip first while you are away"),
        "items": {"enum": list(ROWS)},
        "minItems": 0,
        "maxItems": 3,
        "uniqueItems": True,
        "ordered": True,
    },
    "draws": {
        "enum": ["draw", "mill"],
        "labels": {"draw": mark("draw"), "mill": mark("mill two of the opponent's cards")},
        "title": mark("The Miller's draws in the opponent's turn"),
    },
}


SET_ORDERS = Form("set_orders", mark("Set standing orders"), ORDERS, ("orders",), aside=True)


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


def _command(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
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


STANDING_ORDERS = StandingOrders(
    "set_orders",
    "orders",
    lambda seen: seen["sides"][seen["you"]]["orders"],
    whole=lambda seen: [seen["sides"][seen["you"]][name] for name in ("orders", "flip_preference", "draws")],
)


WORDS = {
    "choose_starter": mark("Choose who starts"),
    "prepare": mark("Prepare"),
    "let_stand": mark("Let it stand"),
    "react": mark("React"),
    "pause": mark("Ask for reactions"),
    "replay": mark("Repeat"),
    "go_on": mark("Go on"),
    "set_orders": mark("Standing orders"),
    "choose": mark("Choose"),
    "draw": mark("Draw"),
    "pay_upkeep": mark("Keep durations"),
    "play_card": mark("Play a card"),
    "add_station": mark("Add a station card"),
    "move_station": mark("Move a station card"),
    "use_commander": mark("Use the commander"),
    "use_counters": mark("Use counters"),
    "use_anytime": mark("Use a card at any time"),
    "use_action": mark("Use an action"),
    "end_phase": mark("End the phase"),
    "discard": mark("Discard"),
    "move": mark("Move"),
    "attack": mark("Attack"),
    "attack_station": mark("Attack the station"),
    "use_ability": mark("Use an ability"),
    "collide": mark("Collide"),
    "end_turn": mark("End the turn"),
    "time_out": mark("Let the default happen"),
    "resign": mark("Resign"),
}
"""The commands in words, for buttons and headings."""

PROMPTS = {
    "choose_starter": mark("choose who starts"),
    "prepare": mark("prepare the station"),
    "upkeep": mark("pay for durations"),
    "action": mark("play cards"),
    "discard": mark("discard"),
    "attack": mark("attack"),
    "review": mark("answer what was done"),
    "barrier": mark("answer an act"),
    "last_answer": mark("answer the last blow"),
    "draw": mark("draw or mill"),
    "search": mark("choose from the cards found"),
    "sabotage": mark("choose a card of the opponent's hand"),
    "flips": mark("choose station cards to flip"),
    "offer": mark("draw and discard, or not"),
}
"""The task of a seat in words, by the prompt."""

IDLE = {
    "stand": mark("Let everything stand"),
    "draw": mark("Draw a card"),
    "keep none": mark("Keep no durations"),
}
"""Orders that choose nothing, in words."""
