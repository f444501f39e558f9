"""Copies of parts of a state with changes: the tools of the modules beside this one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.games.star_commander.state import Cell, Prompt, Seat, State, Vessel

Handlers = Mapping[type[TypedEvent], Callable[[State, Any], State]]
"""The functions that change the state, by the events that they take."""


def unchanged(state: State, event: TypedEvent) -> State:
    """Return the state unchanged, for events that only carry information."""
    return state


def with_seat(state: State, at: int, **changes: Any) -> tuple[Seat, ...]:
    return tuple(replace(seat, **changes) if index == at else seat for index, seat in enumerate(state.seats))


def with_cell(state: State, at: str, **changes: Any) -> dict[str, Cell]:
    return {**state.cells, at: replace(state.cells[at], **changes)}


def with_vessels(state: State, at: Iterable[str], **changes: Any) -> dict[str, Vessel]:
    vessels = dict(state.vessels)
    for one in at:
        vessels[one] = replace(vessels[one], **changes)
    return vessels


def without(items: tuple[str, ...], *gone: str) -> tuple[str, ...]:
    return tuple(item for item in items if item not in gone)


def answered(state: State) -> Prompt:
    """Return the prompt for the rest of the act, after its decision was answered or dropped."""
    return replace(state.prompt, answered=True)


def discarded(state: State, cards: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return the discard piles with the cards (uid, domain) on top."""
    discards = dict(state.discards)
    for uid, domain in cards:
        discards[domain] = (*discards[domain], uid)
    return discards


def remove(state: State, gone: Mapping[str, str]) -> State:
    """Remove vessels (id -> domain) from the board: to the supply, or to their domain's discard pile."""
    supply, discards = dict(state.supply), dict(state.discards)
    for at, domain in gone.items():
        vessel = state.vessels[at]
        if vessel.uid is None:
            supply[vessel.card] += 1
        else:
            discards[domain] = (*discards[domain], vessel.uid)
    return replace(
        state,
        vessels={at: vessel for at, vessel in state.vessels.items() if at not in gone},
        modifiers=tuple(modifier for modifier in state.modifiers if modifier.vessel not in gone),
        supply=supply,
        discards=discards,
    )
