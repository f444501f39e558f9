"""The schemas of views, gathered from what recorded matches and self-play show: `python -m tests.games.view_schemas` writes them.

A type is stated where all values that were met agree on it, a key as required where all objects have it; of places met too
rarely for that nothing is said. Objects whose keys are ids, not names, are described by the values they hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gamesvc.games import catalog, records, selfplay
from gamesvc.games.kernel.game import Game
from gamesvc.games.kernel.timeline import Timeline

FOLDER = Path(__file__).parent
GAMES = Path(selfplay.__file__).parent
STEP = 3
"""Distance between the versions of a match that are looked at. The last one always is."""
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "stratastar": [{"max_rounds": 4}],
    "space_fleet_commander": [{"mode": "race"}, {}],
    "star_commander": [{"turn_limit": 8}],
    "space_war": [{}],
}
LEAST = 400
"""Values at a place that must be met before anything is said of all."""
NAME = re.compile(r"[a-z][a-z_]*")
MOST_NAMES = 60
KINDS = {bool: "boolean", int: "integer", str: "string", list: "array", tuple: "array", dict: "object", type(None): "null"}


class Shape:
    """What values at one place have in common."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()
        self.met = 0
        self.objects = 0
        self.keys: dict[str, Shape] = {}
        self.seen: dict[str, int] = {}
        self.items: Shape | None = None

    def add(self, value: Any) -> None:
        self.kinds.add(KINDS[type(value)])
        self.met += 1
        if isinstance(value, dict):
            self.objects += 1
            for key, one in value.items():
                self.seen[key] = self.seen.get(key, 0) + 1
                self.keys.setdefault(key, Shape()).add(one)
        elif isinstance(value, (list, tuple)):
            self.items = self.items or Shape()
            for one in value:
                self.items.add(one)

    def merge(self, other: Shape) -> None:
        self.kinds |= other.kinds
        self.met += other.met
        self.objects += other.objects
        for key, shape in other.keys.items():
            self.seen[key] = self.seen.get(key, 0) + other.seen[key]
            self.keys.setdefault(key, Shape()).merge(shape)
        if other.items is not None:
            self.items = self.items or Shape()
            self.items.merge(other.items)

    def schema(self) -> dict[str, Any]:
        kinds = sorted(self.kinds) if self.met >= LEAST else []
        told: dict[str, Any] = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
        if self.items is not None and (items := self.items.schema()):
            told["items"] = items
        if not self.keys:
            return told
        if len(self.keys) > MOST_NAMES or not all(NAME.fullmatch(key) for key in self.keys):
            values = Shape()
            for one in self.keys.values():
                values.merge(one)
            return {**told, "additionalProperties": values.schema()}
        required = [key for key in sorted(self.keys) if self.seen[key] == self.objects >= LEAST]
        properties = {key: self.keys[key].schema() for key in sorted(self.keys)}
        return {**told, "properties": properties, **({"required": required} if required else {})}


def views(game: Game, seats: int, events: Iterable[Any]) -> Iterator[Any]:
    """Yield views of a match as JSON has them, of every seat and of a spectator."""
    timeline, recorded = Timeline(game), list(events)
    for event in recorded:
        timeline.apply(event)
        if timeline.started and (event.version % STEP == 0 or event.version == recorded[-1].version):
            for viewer in (None, *range(seats)):
                yield json.loads(json.dumps(game.view(timeline.state, viewer)))


def recorded(game: Game) -> Iterator[Any]:
    for path in sorted((FOLDER / game.id / "playthroughs").glob("*.json")):
        record = records.load(path.read_text(encoding="utf-8"))
        yield from views(game, record.seats, record.events)


def played(game: Game, seeds: Iterable[str]) -> Iterator[Any]:
    """Yield views of matches that bots play, of each number of seats, with options in turn."""
    for seed in seeds:
        for seats in range(max(1, game.manifest.min_seats), game.manifest.max_seats + 1):
            for options in OPTIONS[game.id]:
                if options.get("mode") == "race" and seats < 2:
                    continue
                record = selfplay.play(game, options=options, seats=seats, seed=f"{seed} {seats}", check_every=0)
                yield from views(game, seats, record.events)


def file_of(game_id: str) -> Path:
    return GAMES / game_id / "data" / "view.schema.json"


def write() -> None:
    for game in catalog.games():
        shape = Shape()
        for view in (*recorded(game), *played(game, ("one", "two", "three"))):
            shape.add(view)
        file_of(game.id).write_text(json.dumps(shape.schema(), indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
