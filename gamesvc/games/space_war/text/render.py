"""Commands written as orders. `parse` reads everything written here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gamesvc.games.kernel.game import Command
from gamesvc.games.space_war.state import LETTERS

_VERB_OF: dict[str, str] = {
    "play_card": "play",
    "use_anytime": "use",
    "use_action": "action",
    "use_ability": "ability",
    "use_commander": "commander",
}


def render(command: Command) -> str:
    """Return the order that `parse` reads back as this command."""
    name = command["name"]
    if name == "choose_starter":
        return f"start {LETTERS[command['seat']]}"
    if name == "prepare":
        extra = [command["extra_row"]] if "extra_row" in command else []
        return " ".join(["prepare", *command["cards"], *extra, command["commander"]])
    if name == "let_stand":
        return "stand" + (f" {command['upto']}" if "upto" in command else "")
    if name == "react":
        play = command["play"]
        parts = ["react", *([str(command["item"])] if "item" in command else []), play.get("card", "commander")]
        return " ".join([*parts, *_write_tail(play)])
    if name == "set_orders":
        return _write_orders(command)
    if name == "choose":
        return " ".join(["choose", str(command["prompt"]), *(command["picks"] or ["none"])])
    if name == "draw":
        return "mill" if command["mill"] else "draw"
    if name in ("pay_upkeep", "discard"):
        verb, key = ("keep", "keep") if name == "pay_upkeep" else ("discard", "cards")
        return " ".join([verb, *(command[key] or ["none"])])
    if name in ("add_station", "use_counters", "move_station"):
        verb, first, second = {
            "add_station": ("add", "card", "row"),
            "use_counters": ("counters", "card", "n"),
            "move_station": ("shift", "slot", "row"),
        }[name]
        return f"{verb} {command[first]} {command[second]}"
    if name == "attack":
        return f"attack {command['attacker']} {command['target']}"
    if name in ("attack_station", "collide"):
        return _write_hit(command)
    if name == "end_phase":
        return "end phase"
    if name == "end_turn":
        return " ".join(["end turn", *(["flip", *(command["flip_slots"] or ["none"])] if "flip_slots" in command else [])])
    if name == "time_out":
        return f"timeout {command.get('does', '')}".rstrip()
    if name == "go_on":
        return "go"
    said = str(_VERB_OF.get(name, name))
    return " ".join([said, *([command["card"]] if "card" in command else []), *_write_tail(command)])


def _write_hit(command: Command) -> str:
    start = f"attack {command['attacker']}" if command["name"] == "attack_station" else f"collide {command['card']}"
    if "target" in command:
        return f"{start} {command['target']}"
    shields = ["shields", *command["shields"]] if "shields" in command else []
    return " ".join([start, "station", *command.get("slots", ()), *shields])


def _write_tail(command: Mapping[str, Any]) -> list[str]:
    parts: list[str] = []
    for key in ("x", "mode", "n", "row"):
        if key in command:
            parts += [key, str(command[key])]
    for key, field in (("on", "targets"), ("slots", "slots")):
        if field in command:
            parts += [key, *(command[field] or ["none"])]
    for key, value in command.get("options", {}).items():
        parts += [key, {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)]
    return parts


def _write_orders(command: Command) -> str:
    parts = [_write_order(order) for order in command["orders"]] or ["none"]
    if "flip_preference" in command:
        parts.append(" ".join(["flips", *(command["flip_preference"] or ["none"])]))
    if "draws" in command:
        parts.append(f"draws {command['draws']}")
    return "orders " + " | ".join(parts)


def _write_order(order: Mapping[str, Any]) -> str:
    parts = [order["do"]]
    when = order["when"]
    for key in ("kind", "card", "type", "target"):
        if key in when:
            parts += [key, when[key]]
    for key in ("min", "max"):
        if f"{key}_cost" in when:
            parts += [key, str(when[f"{key}_cost"])]
    if "hits_station" in when:
        parts += ["station", "yes" if when["hits_station"] else "no"]
    if "any" in when:
        parts.append("any")
    if "use" in order:
        parts += ["use", *order["use"]]
    for key in ("times", "until"):
        if key in order:
            parts += [key, str(order[key])]
    return " ".join(parts)
