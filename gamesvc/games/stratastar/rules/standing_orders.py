"""Standing orders in the format of commands and views (RULES.md 7): a partial update in, all orders out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from gamesvc.games.stratastar.state import Orders
from gamesvc.json_types import JsonMapping, JsonObject


def updated(orders: Orders, change: JsonMapping) -> JsonObject:
    """Return the fields of the orders after a partial update."""
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


def _listed(value: str | Iterable[str]) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def shown(orders: Orders) -> JsonObject:
    """Return the orders in the format in which players send them."""
    spaces, kinds = list(orders.diplomacy_spaces), list(orders.sabotage_kinds)
    return {
        "when_unable": orders.when_unable,
        "diplomacy": {"mode": orders.diplomacy, "spaces": spaces[0] if spaces in (["any"], ["homeworld"]) else spaces},
        "retreat": {"mode": orders.retreat},
        "sabotage": {"mode": orders.sabotage, "kinds": "all" if kinds == ["all"] else kinds},
        "defend_homeworld": {"mode": orders.defend_homeworld},
        "fight": orders.fight,
        "commit": int(orders.commit) if orders.commit.isdecimal() else orders.commit,
        "offers": orders.offers,
    }


"""The parameter `orders` of `set_orders`. Omitted parts stay unchanged."""
