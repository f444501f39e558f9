"""The recorder of the examples in the OpenAPI document: from the tour through the API, recorded matches and matches of bots."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gamesvc.api.openapi import examples
from gamesvc.api.openapi.games import name_of
from gamesvc.games import catalog, records
from gamesvc.games.kernel import codec
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.game import Game
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.games.selfplay import Record, play
from gamesvc.ops.management.commands.selfplay import fitting_seats, vary

RECORDED = Path(__file__).parents[1] / "games"
MOST_MATCHES = 12
"""Of bots, for the commands that no recorded match holds."""


def write(operations: Mapping[str, Any]) -> None:
    """Write the file of examples. `operations`: by method, path and status."""
    found: dict[str, Any] = {"operations": operations, "commands": {}, "events": {}, "shapes": {}}
    matches: list[Record] = []
    for game in catalog.games():
        of_game = list(recorded(game))
        matches += of_game
        found["shapes"] |= {name_of(game, kind): shape for kind, shape in shapes(game, of_game).items()}
        found["commands"][game.id], of_events = commands_and_events(game, of_game)
        found["events"] |= of_events
    found["shapes"]["Outcome"] = shortest_of(one.outcome.as_json() for one in matches if one.outcome)
    text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False)
    examples.FILE.write_text(text + "\n", encoding="utf-8")


def commands_and_events(game: Game[Any], matches: Iterable[Record]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the shortest of each kind in recorded matches, and in matches of bots what those lack."""
    commands, events = shortest(commands_of(matches)), shortest(events_of(game, matches))
    for record in played(game):
        commands = shortest(commands_of([record])) | commands
        events = shortest(events_of(game, [record])) | events
    return commands, events


def shapes(game: Game[Any], matches: Iterable[Record]) -> dict[str, Any]:
    """Return the options of a match, and the position and the first seat's view after a quarter of it, each the shortest."""
    begun = [quarter(game, one.events) for one in matches]
    return {
        "Options": shortest_of(one.options for one in matches),
        "Position": shortest_of(codec.write_position(game, one.state, one.version, one.keep_marked()) for one in begun),
        "View": shortest_of(json.loads(json.dumps(game.view(one.state, 0))) for one in begun),
    }


def commands_of(matches: Iterable[Record]) -> Iterator[tuple[str, Any]]:
    for record in matches:
        for seat, command in record.commands:
            if seat is not None:
                yield command["name"], command


def events_of(game: Game[Any], matches: Iterable[Record]) -> Iterator[tuple[str, Any]]:
    for record in matches:
        for event in record.events:
            type_ = event.type if of_service(event.type) else f"{game.id}.{event.type}"
            yield type_, {"type": type_, "type_version": event.type_version, "data": event.data}


def recorded(game: Game[Any]) -> Iterator[Record]:
    for file in sorted((RECORDED / game.id / "playthroughs").glob("*.json")):
        yield records.load(file.read_text(encoding="utf-8"))


def played(game: Game[Any]) -> Iterator[Record]:
    """Yield matches of bots."""
    for number in range(MOST_MATCHES):
        rng = random.Random(f"example {number}")
        options = vary(game, rng)
        yield play(game, options=options, seats=fitting_seats(game, options, rng), seed=f"{number}", check_every=0, interrupt=0.3)


def quarter(game: Game[Any], events: Sequence[Any]) -> Timeline:
    """Return a match after a quarter of it."""
    timeline = Timeline(game)
    timeline.fold(events[: len(events) // 4])
    return timeline


def shortest(named: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return the shortest value of each name."""
    found: dict[str, list[Any]] = {}
    for name, one in named:
        found.setdefault(name, []).append(one)
    return {name: shortest_of(values) for name, values in found.items()}


def shortest_of(made: Iterable[Any]) -> Any:
    return min(made, key=lambda one: (len(json.dumps(one)), json.dumps(one)))
