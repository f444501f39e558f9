"""The invariants of everything pending: declared actions, a battle, offers, treaties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Refused, Schema
from gamesvc.games.stratastar import data
from gamesvc.games.stratastar.commands import COMMANDS, GROUPS, MOST_OFFERED, PHASES, SPACE
from gamesvc.games.stratastar.data.geometry import ADJACENT
from gamesvc.games.stratastar.rules.actions import plans
from gamesvc.games.stratastar.rules.actions.battle import ATTACKS
from gamesvc.games.stratastar.rules.actions.offers import MOST_OFFERS
from gamesvc.games.stratastar.rules.actions.payment import value
from gamesvc.games.stratastar.rules.actions.reactions import REACTIONS
from gamesvc.games.stratastar.state import Action, State
from gamesvc.json_types import JsonMapping

_AT: Schema = {"type": "integer", "minimum": 0, "maximum": 85}
_COUNT: Schema = {"type": "integer", "minimum": 0, "maximum": data.FLEETS}
_GROUP: dict[str, Schema] = {"from": SPACE, "to": SPACE, "fleets": _COUNT, "warfleets": _COUNT}
_ANSWER: dict[str, Schema] = {"action": {"type": "integer", "minimum": 1}, "against": {"enum": [*PHASES, *REACTIONS]}}


def _args(properties: dict[str, Schema]) -> Schema:
    full = {**properties, "discard_at": _AT}
    return {"type": "object", "properties": full, "required": list(full), "additionalProperties": False}


def _args_of(name: str) -> Schema:
    """Return the schema of an action's recorded arguments: usually the parameters of its command."""
    if name in ("sabotage", "diplomacy_block"):
        return _args(_ANSWER)
    if name in ("move", "gate", "hyper_jump", "retreat"):
        return _args(_GROUP)
    if name == "defend_homeworld":
        return _args({"to": SPACE, "groups": {**GROUPS, "minItems": 1}})
    if name in ("build_fleet", "build_warfleet"):
        return _args({"space": SPACE})
    if name == "internal_trade":
        return _args({"draws": {"type": "integer", "minimum": 1, "maximum": 170}})
    if name == "planning":
        return _args({"card": {"enum": list(data.CARDS)}})
    parameters = COMMANDS[name]["properties"]
    return _args({key: parameters[key] for key in COMMANDS[name]["required"]})


ARGS: dict[str, Schema] = {name: _args_of(name) for name in (*PHASES, *REACTIONS)}
"""The schema of the recorded arguments of each action."""


def faults(state: State) -> Iterator[str]:
    """Yield the faults in everything pending as sentences."""
    open_questions = [
        state.actions,
        state.battle,
        state.waiting is not None,
        state.turn.choice,
        state.turn.phase == "battle_call",
    ]
    if sum(map(bool, open_questions)) > 1 and not (state.battle is not None and state.turn.phase == "battle_call"):
        yield "more than one question is open at once"
    if (state.actions or state.battle) and not (state.order and state.turn.number):
        yield "something is declared before the first turn"
        return
    yield from _ids(state)
    for at, action in enumerate(state.actions):
        yield from (f"/actions/{at}: {fault}" for fault in _action_faults(state, at, action))
    yield from _battle(state)
    yield from _offers(state)
    for one in state.treaties:
        if one.seat == one.partner or not (state.players[one.seat].alive and state.players[one.partner].alive):
            yield "a treaty binds two seats that play"
    pairs = [(one.seat, one.partner) for one in state.treaties]
    if len(set(pairs)) < len(pairs):
        yield "a treaty is made twice"


def _ids(state: State) -> Iterator[str]:
    ids = [offer.id for offer in state.offers] + [action.id for action in state.actions]
    battle = [state.battle.id] if state.battle is not None else []
    if len(set(ids)) != len(ids) or any(one >= state.next_id for one in ids + battle):
        yield "ids of offers, actions and battles are used once, and lie below next_id"


def _action_faults(state: State, at: int, action: Action) -> Iterator[str]:
    if action.name not in ARGS:
        yield f"there is no action {action.name!r}"
        return
    if fault := forms.fault(ARGS[action.name], action.args):
        yield fault.detail
        return
    if not state.players[action.seat].alive:
        yield f"seat {action.seat} has left"
        return
    if action.seat in action.asked or any(not state.players[seat].alive for seat in action.asked):
        yield "it asks a seat that has left, or its own"
    yield from _later_faults(state, action)
    if action.then and (action.name not in ("move", "gate", "hyper_jump") or action.seat != state.turn.active):
        yield "only a movement of the active seat says what follows it"
    if action.name in ("sabotage", "diplomacy_block", "retreat") or action.seat != state.turn.active:
        yield from _reaction_faults(state, at, action)
    elif action.stage == "before":
        yield from _plan_faults(state, action)
    if action.stage == "before":
        yield from _paid_faults(state, action)
    elif action.enters is None or action.paid:
        yield "an action that has taken effect asks only where fleets have entered a space"
    seats = [action.args.get(name) for name in ("seat", "target")]
    if any(seat is not None and seat != "deck" and seat >= len(state.players) for seat in seats):
        yield "it names a seat that does not exist"


def _later_faults(state: State, action: Action) -> Iterator[str]:
    """Yield the faults in prepared answers to an after-window. Each is empty or a reaction to a movement."""
    for seat, command in action.later.items():
        if action.enters is None or seat == action.seat or not state.players[seat].alive:
            yield f"seat {seat} cannot answer it beforehand"
        elif command:
            name = command.get("name")
            if name not in ("retreat", "defend_homeworld"):
                yield f"nobody answers a movement beforehand by {name!r}"
            elif fault := forms.fault(COMMANDS[name], {key: value for key, value in command.items() if key != "name"}):
                yield fault.detail


def _paid_faults(state: State, action: Action) -> Iterator[str]:
    """Yield a fault unless the paid cards are still in the discard pile, from which a stopped action returns them."""
    start = action.args["discard_at"]
    if state.discard[start : start + len(action.paid)] != action.paid:
        yield "the cards paid do not lie in the discard pile from discard_at on"
    if action.name == "planning" and (start == 0 or state.discard[start - 1] != action.args["card"]):
        yield "planning takes the card that lies below discard_at"
    if action.free and (action.paid or action.credit or action.name not in ("move", "gate")):
        yield "only a move or a gate is free, and then it is not paid for"
    if action.free and state.turn.free_move:
        yield "the free move is used"
    if any(state.turn.credit.get(kind, 0) < n for kind, n in action.made.items()):
        yield "the credit that it made is not there"
    if action.name == "internal_trade" and not state.turn.internal_used:
        yield "internal trade is used"


def _reaction_faults(state: State, at: int, action: Action) -> Iterator[str]:
    """Yield a fault unless an answer to a window is directly above it on the stack."""
    if action.name not in REACTIONS:
        yield f"{action.name} does not answer what others do"
        return
    if at == 0:
        yield f"{action.name} answers nothing"
        return
    below = state.actions[at - 1]
    if below.seat == action.seat or action.stage == "after":
        yield f"{action.name} answers an action of another seat"
    if action.name in ("sabotage", "diplomacy_block"):
        if below.stage != "before" or (action.args["action"], action.args["against"]) != (below.id, below.name):
            yield f"{action.name} must name the action right below it"
        if action.name == "diplomacy_block" and below.enters is None:
            yield "diplomacy stops a movement into a space"
        return
    if below.stage != "after" or below.enters is None:
        yield f"{action.name} answers a movement that has taken place"
    elif action.name == "retreat":
        if action.args["from"] != below.enters or action.args["to"] not in ADJACENT[below.enters]:
            yield "fleets retreat from the space that was entered to one next to it"
        yield from _group_faults(state, action, action.args)
    else:
        yield from _plan_faults(state, action)


def _group_faults(state: State, action: Action, group: JsonMapping) -> Iterator[str]:
    player = state.players[action.seat]
    have = player.fleets.get(group["from"], 0), player.warfleets.get(group["from"], 0)
    if group["fleets"] > have[0] or group["warfleets"] > have[1] or not group["fleets"] + group["warfleets"]:
        yield f"the fleets that it moves are not at {group['from']}"


def _plan_faults(state: State, action: Action) -> Iterator[str]:
    """Yield a fault unless a waiting action was possible when declared. Only cards can have changed since."""
    if state.turn.phase not in PHASES[action.name]:
        yield f"{action.name} does not belong to the phase {state.turn.phase}"
        return
    kept = {name: value for name, value in action.args.items() if name not in ("discard_at", "card", "draws")}
    if action.name == "defend_homeworld":
        del kept["to"]
    then = state
    if action.name == "internal_trade":
        then, kept = replace(state, turn=replace(state.turn, internal_used=False)), {"others": ()}
    if action.name in ("external_trade", "piracy") and not state.players[action.args["target"]].hand:
        return  # cards from the hand have paid for an answer
    if action.name == "planning":
        then = replace(state, discard=state.discard[: action.args["discard_at"]])
    try:
        plan = plans.plan(then, action.seat, {"name": action.name, **kept})
    except Refused as refused:
        yield refused.detail
        return
    if action.name == "internal_trade":
        if action.args["draws"] != value(action.paid) + sum(action.credit.values()):
            yield "internal trade draws as many cards as were paid are worth"
    elif plan.enters != action.enters or plan.args != {key: value for key, value in action.args.items() if key != "discard_at"}:
        yield "what is recorded of it is not what it does"


def _battle(state: State) -> Iterator[str]:
    battle = state.battle
    if battle is None:
        return
    sides = set(battle.participants)
    if state.turn.phase not in ("battle", "battle_call") or battle.space not in state.turn.fought:
        yield "a battle belongs to a battle phase, and its space is among those fought over"
    if not set(battle.waiting) <= sides or not set(battle.commits) <= sides or set(battle.waiting) & set(battle.commits):
        yield "in a battle those who take part commit cards, or are waited for"
    if any(not state.players[seat].alive or seat not in state.order for seat in sides):
        yield "a seat that has left takes part in the battle"
    for seat, committed in battle.commits.items():
        if Counter(committed) - Counter(state.players[seat].hand) or set(committed) - set(ATTACKS):
            yield f"seat {seat} committed cards that are not in its hand, or do not count"


def _offers(state: State) -> Iterator[str]:
    if state.offers and (not state.options.free_trade or not state.turn.number):
        yield "there are offers in a match without free trade"
    for at, offer in enumerate(state.offers):
        where = f"/offers/{at}"
        if offer.seat == offer.to or not state.players[offer.seat].alive:
            yield f"{where} goes from a seat that plays to another"
        if offer.to is not None and not state.players[offer.to].alive:
            yield f"{where} is made to a seat that has left"
        counts = [*offer.give.values(), *offer.want.values()]
        if not counts or max(counts) > MOST_OFFERED:
            yield f"{where} names 1 to {MOST_OFFERED} of a card"
        if not offer.keep and state.turn.phase != "trade":
            yield f"{where} is kept open in the trade phase only"
    if any(count > MOST_OFFERS for count in Counter(offer.seat for offer in state.offers).values()):
        yield f"a seat has more than {MOST_OFFERS} open offers"
    if state.waiting is not None:
        held = next((offer for offer in state.offers if offer.id == state.waiting), None)
        if held is None or held.to is None or held.seat != state.turn.active or state.turn.phase != "trade":
            yield "the active seat waits for the answer to an offer of its own to one seat, in its trade phase"
