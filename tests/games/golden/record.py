"""Golden files: `python -m tests.games.golden.record [SECONDS]` adds one for every event type version that has none.

A file is the beginning of a recorded match, up to the sample it is kept for, as written by the code of its time. It is never
changed and never removed: it represents all stored matches with such events. The recorded result is the list of decisions pending
at its end; `test_golden.py` folds the file with the current code. Golden files are separate from the playthroughs, which are
recorded again whenever a game's rules change.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gamesvc.games import catalog, records
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Event, Game, Refused
from gamesvc.games.kernel.timeline import Timeline, check_options, replay
from gamesvc.games.selfplay import bounded

FOLDER = Path(__file__).parent
GAMES = FOLDER.parents[2] / "gamesvc" / "games"
Sample = tuple[str, int]
"""An event type and its version."""


def written_today(game: Game[Any]) -> set[Sample]:
    """Return every event that the code can write."""
    types = importlib.import_module(f"gamesvc.games.{game.id}.events").KINDS
    return {(event_type, game.type_versions.get(event_type, 1)) for event_type in types}


def kept(game: Game[Any]) -> dict[Sample, Path]:
    """Return the golden file for each type version."""
    found: dict[Sample, Path] = {}
    for path in sorted((FOLDER / game.id).glob("*.json")):
        for event_type, type_version in json.loads(path.read_text(encoding="utf-8"))["holds"]:
            found.setdefault((event_type, type_version), path)
    return found


def read(path: Path) -> dict[str, Any]:
    """Read a golden file with its events as engine events."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    data["events"] = [
        Event(kind, body, version, type_version, tuple(draws))
        for version, (kind, type_version, body, draws) in enumerate(data["events"], 1)
    ]
    return data


def asked(game: Game[Any], state: Any) -> list[list[Any]]:
    """Return the pending decisions in a state: seat, id, prompt and kind."""
    return [[one.seat, one.id, one.prompt, one.kind] for one in game.awaited(state)]


def write(game: Game[Any], holds: set[Sample], events: list[Event]) -> None:
    events = events[: max(min(e.version for e in events if (e.type, e.type_version) == sample) for sample in holds)]
    head = {
        "game": game.id,
        "rules": game.manifest.rules,
        "holds": sorted(holds),
        "asked": asked(game, replay(game, events).state),
    }
    lines = ",\n".join(
        json.dumps([one.type, one.type_version, one.data, list(one.draws)], separators=(",", ":")) for one in events
    )
    name = min(holds, key=lambda sample: sample)
    path = FOLDER / game.id / f"{name[0].replace('.', '_')}_{name[1]}.json"
    path.parent.mkdir(exist_ok=True)
    if path.exists():
        raise FileExistsError(path)
    path.write_text(f'{json.dumps(head)[:-1]},\n"events":[\n{lines}]}}\n', encoding="utf-8")


def beginnings(game: Game[Any], until: float) -> Iterator[list[Event]]:
    """Yield the events of recorded matches, then of matches played by `curious`."""
    for path in sorted((FOLDER.parent / game.id / "playthroughs").glob("*.json")):
        yield records.load(path.read_text(encoding="utf-8")).events
    seed = 0
    tried: Counter[str] = Counter()
    while time.monotonic() < until:
        seed += 1
        yield curious(game, f"golden {seed}", tried)


def curious(game: Game[Any], seed: str, tried: Counter[str], most: int = 1500) -> list[Event]:
    """Play one match with random options. The rarer a command has been so far, the likelier it is chosen."""
    rng = random.Random(f"{game.id} {seed}")
    seats = rng.randint(game.manifest.min_seats, game.manifest.max_seats)
    options = bounded(game)
    for name, schema in game.manifest.options["properties"].items():
        if rng.random() < 0.3 and (values := schema.get("enum", [True, False] if schema.get("type") == "boolean" else [])):
            options[name] = rng.choice(values)
    try:
        full = check_options(game, options, seats)
    except Refused:
        seats = game.manifest.min_seats
        full = check_options(game, bounded(game), seats)
    timeline: Timeline[Any] = Timeline(game)
    dice = seeded(seed)
    run = timeline.begin(full, seats, dice)
    timeline.follow(run)
    events = list(run.events)
    for _ in range(most):
        if game.outcome(timeline.state) is not None:
            break
        seat = rng.choice(game.awaited(timeline.state)).seat
        stays = rng.random() < 0.98  # now and then a player resigns, at any moment
        offered = [form for form in game.legal_commands(timeline.state, seat) if form.name != "resign" or not stays]
        moving = [form for form in offered if not form.aside]
        form = min(rng.sample(offered, min(4, len(offered))), key=lambda one: tried[one.name])
        form = form if rng.random() < 0.4 or not moving else rng.choice(moving)
        tried[form.name] += 1
        run = timeline.command(seat, forms.fill(form, rng), dice)
        timeline.follow(run)
        events += run.events
    return events


def complete(game: Game[Any], seconds: float) -> set[Sample]:
    """Write a file for each missing sample. Returns those not found in the given time."""
    missing = written_today(game) - kept(game).keys()
    if not missing:
        return missing
    first: dict[Sample, tuple[int, list[Event]]] = {}
    for events in beginnings(game, time.monotonic() + seconds):
        for event in events:
            sample = (event.type, event.type_version)
            if sample in missing and (sample not in first or event.version < first[sample][0]):
                first[sample] = (event.version, events)
        if missing <= first.keys():
            break
    keep(game, first)
    return missing - first.keys()


def keep(game: Game[Any], first: dict[Sample, tuple[int, list[Event]]]) -> None:
    """Write files for samples, each given with its version in a list of events."""
    left = dict(first)
    # The longest beginnings first: samples within them need no file of their own.
    while left:
        version, events = max(left.values(), key=lambda one: one[0])
        within = {(one.type, one.type_version) for one in events[:version]} & left.keys()
        write(game, within, events)
        left = {one: where for one, where in left.items() if one not in within}


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    for game in catalog.games():
        lacking = complete(game, seconds)
        sys.stdout.write(f"{game.id}: {len(kept(game))} type versions" + (f", not met: {sorted(lacking)}\n" if lacking else "\n"))


if __name__ == "__main__":
    main()
