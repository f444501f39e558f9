"""Typed events of every game: recorded ones are read and written again unchanged, and `evolve` knows each type."""

from __future__ import annotations

import functools
import importlib
import json
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gamesvc.games import catalog, records
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.game import Event
from gamesvc.games.kernel.typed import TypedEvent
from tests.games.golden.record import FOLDER, read

HERE = Path(__file__).parent
FILES = {
    game_id: [
        *sorted((HERE / game_id / "playthroughs").glob("*.json")),
        *sorted((HERE / game_id / "earlier").glob("*.json")),
        *sorted((FOLDER / game_id).glob("*.json")),
    ]
    for game_id in catalog.OFFERED
}
EVERY_GAME = pytest.mark.parametrize("game_id", catalog.OFFERED)


@functools.cache
def events_of(path: Path) -> tuple[Event, ...]:
    """Return the game's own events in a recorded match or a golden file."""
    golden = path.is_relative_to(FOLDER)
    whole = read(path)["events"] if golden else records.load(path.read_text(encoding="utf-8")).events
    return tuple(event for event in whole if not of_service(event.type))


def kinds(game_id: str) -> Mapping[str, type[TypedEvent]]:
    return importlib.import_module(f"gamesvc.games.{game_id}.events").KINDS


def handlers(game_id: str) -> Mapping[type[TypedEvent], Any]:
    return importlib.import_module(f"gamesvc.games.{game_id}.rules.evolve").HANDLERS


def classes(kind: type[TypedEvent]) -> Iterator[type[TypedEvent]]:
    for sub in kind.__subclasses__():
        yield sub
        yield from classes(sub)


@pytest.mark.parametrize(
    ("game_id", "path"),
    [
        pytest.param(game_id, path, id=f"{game_id}-{path.parent.name}-{path.stem}")
        for game_id, paths in FILES.items()
        for path in paths
    ],
)
def test_every_recorded_event_is_read_and_written_again_unchanged(game_id: str, path: Path) -> None:
    assert events_of(path)
    for event in events_of(path):
        again = kinds(game_id)[event.type].of(event.data).event(event.version)
        assert json.dumps(again.data, sort_keys=True) == json.dumps(event.data, sort_keys=True)
        assert (again.type, again.type_version) == (event.type, event.type_version)


@EVERY_GAME
def test_every_type_is_recorded(game_id: str) -> None:
    assert {event.type for path in FILES[game_id] for event in events_of(path)} == set(kinds(game_id))


@EVERY_GAME
def test_every_class_with_a_type_is_among_the_kinds(game_id: str) -> None:
    """Slotted dataclasses leave a class of the same name behind, so that names are compared."""
    home = f"gamesvc.games.{game_id}.events"
    typed = {kind.__qualname__ for kind in classes(TypedEvent) if kind.__module__.startswith(home) and hasattr(kind, "TYPE")}
    assert typed == {kind.__qualname__ for kind in kinds(game_id).values()}


@EVERY_GAME
def test_evolve_handles_every_type(game_id: str) -> None:
    """The first event makes the state; `evolve` may call its function without the table."""
    first = {kinds(game_id)[event.type] for path in FILES[game_id] for event in events_of(path) if event.version == 1}
    assert len(first) == 1
    assert {*handlers(game_id), *first} == set(kinds(game_id).values())


@EVERY_GAME
def test_every_handler_takes_the_events_it_is_called_with(game_id: str) -> None:
    for kind, handler in handlers(game_id).items():
        taken = typing.get_type_hints(handler)["event"]
        wanted = typing.get_args(taken) or (taken,)
        assert issubclass(kind, wanted), f"{handler} does not take {kind.TYPE}"


@EVERY_GAME
def test_versions_are_those_of_the_game(game_id: str) -> None:
    versions = {kind.TYPE: kind.VERSION for kind in kinds(game_id).values() if kind.VERSION != 1}
    assert versions == catalog.game(game_id).type_versions
