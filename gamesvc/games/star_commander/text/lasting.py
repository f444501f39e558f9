"""Temporary effects on vessels and when they end, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.wording import Speaker
from gamesvc.language import mark, say

MARKS = {
    "attack": mark("{amount:+d} attack"),
    "hp": mark("{amount:+d} hit points"),
    "speed": mark("{amount:+d} speed"),
    "extra_targets": mark("more targets"),
    "lock": mark("held in place"),
    "long_jump": mark("may make a long jump from {cell}"),
    "prevent": mark("takes no damage"),
    "untargetable": mark("cannot be targeted"),
    "deny_attack": mark("cannot attack"),
}
"""A description for each lasting effect: the kinds of modifiers, and `untargetable`, which comes with some preventions."""


def lasting_words(entries: Iterable[Data], t: Speaker) -> list[str]:
    """Describe lasting effects and when they end.

    Effects with the same end share a phrase; changes of the same value are summed.
    """
    by_end: dict[str, dict[tuple[str, str], int]] = {}
    for entry in entries:
        marks = by_end.setdefault(_end(entry, t), {})
        kind = entry["mark"], entry.get("cell", "")
        marks[kind] = marks.get(kind, 0) + entry.get("amount", 0)
    both = f" {say('and')} "
    return [f"{both.join(_told(marks))} {end}" for end, marks in by_end.items()]


def _end(entry: Data, t: Speaker) -> str:
    if entry["seat"] is None:
        return say("until this turn ends")
    return t.says("until {whose} next turn starts", whom=entry["seat"])


def _told(marks: Mapping[tuple[str, str], int]) -> Iterator[str]:
    return (say(MARKS[kind], amount=amount, cell=cell) for (kind, cell), amount in marks.items())
