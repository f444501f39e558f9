"""What a `choice` prompt offers, and what is chosen when time runs out (RULES.md 14, time-outs)."""

from __future__ import annotations

from typing import Any

from gamesvc.games.star_commander import building, combat, drawing, fire
from gamesvc.games.star_commander.board import Board
from gamesvc.games.star_commander.state import State


def choice_values(board: Board) -> list[str]:
    """The values of the open choice, in their fixed order."""
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
    """Whose hand the open `take_card` choice picks from."""
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


def default_command(state: State, seat: int) -> dict[str, Any]:
    """What is done for a seat whose time is over; never worse informed than its own view."""
    board = Board(state)
    match state.prompt.kind:
        case "ready_draw":
            command = {"name": "draw_card", "domain": drawing.default_domain(board, seat)}
            if board.hand_is_full(seat):
                command["discard"] = state.seats[seat].hand[0]
            return command
        case "choice":
            return {"name": "choose", "value": default_choice(board)}
        case "command":
            return {"name": "end_command"}
        case "window":
            return {"name": "pass"}
        case "combat_choose":
            cells = combat.eligible(board)
            if cells and not board.edition.may_skip_combat:
                return {"name": "open_combat", "cell": cells[0]}
            return {"name": "end_combat"}
        case "combat_assign":
            fired = {} if seat == state.active else fire.return_fire(board, seat)
            return {"name": "assign_damage", "assignments": fired}
    return {"name": "retreat", "moves": []}
