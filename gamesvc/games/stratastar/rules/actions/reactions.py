"""Reactions to declared actions: the seats that may react, and the conditions (RULES.md 7). Emits nothing by itself.

A seat qualifies by public facts only. Its standing orders then determine whether it is asked.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.stratastar.data.geometry import ADJACENT, INDEX, distance
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.rules.actions import moves, needs, plans
from gamesvc.games.stratastar.rules.actions.payment import Cost, can_pay, cost_of, least_cards, settle
from gamesvc.games.stratastar.rules.changes import with_piece, with_player
from gamesvc.games.stratastar.state import Action, State
from gamesvc.language import say

REACTIONS = ("sabotage", "diplomacy_block", "retreat", "defend_homeworld")


def _has_cards(state: State, seat: int, cost: Cost) -> bool:
    return len(state.players[seat].hand) >= least_cards(state, seat, cost)


def is_present(state: State, seat: int, space: str | None) -> bool:
    """Return True if a movement into the space meets one of the seat's units or its Homeworld."""
    if space is None:
        return False
    player = state.players[seat]
    return player.home == space or facts.has_unit(player, space)


def can_be_sabotaged(state: State, seat: int, action: Action) -> bool:
    """Return True if, judged by public facts, `seat` could negate this action."""
    return (
        action.stage == "before"
        and action.seat != seat
        and facts.has(state, seat, "sabotage")
        and _has_cards(state, seat, cost_of("sabotage"))
    )


def can_be_blocked(state: State, seat: int, action: Action) -> bool:
    """Return True if, judged by public facts, `seat` could stop this movement by diplomacy."""
    return (
        action.stage == "before"
        and action.seat != seat
        and state.options.diplomacy
        and is_present(state, seat, action.enters)
        and _has_cards(state, seat, cost_of("diplomacy_block"))
    )


def can_retreat(state: State, seat: int, action: Action) -> bool:
    return (
        action.stage == "after"
        and action.seat != seat
        and state.options.retreat
        and action.enters is not None
        and facts.has_fleet(state.players[seat], action.enters)
        and bool(refuges(state, seat, action.enters))
        and _has_cards(state, seat, cost_of("retreat"))
    )


def can_defend(state: State, seat: int, action: Action) -> bool:
    home = state.players[seat].home
    return (
        action.stage == "after"
        and action.seat != seat
        and facts.has(state, seat, "defend_homeworld")
        and home is not None
        and action.enters is not None
        and (action.enters == home or action.enters in ADJACENT[home])
        and bool(moves.defenders(state, seat))
        and _has_cards(state, seat, cost_of("defend_homeworld"))
    )


def possible(state: State, seat: int, action: Action) -> list[str]:
    """Return the reactions that a seat may give in this window, judged by public facts."""
    tests = {
        "sabotage": can_be_sabotaged,
        "diplomacy_block": can_be_blocked,
        "retreat": can_retreat,
        "defend_homeworld": can_defend,
    }
    return [name for name, test in tests.items() if test(state, seat, action)]


def preparable(state: State, seat: int, action: Action) -> list[str]:
    """Return the reactions to a movement's after-window that a seat may already give in its before-window."""
    if not state.options.pace or action.stage != "before" or action.seat != state.turn.active or action.enters is None:
        return []
    return possible(state, seat, replace(action, stage="after"))


def stands_aside(state: State, seat: int, action: Action) -> bool:
    """Return True if a seat that lets a movement happen also declines to react afterwards.

    This holds if it could prepare a reaction now and no standing order gives one.
    """
    names = preparable(state, seat, action)
    return bool(names) and all(mode_of(state, seat, name, action) != "auto" for name in names)


def prepared(state: State, seat: int, action: Action) -> Command | None:
    """Return the reaction that a seat has prepared for this after-window, if it is still possible; None otherwise."""
    command = action.later.get(seat) if action.stage == "after" else None
    if not command:
        return None
    try:
        needed = plan(state, seat, command, action)
        settle(state, seat, needed.cost, command.get("pay"), reaction=True, name=needed.name)
    except Refused:
        return None
    return dict(command)


def refuges(state: State, seat: int, space: str) -> list[str]:
    """Return the spaces to which fleets may retreat: known, no hazard, no units or Homeworld of opponents (RULES.md 15.17)."""
    return [
        to
        for to in ADJACENT[space]
        if facts.is_calm(state, to)
        and not any(
            facts.has_unit(state.players[one], to) or state.players[one].home == to for one in facts.opponents(state, seat)
        )
    ]


def mode_of(state: State, seat: int, name: str, action: Action) -> str:
    """Return what the seat's standing orders say about a reaction to this action: never, ask or auto."""
    orders, player = state.players[seat].orders, state.players[seat]
    if name == "sabotage":
        kinds = orders.sabotage_kinds
        listed = "all" in kinds or action.name in kinds
        onto = "move_onto_me" in kinds and is_present(state, seat, action.enters)
        return orders.sabotage if listed or onto else "never"
    if name == "diplomacy_block":
        spaces = orders.diplomacy_spaces
        covered = "any" in spaces or action.enters in spaces or ("homeworld" in spaces and action.enters == player.home)
        return orders.diplomacy if covered else "never"
    if name == "retreat":
        return orders.retreat
    return orders.defend_homeworld


def automatic(state: State, seat: int, action: Action) -> Command | None:
    """Return the reaction that standing orders give at once, if the seat can pay for one; None otherwise."""
    for name in possible(state, seat, action):
        if mode_of(state, seat, name, action) == "auto" and can_pay(state, seat, cost_of(name)):
            if name == "diplomacy_block":
                return {"name": name}
            if name == "retreat" and (command := _retreat_all(state, seat, action)):
                return command
            if name == "defend_homeworld":
                player = state.players[seat]
                groups = [
                    {"from": space, "fleets": player.fleets.get(space, 0), "warfleets": player.warfleets.get(space, 0)}
                    for space in moves.defenders(state, seat)
                ]
                return {"name": name, "groups": groups}
    return None


def _retreat_all(state: State, seat: int, action: Action) -> Command | None:
    player, space = state.players[seat], action.enters
    assert space is not None
    enemies = sum(facts.fleet_force(state.players[one], space) for one in facts.opponents(state, seat))
    if enemies <= facts.fleet_force(player, space):
        return None
    home = player.home or space
    to = min(refuges(state, seat, space), key=lambda one: (distance(one, home), INDEX[one]))
    return {
        "name": "retreat",
        "to": to,
        "fleets": player.fleets.get(space, 0),
        "warfleets": player.warfleets.get(space, 0),
    }


def is_asked(state: State, seat: int, action: Action) -> bool:
    """Return True if the standing orders of a seat that may qualify require asking it."""
    if prepared(state, seat, action) is not None:
        return True
    if action.stage == "after" and action.later.get(seat) == {}:
        return automatic(state, seat, action) is not None
    orders = state.players[seat].orders
    for name in possible(state, seat, action):
        mode = mode_of(state, seat, name, action)
        if mode == "ask" and (orders.when_unable == "ask" or can_pay(state, seat, cost_of(name))):
            return True
    return automatic(state, seat, action) is not None


def stays_asked(state: State, seat: int, action: Action) -> bool:
    """Return True if an asked seat is still asked. Before the effect, only orders can answer the question, not spent cards."""
    if action.stage == "after":
        return is_asked(state, seat, action)
    triggers = ["sabotage"] if facts.has(state, seat, "sabotage") else []
    if state.options.diplomacy and is_present(state, seat, action.enters):
        triggers.append("diplomacy_block")
    return any(mode_of(state, seat, name, action) == "ask" for name in triggers)


def asked(state: State, action: Action) -> tuple[int, ...]:
    """Return all seats that are asked about an action, in turn order."""
    if action.name == "sabotage":
        return ()
    return tuple(seat for seat in facts.from_active(state) if seat != action.seat and is_asked(state, seat, action))


def unasked(state: State, action: Action, asked: Collection[int]) -> tuple[int, ...]:
    """Return the seats that by public facts could answer an action, before or after it, and are not asked.

    Their absence tells of their cards or orders, so the action is not taken back freely.
    """
    if not state.options.pace or action.name == "sabotage":
        return ()
    others = [seat for seat in facts.from_active(state) if seat != action.seat and seat not in asked]
    left = _departed(state, action)
    return tuple(seat for seat in others if possible(state, seat, action) or preparable(left, seat, action))


def _departed(state: State, action: Action) -> State:
    """Return the state without the fleets that a movement takes along: the spaces which they leave may become refuges."""
    if action.enters is None:
        return state
    player = state.players[action.seat]
    for group in action.args.get("groups", (action.args,)):
        for piece in ("fleet", "warfleet"):
            player = with_piece(player, piece, group["from"], -group[f"{piece}s"])
    return with_player(state, action.seat, player)


def plan(state: State, seat: int, command: Command, action: Action) -> needs.Plan:
    """Check a reaction to a window. Raises `Refused`."""
    name = command["name"]
    if name not in possible(state, seat, action):
        raise Refused("wrong_phase", say("{name} does not answer the open question.", name=name))
    if name == "retreat":
        return _retreat(state, seat, command, action)
    if name == "defend_homeworld":
        return plans.plan(state, seat, command)
    args = {"action": action.id, "against": action.name}
    return needs.Plan(name, args, cost_of(name))


def _retreat(state: State, seat: int, command: Command, action: Action) -> needs.Plan:
    space, to = action.enters, command["to"]
    assert space is not None
    if to not in refuges(state, seat, space):
        options = ", ".join(refuges(state, seat, space))
        raise Refused("blocked", say("From {space} your fleets may retreat to: {options}.", space=space, options=options), "to")
    fleets, warfleets = command.get("fleets", 0), command.get("warfleets", 0)
    needs.need_groups(state, seat, space, fleets, warfleets)
    args = {"from": space, "to": to, "fleets": fleets, "warfleets": warfleets}
    return needs.Plan("retreat", args, cost_of("retreat"))
