"""The conditions for movements: moves, gates, jumps, the way home (RULES.md 6 and 10)."""

from __future__ import annotations

from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.stratastar.data.geometry import ADJACENT
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.rules.actions.needs import Plan, need_ability, need_groups, need_space
from gamesvc.games.stratastar.rules.actions.payment import Cost, cost_of
from gamesvc.games.stratastar.state import State
from gamesvc.json_types import JsonObject
from gamesvc.language import say


def step_cost(state: State, seat: int, start: str, to: str) -> Cost:
    """Return the cost of a step that is not free. Raises `Refused` for an impossible step."""
    kind = facts.chit(state, to)
    if start == to:
        raise Refused("not_adjacent", say("Your fleets are already at {to}.", to=to), "to")
    if to not in ADJACENT[start]:
        wormhole = facts.chit(state, start) == "black_hole" and facts.has(state, seat, "wormholes")
        if not (wormhole and kind == "supernova"):
            raise Refused(
                "not_adjacent",
                say("{to} is not next to {start}; from there: {near}.", to=to, start=start, near=", ".join(ADJACENT[start])),
                "to",
            )
    if to in state.turn.blocked:
        raise Refused("blocked", say("Diplomacy keeps your fleets out of {to} for this phase.", to=to), "to")
    if kind == "nebula":
        if not facts.has(state, seat, "nebulous_navigation"):
            raise Refused("hazard", say("{to} is a Nebula.", to=to), "to")
        return cost_of("nebulous_navigation")
    if kind in ("black_hole", "supernova") and not facts.has(state, seat, "wormholes"):
        hazard = say("{to} is a Black Hole.", to=to) if kind == "black_hole" else say("{to} is a Supernova.", to=to)
        raise Refused("hazard", hazard, "to")
    return cost_of("move")


def _need_free_move(state: State) -> None:
    if not state.turn.free_move:
        raise Refused("once_per_turn", say("You have already used the free move of this turn."), "free")


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
        raise Refused("bad_pay", say("Do not pay for a free move."), "pay")
    _need_free_move(state)
    return True


def plan_move(state: State, seat: int, command: Command) -> Plan:
    args = _group(state, seat, command)
    cost = step_cost(state, seat, args["from"], args["to"])
    free = _free(state, command)
    if free and cost != cost_of("move"):
        raise Refused("hazard", say("{to} is a Nebula: entering it costs 2 Move and is never free.", to=args["to"]), "free")
    return Plan("move", args, () if free else cost, free, args["to"], command.get("then", ""))


def check_gate(state: State, seat: int, start: str, to: str) -> None:
    if not facts.may_gate(state, seat):
        need_ability(state, seat, "stargates")
    gates = state.players[seat].stargates
    for space, parameter in ((start, "from"), (to, "to")):
        if space not in gates:
            owned = ", ".join(gates) or say("no space")
            raise Refused(
                "no_target",
                say("You have no Stargate at {space}; you have them at {owned}.", space=space, owned=owned),
                parameter,
            )
    if start == to:
        raise Refused("not_adjacent", say("Your fleets are already at {to}.", to=to), "to")
    if to in state.turn.blocked:
        raise Refused("blocked", say("Diplomacy keeps your fleets out of {to} for this phase.", to=to), "to")


def plan_gate(state: State, seat: int, command: Command) -> Plan:
    args = _group(state, seat, command)
    check_gate(state, seat, args["from"], args["to"])
    free = _free(state, command)
    return Plan("gate", args, () if free else cost_of("move"), free, args["to"], command.get("then", ""))


def check_jump(state: State, seat: int, start: str, to: str) -> None:
    need_ability(state, seat, "hyper_jump")
    if start == to:
        raise Refused("not_adjacent", say("Your fleets are already at {to}.", to=to), "to")
    if to in state.chart.unknown:
        raise Refused("no_target", say("{to} is unknown; a jump needs a known space.", to=to), "to")
    if facts.is_hazard(state, to):
        raise Refused("hazard", say("{to} is a hazard.", to=to), "to")
    if to in state.turn.blocked:
        raise Refused("blocked", say("Diplomacy keeps your fleets out of {to} for this phase.", to=to), "to")


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
        raise Refused("blocked", say("Diplomacy keeps your fleets out of {home} for this phase.", home=home))


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
            raise Refused(
                "no_units",
                say("{start} cannot be named here (once each, and not the Homeworld).", start=start),
                f"groups.{at}.from",
            )
        seen.add(start)
        need_groups(state, seat, start, group["fleets"], group["warfleets"], f"groups.{at}")
        groups.append({"from": start, "fleets": group["fleets"], "warfleets": group["warfleets"]})
    if not groups:
        raise Refused("no_units", say("Name at least one group."), "groups")
    enters = home if seat == state.turn.active else None
    return Plan("defend_homeworld", {"to": home, "groups": groups}, cost_of("defend_homeworld"), enters=enters)
