"""Orders as text: writing. `parse.parse` reads back everything written here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gamesvc.games.kernel.game import Command
from gamesvc.games.star_commander.text.reading import NOTE
from gamesvc.json_types import JsonMapping


def _flags(command: Command, *names: str) -> str:
    return "".join(f" {'' if command[name] else 'no-'}{name}" for name in names if name in command)


def _aims(command: Command) -> str:
    return "".join(f" {name}={value}" for name, value in command.get("targets", {}).items())


def _give(side: JsonMapping) -> str:
    return "".join(f" {name}={value if isinstance(value, int) else '+'.join(value) or 'none'}" for name, value in side.items())


def _render_move(command: Command) -> str:
    carried = "".join(f" carry {carrier}={'+'.join(cargo) or 'none'}" for carrier, cargo in command.get("carried", {}).items())
    if command.get("carried") == {}:
        carried = " carry none"
    return f"move {' '.join(command['ships'])} to {command['to']}{carried}{_flags(command, 'explore')}"


def _render_build(command: Command) -> str:
    kind = command["name"].removeprefix("build_")
    return f"build {kind} {command.get('card') or command['uid']} {command['cell']}"


def _render_fire(command: Command) -> str:
    parts = []
    for at, shots in command["assignments"].items():
        parts += [f"{at}>{shot['target']}={shot['amount']}" for shot in shots] or [f"{at}>none"]
    return f"fire {' '.join(parts) or 'nothing'}{_flags(command, 'more', 'pass', 'stay')}"


def _render_retreat(command: Command) -> str:
    parts = [
        f"{move['ship']}>{move['to']}" + (f"+{'+'.join(move['carried'])}" if "carried" in move else "")
        for move in command["moves"]
    ]
    return f"retreat {' '.join(parts)}" if parts else "stay"


def _render_auto(auto: JsonMapping) -> str:
    text = f" auto={auto['play']}"
    if "on" in auto:
        text += f"/on:{'+'.join(auto['on'])}"
    if "by" in auto:
        text += f"/by:{'any' if auto['by'] is None else auto['by']}"
    if "only_concerned" in auto:
        text += "/concerned" if auto["only_concerned"] else "/unconcerned"
    return text


def _render_orders(command: Command) -> str:
    text = "orders"
    for name, value in command["orders"].items():
        if name == "combat":
            text += "".join(f" {window}={word}" for window, word in value.items())
        elif name == "auto":
            text += "".join(_render_auto(auto) for auto in value) or " auto=none"
        else:
            text += f" {name}={value if isinstance(value, str) else '+'.join(value) or 'none'}"
    return text


def _with_discard(verb: str) -> Callable[[Command], str]:
    return lambda command: f"{verb} {command['domain']}" + (f" discard={command['discard']}" if "discard" in command else "")


def _render_use(command: Command) -> str:
    extra = "".join(f" {name}={command[name]}" for name in ("x", "discard") if name in command)
    return f"use {command['source']}{_aims(command)}{extra}{_flags(command, 'explore', 'hold')}"


def _render_offer(command: Command) -> str:
    note = f" {NOTE} {command['note']}" if "note" in command else ""
    return f"offer {command['to']} give{_give(command['give'])} want{_give(command['want'])}{note}"


def _render_accept(command: Command) -> str:
    hand = " " + (" ".join(command["hand"]) or "nothing") if "hand" in command else ""
    return f"accept {command['offer']}{hand}"


_WRITERS: Mapping[str, Callable[[Command], str]] = {
    "draw_card": _with_discard("draw"),
    "choose": lambda command: f"choose {command['value']}",
    "move_ships": _render_move,
    "build_ship": _render_build,
    "build_station": _render_build,
    "develop": lambda command: f"develop {command['cell']}",
    "scrap": lambda command: f"scrap {command['ship']}",
    "play_technology": lambda command: f"tech {command['uid']}",
    "play_command": lambda command: f"play {command['uid']}{_aims(command)}{_flags(command, 'hold')}",
    "activate": _render_use,
    "trade_draw": _with_discard("buy"),
    "trade_discard": lambda command: f"sell {' '.join(command['uids'])}",
    "offer_trade": _render_offer,
    "accept_trade": _render_accept,
    "decline_trade": lambda command: f"decline {command['offer']}",
    "withdraw_trade": lambda command: f"withdraw {command['offer']}",
    "end_command": lambda command: "end command",
    "end_combat": lambda command: "end combat",
    "pass": lambda command: f"pass{_flags(command, 'rest')}",
    "open_combat": lambda command: f"fight {command['cell']}",
    "assign_damage": _render_fire,
    "retreat": _render_retreat,
    "set_standing_orders": _render_orders,
    "resign": lambda command: "resign",
}


def render(command: Command) -> str:
    return _WRITERS[command["name"]](command)
