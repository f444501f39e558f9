"""The gist of an act: its outcome first, without what the game only goes through on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from gamesvc.games.kernel.telling import Part


class Line(Protocol):
    """A sentence about an event. `part`: what it tells of an act, if that is not the act's outcome."""

    @property
    def part(self) -> Part | None: ...


L = TypeVar("L", bound=Line)


def outcome_first(lines: Sequence[L]) -> list[L]:
    """Return the lines of an act with what matters most in front, or its outcome if the first of them tells nothing of it."""
    decisive = next((line for line in lines if line.part == "decisive"), None)
    outcome = decisive or next((line for line in lines if line.part is None), None)
    if outcome is None or (decisive is None and lines[0].part in (None, "price")):
        return list(lines)
    return [outcome, *(line for line in lines if line is not outcome)]


def gist(lines: Sequence[L]) -> list[L]:
    """Return the outcome of an act, what matters most in front, and its price after the first sentence.

    An act that has no outcome yet is told whole.
    """
    outcome = [line for line in lines if line.part == "decisive"] + [line for line in lines if line.part is None]
    price = [line for line in lines if line.part in ("price", "terms")]
    return [*outcome[:1], *price, *outcome[1:]] if outcome else list(lines)
