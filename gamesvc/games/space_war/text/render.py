"""Commands written as orders. `parse` reads everything written here."""

from __future__ import annotations

from collections.abc import Callable

from gamesvc.games.kernel.game import Command
from gamesvc.games.space_war.state import LETTERS
from gamesvc.json_types import JsonMapping

_VERB_OF: dict[str, str] = {
    "play_card": "play",
    "use_anytime": "use",
    "use_action": "action",
    "use_ability": "ability",
    "use_commander": "commander",
}


def render(command: Command) -> str:
    """Return the order that `parse` reads back as this command."""
    write = _WRITERS.get(command["name"], _write_play)
    return write(command)


def _write_play(command: Command) -> str:
    said = str(_VERB_OF.get(command["name"], command["name"]))
    return " ".join([said, *([command["card"]] if "card" in command else []), *_write_tail(command)])


def _write_prepare(command: Command) -> str:
    extra = [command["extra_row"]] if "extra_row" in command else []
    return " ".join(["prepare", *command["cards"], *extra, command["commander"]])


def _write_reaction(command: Command) -> str:
    play = command["play"]
    item = [str(command["item"])] if "item" in command else []
    return " ".join(["react", *item, play.get("card", "commander"), *_write_tail(play)])


def _write_turn_end(command: Command) -> str:
    flips = ["flip", *(command["flip_slots"] or ["none"])] if "flip_slots" in command else []
    return " ".join(["end turn", *flips])


def _write_hit(command: Command) -> str:
    start = f"attack {command['attacker']}" if command["name"] == "attack_station" else f"collide {command['card']}"
    if "target" in command:
        return f"{start} {command['target']}"
    shields = ["shields", *command["shields"]] if "shields" in command else []
    return " ".join([start, "station", *command.get("slots", ()), *shields])


def _write_tail(command: JsonMapping) -> list[str]:
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


def _write_order(order: JsonMapping) -> str:
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


_WRITERS: dict[str, Callable[[Command], str]] = {
    "choose_starter": lambda command: f"start {LETTERS[command['seat']]}",
    "prepare": _write_prepare,
    "let_stand": lambda command: "stand" + (f" {command['upto']}" if "upto" in command else ""),
    "react": _write_reaction,
    "set_orders": _write_orders,
    "choose": lambda command: " ".join(["choose", str(command["prompt"]), *(command["picks"] or ["none"])]),
    "draw": lambda command: "mill" if command["mill"] else "draw",
    "pay_upkeep": lambda command: " ".join(["keep", *(command["keep"] or ["none"])]),
    "discard": lambda command: " ".join(["discard", *(command["cards"] or ["none"])]),
    "add_station": lambda command: f"add {command['card']} {command['row']}",
    "use_counters": lambda command: f"counters {command['card']} {command['n']}",
    "move_station": lambda command: f"shift {command['slot']} {command['row']}",
    "attack": lambda command: f"attack {command['attacker']} {command['target']}",
    "attack_station": _write_hit,
    "collide": _write_hit,
    "end_phase": lambda command: "end phase",
    "end_turn": _write_turn_end,
    "time_out": lambda command: f"timeout {command.get('does', '')}".rstrip(),
    "go_on": lambda command: "go",
}
"""The commands that are written otherwise than as the play of a card."""
