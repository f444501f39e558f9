"""Guessed commands: legal ones with other values put in, above all ids that their sender cannot see.

Each is tried in the match and in the same match with everything redealt that is hidden from its sender. Both must answer alike:
an answer that differs would tell the sender that a guess was right.

To make any number of them by hand: `GUESSES=100000 uv run pytest -n 0 -m long tests/games/test_guessing.py`.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import Dice, seeded
from gamesvc.games.kernel.game import RESIGN, Game, Refused
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.secrecy import chance, refusal_of, words_in
from gamesvc.json_types import JsonObject
from gamesvc.ops.management.commands.selfplay import fitting_seats, vary

Path = tuple[str | int, ...]
STEPS = 200
"""The most commands of one match."""
EVERY = 6
"""So many commands are played between two positions in which guesses are made."""
COMMANDS = 6
"""The commands from which the guesses of a seat in one position are made."""
CHANGES = 5
"""The guesses made from one command."""


def guess(game: Game[Any], seed: str, most: int) -> Counter[str]:
    """Make so many guesses, in as many matches as that takes. Return how many were accepted and refused.

    Raises AssertionError for an answer that hangs on something hidden.
    """
    answers: Counter[str] = Counter()
    number = 0
    while answers.total() < most:
        number += 1
        _play(game, random.Random(f"{game.id} {seed} {number}"), f"{game.id} {seed} {number}", answers, most)
    return answers


def _play(game: Game[Any], rng: random.Random, name: str, answers: Counter[str], most: int) -> None:
    options = vary(game, rng)
    seats = fitting_seats(game, options, rng) or game.manifest.min_seats
    timeline: Timeline[Any] = Timeline(game)
    dice = seeded(name)
    timeline.follow(timeline.begin(check_options(game, options, seats), seats, dice))
    for step in range(STEPS):
        if game.outcome(timeline.state) is not None or answers.total() >= most:
            return
        if step % EVERY == 0:
            for seat in range(seats):
                _guess_as(game, timeline, seat, rng, f"{name}, version {timeline.version}, seat {seat}", answers)
        _go_on(game, timeline, rng, dice)


def _go_on(game: Game[Any], timeline: Timeline[Any], rng: random.Random, dice: Dice) -> None:
    """Play a random command of an awaited seat."""
    seat = rng.choice(game.awaited(timeline.state)).seat
    for command in _commands(game, timeline, [seat], rng):
        try:
            timeline.follow(timeline.command(seat, command, dice))
        except Refused:  # a reaction that looks further back, for instance
            continue
        return


def _commands(game: Game[Any], timeline: Timeline[Any], seats: Sequence[int], rng: random.Random) -> list[JsonObject]:
    """Return a command for each form of some seats, in random order; resigning comes last."""
    offered = [form for seat in seats for form in game.legal_commands(timeline.state, seat)]
    rng.shuffle(offered)
    filled = []
    for form in sorted(offered, key=lambda form: form.name == RESIGN):
        try:
            filled.append(copy.deepcopy(dict(forms.fill(form, rng))))
        except forms.Unfillable:
            continue
    return filled


def _guess_as(game: Game[Any], timeline: Timeline[Any], seat: int, rng: random.Random, where: str, answers: Counter[str]) -> None:
    """Try commands of all seats, changed, as one seat, in the match and in its double."""
    state = timeline.state
    double = game.redeal(state, seat, chance(rng))
    ids, seen = sorted({*game.ids(state)}), sorted(words_in(game.view(state, seat)))
    for command in _commands(game, timeline, range(game.seats(state)), rng)[:COMMANDS]:
        for tried in (command, *(_changed(command, ids, seen, rng) for _ in range(CHANGES))):
            answer = refusal_of(game, timeline, state, seat, tried)
            other = refusal_of(game, timeline, double, seat, tried)
            assert answer == other, f"{where}: {tried} is answered {answer}, with hidden things redealt {other}"
            answers["accepted" if answer is None else "refused"] += 1


def _changed(command: JsonObject, ids: Sequence[str], seen: Sequence[str], rng: random.Random) -> JsonObject:
    """Return a command with one or two of its values changed: numbers to near ones, texts to ids or to words of the view."""
    changed = copy.deepcopy(command)
    places = [place for place in _places(command) if place != ("name",)]
    for place in rng.sample(places, min(len(places), rng.choice((1, 1, 1, 2)))):
        *way, last = place
        at: Any = changed
        for name in way:
            at = at[name]
        at[last] = _other(at[last], ids, seen, rng)
    return changed


def _other(value: object, ids: Sequence[str], seen: Sequence[str], rng: random.Random) -> object:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, 0, 1, rng.randrange(20), 99])
    return rng.choice(ids) if ids and rng.random() < 0.6 else rng.choice(seen)


def _places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all single values in a command."""
    if isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(inner, (*path, name))
    else:
        yield path
