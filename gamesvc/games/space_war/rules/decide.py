"""Commands to events."""

from __future__ import annotations

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Command, Form
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.space_war.events.course import TimedOut
from gamesvc.games.space_war.rules import acts, setup
from gamesvc.games.space_war.rules.decision import Flow
from gamesvc.games.space_war.rules.defaults import ordinary
from gamesvc.games.space_war.rules.effects import battle
from gamesvc.games.space_war.rules.legal import awaited, legal_commands
from gamesvc.games.space_war.rules.playing.plays import completed
from gamesvc.games.space_war.rules.refusing.refusals import refusal
from gamesvc.games.space_war.rules.turn import leave_phase
from gamesvc.games.space_war.state import MOST_REPLAYED, State

_OTHERS = {
    "react": acts.react,
    "let_stand": acts.let_stand,
    "pause": acts.pause,
    "choose": acts.choose,
    "draw": acts.draw,
    "choose_starter": setup.choose_starter,
    "prepare": setup.prepare,
}


TASK_MODULES = (battle,)


def decide(run: Run[State], seat: int, command: Command) -> None:
    """Carry out a command. Raises `Refused` if no form offers it."""
    form = _offering(run.state, seat, command)
    if form is None:
        raise refusal(run.state, seat, command)
    _perform(run, seat, completed(form, command))


def _offering(state: State, seat: int, command: Command) -> Form | None:
    """Return the form that offers a command; None if the command is not legal."""
    offered = (form for form in legal_commands(state, seat) if form.name == command["name"])
    return next((form for form in offered if forms.fits(form, command)), None)


def _perform(run: Run[State], seat: int, command: Command) -> None:
    name, state = command["name"], run.state
    if name == "replay":
        _replay(run, seat)
        return
    flow = Flow(run, seat, command)
    if name == "resign":
        flow.finish(1 - seat, "resigned")
    elif name == "set_orders":
        acts.set_orders(flow, seat, command)
    elif name == "time_out":
        _time_out(flow, seat)
    elif name in _OTHERS:
        if name in ("choose", "draw", "pause") and _in_own_turn(state, seat):
            flow.settle_along(seat)
        _OTHERS[name](flow, seat, command)
    elif name != "go_on":
        flow.settle_along(seat)
        acts.OWN_TURN[name](flow, seat, command)
    if name not in ("resign", "set_orders"):
        flow.go()
        leave_phase(flow)


def _in_own_turn(state: State, seat: int) -> bool:
    return state.active == seat and state.phase != "review"


def _time_out(flow: Flow, seat: int) -> None:
    """Carry out the default command. Too many timeouts in a row lose the match (RULES.md 15).

    Everything left undone in one pending decision (a whole turn is one) counts as one timeout, however many defaults it takes,
    and however often a reaction goes back into it: it is asked again then under an id with another number of rewinds.
    """
    state = flow.state
    side, command = state.sides[seat], ordinary(state, seat)
    question = next(one.id for one in awaited(state) if one.seat == seat)
    in_a_row = side.timeouts + (side.timed.partition(".")[0] != question.partition(".")[0])
    flow.emit(TimedOut(seat=seat, in_a_row=in_a_row, question=question))
    if state.max_timeouts and in_a_row >= state.max_timeouts:
        flow.finish(1 - seat, "timed_out")
        return
    if _in_own_turn(state, seat):
        flow.settle_along(seat)
    handler = _OTHERS.get(command["name"]) or acts.OWN_TURN.get(command["name"])
    if handler is not None:  # go_on needs none
        handler(flow, seat, command)


def _replay(run: Run[State], seat: int) -> None:
    """Repeat the commands that the last rewind undid, up to the first one that is illegal or opens a prompt."""
    first = True
    for command in run.state.replay[:MOST_REPLAYED]:
        state = run.state
        if not first and (state.prompts or state.agenda or state.active != seat or state.phase == "over"):
            break
        form = _offering(state, seat, command)
        if form is None:
            break
        _perform(run, seat, completed(form, command))
        first = False
