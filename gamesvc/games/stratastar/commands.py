"""The commands of the game with their parameters in full width (RULES.md 11): the shape check before `decide`."""

from __future__ import annotations

from gamesvc.games.kernel.forms import in_words
from gamesvc.games.kernel.telling import StandingOrders
from gamesvc.games.stratastar.data import ABILITIES, CARDS, CORNERS, FLEETS, RETOOL_MAX
from gamesvc.games.stratastar.data.geometry import SPACES
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import mark

OWN_TIME = ("trade", "build", "movement", "battle")


PHASES: dict[str, tuple[str, ...]] = {
    "external_trade": ("trade",),
    "internal_trade": ("trade",),
    "basic_research": ("trade",),
    "build_fleet": ("build",),
    "build_warfleet": ("build",),
    "colonize": ("build",),
    "build_stargate": ("build",),
    "terraform": ("build",),
    "allied_minor_race": ("build",),
    "breakthrough": ("build",),
    "move": ("movement",),
    "gate": ("movement",),
    "hyper_jump": ("movement",),
    "defend_homeworld": ("movement",),
    "scout": OWN_TIME,
    "disaster": OWN_TIME,
    "planning": OWN_TIME,
    "border_raids": OWN_TIME,
    "treason": OWN_TIME,
    "piracy": OWN_TIME,
    "treaty": OWN_TIME,
}


MOST_COMMITTED = 40


SABOTAGE_KINDS = (*PHASES, "diplomacy_block", "retreat", "move_onto_me")


def _section(**properties: JsonMapping) -> JsonObject:
    return {"type": "object", "properties": properties, "additionalProperties": False}


_MODE = {"enum": ["never", "ask", "auto"]}


SCHEMA: JsonObject = {
    "type": "object",
    "title": mark("Standing orders"),
    "properties": {
        "when_unable": {"enum": ["ask", "pass"], "title": mark("When your cards are not enough")},
        "diplomacy": _section(
            mode=_MODE,
            spaces={
                "oneOf": [
                    {"enum": ["any", "homeworld"], "title": mark("Anywhere, or the Homeworld")},
                    {
                        "type": "array",
                        "items": {"enum": list(SPACES)},
                        "uniqueItems": True,
                        "maxItems": 20,
                        "title": mark("These spaces"),
                    },
                ]
            },
        ),
        "retreat": _section(mode=_MODE),
        "sabotage": _section(
            mode={"enum": ["never", "ask"]},
            kinds={
                "oneOf": [
                    {"enum": ["all"], "title": mark("All actions")},
                    {
                        "type": "array",
                        "items": in_words(SABOTAGE_KINDS),
                        "uniqueItems": True,
                        "maxItems": 30,
                        "title": mark("These actions"),
                    },
                ]
            },
        ),
        "defend_homeworld": _section(mode=_MODE),
        "fight": {"enum": ["peace", "ask", "fight"]},
        "commit": {
            "oneOf": [
                {"enum": ["ask", "none", "all"], "title": mark("Ask, none or all")},
                {"type": "integer", "minimum": 0, "maximum": MOST_COMMITTED, "title": mark("A number of cards")},
            ]
        },
        "offers": {"enum": ["ask", "reject"]},
    },
    "additionalProperties": False,
}


SPACE: JsonObject = {"enum": list(SPACES)}
CARD_LIST: JsonObject = {"type": "array", "items": {"enum": list(CARDS)}, "maxItems": 85}
SEAT: JsonObject = {"type": "integer", "minimum": 0, "maximum": 3}
COUNT: JsonObject = {"type": "integer", "minimum": 0, "maximum": FLEETS}
MOST_OFFERED = 20
COUNTS: JsonObject = {
    "type": "object",
    "properties": {card: {"type": "integer", "minimum": 0, "maximum": MOST_OFFERED} for card in CARDS},
    "additionalProperties": False,
}
PIECES = ("fleet", "warfleet", "colony", "stargate")
BOOLEAN: JsonObject = {"type": "boolean"}
OFFER_ID: JsonObject = {"type": "integer", "minimum": 0, "maximum": 10**9}


def _group(place: str) -> JsonObject:
    return {
        "type": "object",
        "properties": {place: SPACE, "fleets": COUNT, "warfleets": COUNT},
        "required": [place, "fleets", "warfleets"],
        "additionalProperties": False,
    }


GROUPS: JsonObject = {"type": "array", "items": _group("from"), "maxItems": FLEETS}
DISBAND: JsonObject = {"type": "array", "items": _group("space"), "maxItems": FLEETS}
BUILDS: JsonObject = {
    "oneOf": [CARD_LIST, {"type": "integer", "minimum": 0, "maximum": 85}],
}


def _command(required: JsonObject | None = None, optional: JsonObject | None = None) -> JsonObject:
    required, optional = required or {}, optional or {}
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


_PAY = {"pay": CARD_LIST}
_STEP = {"from": SPACE, "to": SPACE}
_GROUP = {"fleets": COUNT, "warfleets": COUNT}
_THEN = {"then": {"enum": ["battle", "end_turn"]}}
_AIM = {"seat": SEAT, "piece": {"enum": list(PIECES)}, "space": SPACE}

COMMANDS: dict[str, JsonObject] = {
    "place_homeworld": _command({"corner": {"enum": list(CORNERS)}}),
    "pick_ability": _command({"ability": {"enum": list(ABILITIES)}}),
    "retool": _command({"cards": {**CARD_LIST, "maxItems": RETOOL_MAX}}),
    "external_trade": _command({"target": SEAT}, _PAY),
    "internal_trade": _command({"others": CARD_LIST}, _PAY),
    "basic_research": _command(),
    "offer_trade": _command(
        {"to": {"oneOf": [SEAT, {"type": "null"}]}, "give": COUNTS, "want": COUNTS}, {"keep": BOOLEAN, "wait": BOOLEAN}
    ),
    "accept_offer": _command({"offer": OFFER_ID}),
    "reject_offer": _command({"offer": OFFER_ID}),
    "withdraw_offer": _command({"offer": OFFER_ID}),
    "support": _command({"builds": BUILDS}, {"disband": DISBAND}),
    "build_fleet": _command({}, {"space": SPACE, **_PAY}),
    "build_warfleet": _command({}, _PAY),
    "colonize": _command({"space": SPACE}, _PAY),
    "build_stargate": _command({"space": SPACE}, _PAY),
    "terraform": _command({"space": SPACE}, _PAY),
    "allied_minor_race": _command({"space": SPACE}, _PAY),
    "breakthrough": _command({}, _PAY),
    "move": _command(_STEP, {**_GROUP, "free": BOOLEAN, **_THEN, **_PAY}),
    "gate": _command(_STEP, {**_GROUP, "free": BOOLEAN, **_THEN, **_PAY}),
    "hyper_jump": _command(_STEP, {**_GROUP, **_THEN, **_PAY}),
    "defend_homeworld": _command({"groups": GROUPS}, _PAY),
    "scout": _command(_STEP, _PAY),
    "planning": _command({}, _PAY),
    "piracy": _command({"target": SEAT}, _PAY),
    "treaty": _command({"target": SEAT}, _PAY),
    "treason": _command(_AIM, _PAY),
    "disaster": _command(_AIM, _PAY),
    "border_raids": _command({"seat": SEAT, "space": SPACE}, _PAY),
    "sabotage": _command({}, _PAY),
    "diplomacy_block": _command({}, _PAY),
    "retreat": _command({"to": SPACE}, {**_GROUP, **_PAY}),
    "pass": _command(),
    "declare_battle": _command({"space": SPACE}),
    "call_battle": _command({"space": SPACE}),
    "commit_attack": _command({"cards": CARD_LIST}),
    "spy": _command({"target": {"oneOf": [SEAT, {"enum": ["deck"]}]}}, _PAY),
    "set_orders": _command({"orders": SCHEMA}),
    "end_phase": _command(),
    "go_to_movement": _command(),
    "end_turn": _command(),
    "resign": _command(),
}


STANDING_ORDERS = StandingOrders("set_orders", "orders", lambda view: view["orders"])


WORDS = {
    "place_homeworld": mark("Place the Homeworld"),
    "pick_ability": mark("Pick an ability"),
    "retool": mark("Draw cards"),
    "external_trade": mark("External trade"),
    "internal_trade": mark("Internal trade"),
    "basic_research": mark("Basic research"),
    "offer_trade": mark("Offer cards"),
    "accept_offer": mark("Accept an offer"),
    "reject_offer": mark("Reject an offer"),
    "withdraw_offer": mark("Withdraw an offer"),
    "support": mark("Support the fleets"),
    "build_fleet": mark("Build a Fleet"),
    "build_warfleet": mark("Build a Warfleet"),
    "colonize": mark("Colonize"),
    "build_stargate": mark("Build a Stargate"),
    "terraform": mark("Terraform"),
    "allied_minor_race": mark("Ally with a minor race"),
    "breakthrough": mark("Breakthrough"),
    "move": mark("Move"),
    "gate": mark("Go through the Stargate"),
    "hyper_jump": mark("Hyper jump"),
    "defend_homeworld": mark("Defend the Homeworld"),
    "scout": mark("Scout"),
    "planning": mark("Planning"),
    "piracy": mark("Piracy"),
    "treaty": mark("Make a treaty"),
    "treason": mark("Treason"),
    "disaster": mark("Disaster"),
    "border_raids": mark("Raid a colony"),
    "sabotage": mark("Sabotage"),
    "diplomacy_block": mark("Block by diplomacy"),
    "retreat": mark("Retreat"),
    "pass": mark("Pass"),
    "declare_battle": mark("Start a battle"),
    "call_battle": mark("Call a battle"),
    "commit_attack": mark("Commit cards"),
    "spy": mark("Spy"),
    "set_orders": mark("Standing orders"),
    "end_phase": mark("End the phase"),
    "go_to_movement": mark("Go to movement"),
    "end_turn": mark("End the turn"),
    "resign": mark("Resign"),
}
"""The commands in words, for buttons and headings."""

PROMPTS = {
    "homeworld": mark("place a Homeworld"),
    "retool": mark("discard and draw"),
    "trade": mark("trade"),
    "build": mark("build"),
    "movement": mark("move"),
    "support": mark("support the battle"),
    "battle": mark("fight"),
    "window": mark("answer an action"),
    "battle_call": mark("call a battle, or not"),
    "commit": mark("commit cards"),
    "trade_reply": mark("answer an offer"),
    "pick_ability": mark("choose an ability"),
}
"""The task of a seat in words, by the prompt."""

IDLE = {
    "retool none": mark("Discard nothing and draw"),
    "commit none": mark("Commit no cards"),
}
"""Orders that choose nothing, in words."""
