"""Declared actions: paying for them, announcing them, waiting for answers, and carrying them out (RULES.md 7)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.stratastar.events.actions import ActionDeclared, ActionNegated, MoveBlocked, Passed, WindowClosed, WindowOpened
from gamesvc.games.stratastar.rules import facts, turn
from gamesvc.games.stratastar.rules.actions import battle, effects, reactions
from gamesvc.games.stratastar.rules.actions.needs import Plan
from gamesvc.games.stratastar.rules.actions.payment import Payment, settle
from gamesvc.games.stratastar.state import Action, State
from gamesvc.language import say


def declare(run: Run[State], seat: int, plan: Plan, pay: Sequence[str] | None, *, reaction: bool, auto: bool = False) -> None:
    """Pay for an action and announce it. It takes effect at once unless a seat is asked."""
    payment = settle(run.state, seat, plan.cost, pay, reaction=reaction, name=plan.name) if plan.cost else Payment()
    announce(run, seat, plan, payment, auto=auto)


def announce(run: Run[State], seat: int, plan: Plan, payment: Payment, *, auto: bool = False, answers: int | None = None) -> None:
    """Announce a paid action. `answers` is the id of the action whose before-window it answers."""
    state = run.state
    action = Action(
        id=state.next_id,
        seat=seat,
        name=plan.name,
        args={**plan.args, "discard_at": len(state.discard)},
        paid=payment.cards,
        credit=payment.credit,
        made=payment.made,
        free=plan.free,
        stage="before",
        asked=(),
        enters=plan.enters,
        then=plan.then,
    )
    asked = reactions.asked(state, action)
    run.emit(
        ActionDeclared(
            id=action.id,
            seat=seat,
            action=action.name,
            args=plan.args,
            paid=action.paid,
            credit=action.credit,
            made=action.made,
            free=action.free,
            enters=action.enters,
            asked=asked,
            then=action.then,
            auto=auto,
            answers=answers,
            unasked=reactions.unasked(state, action, asked),
        )
    )
    if not asked:
        perform(run, action)


def react(run: Run[State], seat: int, command: Command, *, auto: bool = False) -> None:
    """Answer the open window with something other than `pass`."""
    action = run.state.actions[-1]
    if command["name"] in reactions.preparable(run.state, seat, action):
        _check_prepared(run.state, seat, command, action)
        let_happen(run, seat, action, command)
        return
    plan = reactions.plan(run.state, seat, command, action)
    payment = settle(run.state, seat, plan.cost, command.get("pay"), reaction=True, name=plan.name)
    answers = action.id if action.stage == "before" else None
    announce(run, seat, plan, payment, auto=auto, answers=answers)


def _check_prepared(state: State, seat: int, command: Command, action: Action) -> None:
    """Check a reaction prepared for after a movement. It is paid for when it happens. Raises `Refused`."""
    plan = reactions.plan(state, seat, command, replace(action, stage="after"))
    settle(state, seat, plan.cost, command.get("pay"), reaction=True, name=plan.name)


def let_happen(run: Run[State], seat: int, action: Action, then: Command | None = None) -> None:
    """Pass. If the seat could prepare a reaction, its pass also answers the after-window: with `then`, or with nothing.

    Others see the same event either way until the reaction happens.
    """
    after = bool(reactions.preparable(run.state, seat, action))
    run.emit(Passed(seat=seat, action=action.id, how="passes", after=after, then=then))


def perform(run: Run[State], action: Action) -> None:
    """Carry out an action. A movement of the active seat then opens its after-window."""
    if action.name == "sabotage":
        target = _target(run, action)
        run.emit(ActionNegated(id=target.id, seat=target.seat, action=target.name, by=action.seat))
        return
    if action.name == "diplomacy_block":
        _block(run, action)
        return
    entered = effects.apply(run, action)
    if entered and run.state.ended is None:
        after = replace(action, paid=(), credit={}, made={}, free=False, stage="after", asked=())
        asked = reactions.asked(run.state, after)
        if asked:
            _ask_afterwards(run, after, asked)
        else:
            _carry_on(run, action)


def _ask_afterwards(run: Run[State], after: Action, asked: Sequence[int]) -> None:
    run.emit(
        WindowOpened(
            id=after.id,
            seat=after.seat,
            action=after.name,
            args={name: value for name, value in after.args.items() if name != "discard_at"},
            paid=after.paid,
            credit=after.credit,
            made=after.made,
            free=after.free,
            enters=after.enters,
            asked=asked,
            then=after.then,
            later={str(seat): command for seat, command in after.later.items()} or None,
        )
    )


def _carry_on(run: Run[State], action: Action) -> None:
    """Carry out the follow-up that the active seat gave with its movement, which nobody has answered."""
    if action.then == "end_turn":
        turn.end_turn(run)
    elif action.then == "battle" and (space := action.enters) in facts.contested(run.state, action.seat):
        assert space is not None
        turn.leave_phase(run)
        battle.begin(run, action.seat, space, called=False)


def _target(run: Run[State], action: Action) -> Action:
    [target] = [one for one in run.state.actions if one.id == action.args["action"]]
    return target


def _block(run: Run[State], action: Action) -> None:
    target = _target(run, action)
    assert target.enters is not None
    run.emit(
        MoveBlocked(
            id=target.id,
            seat=target.seat,
            by=action.seat,
            space=target.enters,
            paid=target.paid,
            credit=target.credit,
            made=target.made,
            free=target.free,
            discard_at=target.args["discard_at"],
        )
    )


def resolve(run: Run[State]) -> None:
    """Apply standing orders and close windows without asked seats, until a seat must act."""
    while run.state.actions and run.state.ended is None:
        action = run.state.actions[-1]
        if _answered(run, action):
            continue
        if action.asked:
            return
        run.emit(WindowClosed(action.id))
        if action.stage == "before":
            perform(run, action)
        else:
            _carry_on(run, action)


def _answered(run: Run[State], action: Action) -> bool:
    """Return True if standing orders or changed facts have answered for one of the asked seats."""
    for seat in action.asked:
        if (command := reactions.prepared(run.state, seat, action)) is not None:
            react(run, seat, command)
            return True
        if (command := reactions.automatic(run.state, seat, action)) is not None:
            react(run, seat, command, auto=True)
            return True
        if not reactions.stays_asked(run.state, seat, action):
            run.emit(Passed(seat=seat, action=action.id, how="orders"))
            return True
    return False


def need_answer(state: State, seat: int) -> Action:
    """Return the window that a seat is asked about. Raises `Refused`."""
    if not state.actions or seat not in state.actions[-1].asked:
        raise Refused("wrong_phase", say("You have no pending decision."))
    return state.actions[-1]
