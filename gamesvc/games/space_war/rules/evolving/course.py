"""Events of the course of a match: its opening, turns, phases, actions, timeouts and its end."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.space_war.events.course import (
    ActionsChanged,
    ActionsSet,
    ChooserDrawn,
    ExtraTurnGained,
    GameCreated,
    GameEnded,
    HandFreed,
    LifeChanged,
    OutcomePending,
    PhaseEntered,
    PreparationRevealed,
    SeatPrepared,
    StarterChosen,
    TimedOut,
    TurnEnded,
    TurnStarted,
    UpkeepPaid,
    WentOn,
)
from gamesvc.games.space_war.rules.evolving.changes import Changes, Handlers, nothing, with_piece, with_side
from gamesvc.games.space_war.rules.evolving.zones import leave_out
from gamesvc.games.space_war.state import Item, Side, State, StationCard


def created(event: GameCreated) -> State:
    """Return the state with which a match begins."""
    sides = tuple(Side(deck=side["deck"], pool=tuple(side["pool"])) for side in event.sides)
    return State(event.points, event.max_timeouts, {}, (sides[0], sides[1]))


def _chooser_drawn(state: State, event: ChooserDrawn) -> Changes:
    return {"active": event.seat}


def _starter_chosen(state: State, event: StarterChosen) -> Changes:
    return {"active": event.seat, "phase": "prepare"}


def _seat_prepared(state: State, event: SeatPrepared) -> Changes:
    return {"sides": with_side(state, event.seat, commit=event.commit)}


def _preparation_revealed(state: State, event: PreparationRevealed) -> Changes:
    sides = []
    for side, entry in zip(state.sides, event.sides, strict=True):
        station = tuple(StationCard(card["slot"], card["id"], card["row"]) for card in entry["station"])
        sides.append(
            replace(
                side,
                hand=leave_out(side.hand, [card.id for card in station]),
                station=station,
                slots=len(station),
                commander=entry["commander"],
                life=entry["life"],
                full_life=entry["life"],
                commit=None,
            )
        )
    return {"sides": tuple(sides)}


def _turn_started(state: State, event: TurnStarted) -> Changes:
    seat, turn = event.seat, event.turn
    sides = tuple(
        replace(
            side,
            plays=0,
            commander_uses=0,
            managed=False,
            free_hand=False,
            first_turn=side.first_turn or (turn if at == seat else 0),
            actions=0,
        )
        for at, side in enumerate(state.sides)
    )
    pieces = tuple(
        replace(p, moved=False, attacks=0, ability=False, dormant=p.dormant and p.owner != seat)
        if p.moved or p.attacks or p.ability or p.dormant
        else p
        for p in state.pieces
    )
    return {
        "turn": turn,
        "active": seat,
        "phase": "draw",
        "sides": sides,
        "pieces": pieces,
        "items": _unsettled(state.items, (0, 1) if event.reviewed is None else event.reviewed),
    }


def _unsettled(items: tuple[Item, ...], of: Sequence[int]) -> tuple[Item, ...]:
    """Drop the settled items of some seats. A reference to an item's predecessor is replaced by its value."""
    kept: list[Item] = []
    last: dict[int, object] = {}
    for item in items:
        said = item.plays if item.plays is not None else last.get(item.by)
        last[item.by] = said
        if not item.settled or item.by not in of:
            first = all(other.by != item.by for other in kept)
            kept.append(replace(item, plays=said) if first and said is not item.plays else item)
    return tuple(kept)


def _phase_entered(state: State, event: PhaseEntered) -> Changes:
    if event.seat is None:
        return {"phase": event.phase}
    return {"phase": event.phase, "active": event.seat}


def _actions(state: State, event: ActionsSet | ActionsChanged) -> Changes:
    return {"sides": with_side(state, event.seat, actions=event.actions)}


def _upkeep_paid(state: State, event: UpkeepPaid) -> Changes:
    return {"sides": with_side(state, event.seat, actions=event.actions), "phase": "action"}


def _hand_freed(state: State, event: HandFreed) -> Changes:
    return {"sides": with_side(state, event.seat, free_hand=True)}


def _extra_turn_gained(state: State, event: ExtraTurnGained) -> Changes:
    return {
        "sides": with_side(state, event.seat, extra_turns=event.turns),
        "pieces": with_piece(state, event.card, counters=event.counters),
    }


def _turn_ended(state: State, event: TurnEnded) -> Changes:
    """End the turn. Orders that the other seat gave for this turn expire."""
    seat = event.seat
    sides = list(state.sides)
    sides[seat] = replace(
        sides[seat], last_turn=state.turn, extra_turns=event.extra_turns, actions=0, flip_slots=tuple(event.flip_slots)
    )
    other = sides[1 - seat]
    if other.orders:
        sides[1 - seat] = replace(other, orders=tuple(order for order in other.orders if order["until"] != "turn"))
    return {"sides": tuple(sides), "phase": "between"}


def _timed_out(state: State, event: TimedOut) -> Changes:
    return {"sides": with_side(state, event.seat, timeouts=event.in_a_row, timed=event.question)}


def _life_changed(state: State, event: LifeChanged) -> Changes:
    return {"sides": with_side(state, event.seat, life=event.life)}


def _game_ended(state: State, event: GameEnded) -> Changes:
    return {
        "winner": event.winner,
        "reason": event.reason,
        "phase": "over",
        "agenda": (),
        "prompts": (),
        "items": (),
        "replay": (),
    }


COURSE: Handlers = {
    ChooserDrawn: _chooser_drawn,
    StarterChosen: _starter_chosen,
    SeatPrepared: _seat_prepared,
    PreparationRevealed: _preparation_revealed,
    TurnStarted: _turn_started,
    PhaseEntered: _phase_entered,
    ActionsSet: _actions,
    ActionsChanged: _actions,
    UpkeepPaid: _upkeep_paid,
    HandFreed: _hand_freed,
    ExtraTurnGained: _extra_turn_gained,
    TurnEnded: _turn_ended,
    WentOn: nothing,
    TimedOut: _timed_out,
    LifeChanged: _life_changed,
    OutcomePending: nothing,
    GameEnded: _game_ended,
}
