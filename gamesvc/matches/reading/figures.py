"""Figures about a game, from the public matches that ended last."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from gamesvc.matches.reading import lists

DAY = 24 * 3600
RECENT = 200
FEWEST = 10
"""Fewer matches give no figures: they would say more about their players than about the game."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of the last public matches: how many, the percentage that each seat won alone, and the usual days.

    A seat's share is that of the matches with so many seats.
    """

    matches: int
    won: tuple[int, ...]
    days: int


def of_game(game: str) -> Figures | None:
    """Return the figures of a game; None while too few public matches are over."""
    found = lists.archived(None).filter(game=game, seat_count__gt=1, started_at__isnull=False, ended_at__isnull=False)
    ended = list(found.values_list("outcome", "seat_count", "started_at", "ended_at")[:RECENT])
    decided = [(outcome["ranking"][0], seats) for outcome, seats, _start, _end in ended if outcome is not None]
    if len(decided) < FEWEST:
        return None
    lengths = [(end - start).total_seconds() for _outcome, _seats, start, end in ended if start is not None and end is not None]
    won = tuple(_share_won(seat, decided) for seat in range(max(seats for _best, seats in decided)))
    return Figures(len(decided), won, max(1, round(statistics.median(lengths) / DAY)))


def _share_won(seat: int, decided: Sequence[tuple[Sequence[int], int]]) -> int:
    """Return the percentage of matches with this seat that it won alone. `decided`: the best seats, and the number of seats."""
    played = [list(best) for best, seats in decided if seat < seats]
    return round(100 * played.count([seat]) / len(played))
