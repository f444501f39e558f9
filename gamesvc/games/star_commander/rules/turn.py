"""The turn: its phases as steps, and the loop that runs steps until a seat must answer (RULES.md 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gamesvc.games.star_commander.data import Effect
from gamesvc.games.star_commander.events.board import DamageCleared, DevelopmentsRemoved, ModifiersExpired
from gamesvc.games.star_commander.events.course import PhaseEntered, TurnEnded, TurnStarted
from gamesvc.games.star_commander.rules.combat import phase
from gamesvc.games.star_commander.rules.decision import Play, Step
from gamesvc.games.star_commander.rules.effects import building, changes, drawing, elimination, ops
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.rules.windows import stack


def advance(play: Play) -> None:
    """Run steps until one waits or the match is over."""
    while play.state.result is None:
        step = play.work.pop()
        if STEPS[step["do"]](play, step):
            return


def sources_of(board: Board, seat: int, trigger: str) -> list[tuple[str, str, Effect]]:
    """Return the sources (place, card, effect) of a ready-phase trigger: systems in cell order, stations by id, technologies."""
    state = board.state
    found = [(cell, card.id, effect) for cell, card in board.active_systems(seat) for effect in card.with_trigger(trigger)]
    for vessel in sorted(board.fleet(seat), key=lambda vessel: int(vessel.id[1:])):
        found += [(vessel.id, vessel.card, effect) for effect in board.card(vessel).with_trigger(trigger)]
    for uid in state.seats[seat].technologies:
        card = board.cards[state.faces[uid]]
        found += [(uid, card.id, effect) for effect in card.with_trigger(trigger)]
    return found


def run_turn(play: Play, step: Step) -> bool:
    """Begin the turn of a seat. The ready phase is skipped in the seat's first turn (RULES.md 19.3)."""
    seat = step["seat"]
    play.emit(
        TurnStarted(
            seat=seat,
            turn=play.state.turn + 1,
            extra=step["extra"],
            queue=step["queue"],
            abandoned=_abandoned(play.board, seat),
        )
    )
    expire(play, [m.id for m in play.state.modifiers if m.until == "turn_of" and m.until_seat == seat])
    changes.settle(play)
    play.push("command")
    if play.state.seats[seat].turns_taken:
        play.push("ready")
    return False


def _abandoned(board: Board, seat: int) -> dict[str, list[str]]:
    """Return the abandoned fighters (classic): those alone in cells that the seat does not control."""
    if not board.edition.fighters_get_abandoned:
        return {}
    found: dict[str, list[str]] = {}
    for name, cell in board.state.cells.items():
        own = board.here(name, seat)
        if cell.controller != seat and own and all(board.is_fighter(vessel) for vessel in own):
            found[name] = [vessel.id for vessel in own]
    return found


def expire(play: Play, modifiers: list[int]) -> None:
    if modifiers:
        play.emit(ModifiersExpired(modifiers=modifiers))


def run_ready(play: Play, step: Step) -> bool:
    """Pay out credits at once, then make the draws, whose number is fixed now, then the start actions."""
    seat, board = play.state.active, play.board
    sources = [(cell, play.state.cells[cell].devs) for cell in board.controlled(seat) if not board.besieged(cell)]
    for _, card, effect in sources_of(board, seat, "start_credits"):
        amount = ops.amount_of(play, ops.Acting(seat, card, "", {}), effect.amount)
        sources.append((card, amount or 0))
    changes.gain(play, seat, sum(amount for _, amount in sources), [source for source in sources if source[1]])
    draws = 1 + sum(int(effect.amount) for _, _, effect in sources_of(board, seat, "start_draw"))
    for where, card, _ in reversed(sources_of(board, seat, "start_action")):
        play.push("start_action", seat=seat, card=card, source=where)
    play.push("draw", seat=seat, left=draws, why="ready")
    return False


def run_start_action(play: Play, step: Step) -> bool:
    """Run one start action if its source is still there and active."""
    source = step["source"]
    if any(source == where for where, _, _ in sources_of(play.board, step["seat"], "start_action")):
        play.push("effects", trigger="start_action", at=0, seat=step["seat"], card=step["card"], source=source, targets={})
    return False


def run_place_free(play: Play, step: Step) -> bool:
    """Place a free development (Core World). The player chooses if several systems have room."""
    room = building.with_room(play.board, step["seat"])
    if len(room) > 1 and "cell" not in step:
        return play.wait(step, "choice", step["seat"], "core_world")
    if room:
        changes.place_development(play, step["seat"], step.get("cell", room[0]), 1)
    return False


def run_command(play: Play, step: Step) -> bool:
    if play.state.phase != "command":
        play.emit(PhaseEntered(phase="command", window=None, priority=None))
    return play.wait(step, "command", play.state.active)


def run_end(play: Play, step: Step) -> bool:
    """Resolve conquest by the active seat's ships in cell order (RULES.md 12), then clean up."""
    play.emit(PhaseEntered(phase="end", window=None, priority=None))
    seat = play.state.active
    for name in list(play.state.cells):
        cell, board = play.state.cells[name], play.board
        ships = [ship for ship in board.ships(name, seat) if not board.is_fighter(ship)]
        if cell.controller in (None, seat) or not ships:
            continue
        if board.besieged(name):
            strength = len(ships)
        else:
            strength = sum(board.card(ship).has("conquest_bypass") for ship in ships)
        if strength:
            left = max(0, cell.devs - strength)
            play.emit(DevelopmentsRemoved(cell=name, amount=cell.devs - left, devs=left, seat=seat, cause="conquest"))
            if not left:
                changes.conquer(play, name, seat)
    play.push("cleanup")
    return False


def run_cleanup(play: Play, step: Step) -> bool:
    """Remove damage and effects that end with the turn (RULES.md 19.4), judge fighters and Homeworlds, start the next turn."""
    state = play.state
    hurt = [vessel.id for vessel in state.vessels.values() if vessel.damage]
    if hurt:
        play.emit(DamageCleared(vessels=hurt))
    expire(play, [modifier.id for modifier in state.modifiers if modifier.until == "end_of_turn"])
    _destroy_abandoned(play)
    elimination.check_homes(play)
    if play.state.result is not None:
        return False
    play.emit(TurnEnded(seat=play.state.active, turn=play.state.turn))
    if play.state.turn_limit and play.state.turn >= play.state.turn_limit:
        elimination.end(play, "turn_limit")
        return False
    _queue_next(play)
    return False


def _destroy_abandoned(play: Play) -> None:
    seat, board = play.state.active, play.board
    for cell, noted in play.state.abandoned.items():
        own = board.here(cell, seat)
        if play.state.cells[cell].controller != seat and own and all(board.is_fighter(vessel) for vessel in own):
            changes.destroy(play, [vessel for vessel in own if vessel.id in noted], "abandoned")


def _queue_next(play: Play) -> None:
    """Queue the next turn: extra turns first, then clockwise from the seat of the last ordinary turn."""
    state = play.state
    queue = [seat for seat in state.extra if state.seats[seat].alive]
    if queue:
        play.push("turn", seat=queue[0], extra=True, queue=queue[1:])
        return
    following = play.board.clockwise((state.resume + 1) % len(state.seats))
    play.push("turn", seat=following[0], extra=False, queue=[])


STEPS: Mapping[str, Callable[[Play, Step], object]] = {
    "turn": run_turn,
    "ready": run_ready,
    "draw": drawing.run_draw,
    "start_action": run_start_action,
    "place_free": run_place_free,
    "take_card": drawing.run_take_card,
    "command": run_command,
    "window": stack.run_window,
    "resolve": stack.run_resolve,
    "effects": stack.run_effects,
    "combat_choose": phase.run_choose,
    "assign": phase.run_assign,
    "strike": phase.run_strike,
    "retreat": phase.run_retreat,
    "close_combat": phase.run_close,
    "end": run_end,
    "cleanup": run_cleanup,
}
