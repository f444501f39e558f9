"""Handlers of acts that are paid for, and of the answers to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.kernel.game import Command
from gamesvc.games.stratastar.events.actions import (
    ActionDeclared,
    ActionFailed,
    ActionNegated,
    Announced,
    MoveBlocked,
    Paid,
    Passed,
    ReactionPrepared,
    Spied,
    WindowClosed,
    WindowOpened,
)
from gamesvc.games.stratastar.events.shapes import StratastarEvent
from gamesvc.games.stratastar.rules.changes import (
    above,
    added,
    credited,
    discarded,
    on_turn,
    seats_without,
    with_player,
)
from gamesvc.games.stratastar.rules.evolving import Handlers
from gamesvc.games.stratastar.state import Action, SpyRecord, State, Turn


def same(state: State, event: StratastarEvent) -> State:
    """Return the state unchanged, for events that only carry information."""
    return state


def _pay(state: State, event: Paid) -> tuple[State, Turn]:
    """Return the state after the payment, and the turn with its credit, which the state does not have yet."""
    turn = state.turn
    if event.credit or event.made:
        turn = replace(turn, credit=credited(turn, event.credit, event.made))
    return discarded(state, event.seat, event.paid) if event.paid else state, turn


def action_declared(state: State, event: ActionDeclared) -> State:
    at = len(state.discard)
    state, turn = _pay(state, event)
    if event.free:
        turn = replace(turn, free_move=False)
    if event.action == "internal_trade":
        turn = replace(turn, internal_used=True)
    if event.answers is not None:
        state = _answered(state, event.answers, event.seat)
    elif state.actions and event.seat in state.actions[-1].later:
        state = _prepared(state, state.actions[-1].id, event.seat, None)
    # Any answer to a movement other than a pass cancels its planned follow-up.
    actions = tuple(replace(one, then="") if one.then else one for one in state.actions)
    state = replace(state, turn=turn, next_id=event.id + 1, actions=actions)
    return _pushed(state, event, "before", at, {}) if event.asked else state


def window_opened(state: State, event: WindowOpened) -> State:
    return _pushed(state, event, "after", len(state.discard), event.later or {})


def _pushed(state: State, event: Announced, stage: Literal["before", "after"], at: int, later: Mapping[str, Command]) -> State:
    action = Action(
        id=event.id,
        seat=event.seat,
        name=event.action,
        args={**event.args, "discard_at": at},
        paid=tuple(event.paid),
        credit=dict(event.credit),
        made=dict(event.made),
        free=event.free,
        stage=stage,
        asked=tuple(event.asked),
        enters=event.enters,
        later={int(seat): command for seat, command in later.items()},
        then=event.then,
    )
    return replace(state, actions=(*state.actions, action))


def window_closed(state: State, event: WindowClosed | ActionNegated) -> State:
    return replace(state, actions=above(state.actions, event.id))


def passed(state: State, event: Passed) -> State:
    if event.action is None:
        turn = state.turn
        calling = seats_without(turn.calling, event.seat)
        return on_turn(state, declined=(*turn.declined, event.seat), calling=calling)
    if event.after:
        state = _prepared(state, event.action, event.seat, {} if event.then is None else event.then)
    return _answered(state, event.action, event.seat)


def reaction_prepared(state: State, event: ReactionPrepared) -> State:
    state = _prepared(state, event.action, event.seat, event.command)
    return _answered(state, event.action, event.seat)


def _prepared(state: State, action_id: int, seat: int, command: Command | None) -> State:
    """Store a seat's prepared answer. None: its answer has been given."""

    def noted(action: Action) -> Action:
        others = {other: kept for other, kept in action.later.items() if other != seat}
        return replace(action, later=others if command is None else {**others, seat: command})

    return replace(state, actions=tuple(noted(one) if one.id == action_id else one for one in state.actions))


def _answered(state: State, action_id: int, seat: int) -> State:
    actions = tuple(replace(one, asked=seats_without(one.asked, seat)) if one.id == action_id else one for one in state.actions)
    return replace(state, actions=actions)


def move_blocked(state: State, event: MoveBlocked) -> State:
    player, at, turn = state.players[event.seat], event.discard_at, state.turn
    turn = replace(
        turn,
        credit=credited(turn, event.made, event.credit),
        free_move=turn.free_move or event.free,
        blocked=(*turn.blocked, event.space),
    )
    return with_player(
        state,
        event.seat,
        replace(player, hand=added(player.hand, event.paid)),
        turn=turn,
        discard=state.discard[:at] + state.discard[at + len(event.paid) :],
        actions=above(state.actions, event.id),
    )


def spied(state: State, event: Spied) -> State:
    state, turn = _pay(state, event)
    player = state.players[event.seat]
    record = SpyRecord(event.turn, str(event.target), tuple(event.cards))
    informed = replace(player, records=(*player.records[-event.keeps + 1 :], record))
    return with_player(state, event.seat, informed, turn=turn)


HANDLERS: Handlers = {
    ActionDeclared: action_declared,
    WindowOpened: window_opened,
    WindowClosed: window_closed,
    Passed: passed,
    ReactionPrepared: reaction_prepared,
    ActionNegated: window_closed,
    ActionFailed: same,
    MoveBlocked: move_blocked,
    Spied: spied,
}
