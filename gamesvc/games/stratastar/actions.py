"""What an action of the active seat needs beside its cost: one check per action, and the plan that is declared.

Checks raise `Refused` and use nothing but what the acting seat's view shows; forms list what passes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from gamesvc.games.kernel import Command, Refused
from gamesvc.games.stratastar import facts
from gamesvc.games.stratastar.board import ADJACENT, INDEX, distance
from gamesvc.games.stratastar.data import ABILITY_NAMES, COLONIES_PER_WORLD, abilities
from gamesvc.games.stratastar.payment import Cost, cost_of
from gamesvc.games.stratastar.state import State

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
"""In which phases of its own turn a seat may do what (RULES.md 6 and 10)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An action that passed its check: what it costs and what will be recorded of it."""

    name: str
    args: dict[str, Any] = field(default_factory=dict)
    cost: Cost = ()
    free: bool = False
    enters: str | None = None


def plan(state: State, seat: int, command: Command) -> Plan:
    """Check an action of the active seat and return its plan. Raises `Refused`."""
    return _PLANS[command["name"]](state, seat, command)


def need_space(space: str, parameter: str = "space") -> str:
    if space not in INDEX:
        raise Refused("no_target", f"{space!r} is no space; spaces are A1 to J10.", parameter)
    return space


def need_ability(state: State, seat: int, ability: str) -> None:
    if not facts.has(state, seat, ability):
        raise Refused("not_owned", f"That needs the ability {ABILITY_NAMES[ability]}, which you do not have.")


def need_opponent(state: State, seat: int, target: int, parameter: str = "target") -> None:
    if target == seat or target not in facts.alive(state):
        others = ", ".join(map(str, facts.opponents(state, seat)))
        raise Refused("no_target", f"Choose another seat that is still in the game: {others}.", parameter)


def need_groups(state: State, seat: int, space: str, fleets: int, warfleets: int, parameter: str = "fleets") -> None:
    """Check that a group of fleets stands there and is not empty."""
    player = state.players[seat]
    have, heavy = player.fleets.get(space, 0), player.warfleets.get(space, 0)
    if not 0 <= fleets <= have or not 0 <= warfleets <= heavy:
        raise Refused("no_units", f"You have {have} Fleets and {heavy} Warfleets at {space}.", parameter)
    if fleets + warfleets == 0:
        raise Refused("no_units", "Name at least one Fleet or Warfleet to move.", parameter)


# --- trade ---


def check_external_trade(state: State, seat: int, target: int) -> None:
    need_opponent(state, seat, target)
    if not state.players[target].hand:
        raise Refused("no_target", "That seat has no cards.", "target")
    if not facts.in_contact(state, seat, target):
        raise Refused("no_contact", "Your empires have not met yet.", "target")


def _external_trade(state: State, seat: int, command: Command) -> Plan:
    check_external_trade(state, seat, command["target"])
    return Plan("external_trade", {"target": command["target"]}, cost_of("external_trade"))


def check_internal_trade(state: State) -> None:
    if state.turn.internal_used:
        raise Refused("once_per_turn", "Internal trade is possible once per turn.")


def _internal_trade(state: State, seat: int, command: Command) -> Plan:
    check_internal_trade(state)
    return Plan("internal_trade", {"others": list(command["others"])}, cost_of("internal_trade"))


def _basic_research(state: State, seat: int, command: Command) -> Plan:
    return Plan("basic_research", {}, cost_of("basic_research"))


# --- build ---


def _need_supply(state: State, seat: int, piece: str) -> None:
    if not facts.has_supply(state.players[seat], piece):
        raise Refused("no_supply", f"You have no {piece} left to place.")


def check_build_fleet(state: State, seat: int, space: str) -> None:
    _need_supply(state, seat, "fleet")
    player = state.players[seat]
    if space != player.home:
        need_space(space)
        if not facts.has(state, seat, "expansion"):
            raise Refused("not_owned", f"Fleets are built at your Homeworld {player.home}; elsewhere needs Expansion.", "space")
        if space not in player.colonies:
            raise Refused("no_target", f"You have no colony at {space}.", "space")


def _build_fleet(state: State, seat: int, command: Command) -> Plan:
    home = state.players[seat].home
    space = command.get("space", home)
    check_build_fleet(state, seat, space)
    return Plan("build_fleet", {"space": space}, cost_of("build_fleet" if space == home else "expansion"))


def check_build_warfleet(state: State, seat: int) -> None:
    need_ability(state, seat, "warfleet")
    _need_supply(state, seat, "fleet")


def _build_warfleet(state: State, seat: int, command: Command) -> Plan:
    check_build_warfleet(state, seat)
    return Plan("build_warfleet", {"space": state.players[seat].home}, cost_of("warfleet"))


def check_colonize(state: State, seat: int, space: str) -> None:
    need_space(space)
    _need_supply(state, seat, "colony")
    if facts.chit(state, space) != "world":
        raise Refused("no_target", f"{space} is no known world.", "space")
    if space not in state.players[seat].fleets:
        raise Refused("no_units", f"You have no Fleet at {space}.", "space")
    if facts.colonies_at(state, space):
        raise Refused("blocked", f"There is a colony on {space} already.", "space")


def _colonize(state: State, seat: int, command: Command) -> Plan:
    check_colonize(state, seat, command["space"])
    return Plan("colonize", {"space": command["space"]}, cost_of("colonize"))


def check_build_stargate(state: State, seat: int, space: str) -> None:
    need_space(space)
    if not facts.may_gate(state, seat):
        need_ability(state, seat, "stargates")
    _need_supply(state, seat, "stargate")
    player = state.players[seat]
    if space not in player.colonies:
        raise Refused("no_target", f"You have no colony at {space}.", "space")
    if space in player.stargates:
        raise Refused("blocked", f"You have a Stargate at {space} already.", "space")


def _build_stargate(state: State, seat: int, command: Command) -> Plan:
    check_build_stargate(state, seat, command["space"])
    return Plan("build_stargate", {"space": command["space"]}, cost_of("build_stargate"))


def check_terraform(state: State, seat: int, space: str) -> None:
    need_space(space)
    _need_supply(state, seat, "colony")
    if space not in state.players[seat].colonies:
        raise Refused("no_target", f"You have no colony at {space}.", "space")
    if facts.colonies_at(state, space) >= COLONIES_PER_WORLD:
        raise Refused("blocked", f"{space} has {COLONIES_PER_WORLD} colonies already.", "space")


def _terraform(state: State, seat: int, command: Command) -> Plan:
    check_terraform(state, seat, command["space"])
    return Plan("terraform", {"space": command["space"]}, cost_of("terraform"))


def check_allied_minor_race(state: State, seat: int, space: str) -> None:
    need_ability(state, seat, "allied_minor_race")
    need_space(space)
    _need_supply(state, seat, "colony")
    if facts.chit(state, space) != "world":
        raise Refused("no_target", f"{space} is no known world.", "space")
    if facts.colonies_at(state, space):
        raise Refused("blocked", f"There is a colony on {space} already.", "space")
    if any(facts.has_unit(state.players[one], space) for one in facts.opponents(state, seat)):
        raise Refused("blocked", f"Units of another seat are at {space}.", "space")
    if all(distance(space, unit) > 2 for unit in facts.unit_spaces(state.players[seat])):
        raise Refused("not_adjacent", f"{space} is more than 2 spaces from all your units.", "space")


def _allied_minor_race(state: State, seat: int, command: Command) -> Plan:
    check_allied_minor_race(state, seat, command["space"])
    return Plan("allied_minor_race", {"space": command["space"]}, cost_of("allied_minor_race"))


def check_breakthrough(state: State, seat: int) -> None:
    if not state.options.breakthrough:
        raise Refused("not_owned", "This match is played without Breakthrough technology.")
    if set(abilities(state.options.low_technology)) <= set(state.players[seat].abilities):
        raise Refused("no_target", "You have every ability already.")


def _breakthrough(state: State, seat: int, command: Command) -> Plan:
    check_breakthrough(state, seat)
    return Plan("breakthrough", {}, cost_of("breakthrough"))


# --- movement ---


def step_cost(state: State, seat: int, start: str, to: str) -> Cost:
    """The cost of a step that is not free. Raises `Refused` for one that cannot be made at all."""
    kind = facts.chit(state, to)
    if start == to:
        raise Refused("not_adjacent", f"Your fleets are at {to} already.", "to")
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
        raise Refused("once_per_turn", "The free move of this turn is used up.", "free")


def _group(state: State, seat: int, command: Command) -> dict[str, Any]:
    need_space(command["from"], "from")
    need_space(command["to"], "to")
    fleets, warfleets = command.get("fleets", 0), command.get("warfleets", 0)
    need_groups(state, seat, command["from"], fleets, warfleets)
    return {"from": command["from"], "to": command["to"], "fleets": fleets, "warfleets": warfleets}


def _free(state: State, command: Command) -> bool:
    if not command.get("free", False):
        return False
    if "pay" in command:
        raise Refused("bad_pay", "A free move is not paid for.", "pay")
    _need_free_move(state)
    return True


def _move(state: State, seat: int, command: Command) -> Plan:
    args = _group(state, seat, command)
    cost = step_cost(state, seat, args["from"], args["to"])
    free = _free(state, command)
    if free and cost != cost_of("move"):
        raise Refused("hazard", f"{args['to']} is a Nebula: entering it costs 2 Move and is never free.", "free")
    return Plan("move", args, () if free else cost, free, args["to"])


def check_gate(state: State, seat: int, start: str, to: str) -> None:
    if not facts.may_gate(state, seat):
        need_ability(state, seat, "stargates")
    gates = state.players[seat].stargates
    for space, parameter in ((start, "from"), (to, "to")):
        if space not in gates:
            owned = ", ".join(gates) or "no space"
            raise Refused("no_target", f"You have no Stargate at {space}; you have them at {owned}.", parameter)
    if start == to:
        raise Refused("not_adjacent", f"Your fleets are at {to} already.", "to")
    if to in state.turn.blocked:
        raise Refused("blocked", f"Diplomacy keeps your fleets out of {to} for this phase.", "to")


def _gate(state: State, seat: int, command: Command) -> Plan:
    args = _group(state, seat, command)
    check_gate(state, seat, args["from"], args["to"])
    free = _free(state, command)
    return Plan("gate", args, () if free else cost_of("move"), free, args["to"])


def check_jump(state: State, seat: int, start: str, to: str) -> None:
    need_ability(state, seat, "hyper_jump")
    if start == to:
        raise Refused("not_adjacent", f"Your fleets are at {to} already.", "to")
    if to in state.chart.unknown:
        raise Refused("no_target", f"{to} is unknown; a jump needs a known space.", "to")
    if facts.is_hazard(state, to):
        raise Refused("hazard", f"{to} is a hazard.", "to")
    if to in state.turn.blocked:
        raise Refused("blocked", f"Diplomacy keeps your fleets out of {to} for this phase.", "to")


def _hyper_jump(state: State, seat: int, command: Command) -> Plan:
    need_ability(state, seat, "hyper_jump")
    args = _group(state, seat, command)
    check_jump(state, seat, args["from"], args["to"])
    return Plan("hyper_jump", args, cost_of("hyper_jump"), enters=args["to"])


def check_defend(state: State, seat: int) -> None:
    """Whether anything may go home now, in the own movement phase or in an after-window."""
    need_ability(state, seat, "defend_homeworld")
    home = state.players[seat].home
    if seat == state.turn.active and home in state.turn.blocked:
        raise Refused("blocked", f"Diplomacy keeps your fleets out of {home} for this phase.")


def defenders(state: State, seat: int) -> list[str]:
    """Spaces from which fleets can go home."""
    player = state.players[seat]
    return [space for space in facts.fleet_spaces(player) if space != player.home]


def _defend_homeworld(state: State, seat: int, command: Command) -> Plan:
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


# --- own time ---


def check_scout(state: State, seat: int, start: str, to: str) -> None:
    if not state.options.exploration:
        raise Refused("not_owned", "This match is played without exploration.")
    if not facts.has_unit(state.players[seat], need_space(start, "from")):
        raise Refused("no_units", f"You have no unit at {start}.", "from")
    if to not in ADJACENT[start]:
        raise Refused("not_adjacent", f"{to} is not next to {start}.", "to")
    if to not in state.chart.unknown:
        raise Refused("no_target", f"{to} is known already.", "to")
    if seat in state.chart.scouts.get(to, ()):
        raise Refused("no_target", f"You have scouted {to} already.", "to")


def _scout(state: State, seat: int, command: Command) -> Plan:
    check_scout(state, seat, command["from"], command["to"])
    return Plan("scout", {"from": command["from"], "to": command["to"]}, cost_of("scout"))


def _need_no_treaty(state: State, seat: int, target: int) -> None:
    if facts.allied(state, seat, target):
        raise Refused("treaty", "A treaty binds you and that seat.")


def check_disaster(state: State, seat: int, victim: int, piece: str, space: str) -> None:
    if not state.options.disaster:
        raise Refused("not_owned", "This match is played without disasters.")
    need_space(space)
    if victim not in facts.alive(state) or not facts.has_piece(state.players[victim], piece, space):
        raise Refused("no_target", f"That seat has no {piece} at {space}.", "space")
    _need_no_treaty(state, seat, victim)


def _aim(command: Command) -> dict[str, Any]:
    return {"seat": command["seat"], "piece": command["piece"], "space": command["space"]}


def _disaster(state: State, seat: int, command: Command) -> Plan:
    check_disaster(state, seat, command["seat"], command["piece"], command["space"])
    return Plan("disaster", _aim(command), cost_of("disaster"))


def check_treason(state: State, seat: int, victim: int, piece: str, space: str) -> None:
    need_ability(state, seat, "treason")
    need_opponent(state, seat, victim, "seat")
    need_space(space)
    if piece == "stargate" or not facts.has_piece(state.players[victim], piece, space):
        raise Refused("no_target", f"That seat has no {piece} at {space} that could change sides.", "space")
    _need_supply(state, seat, piece)


def _treason(state: State, seat: int, command: Command) -> Plan:
    check_treason(state, seat, command["seat"], command["piece"], command["space"])
    return Plan("treason", _aim(command), cost_of("treason"))


def check_planning(state: State, seat: int) -> None:
    need_ability(state, seat, "planning")
    if not state.discard:
        raise Refused("no_target", "The discard pile is empty.")


def _planning(state: State, seat: int, command: Command) -> Plan:
    check_planning(state, seat)
    return Plan("planning", {"card": state.discard[-1]}, cost_of("planning"))


def check_piracy(state: State, seat: int, target: int) -> None:
    need_ability(state, seat, "piracy")
    need_opponent(state, seat, target)
    if not state.players[target].hand:
        raise Refused("no_target", "That seat has no cards.", "target")
    _need_no_treaty(state, seat, target)


def _piracy(state: State, seat: int, command: Command) -> Plan:
    check_piracy(state, seat, command["target"])
    return Plan("piracy", {"target": command["target"]}, cost_of("piracy"))


def check_treaty(state: State, seat: int, target: int) -> None:
    need_ability(state, seat, "treaty")
    need_opponent(state, seat, target)


def _treaty(state: State, seat: int, command: Command) -> Plan:
    check_treaty(state, seat, command["target"])
    return Plan("treaty", {"target": command["target"]}, cost_of("treaty"))


def check_raid(state: State, seat: int, victim: int, space: str) -> None:
    need_ability(state, seat, "border_raids")
    need_opponent(state, seat, victim, "seat")
    need_space(space)
    player = state.players[victim]
    if player.raided.get(space, 0) >= player.colonies.get(space, 0):
        raise Refused("no_target", f"That seat has no colony at {space} that is not raided yet.", "space")
    if not any(facts.has_fleet(state.players[seat], near) for near in ADJACENT[space]):
        raise Refused("not_adjacent", f"You have no fleet next to {space}.", "space")
    _need_no_treaty(state, seat, victim)


def _border_raids(state: State, seat: int, command: Command) -> Plan:
    check_raid(state, seat, command["seat"], command["space"])
    return Plan("border_raids", {"seat": command["seat"], "space": command["space"]}, cost_of("border_raids"))


_PLANS: dict[str, Callable[[State, int, Command], Plan]] = {
    "external_trade": _external_trade,
    "internal_trade": _internal_trade,
    "basic_research": _basic_research,
    "build_fleet": _build_fleet,
    "build_warfleet": _build_warfleet,
    "colonize": _colonize,
    "build_stargate": _build_stargate,
    "terraform": _terraform,
    "allied_minor_race": _allied_minor_race,
    "breakthrough": _breakthrough,
    "move": _move,
    "gate": _gate,
    "hyper_jump": _hyper_jump,
    "defend_homeworld": _defend_homeworld,
    "scout": _scout,
    "disaster": _disaster,
    "planning": _planning,
    "border_raids": _border_raids,
    "treason": _treason,
    "piracy": _piracy,
    "treaty": _treaty,
}
