"""Standing orders as they are sent and shown (RULES.md 7): a partial update in, the whole out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from gamesvc.games.stratastar.board import SPACES
from gamesvc.games.stratastar.needs import PHASES
from gamesvc.games.stratastar.state import Orders

MOST_COMMITTED = 40
SABOTAGE_KINDS = (*PHASES, "diplomacy_block", "retreat", "move_onto_me")


def updated(orders: Orders, change: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of the orders after a partial update."""
    fields = asdict(orders)
    for key, value in change.items():
        if key == "diplomacy":
            fields["diplomacy"] = value.get("mode", fields["diplomacy"])
            fields["diplomacy_spaces"] = _listed(value.get("spaces", fields["diplomacy_spaces"]))
        elif key == "sabotage":
            fields["sabotage"] = value.get("mode", fields["sabotage"])
            fields["sabotage_kinds"] = _listed(value.get("kinds", fields["sabotage_kinds"]))
        elif key in ("retreat", "defend_homeworld"):
            fields[key] = value.get("mode", fields[key])
        elif key == "commit":
            fields["commit"] = str(value)
        else:
            fields[key] = value
    return fields


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def shown(orders: Orders) -> dict[str, Any]:
    """The orders in the shape in which they are sent."""
    spaces, kinds = list(orders.diplomacy_spaces), list(orders.sabotage_kinds)
    return {
        "when_unable": orders.when_unable,
        "diplomacy": {"mode": orders.diplomacy, "spaces": spaces[0] if spaces in (["any"], ["homeworld"]) else spaces},
        "retreat": {"mode": orders.retreat},
        "sabotage": {"mode": orders.sabotage, "kinds": "all" if kinds == ["all"] else kinds},
        "defend_homeworld": {"mode": orders.defend_homeworld},
        "fight": orders.fight,
        "commit": int(orders.commit) if orders.commit.isdigit() else orders.commit,
        "offers": orders.offers,
    }


def _section(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


_MODE = {"enum": ["never", "ask", "auto"]}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "title": "Standing orders",
    "properties": {
        "when_unable": {"enum": ["ask", "pass"], "title": "When your cards do not suffice"},
        "diplomacy": _section(
            mode=_MODE,
            spaces={
                "oneOf": [
                    {"enum": ["any", "homeworld"]},
                    {"type": "array", "items": {"enum": list(SPACES)}, "uniqueItems": True, "maxItems": 20},
                ]
            },
        ),
        "retreat": _section(mode=_MODE),
        "sabotage": _section(
            mode={"enum": ["never", "ask"]},
            kinds={
                "oneOf": [
                    {"enum": ["all"]},
                    {"type": "array", "items": {"enum": list(SABOTAGE_KINDS)}, "uniqueItems": True, "maxItems": 30},
                ]
            },
        ),
        "defend_homeworld": _section(mode=_MODE),
        "fight": {"enum": ["peace", "ask", "fight"]},
        "commit": {"oneOf": [{"enum": ["ask", "none", "all"]}, {"type": "integer", "minimum": 0, "maximum": MOST_COMMITTED}]},
        "offers": {"enum": ["ask", "reject"]},
    },
    "additionalProperties": False,
}
"""The parameter `orders` of `set_orders`; any part may be left out and stays as it is."""
