"""The conditions of the active seat's actions apart from costs: one check per action, and the declared plan.

Checks raise `Refused` and use only what the acting seat's view shows. Forms list the commands that pass them.
"""

from __future__ import annotations

from collections.abc import Callable

from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.stratastar.data import COLONIES_PER_WORLD, abilities
from gamesvc.games.stratastar.data.geometry import ADJACENT, distance
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.rules.actions import moves
from gamesvc.games.stratastar.rules.actions.needs import Plan, need_ability, need_opponent, need_space
from gamesvc.games.stratastar.rules.actions.payment import cost_of
from gamesvc.games.stratastar.state import State
from gamesvc.json_types import JsonObject
from gamesvc.language import say


def plan(state: State, seat: int, command: Command) -> Plan:
    """Check an action of the active seat and return its plan. Raises `Refused`."""
    return _PLANS[command["name"]](state, seat, command)


# --- trade ---


def check_external_trade(state: State, seat: int, target: int) -> None:
    need_opponent(state, seat, target)
    if not state.players[target].hand:
        raise Refused("no_target", say("That seat has no cards."), "target")
    if not facts.in_contact(state, seat, target):
        raise Refused("no_contact", say("Your empires have not met yet."), "target")


def _external_trade(state: State, seat: int, command: Command) -> Plan:
    check_external_trade(state, seat, command["target"])
    return Plan("external_trade", {"target": command["target"]}, cost_of("external_trade"))


def check_internal_trade(state: State) -> None:
    if state.turn.internal_used:
        raise Refused("once_per_turn", say("You can trade internally once per turn."))


def _internal_trade(state: State, seat: int, command: Command) -> Plan:
    check_internal_trade(state)
    return Plan("internal_trade", {"others": list(command["others"])}, cost_of("internal_trade"))


def _basic_research(state: State, seat: int, command: Command) -> Plan:
    return Plan("basic_research", {}, cost_of("basic_research"))


# --- build ---


def _need_supply(state: State, seat: int, piece: str) -> None:
    if not facts.has_supply(state.players[seat], piece):
        raise Refused("no_supply", say("You have no {piece} left to place.", piece=say(piece)))


def check_build_fleet(state: State, seat: int, space: str) -> None:
    _need_supply(state, seat, "fleet")
    player = state.players[seat]
    if space != player.home:
        need_space(space)
        if not facts.has(state, seat, "expansion"):
            raise Refused(
                "not_owned",
                say("Fleets are built at your Homeworld {home}; elsewhere needs Expansion.", home=player.home),
                "space",
            )
        if space not in player.colonies:
            raise Refused("no_target", say("You have no colony at {space}.", space=space), "space")


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
        raise Refused("no_target", say("{space} is not a known world.", space=space), "space")
    if space not in state.players[seat].fleets:
        raise Refused("no_units", say("You have no Fleet at {space}.", space=space), "space")
    if facts.colonies_at(state, space):
        raise Refused("blocked", say("There is already a colony on {space}.", space=space), "space")


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
        raise Refused("no_target", say("You have no colony at {space}.", space=space), "space")
    if space in player.stargates:
        raise Refused("blocked", say("You already have a Stargate at {space}.", space=space), "space")


def _build_stargate(state: State, seat: int, command: Command) -> Plan:
    check_build_stargate(state, seat, command["space"])
    return Plan("build_stargate", {"space": command["space"]}, cost_of("build_stargate"))


def check_terraform(state: State, seat: int, space: str) -> None:
    need_space(space)
    _need_supply(state, seat, "colony")
    if space not in state.players[seat].colonies:
        raise Refused("no_target", say("You have no colony at {space}.", space=space), "space")
    if facts.colonies_at(state, space) >= COLONIES_PER_WORLD:
        raise Refused(
            "blocked",
            say("{space} already has {most} colonies.", space=space, most=COLONIES_PER_WORLD),
            "space",
        )


def _terraform(state: State, seat: int, command: Command) -> Plan:
    check_terraform(state, seat, command["space"])
    return Plan("terraform", {"space": command["space"]}, cost_of("terraform"))


def check_allied_minor_race(state: State, seat: int, space: str) -> None:
    need_ability(state, seat, "allied_minor_race")
    need_space(space)
    _need_supply(state, seat, "colony")
    if facts.chit(state, space) != "world":
        raise Refused("no_target", say("{space} is not a known world.", space=space), "space")
    if facts.colonies_at(state, space):
        raise Refused("blocked", say("There is already a colony on {space}.", space=space), "space")
    if any(facts.has_unit(state.players[one], space) for one in facts.opponents(state, seat)):
        raise Refused("blocked", say("Another seat has units at {space}.", space=space), "space")
    if all(distance(space, unit) > 2 for unit in facts.unit_spaces(state.players[seat])):
        raise Refused("not_adjacent", say("{space} is more than 2 spaces from all your units.", space=space), "space")


def _allied_minor_race(state: State, seat: int, command: Command) -> Plan:
    check_allied_minor_race(state, seat, command["space"])
    return Plan("allied_minor_race", {"space": command["space"]}, cost_of("allied_minor_race"))


def check_breakthrough(state: State, seat: int) -> None:
    if not state.options.breakthrough:
        raise Refused("not_owned", say("This match is played without Breakthrough technology."))
    if set(abilities(state.options.low_technology)) <= set(state.players[seat].abilities):
        raise Refused("no_target", say("You already have every ability."))


def _breakthrough(state: State, seat: int, command: Command) -> Plan:
    check_breakthrough(state, seat)
    return Plan("breakthrough", {}, cost_of("breakthrough"))


# --- actions in any phase of a seat's own turn ---


def check_scout(state: State, seat: int, start: str, to: str) -> None:
    if not state.options.exploration:
        raise Refused("not_owned", say("This match is played without exploration."))
    if not facts.has_unit(state.players[seat], need_space(start, "from")):
        raise Refused("no_units", say("You have no unit at {start}.", start=start), "from")
    if to not in ADJACENT[start]:
        raise Refused("not_adjacent", say("{to} is not next to {start}.", to=to, start=start), "to")
    if to not in state.chart.unknown:
        raise Refused("no_target", say("{to} is already known.", to=to), "to")
    if seat in state.chart.scouts.get(to, ()):
        raise Refused("no_target", say("You have already scouted {to}.", to=to), "to")


def _scout(state: State, seat: int, command: Command) -> Plan:
    check_scout(state, seat, command["from"], command["to"])
    return Plan("scout", {"from": command["from"], "to": command["to"]}, cost_of("scout"))


def _need_no_treaty(state: State, seat: int, target: int) -> None:
    if facts.allied(state, seat, target):
        raise Refused("treaty", say("A treaty binds you and that seat."))


def check_disaster(state: State, seat: int, victim: int, piece: str, space: str) -> None:
    if not state.options.disaster:
        raise Refused("not_owned", say("This match is played without disasters."))
    need_space(space)
    if victim not in facts.alive(state) or not facts.has_piece(state.players[victim], piece, space):
        raise Refused("no_target", say("That seat has no {piece} at {space}.", piece=say(piece), space=space), "space")
    _need_no_treaty(state, seat, victim)


def _aim(command: Command) -> JsonObject:
    return {"seat": command["seat"], "piece": command["piece"], "space": command["space"]}


def _disaster(state: State, seat: int, command: Command) -> Plan:
    check_disaster(state, seat, command["seat"], command["piece"], command["space"])
    return Plan("disaster", _aim(command), cost_of("disaster"))


def check_treason(state: State, seat: int, victim: int, piece: str, space: str) -> None:
    need_ability(state, seat, "treason")
    need_opponent(state, seat, victim, "seat")
    need_space(space)
    if piece == "stargate" or not facts.has_piece(state.players[victim], piece, space):
        raise Refused(
            "no_target",
            say("That seat has no {piece} at {space} that could change sides.", piece=say(piece), space=space),
            "space",
        )
    _need_supply(state, seat, piece)


def _treason(state: State, seat: int, command: Command) -> Plan:
    check_treason(state, seat, command["seat"], command["piece"], command["space"])
    return Plan("treason", _aim(command), cost_of("treason"))


def check_planning(state: State, seat: int) -> None:
    need_ability(state, seat, "planning")
    if not state.discard:
        raise Refused("no_target", say("The discard pile is empty."))


def _planning(state: State, seat: int, command: Command) -> Plan:
    check_planning(state, seat)
    return Plan("planning", {"card": state.discard[-1]}, cost_of("planning"))


def check_piracy(state: State, seat: int, target: int) -> None:
    need_ability(state, seat, "piracy")
    need_opponent(state, seat, target)
    if not state.players[target].hand:
        raise Refused("no_target", say("That seat has no cards."), "target")
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
        raise Refused("no_target", say("That seat has no colony at {space} that is not raided yet.", space=space), "space")
    if not any(facts.has_fleet(state.players[seat], near) for near in ADJACENT[space]):
        raise Refused("not_adjacent", say("You have no fleet next to {space}.", space=space), "space")
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
    "move": moves.plan_move,
    "gate": moves.plan_gate,
    "hyper_jump": moves.plan_hyper_jump,
    "defend_homeworld": moves.plan_defend_homeworld,
    "scout": _scout,
    "disaster": _disaster,
    "planning": _planning,
    "border_raids": _border_raids,
    "treason": _treason,
    "piracy": _piracy,
    "treaty": _treaty,
}
