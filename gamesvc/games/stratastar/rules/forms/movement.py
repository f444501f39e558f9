"""Forms for movement and for the reactions that move fleets."""

from __future__ import annotations

from collections.abc import Iterable

from gamesvc.games.kernel.game import Form, Refused
from gamesvc.games.kernel.wording import capital
from gamesvc.games.stratastar.data.geometry import ADJACENT, SPACES, in_order
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.rules.actions import moves, reactions
from gamesvc.games.stratastar.rules.actions.payment import Cost, can_pay, cost_of, pay_schema
from gamesvc.games.stratastar.rules.forms.fields import group_fields, groups_schema, is_legal, priced, spaces
from gamesvc.games.stratastar.state import State
from gamesvc.json_types import JsonObject

THEN: JsonObject = {
    "enum": ["battle", "end_turn"],
    "labels": {"battle": "fight there", "end_turn": "end the turn"},
    "title": "If nobody answers, then",
}
"""The possible follow-ups of a movement. With one, the player need not be asked again after the others let it happen."""


def movement(state: State, seat: int) -> Iterable[Form]:
    """Yield moves, gates, jumps and the way home in the seat's own movement phase."""
    player = state.players[seat]
    for start in facts.fleet_spaces(player):
        yield from _steps(state, seat, start)
        gates = [to for to in in_order(player.stargates) if is_legal(moves.check_gate, state, seat, start, to)]
        if gates:
            yield from _going(state, seat, "gate", start, gates, cost_of("move"), free=True)
        if facts.has(state, seat, "hyper_jump") and can_pay(state, seat, cost_of("hyper_jump")):
            targets = [to for to in SPACES if is_legal(moves.check_jump, state, seat, start, to)]
            for fields, needed in group_fields(player, start):
                parameters = {"from": {"const": start}, "to": spaces(targets, "To"), **fields, "then": THEN}
                label = f"Hyper jump from {start}"
                yield from priced(state, seat, "hyper_jump", label, cost_of("hyper_jump"), parameters, ("from", "to", *needed))
    yield from defence(state, seat)


def _steps(state: State, seat: int, start: str) -> Iterable[Form]:
    by_cost: dict[Cost, list[str]] = {}
    targets: Iterable[str] = ADJACENT[start]
    if facts.has(state, seat, "wormholes") and facts.chit(state, start) == "black_hole":
        targets = SPACES
    for to in targets:
        try:
            cost = moves.step_cost(state, seat, start, to)
        except Refused:
            continue
        by_cost.setdefault(cost, []).append(to)
    for cost, reached in by_cost.items():
        yield from _going(state, seat, "move", start, reached, cost, free=cost == cost_of("move"))


def _going(state: State, seat: int, name: str, start: str, reached: list[str], cost: Cost, *, free: bool) -> Iterable[Form]:
    words = "through the Stargate" if name == "gate" else "from"
    for fields, needed in group_fields(state.players[seat], start):
        parameters: JsonObject = {"from": {"const": start}, "to": spaces(reached, "To"), **fields, "then": THEN}
        if free and state.turn.free_move:
            with_free = {**parameters, "free": {"const": True, "title": "Free move"}}
            yield Form(name, f"Free move {words} {start}", with_free, ("from", "to", *needed, "free"))
        if can_pay(state, seat, cost):
            paid = {**parameters, "free": {"const": False}, "pay": pay_schema(state, seat, cost)}
            yield Form(name, f"Paid move {words} {start}", paid, ("from", "to", *needed))


def defence(state: State, seat: int, when: str = "") -> Iterable[Form]:
    """Yield `defend_homeworld`, for the seat's movement phase or an after-window. `when` is a prefix for the label."""
    starts = moves.defenders(state, seat)
    if starts and is_legal(moves.check_defend, state, seat):
        groups = groups_schema(state.players[seat], starts, "from", minItems=1, title="Groups")
        yield from priced(
            state, seat, "defend_homeworld", _label(when, "defend the Homeworld"), cost_of("defend_homeworld"), {"groups": groups}
        )


def _label(when: str, act: str) -> str:
    return f"Let it happen, {when}{act}" if when else capital(act)


def retreats(state: State, seat: int, when: str = "") -> Iterable[Form]:
    space = state.actions[-1].enters
    assert space is not None
    refuges = reactions.refuges(state, seat, space)
    for fields, needed in group_fields(state.players[seat], space):
        parameters = {"to": spaces(refuges, "To"), **fields}
        label = _label(when, f"retreat from {space}")
        yield from priced(state, seat, "retreat", label, cost_of("retreat"), parameters, ("to", *needed))
