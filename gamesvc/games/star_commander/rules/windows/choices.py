"""The values of a `choice` prompt, and the default on a timeout."""

from __future__ import annotations

from gamesvc.games.star_commander.rules.effects import building, drawing
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.state import State


def choice_values(board: Board) -> list[str]:
    """Return the values of the open choice in their fixed order."""
    state = board.state
    seat = state.prompt.seat
    match state.prompt.what:
        case "draw_domain":
            return board.drawable(seat)
        case "keep_or_discard":
            return ["keep", "discard"]
        case "core_world":
            return building.with_room(board, seat)
        case "take_card":
            return list(state.seats[victim(state)].hand)
    return list(state.seats[seat].hand)


def victim(state: State) -> int:
    """Return the seat whose hand the open `take_card` choice picks from."""
    return int(state.work[-1]["victim"])


def default_choice(board: Board) -> str:
    state, values = board.state, choice_values(board)
    match state.prompt.what:
        case "draw_domain":
            return drawing.default_domain(board, state.prompt.seat)
        case "core_world":
            return min(values, key=lambda cell: (state.cells[cell].devs, values.index(cell)))
        case "take_card":
            return min(values, key=lambda uid: int(uid[1:]))
    return values[0]
