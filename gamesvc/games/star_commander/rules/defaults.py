"""The default commands for timeouts."""

from __future__ import annotations

from gamesvc.games.star_commander.rules.combat import fire, phase
from gamesvc.games.star_commander.rules.effects import drawing
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.rules.windows.choices import default_choice
from gamesvc.games.star_commander.state import State
from gamesvc.json_types import JsonObject


def default_command(state: State, seat: int) -> JsonObject:
    """Return the command for a seat that has run out of time. It uses no more information than the seat's view."""
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
            cells = phase.eligible(board)
            if cells and not board.edition.may_skip_combat:
                return {"name": "open_combat", "cell": cells[0]}
            return {"name": "end_combat"}
        case "combat_assign":
            fired = {} if seat == state.active else fire.return_fire(board, seat)
            return {"name": "assign_damage", "assignments": fired}
    return {"name": "retreat", "moves": []}
