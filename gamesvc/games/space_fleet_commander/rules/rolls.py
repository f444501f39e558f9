"""Rolls of dice: the place of a die in the stream of a race, and the phase that follows a roll."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gamesvc.games.space_fleet_commander.data import COLOURS
from gamesvc.games.space_fleet_commander.state import Die, Phase, Sheet, able, in_attempt, not_aside

PER_COLOUR = 5


def place(die: Die) -> int:
    """Return the index of a die's value in a stream cell."""
    return COLOURS.index(die.colour) * PER_COLOUR + die.index


def numbered(dice: Iterable[Die]) -> list[Die]:
    """Return the dice with their index within their colour, from 0, in pool order."""
    counts = dict.fromkeys(COLOURS, 0)
    found = []
    for die in dice:
        found.append(Die(die.id, die.slot, die.colour, die.value, die.status, counts[die.colour]))
        counts[die.colour] += 1
    return found


def after_roll(sheet: Sheet, values: Mapping[str, int], number: int) -> Phase:
    """Return the phase that follows roll 1, 2 or 3. Phases without any possible action are skipped.

    `values` holds the dice just rolled; the others keep their values. After the first roll, all dice not set aside are new.
    """
    dice = not_aside(sheet) if number == 1 else in_attempt(sheet)
    held = {die.colour for die in dice}
    if number == 1 and held & {"white", "red"}:
        return "reroll_1"
    if number <= 2 and "white" in held:
        return "reroll_2"
    shown = [values.get(die.id, die.value) for die in dice]
    if able(sheet, "black_adjust") and "black" in held:
        return "tinker"
    return "tinker" if able(sheet, "remove_one") and 1 in shown else "resolve"
