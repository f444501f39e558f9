"""The conditions for movements: moves, gates, jumps, the way home (RULES.md 6 and 10)."""

from __future__ import annotations

from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.stratastar.data.geometry import ADJACENT
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.rules.actions.needs import Plan, need_ability, need_groups, need_space
from gamesvc.games.stratastar.rules.actions.payment import Cost, cost_of
from gamesvc.games.stratastar.state import State
from gamesvc.json_types import JsonObject


def step_cost(state: State, seat: int, start: str, to: str) -> Cost:
    """Return the cost of a step that is not free. Raises `Refused` for an impossible step."""
    kind = facts.chit(state, to)
    if start == to:
        raise Refused("not_adjacent", f"Your fleets are already at {to}.", "to")
    if to not in ADJACENT[start]:
        wormhole = facts.chit(state, start) == "black_hole" and facts.has(state, seat, "wormholes")
        if not (wormhole and kind == "supernova"):
            raise Refused("not_adjacent", f"{to} is not next to {start}; from there: {', '.join(ADJACENT[start])}.", "to")
    if to in state.turn.blocked:
        raise Refused("blocked", f"Diplomacy keeps your fleets out of {to} for this phase.", "to")
    if kind == "nebula":
        if not facts.has(state, seat, "nebulous_navigation"):
            raise Refused("hazard", f"{to} is a Nebula.", "to")
        return cost_of("nebulous_navigation")
    if kind in ("black_hole", "supernova") and not facts.has(state, seat, "wormholes"):
        raise Refused("hazard", f"{to} is a {'Black Hole' if kind == 'black_hole' else 'Supernova'}.", "to")
    return cost_of("move")


def _need_free_move(state: State) -> None:
    if not state.turn.free_move:
        raise Refused("once_per_turn", "You have already used the free move of this turn.", "free")


def _group(state: State, seat: int, command: Command) -> JsonObject:
    need_space(command["from"], "from")
    need_space(command["to"], "to")
    fleets, warfleets = command.get("fleets", 0), command.get("warfleets", 0)
    need_groups(state, seat, command["from"], fleets, warfleets)
    return {"from": command["from"], "to": command["to"], "fleets": fleets, "warfleets": warfleets}


def _free(state: State, command: Command) -> bool:
    if not command.get("free", False):
        return False
    if "pay" in command:
        raise Refused("bad_pay", "Do not pay for a free move.", "pay")
    _need_free_move(state)
    return True


def plan_move(state: State, seat: int, command: Command) -> Plan:
    args = _group(state, seat, command)
    cost = step_cost(state, seat, args["from"], args["to"])
    free = _free(state, command)
    if free and cost != cost_of("move"):
        raise Refused("hazard", f"{args['to']} is a Nebula: entering it costs 2 Move and is never free.", "free")
    return Plan("move", args, () if free else cost, free, args["to"], command.get("then", ""))


def check_gate(state: State, seat: int, start: str, to: str) -> None:
    if not facts.may_gate(state, seat):
        need_ability(state, seat, "stargates")
    gates = state.players[seat].stargates
    for space, parameter in ((start, "from"), (to, "to")):
        if space not in gates:
            owned = ", ".join(gates) or "no space"
            raise Refused("no_target", f"You have no Stargate at {space}; you have them at {owned}.", parameter)
    if start == to:
        raise Refused("not_adjacent", f"Your fleets are already at {to}.", "to")
    if to in state.turn.blocked:
        raise Refused("blocked", f"Diplomacy keeps your fleets out of {to} for this phase.", "to")


def plan_gate(state: State, seat: int, command: Command) -> Plan:
    args = _group(state, seat, command)
    check_gate(state, seat, args["from"], args["to"])
    free = _free(state, command)
    return Plan("gate", args, () if free else cost_of("move"), free, args["to"], command.get("then", ""))


def check_jump(state: State, seat: int, start: str, to: str) -> None:
    need_ability(state, seat, "hyper_jump")
    if start == to:
        raise Refused("not_adjacent", f"Your fleets are already at {to}.", "to")
    if to in state.chart.unknown:
        raise Refused("no_target", f"{to} is unknown; a jump needs a known space.", "to")
    if facts.is_hazard(state, to):
        raise Refused("hazard", f"{to} is a hazard.", "to")
    if to in state.turn.blocked:
        raise Refused("blocked", f"Diplomacy keeps your fleets out of {to} for this phase.", "to")


def plan_hyper_jump(state: State, seat: int, command: Command) -> Plan:
    need_ability(state, seat, "hyper_jump")
    args = _group(state, seat, command)
    check_jump(state, seat, args["from"], args["to"])
    return Plan("hyper_jump", args, cost_of("hyper_jump"), enters=args["to"], then=command.get("then", ""))


def check_defend(state: State, seat: int) -> None:
    """Raise `Refused` unless fleets may go home now: in the seat's own movement phase or in an after-window."""
    need_ability(state, seat, "defend_homeworld")
    home = state.players[seat].home
    if seat == state.turn.active and home in state.turn.blocked:
        raise Refused("blocked", f"Diplomacy keeps your fleets out of {home} for this phase.")


def defenders(state: State, seat: int) -> list[str]:
    """Return the spaces from which fleets can go home."""
    player = state.players[seat]
    return [space for space in facts.fleet_spaces(player) if space != player.home]


def plan_defend_homeworld(state: State, seat: int, command: Command) -> Plan:
    check_defend(state, seat)
    home, seen = state.players[seat].home, set()
    groups = []
    for at, group in enumerate(command["groups"]):
        start = need_space(group["from"], f"groups.{at}.from")
        if start == home or start in seen:
            raise Refused("no_units", f"{start} cannot be named here (once each, and not the Homeworld).", f"groups.{at}.from")
        seen.add(start)
        need_groups(state, seat, start, group["fleets"], group["warfleets"], f"groups.{at}")
        groups.append({"from": start, "fleets": group["fleets"], "warfleets": group["warfleets"]})
    if not groups:
        raise Refused("no_units", "Name at least one group.", "groups")
    enters = home if seat == state.turn.active else None
    return Plan("defend_homeworld", {"to": home, "groups": groups}, cost_of("defend_homeworld"), enters=enters)
