"""Set-up, turns, questions, standing orders, elimination and the end."""

from __future__ import annotations

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.star_commander.events import course
from gamesvc.games.star_commander.rules.evolving.changes import Handlers, answered, discarded, remove, with_seat
from gamesvc.games.star_commander.state import Auto, Cell, Orders, Prompt, Result, Seat, State, Vessel, Window


def set_up(event: course.GameSetUp) -> State:
    cells = {
        name: Cell(card, home is not None, home, 1 if home is not None else 0, () if home is None else (home,), 0, home)
        for name, card, home in event.cells
    }
    vessels = {at: Vessel(at, card, seat, cell) for at, card, seat, cell in event.vessels}
    return State(
        edition=event.edition,
        grid=event.grid,
        trade=event.trade,
        lethal=event.lethal,
        turn_limit=event.turn_limit,
        faces=dict(event.faces),
        uids=len(event.faces),
        decks={domain: tuple(deck) for domain, deck in event.decks.items()},
        discards=dict.fromkeys(event.decks, ()),
        undealt=tuple(event.undealt),
        supply=dict(event.supply),
        cells=cells,
        seats=tuple(Seat(credits) for credits in event.credits),
        vessels=vessels,
        vessels_made=len(vessels),
        active=event.first,
        resume=event.first,
    )


# --- turn and phases ---


def turn_started(state: State, event: course.TurnStarted) -> State:
    vessels = {at: replace(v, jumps=0, moved=False) if v.jumps or v.moved else v for at, v in state.vessels.items()}
    return replace(
        state,
        vessels=vessels,
        active=event.seat,
        turn=event.turn,
        phase="ready",
        extra=tuple(event.queue),
        resume=state.resume if event.extra else event.seat,
        abandoned={cell: tuple(ids) for cell, ids in event.abandoned.items()},
        fought=(),
        resting=(),
        work=[],
    )


def phase_entered(state: State, event: course.PhaseEntered) -> State:
    if event.window is None or event.priority is None:
        return replace(state, phase=event.phase)
    combat = replace(state.combat, step=event.window) if state.combat else None
    return replace(state, combat=combat, window=Window(event.window, event.priority, early=tuple(event.passed or ())))


def turn_ended(state: State, event: course.TurnEnded) -> State:
    seat = state.seats[event.seat]
    return replace(
        state, seats=with_seat(state, event.seat, last_turn=event.turn, turns_taken=seat.turns_taken + 1), abandoned={}
    )


def choice_requested(state: State, event: course.ChoiceRequested) -> State:
    prompt = Prompt(event.prompt, event.seat, event.number, event.what)
    window, asked = state.window, tuple(event.asked)
    if window is not None:
        window = replace(window, asked=asked, question=window.question or (event.number if asked else 0))
    return replace(state, prompt=prompt, work=event.work, window=window)


def choice_made(state: State, event: course.ChoiceMade) -> State:
    return replace(state, prompt=answered(state))


def extra_turn_queued(state: State, event: course.ExtraTurnQueued) -> State:
    return replace(state, extra=(*state.extra, event.seat))


# --- standing orders, elimination, the end ---


def read_orders(data: course.OrdersData) -> Orders:
    return Orders(
        commands=data["commands"],
        abilities=data["abilities"],
        actions=data["actions"],
        combat=dict(data["combat"]),
        always_ask=tuple(data["always_ask"]),
        auto=tuple(Auto(one["play"], tuple(one["on"]), one["by"], one["only_concerned"]) for one in data["auto"]),
        assign=data["assign"],
        retreat=data["retreat"],
        draw=tuple(data["draw"]),
    )


def standing_orders_set(state: State, event: course.StandingOrdersSet) -> State:
    """Store standing orders. They also end the seat's pass for the rest of the turn."""
    resting = tuple(seat for seat in state.resting if seat != event.seat)
    return replace(state, seats=with_seat(state, event.seat, orders=read_orders(event.orders)), resting=resting)


def player_eliminated(state: State, event: course.PlayerEliminated) -> State:
    seat = event.seat
    state = remove(state, dict(event.vessels))
    cells = dict(state.cells)
    for cell in event.cells:
        cells[cell] = replace(cells[cell], controller=None, devs=0)
    stack = tuple(item for item in state.stack if item.id not in event.stack)
    state = _asked_again(state, seat)
    window = state.window
    together = state.out and set(state.out[-1]) & set(event.with_seats)
    out = (*state.out[:-1], (*state.out[-1], seat)) if together else (*state.out, (seat,))
    ends_turn = event.cause == "resigned" and seat == state.active
    closes = ends_turn or (not stack and state.window is not None and state.window.name == "stack")
    return replace(
        state,
        seats=with_seat(state, seat, alive=False, credits=0, hand=(), technologies=(), orders=Orders()),
        cells=cells,
        discards=discarded(state, [(uid, domain) for uid, domain, _ in event.cards]),
        modifiers=tuple(modifier for modifier in state.modifiers if modifier.until_seat != seat),
        stack=() if ends_turn else stack,
        window=None if closes else window,
        combat=None if ends_turn else state.combat,
        prompt=answered(state) if ends_turn or seat == state.prompt.seat else state.prompt,
        offers=tuple(offer for offer in state.offers if seat not in (offer.maker, offer.to)),
        extra=tuple(queued for queued in state.extra if queued != seat),
        out=out,
    )


def _asked_again(state: State, gone: int) -> State:
    """Drop the sealed answers of a window: the targets of a prepared play may be gone.

    All of them are dropped, including passes and passes for the rest of the turn. Otherwise the seats asked again would reveal
    who had prepared a play.
    """
    window = state.window
    if window is None or not window.question:
        return state
    resting = tuple(seat for seat in state.resting if seat not in window.early)
    asked = tuple(seat for seat in window.asked if seat != gone)
    return replace(state, resting=resting, window=replace(window, asked=asked, early=(), ready={}))


def game_ended(state: State, event: course.GameEnded) -> State:
    result = Result(event.reason, tuple(tuple(group) for group in event.ranking), tuple(event.scores))
    return replace(
        state,
        result=result,
        prompt=Prompt("over", -1, state.prompt.number + 1),
        work=[],
        window=None,
        offers=(),
    )


HANDLERS: Handlers = {
    course.TurnStarted: turn_started,
    course.PhaseEntered: phase_entered,
    course.TurnEnded: turn_ended,
    course.ExtraTurnQueued: extra_turn_queued,
    course.ChoiceRequested: choice_requested,
    course.ChoiceMade: choice_made,
    course.StandingOrdersSet: standing_orders_set,
    course.PlayerEliminated: player_eliminated,
    course.GameEnded: game_ended,
}
