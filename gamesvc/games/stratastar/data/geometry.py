"""The fixed geometry of the 10 x 10 map: names, neighbours, distances, regions. Independent of chits and pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gamesvc.games.stratastar.data import COLUMNS, CORNERS, ROWS

SPACES: tuple[str, ...] = tuple(f"{column}{row}" for row in range(1, ROWS + 1) for column in COLUMNS)
"""A1, B1 .. J10, row by row."""
INDEX: dict[str, int] = {space: at for at, space in enumerate(SPACES)}
INNER: tuple[str, ...] = tuple(space for space in SPACES if space not in CORNERS)


def place(space: str) -> tuple[int, int]:
    """Return column and row, counted from 0."""
    return COLUMNS.index(space[0]), int(space[1:]) - 1


def _neighbours(space: str) -> tuple[str, ...]:
    x, y = place(space)
    around = ((x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1))
    return tuple(f"{COLUMNS[a]}{b + 1}" for a, b in around if 0 <= a < len(COLUMNS) and 0 <= b < ROWS)


ADJACENT: dict[str, tuple[str, ...]] = {space: _neighbours(space) for space in SPACES}


def distance(a: str, b: str) -> int:
    """Return the Manhattan distance."""
    (ax, ay), (bx, by) = place(a), place(b)
    return abs(ax - bx) + abs(ay - by)


def region(start: str, is_open: Callable[[str], bool]) -> set[str]:
    """Return all spaces that can be reached from `start` across open spaces. `start` itself counts as open."""
    reached, waiting = {start}, [start]
    while waiting:
        for space in ADJACENT[waiting.pop()]:
            if space not in reached and is_open(space):
                reached.add(space)
                waiting.append(space)
    return reached


def in_order(spaces: Iterable[str]) -> list[str]:
    """Return spaces sorted A1 to J10, row by row."""
    return sorted(spaces, key=INDEX.__getitem__)
