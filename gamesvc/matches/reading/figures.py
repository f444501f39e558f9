"""Figures about a game, from the public matches that ended last."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from gamesvc.matches.reading import lists

DAY = 24 * 3600
RECENT = 200
FEWEST = 10
"""Fewer matches give no figures: they would say more about their players than about the game."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures of the last public matches: how many, the percentage won by the first seat, and the usual days."""

    matches: int
    first_seat: int
    days: int


def of_game(game: str) -> Figures | None:
    """Return the figures of a game; None while too few public matches are over."""
    found = lists.archived(None).filter(game=game, seat_count__gt=1, started_at__isnull=False, ended_at__isnull=False)
    ended = list(found.values_list("outcome", "started_at", "ended_at")[:RECENT])
    decided = [outcome["ranking"][0] for outcome, _start, _end in ended if outcome is not None]
    if len(decided) < FEWEST:
        return None
    lengths = [(end - start).total_seconds() for _outcome, start, end in ended if start is not None and end is not None]
    won = sum(best == [0] for best in decided)
    return Figures(len(decided), round(100 * won / len(decided)), max(1, round(statistics.median(lengths) / DAY)))
