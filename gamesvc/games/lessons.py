"""Lessons: a guided first match of a game, played with fixed dice and checked by the engine. The texts lie beside each game."""

from __future__ import annotations

import functools
import importlib.resources
import tomllib
from dataclasses import dataclass

from gamesvc.games import catalog
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.language import say

LEARNER = 0
"""The seat of the reader."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its text, the order that fulfils it, and the orders that follow by themselves, as pairs of seat and order."""

    title: str
    text: str
    order: str
    then: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """The steps of a game's lesson, and the orders before the first one."""

    steps: tuple[Step, ...]
    opening: tuple[tuple[int, str], ...]


@functools.cache
def lesson(game_id: str) -> Lesson | None:
    """Return the lesson of a game; None if it has none."""
    package = catalog.game(game_id).state.__module__.rpartition(".")[0]
    file = importlib.resources.files(package).joinpath("data", "lesson.toml")
    if not file.is_file():
        return None
    told = tomllib.loads(file.read_text(encoding="utf-8"))
    steps = tuple(Step(one["title"], one["text"].strip(), one["order"], _orders(one.get("then", []))) for one in told["step"])
    return Lesson(steps, _orders(told.get("opening", [])))


def _orders(lines: list[str]) -> tuple[tuple[int, str], ...]:
    parted = [line.split(" ", 1) for line in lines]
    return tuple((int(seat), order) for seat, order in parted)


@functools.lru_cache(maxsize=200)
def position(game_id: str, done: int) -> Timeline[object]:
    """Return the match of a lesson after some of its steps. Do not change it."""
    game, told = catalog.game(game_id), lesson(game_id)
    assert told is not None
    seats, seed = game.manifest.min_seats, f"lesson {game_id}"
    timeline: Timeline[object] = Timeline(game)
    run = timeline.begin(check_options(game, {}, seats), seats, seeded(seed))
    run.close()
    timeline.fold(run.events)
    acts = [*told.opening, *(act for step in told.steps[:done] for act in ((LEARNER, step.order), *step.then))]
    for number, (seat, order) in enumerate(acts):
        _play(timeline, seat, order, f"{seed} {number}")
    return timeline


def _play(timeline: Timeline[object], seat: int, order: str, seed: str) -> None:
    game = timeline.game
    run = timeline.command(seat, game.parse(order, game.view(timeline.state, seat)), seeded(seed))
    run.close()
    timeline.fold(run.events)


def check(game_id: str, done: int, order: str) -> None:
    """Raise `Refused` unless an order fulfils the step after `done`: with what the rules say, or with what the step asks for."""
    told, timeline = lesson(game_id), position(game_id, done)
    assert told is not None
    game = timeline.game
    view = game.view(timeline.state, LEARNER)
    command = game.parse(order, view)
    wanted = told.steps[done].order
    if command == game.parse(wanted, view):
        return
    timeline.command(LEARNER, command, seeded("tried"))
    raise Refused("another_order", say("The rules allow this too. This step asks for: {order}", order=wanted), "order")
