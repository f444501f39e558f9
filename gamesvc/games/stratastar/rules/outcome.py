"""The ways in which seats leave and matches end (RULES.md 11 `resign`, 13, and 10 "To the death")."""

from __future__ import annotations

from typing import Literal

from gamesvc.games.kernel.game import Outcome
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.stratastar.data import WORLDS_TO_WIN
from gamesvc.games.stratastar.events.turns import GameOver, SeatEliminated
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.state import State


def end(run: Run[State], reason: str, winner: int | None) -> None:
    """End the match. Without a winner, the best rank wins; equal ranks share."""
    state = run.state
    groups = [[winner]] if winner is not None else []
    rest = [seat for seat in range(len(state.players)) if seat != winner]
    by_rank: dict[tuple[bool, tuple[int, int, int]], list[int]] = {}
    for seat in rest:
        player = state.players[seat]
        by_rank.setdefault((player.alive, facts.sort_key(player)), []).append(seat)
    groups += [by_rank[key] for key in sorted(by_rank, reverse=True)]
    run.emit(GameOver(reason=reason, ranking=groups, scores=[facts.worlds(player) for player in state.players]))


def check_worlds(run: Run[State], seat: int) -> None:
    """End the match if the seat has colonies on enough worlds (RULES.md 13)."""
    state = run.state
    if not state.options.to_the_death and facts.worlds(state.players[seat]) >= WORLDS_TO_WIN:
        end(run, "worlds", seat)


def remove(
    run: Run[State], seat: int, cause: Literal["resigned", "captured"], *, by: int | None = None, world: str | None = None
) -> None:
    """Remove a seat from the game. The last one left wins."""
    hand = run.state.players[seat].hand
    following = _next_chooser(run.state, seat)
    run.emit(SeatEliminated(seat=seat, cause=cause, by=by, hand=hand, world=world, next=following))
    left = facts.alive(run.state)
    if len(left) == 1:
        end(run, "last_seat", left[0])


def _next_chooser(state: State, seat: int) -> int | None:
    """Return the seat that chooses next if a seat leaves while Homeworlds are placed or abilities drafted; None otherwise."""
    if state.turn.active != seat or state.turn.phase not in ("homeworld", "ability_draft"):
        return None
    if state.turn.phase == "homeworld":
        players = state.players
        left = [one for one in state.placement if one != seat and players[one].alive and players[one].home is None]
    else:
        left = [one for one in state.turn.picking if one != seat]
    return left[0] if left else None


def outcome(state: State) -> Outcome | None:
    if state.ended is None:
        return None
    return Outcome(state.ended.reason, state.ended.ranking, state.ended.scores)
