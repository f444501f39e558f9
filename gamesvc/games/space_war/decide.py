"""From a command to events. The forms are the law: what they do not offer is refused, with the reason in words."""

from __future__ import annotations

from gamesvc.games import forms
from gamesvc.games.kernel import Command, Data, Form, Refused
from gamesvc.games.space_war import acts, battle
from gamesvc.games.space_war.decks import deck_cards, pool_of, read_decks
from gamesvc.games.space_war.defaults import ordinary
from gamesvc.games.space_war.flow import Flow
from gamesvc.games.space_war.legal import awaited, legal_commands
from gamesvc.games.space_war.plays import completed
from gamesvc.games.space_war.refusals import refusal
from gamesvc.games.space_war.state import LETTERS, State
from gamesvc.games.space_war.turns import leave_phase
from gamesvc.games.timeline import Run

_OTHERS = {
    "react": acts.react,
    "let_stand": acts.let_stand,
    "pause": acts.pause,
    "choose": acts.choose,
    "draw": acts.draw,
    "choose_starter": acts.choose_starter,
    "prepare": acts.prepare,
}
TASK_MODULES = (battle,)
"""Modules that are loaded for the tasks they register."""


def setup(run: Run[State], options: Data, seats: int) -> None:
    """Shuffle ids and piles, and draw who chooses or starts (RULES.md section 3)."""
    decks = read_decks(options)
    pools = [pool_of(deck, options["commander_pool"]) for deck in decks]
    flow = Flow(run)
    flow.emit(
        "game_created",
        points=options["reaction_points"],
        max_timeouts=options["max_timeouts"],
        sides=[{"deck": deck.id, "pool": pool} for deck, pool in zip(decks, pools, strict=True)],
    )
    for seat, deck in enumerate(decks):
        cards = deck_cards(deck)
        ids = [f"{LETTERS[seat]}-{at:02}" for at in range(1, len(cards) + 1)]
        mapping = dict(zip(ids, run.dice.shuffle(cards), strict=True))
        flow.emit("pile_ordered", seat=seat, cards=mapping, order=run.dice.shuffle(ids))
    drawn = run.dice.choose(2)
    if options["starter"] == "random":
        acts.begin_preparation(flow, drawn)
    else:
        flow.emit("chooser_drawn", seat=drawn)


def decide(run: Run[State], seat: int, command: Command) -> None:
    """Do a command, or refuse it."""
    form = _offering(run.state, seat, command)
    if form is None:
        raise refusal(run.state, seat, command)
    _perform(run, seat, completed(form, command))


def _offering(state: State, seat: int, command: Command) -> Form | None:
    """Return the form that offers a command; None if it is not legal."""
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
            flow.settle(seat)
        _OTHERS[name](flow, seat, command)
    elif name != "go_on":
        flow.settle(seat)
        acts.OWN_TURN[name](flow, seat, command)
    if name not in ("resign", "set_orders"):
        flow.go()
        leave_phase(flow)


def _in_own_turn(state: State, seat: int) -> bool:
    return state.active == seat and state.phase != "review"


def _time_out(flow: Flow, seat: int) -> None:
    """The default happens; too many in a row lose the match (RULES.md section 15).

    What is left undone under one question (a whole turn is one) is one time-out, however many defaults it takes.
    """
    state = flow.state
    side, command = state.sides[seat], ordinary(state, seat)
    question = next(one.id for one in awaited(state) if one.seat == seat)
    in_a_row = side.timeouts + (side.timed != question)
    flow.emit("timed_out", seat=seat, in_a_row=in_a_row, question=question)
    if state.max_timeouts and in_a_row >= state.max_timeouts:
        flow.finish(1 - seat, "timed_out")
        return
    if _in_own_turn(state, seat):
        flow.settle(seat)
    handler = _OTHERS.get(command["name"]) or acts.OWN_TURN.get(command["name"])
    if handler is not None:  # go_on needs none
        handler(flow, seat, command)


def _replay(run: Run[State], seat: int) -> None:
    """Repeat the commands that the last rewind took back, up to the first that is not legal or opens a prompt."""
    first = True
    for command in run.state.replay:
        state = run.state
        if not first and (state.prompts or state.agenda or state.active != seat or state.phase == "over"):
            break
        if _offering(state, seat, command) is None:
            break
        _perform(run, seat, command)
        first = False


def check_options(options: Data, seats: int) -> None:
    """Refuse decks that are no decks."""
    if seats != 2:
        raise Refused("bad_seats", "The Space War is for 2 seats.", "seats")
    read_decks(options)
