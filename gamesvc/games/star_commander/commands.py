"""The commands with their parameters in full width. `rules.legal` narrows them to what is legal."""

from __future__ import annotations

from gamesvc.games.kernel.forms import in_words
from gamesvc.games.kernel.telling import StandingOrders
from gamesvc.games.star_commander.data import CATALOGS, DOMAINS, WINDOWS
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import mark

ACTIONS = (
    "move_ships",
    "build_ship",
    "build_station",
    "develop",
    "play_technology",
    "trade_draw",
    "trade_discard",
)


AUTO_CARDS = (
    "intercept_orders",
    "evasion",
    "raise_shields",
    "experimental_shields",
    "filibuster",
    "explore_the_unknown",
)


ASKED = {
    "ready_draw": mark("to draw a card"),
    "choice": mark("to choose"),
    "command": mark("to act in the command phase"),
    "window": mark("to respond or pass"),
    "combat_choose": mark("to choose the next combat"),
    "combat_assign": mark("to assign damage"),
    "combat_retreat": mark("to retreat or stay"),
}
"""The end of `a seat is asked ...`, by the kind of the question."""

TEXT: JsonObject = {"type": "string", "minLength": 1, "maxLength": 40}
MOST_NAMED = 90
"""The most cards, vessels or systems that one list of a command names."""
IDS: JsonObject = {"type": "array", "items": TEXT, "maxItems": MOST_NAMED, "uniqueItems": True}
NOTE: JsonObject = {
    "type": "string",
    "deprecated": True,
    "pattern": "(?!)",
    "shape": mark("left out; write promises to the players in a message"),
}
"""A schema that no value fits.

Offers of rules 1.1 had a note; texts by players are now kept outside the log so that they can be erased.
"""
CELL: JsonObject = {"type": "string", "minLength": 3, "maxLength": 3}
FLAG: JsonObject = {"type": "boolean"}
MOST = 9999
"""The largest number that a command can contain."""
COUNT: JsonObject = {"type": "integer", "minimum": 0, "maximum": MOST}
SEAT: JsonObject = {"type": "integer", "minimum": 0, "maximum": 3}
NAMES = tuple(sorted({card for catalog in CATALOGS.values() for card in catalog.playables()}))
"""Every card, of both editions, that can be on the stack or give an ability."""


def shape(required: tuple[str, ...] = (), /, **properties: JsonMapping) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


def changes(**properties: JsonMapping) -> JsonObject:
    """Return the schema of an object with at least one of these properties."""
    return {**shape((), **properties), "minProperties": 1}


def each(value: JsonMapping) -> JsonObject:
    """Return the schema of an object with arbitrary keys."""
    return {"type": "object", "additionalProperties": value}


SIDE = shape(credits=COUNT, hand=IDS, technologies=IDS, vessels=IDS, systems=IDS)
WANTED = shape(credits=COUNT, hand=COUNT, technologies=IDS, vessels=IDS, systems=IDS)
ASKING = {"enum": ["ask", "concerned", "pass"]}
NAMED = {"type": "array", "items": in_words([*ACTIONS, *NAMES]), "maxItems": 12, "uniqueItems": True}
AUTO = shape(
    ("play",),
    play=in_words(AUTO_CARDS),
    on=NAMED,
    by={"oneOf": [{"type": "null"}, SEAT]},
    only_concerned=FLAG,
)
ORDERS = changes(
    commands=ASKING,
    abilities=ASKING,
    actions=ASKING,
    combat=changes(**{window: {"enum": ["ask", "involved", "pass"]} for window in WINDOWS}),
    always_ask=NAMED,
    auto={"type": "array", "items": AUTO, "maxItems": 6, "ordered": True},
    assign=in_words(["ask", "hold_fire", "return_fire"]),
    retreat={"enum": ["ask", "pressed", "stay"]},
    draw={"type": "array", "items": {"enum": list(DOMAINS)}, "maxItems": 3, "uniqueItems": True, "ordered": True},
)
SHOTS: JsonObject = {
    "type": "array",
    "items": shape(("target", "amount"), target=TEXT, amount={"type": "integer", "minimum": 1, "maximum": MOST}),
    "maxItems": 60,
}
MOVES: JsonObject = {
    "type": "array",
    "items": shape(("ship", "to"), ship=TEXT, to=CELL, carried=IDS),
    "maxItems": 60,
}

COMMANDS: dict[str, JsonObject] = {
    "draw_card": shape(("domain",), domain={"enum": list(DOMAINS)}, discard=TEXT),
    "choose": shape(("value",), value=TEXT),
    "move_ships": shape(("ships", "to"), ships={**IDS, "minItems": 1}, to=CELL, carried=each(IDS), explore=FLAG),
    "build_ship": shape(("cell",), card=TEXT, uid=TEXT, cell=CELL),
    "build_station": shape(("cell",), card=TEXT, uid=TEXT, cell=CELL),
    "develop": shape(("cell",), cell=CELL),
    "scrap": shape(("ship",), ship=TEXT),
    "play_technology": shape(("uid",), uid=TEXT),
    "play_command": shape(("uid",), uid=TEXT, targets=each(TEXT), hold=FLAG),
    "activate": shape(("source",), source=TEXT, targets=each(TEXT), x=COUNT, discard=TEXT, explore=FLAG, hold=FLAG),
    "trade_draw": shape(("domain",), domain={"enum": list(DOMAINS)}, discard=TEXT),
    "trade_discard": shape(("uids",), uids={**IDS, "minItems": 2, "maxItems": 2}),
    "offer_trade": shape(("to", "give", "want"), to=SEAT, give=SIDE, want=WANTED, note=NOTE),
    "accept_trade": shape(("offer",), offer=COUNT, hand=IDS),
    "decline_trade": shape(("offer",), offer=COUNT),
    "withdraw_trade": shape(("offer",), offer=COUNT),
    "end_command": shape(),
    "pass": shape((), rest=FLAG),
    "open_combat": shape(("cell",), cell=CELL),
    "end_combat": shape(),
    "assign_damage": shape(("assignments",), assignments=each(SHOTS), more=FLAG, stay=FLAG, **{"pass": FLAG}),
    "retreat": shape(("moves",), moves=MOVES),
    "set_standing_orders": shape(("orders",), orders=ORDERS),
    "resign": shape(),
}


STANDING_ORDERS = StandingOrders("set_standing_orders", "orders", lambda view: view["orders"])


WORDS = {
    "draw_card": mark("Draw a card"),
    "choose": mark("Choose"),
    "move_ships": mark("Move ships"),
    "build_ship": mark("Build a ship"),
    "build_station": mark("Build a station"),
    "develop": mark("Develop a system"),
    "scrap": mark("Scrap a ship"),
    "play_technology": mark("Play a technology"),
    "play_command": mark("Play a card"),
    "activate": mark("Use an ability"),
    "trade_draw": mark("Buy a card"),
    "trade_discard": mark("Sell two cards"),
    "offer_trade": mark("Offer a trade"),
    "accept_trade": mark("Accept the trade"),
    "decline_trade": mark("Decline the trade"),
    "withdraw_trade": mark("Withdraw the offer"),
    "end_command": mark("End the command phase"),
    "pass": mark("Pass"),
    "open_combat": mark("Fight"),
    "end_combat": mark("End the combat phase"),
    "assign_damage": mark("Assign damage"),
    "retreat": mark("Retreat, or stay"),
    "set_standing_orders": mark("Standing orders"),
    "resign": mark("Resign"),
}
"""The commands in words, for buttons and headings."""

PROMPTS = {
    "command": mark("play the command phase"),
    "ready_draw": mark("draw"),
    "choice": mark("choose"),
    "combat_choose": mark("open a combat, or end the phase"),
    "combat_assign": mark("assign damage"),
    "combat_retreat": mark("retreat, or stay"),
    "window": mark("answer, or pass"),
}
"""The task of a seat in words, by the prompt."""

IDLE = {
    "fire nothing": mark("Assign no damage"),
    "stay": mark("Stay"),
}
"""Orders that choose nothing, in words."""
