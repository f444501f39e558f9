"""Elimination, the end of a match, and the ranking (RULES.md 15)."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.star_commander.data import DOMAINS
from gamesvc.games.star_commander.events.course import GameEnded, PlayerEliminated
from gamesvc.games.star_commander.rules.decision import Play
from gamesvc.games.star_commander.rules.effects import changes
from gamesvc.games.star_commander.rules.values import Board


def standing(board: Board, seat: int) -> tuple[int, int, int]:
    """Return the ranking key of a living seat: developments, systems, credits (RULES.md 19.45)."""
    return board.devs(seat), len(board.controlled(seat)), board.state.seats[seat].credits


def ranking(board: Board) -> list[list[int]]:
    """Return the living seats by standing, then the eliminated ones, the last eliminated first."""
    groups: dict[tuple[int, int, int], list[int]] = {}
    for seat in board.living():
        groups.setdefault(standing(board, seat), []).append(seat)
    living = [groups[key] for key in sorted(groups, reverse=True)]
    return living + [list(group) for group in reversed(board.state.out)]


def end(play: Play, reason: str) -> None:
    board = play.board
    scores = [board.devs(seat) for seat in range(len(board.state.seats))]
    play.work.clear()
    play.emit(GameEnded(reason=reason, ranking=ranking(board), scores=scores))


def check_decks(play: Play) -> None:
    """End the match at the last card of a deck, in editions that do not reshuffle (RULES.md 19.35)."""
    if play.state.result is not None or play.board.edition.decks_reshuffle:
        return
    if any(not play.state.decks[domain] for domain in DOMAINS):
        end(play, "deck_empty")


def eliminate(play: Play, seats: Sequence[int], cause: str) -> None:
    """Eliminate seats together. A single living seat wins."""
    for seat in seats:
        state = play.state
        stack = [item.id for item in state.stack if item.seat == seat]
        play.emit(
            PlayerEliminated(
                seat=seat,
                cause=cause,
                with_seats=[other for other in seats if other != seat],
                vessels=[(v.id, play.board.card(v).domain) for v in play.board.fleet(seat)],
                cells=play.board.controlled(seat),
                cards=[
                    (uid, play.board.cards[state.faces[uid]].domain, state.faces[uid])
                    for uid in (
                        *state.seats[seat].hand,
                        *state.seats[seat].technologies,
                        *(item.uid for item in state.stack if item.seat == seat and item.uid),
                    )
                ],
                stack=stack,
            )
        )
    changes.settle(play)
    if len(play.board.living()) == 1:
        end(play, "last_seat")


def check_homes(play: Play) -> None:
    """Eliminate seats that lost their Homeworld, or end the match. Called at cleanup."""
    board = play.board
    homes = {cell.home: cell.controller for cell in play.state.cells.values() if cell.home is not None}
    lost = [seat for seat in board.living() if homes[seat] != seat]
    if not lost:
        return
    if board.edition.captured_home_eliminates:
        eliminate(play, lost, "homeworld_lost")
    else:
        end(play, "homeworld_captured")
