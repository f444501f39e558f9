"""Forms for movement and for the reactions that move fleets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gamesvc.games.kernel.game import Form, Refused, Schema
from gamesvc.games.stratastar.data.geometry import ADJACENT, SPACES, in_order
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.rules.actions import moves, reactions
from gamesvc.games.stratastar.rules.actions.payment import Cost, can_pay, cost_of, pay_schema
from gamesvc.games.stratastar.rules.forms.fields import group_fields, groups_schema, is_legal, priced, spaces
from gamesvc.games.stratastar.state import State
from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say


def _then() -> JsonObject:
    """Return the follow-ups of a movement. With one, the player need not be asked again after the others let it happen."""
    labels = {"battle": say("fight there"), "end_turn": say("end the turn")}
    return {"enum": ["battle", "end_turn"], "labels": labels, "title": mark("If nobody answers, then")}


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
                parameters = {"from": {"const": start}, "to": spaces(targets, mark("To")), **fields, "then": _then()}
                label = _alone(say("Hyper jump from {start}", start=start), fields)
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
    if name == "gate":
        free_words = say("Free move through the Stargate {start}", start=start)
        paid_words = say("Paid move through the Stargate {start}", start=start)
    else:
        free_words = say("Free move from {start}", start=start)
        paid_words = say("Paid move from {start}", start=start)
    for fields, needed in group_fields(state.players[seat], start):
        parameters: JsonObject = {"from": {"const": start}, "to": spaces(reached, mark("To")), **fields, "then": _then()}
        if free and state.turn.free_move:
            with_free = {**parameters, "free": {"const": True, "title": mark("Free move")}}
            yield Form(name, _alone(free_words, fields), with_free, ("from", "to", *needed, "free"))
        if can_pay(state, seat, cost):
            paid = {**parameters, "free": {"const": False}, "pay": pay_schema(state, seat, cost)}
            yield Form(name, _alone(paid_words, fields), paid, ("from", "to", *needed))


def _alone(words: str, fields: Mapping[str, Schema]) -> str:
    """Return the words for a movement, told apart where no Fleet goes along."""
    return words if fields["fleets"]["maximum"] else say("{words}, Warfleets alone", words=words)


def defence(state: State, seat: int, *, then: bool = False) -> Iterable[Form]:
    """Yield `defend_homeworld`, for the seat's movement phase or an after-window. `then`: as a reaction prepared."""
    starts = moves.defenders(state, seat)
    if starts and is_legal(moves.check_defend, state, seat):
        groups = groups_schema(state.players[seat], starts, "from", minItems=1, title=mark("Groups"))
        label = say("Let it happen, then defend the Homeworld") if then else say("Defend the Homeworld")
        yield from priced(state, seat, "defend_homeworld", label, cost_of("defend_homeworld"), {"groups": groups})


def retreats(state: State, seat: int, *, then: bool = False) -> Iterable[Form]:
    space = state.actions[-1].enters
    assert space is not None
    refuges = reactions.refuges(state, seat, space)
    for fields, needed in group_fields(state.players[seat], space):
        parameters = {"to": spaces(refuges, mark("To")), **fields}
        label = say("Let it happen, then retreat from {space}", space=space) if then else say("Retreat from {space}", space=space)
        yield from priced(state, seat, "retreat", _alone(label, fields), cost_of("retreat"), parameters, ("to", *needed))
