"""The combat phase step by step: choosing cells, assigning, striking, retreating (RULES.md 11)."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.star_commander.events.course import PhaseEntered
from gamesvc.games.star_commander.events.plays import CombatClosed, CombatOpened, DamageAssigned, RetreatDeclined
from gamesvc.games.star_commander.rules.acting import actions, movement
from gamesvc.games.star_commander.rules.combat import fire
from gamesvc.games.star_commander.rules.decision import Play, Step
from gamesvc.games.star_commander.rules.effects import building, changes
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.json_types import JsonMapping


def eligible(board: Board) -> list[str]:
    """Return the cells without a fight this turn where the active seat and another one have vessels (RULES.md 19.17)."""
    state = board.state
    return [
        cell
        for cell in state.cells
        if cell not in state.fought
        and board.here(cell, state.active)
        and any(vessel.controller != state.active for vessel in board.here(cell))
    ]


def can_still_build(board: Board) -> bool:
    """Return True if the active seat could build a core ship now (Forsei)."""
    seat = board.state.active
    if not building.builds_in_combat(board, seat):
        return False
    return any(building.places(board, seat, card) for card in building.core_cards(board, "ship"))


def run_choose(play: Play, step: Step) -> bool:
    """Ask for the next combat while one is possible or Forsei could build; otherwise end the phase."""
    if not play.state.seats[play.state.active].alive or not (eligible(play.board) or can_still_build(play.board)):
        play.push("end")
        return False
    if play.state.phase != "combat":
        play.emit(PhaseEntered(phase="combat", window=None, priority=None))
    return play.wait(step, "combat_choose", play.state.active)


def open_combat(play: Play, cell: str) -> None:
    board = play.board
    participants = [seat for seat in board.clockwise(play.state.active) if board.here(cell, seat)]
    play.emit(CombatOpened(cell=cell, participants=participants))
    play.push("close_combat")
    play.push("window", name="after_retreat")
    play.push("retreat", queue=participants)
    play.push("window", name="after_resolve")
    play.push("strike")
    play.push("window", name="after_assign")
    play.push("assign", queue=participants)
    play.push("window", name="after_initiate")


def is_over_early(play: Play, window: str) -> bool:
    """Return True if fewer than two seats are left before the damage is dealt, which closes the combat."""
    return window == "after_assign" and len(fire.present(play.board)) < 2


def drop_to_close(play: Play) -> bool:
    while play.work[-1]["do"] != "close_combat":
        play.work.pop()
    return False


def run_assign(play: Play, step: Step) -> bool:
    """Let each participant assign damage in order, by standing orders if they cover it."""
    if len(fire.present(play.board)) < 2:
        return drop_to_close(play)
    queue: Sequence[int] = step["queue"]
    while queue:
        seat, board = queue[0], play.board
        if play.state.seats[seat].alive and fire.can_assign(board, seat):
            word = play.state.seats[seat].orders.assign
            if word == "ask":
                return play.wait({**step, "queue": list(queue)}, "combat_assign", seat)
            fired = fire.return_fire(board, seat) if word == "return_fire" else {}
            assign(play, seat, fired, auto=True)
        queue = queue[1:]
    return False


def assign(
    play: Play,
    seat: int,
    assignments: fire.Assignments,
    *,
    more: bool = False,
    auto: bool = False,
    passes: bool = False,
    stays: bool = False,
) -> None:
    """Assign damage. `passes`: the seat also passes the window after assigning. `stays`: it also declines to retreat.

    Both hold unless something is played. If a seat assigns in several commands, the last one counts.
    """
    combat = fire.fight(play.board)
    flat = fire.check_assign(play.board, seat, assignments)
    play.emit(
        DamageAssigned(
            seat=seat,
            cell=combat.cell,
            turn=play.state.turn,
            shots=flat,
            more=more,
            auto=auto,
            passes=passes,
            stays=stays,
        )
    )


def passes_by_itself(board: Board, seat: int) -> bool:
    """Return True if a seat passes along with its assignment by default: unless it wants to be asked in every such window."""
    return board.state.seats[seat].orders.combat["after_assign"] != "ask"


def run_strike(play: Play, step: Step) -> bool:
    """Deal all damage simultaneously."""
    if len(fire.present(play.board)) < 2:
        return drop_to_close(play)
    changes.damage(play, fire.arriving(play.board), "combat")
    return False


def run_retreat(play: Play, step: Step) -> bool:
    """Let each participant retreat that has a ship able to, following its orders (RULES.md 19.47)."""
    queue: Sequence[int] = step["queue"]
    cell = fire.fight(play.board).cell
    while queue:
        seat, board = queue[0], play.board
        if play.state.seats[seat].alive and any(movement.retreats(board, ship) for ship in board.ships(cell, seat)):
            word = play.state.seats[seat].orders.retreat
            pressed = any(vessel.controller != seat for vessel in board.here(cell))
            stays = seat in fire.fight(board).staying
            if not stays and (word == "ask" or (word == "pressed" and pressed)):
                return play.wait({**step, "queue": list(queue)}, "combat_retreat", seat)
            # Skipping this seat reveals its hidden answer, so the log says so.
            play.emit(RetreatDeclined(seat=seat, cell=cell, auto=True))
        queue = queue[1:]
    return False


def retreat(play: Play, seat: int, moves: Sequence[JsonMapping]) -> None:
    cell = fire.fight(play.board).cell
    for to, jump in movement.plan_retreat(play.board, seat, cell, moves):
        actions.do_jump(play, seat, jump, to, why="retreat")


def run_close(play: Play, step: Step) -> bool:
    play.emit(CombatClosed(cell=fire.fight(play.board).cell))
    return False
