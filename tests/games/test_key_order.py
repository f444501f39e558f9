"""JSON objects have no order: the key order of a command or a stored event changes neither results nor texts."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from gamesvc.games import catalog, records
from gamesvc.games.kernel.dice import Dice, seeded
from gamesvc.games.kernel.game import Event, see_event
from gamesvc.games.kernel.timeline import Timeline

pytestmark = pytest.mark.long

FILES = sorted(Path(__file__).parent.glob("*/playthroughs/*.json"))
NAMES = ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay")


def shuffled(value: Any, rng: random.Random) -> Any:
    """Return the same JSON value with the keys of every object in another order."""
    if isinstance(value, dict):
        return {key: shuffled(value[key], rng) for key in rng.sample(list(value), len(value))}
    if isinstance(value, list):
        return [shuffled(item, rng) for item in value]
    return value


def as_stored(value: Any) -> Any:
    """Return the same JSON value as the event store returns it."""
    return json.loads(json.dumps(value, sort_keys=True))


RECORDED = pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")


@RECORDED
def test_the_key_order_of_a_command_changes_nothing(path):
    record = records.load(path.read_text(encoding="utf-8"))
    game, rng = catalog.game(record.game), random.Random(path.stem)
    dice = seeded(record.seed)
    timeline, stored = Timeline(game), Timeline(game)
    run = records.begin(timeline, record, dice)
    for seat, command in [(None, None), *record.commands]:
        if seat is None and command is not None:
            run = timeline.rewind(int(command["to"]), dice)
        elif seat is not None and command is not None:
            twin = timeline.command(seat, shuffled(command, rng), Dice(dice.source, dice.next))
            run = timeline.command(seat, as_stored(command), dice)
            assert [written(event) for event in run.events] == [written(event) for event in twin.events], command
        timeline.follow(run)
        stored.fold(Event(one.type, as_stored(one.data), one.version, one.type_version, one.draws) for one in run.events)
        if rng.random() < 0.1 or game.outcome(timeline.state) is not None:
            for viewer in (None, *range(record.seats)):
                assert shown(game, timeline.state, viewer) == shown(game, stored.state, viewer)


def written(event: Event) -> tuple[Any, ...]:
    return event.type, event.type_version, json.dumps(event.data), event.draws


def shown(game: Any, state: Any, viewer: int | None) -> tuple[str, list[Any]]:
    """Return a viewer's view, with its keys in the order that pages, mails and bots find, and the viewer's forms."""
    return json.dumps(game.view(state, viewer)), list(game.legal_commands(state, viewer)) if viewer is not None else []


@RECORDED
def test_the_key_order_of_an_event_does_not_change_its_sentence(path):
    record = records.load(path.read_text(encoding="utf-8"))
    game, rng = catalog.game(record.game), random.Random(path.stem)
    for event in map(game.lift, record.events):
        for viewer in (None, *range(record.seats)):
            seen = see_event(game, event, viewer)
            if seen is not None:
                twin = Event(seen.type, shuffled(seen.data, rng), seen.version, seen.type_version)
                assert game.tell(twin, viewer, NAMES) == game.tell(seen, viewer, NAMES)
