"""Whole matches recorded as files: written by self-play, replayed by tests and by `manage.py compat`.

One JSON object: game, rules, options, seats, seed, optionally the starting position, commands (`[seat, command]`), events
(`[type, type_version, data, draws]`, version = place in the list), outcome. A replay uses `evolve` alone; a second playing uses
`decide` and the draws.
"""

from __future__ import annotations

import json

from gamesvc.errors import GamesvcError
from gamesvc.games.kernel.dice import Dice, seeded
from gamesvc.games.kernel.game import Event, Game, Outcome
from gamesvc.games.kernel.timeline import Run, Timeline, replay
from gamesvc.games.secrecy import rewind_of
from gamesvc.games.selfplay import Record


class Parted(GamesvcError, AssertionError):
    """A recorded match no longer gives the recorded result. `version` is the first event that differs."""

    def __init__(self, message: str, version: int | None = None) -> None:
        super().__init__(message)
        self.version = version


def dump(game: Game, record: Record) -> str:
    """Write a record as JSON, one event per line so that diffs are readable."""
    assert record.outcome is not None
    head = {
        "game": record.game,
        "rules": game.manifest.rules,
        "options": record.options,
        "seats": record.seats,
        "seed": record.seed,
        **({"position": record.position} if record.position is not None else {}),
        "outcome": record.outcome.as_json(),
    }
    commands = ",\n".join(json.dumps(item, separators=(",", ":")) for item in record.commands)
    events = ",\n".join(
        json.dumps([event.type, event.type_version, event.data, list(event.draws)], separators=(",", ":"))
        for event in record.events
    )
    return f'{json.dumps(head)[:-1]},\n"commands":[\n{commands}],\n"events":[\n{events}]}}\n'


def load(text: str) -> Record:
    data = json.loads(text)
    events = [
        Event(kind, body, version, type_version, tuple(draws))
        for version, (kind, type_version, body, draws) in enumerate(data["events"], 1)
    ]
    outcome = data["outcome"]
    return Record(
        data["game"],
        data["options"],
        data["seats"],
        data["seed"],
        [(seat, command) for seat, command in data["commands"]],
        events,
        Outcome(
            outcome["reason"], tuple(tuple(group) for group in outcome["ranking"]), tuple(outcome["scores"]), outcome["detail"]
        ),
        data.get("position"),
    )


def begin(timeline: Timeline, record: Record, dice: Dice) -> Run:
    """Decide the opening of a recorded match: the game's own setup, or the recorded starting position."""
    if record.position is None:
        return timeline.begin(record.options, record.seats, dice)
    run = Run(timeline, dice)
    run.place(record.position)
    return run


def check_replay(game: Game, record: Record) -> Timeline:
    """Fold the recorded events with the current `evolve`. Raises `Parted` unless it reaches the recorded outcome."""
    timeline = replay(game, [game.lift(event) for event in record.events])
    outcome = game.outcome(timeline.state)
    assert record.outcome is not None
    found = json.loads(json.dumps(outcome.as_json())) if outcome else None
    if found != json.loads(json.dumps(record.outcome.as_json())):
        raise Parted(
            f"{record.game}: after event {timeline.version} the outcome is {found}, recorded was {record.outcome.as_json()}",
            timeline.version,
        )
    return timeline


def check_again(game: Game, record: Record) -> None:
    """Play the recorded commands again with the current `decide` and the recorded seed.

    Raises `Parted` at the first difference.
    """
    dice = seeded(record.seed)
    timeline: Timeline = Timeline(game)
    run = begin(timeline, record, dice)
    events = iter(record.events)
    for seat, command in [(None, None), *record.commands]:
        if seat is not None and command is not None:
            run = timeline.command(seat, command, dice)
        elif command is not None:
            run = rewind_of(command)(timeline, dice)
        timeline.follow(run)
        for event in run.events:
            recorded = next(events, None)
            if recorded is None or _plain(event) != _plain(recorded):
                raise Parted(
                    f"{record.game}: event {event.version} is {_plain(event)}, recorded was {recorded and _plain(recorded)}",
                    event.version,
                )


def _plain(event: Event) -> object:
    return json.loads(json.dumps([event.type, event.type_version, event.data, list(event.draws)]))
