"""Bots play whole matches in memory while everything that must always hold is checked after every command.

Checked: the game's own invariants (`faults`), that every offered form is accepted, that the record replays to the same
state, that positions read back the same, and that hidden things stay hidden: under `redeal` a seat's view, forms,
awaited seats and the acceptance of its command do not change, and a command that a viewer may not know of changes nothing that
he is shown.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gamesvc.games import codec
from gamesvc.games.dice import Dice, KeyedSource, draw_key, seeded
from gamesvc.games.kernel import REWOUND, Caption, Event, Game, Outcome, Refused, see_event
from gamesvc.games.timeline import Run, Timeline, check_options, replay

# Options that end a match which the rules alone would let go on for ever, with a value that leaves room for all that can happen.
BOUNDS = {"turn_limit": 40, "max_rounds": 60}


def bounded(game: Game[Any]) -> dict[str, Any]:
    """The limits a game offers for matches that might not end by themselves."""
    return {name: value for name, value in BOUNDS.items() if name in game.manifest.options["properties"]}


class Broken(AssertionError):
    """Something that must always hold did not."""


@dataclass
class Record:
    """A whole match as played: enough to replay it, and to play it again from its commands."""

    game: str
    options: dict[str, Any]
    seats: int
    seed: str
    commands: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    outcome: Outcome | None = None
    position: dict[str, Any] | None = None  # where it began, if not with the game's own setup
    ends: list[int] = field(default_factory=list)  # how many events there were after the setup and after each command


def play(
    game: Game[Any],
    *,
    options: Mapping[str, Any],
    seats: int,
    seed: str,
    bots: tuple[str, ...] = ("random",),
    check_every: int = 1,
    most_commands: int = 20_000,
    match_id: str = "",
    opening: Sequence[Event] = (),
) -> Record:
    """Play one match between bots (repeated over the seats). Raises `Broken`; `check_every` 0 checks only the end.

    `match_id`: whose draws they are; `opening`: events of the service that come before those of the game.
    """
    rng = random.Random(f"{game.id} {seed}")
    dice = seeded(seed, match_id)
    full = check_options(game, options, seats)
    record = Record(game.id, full, seats, seed)
    timeline: Timeline[Any] = Timeline(game)
    timeline.fold(opening)
    record.events.extend(opening)
    _take(timeline, timeline.begin(full, seats, dice), record)
    while (outcome := game.outcome(timeline.state)) is None:
        if len(record.commands) >= most_commands:
            raise Broken(f"{game.id} seed {seed!r}: no end after {most_commands} commands")
        waiting = game.awaited(timeline.state)
        if not waiting:
            raise Broken(f"{game.id} seed {seed!r}: nobody is awaited and the match is not over at {timeline.version}")
        seat = rng.choice(waiting).seat
        offered = game.legal_commands(timeline.state, seat)
        if not any(not form.aside for form in offered):
            raise Broken(f"{game.id} seed {seed!r}: seat {seat} is awaited at {timeline.version} and has no form")
        bot = game.bots[bots[seat % len(bots)]]
        # As the record will hold it: keys in order.
        command = json.loads(json.dumps(dict(bot(game.view(timeline.state, seat), offered, rng)), sort_keys=True))
        checking = check_every and len(record.commands) % check_every == 0
        if checking:
            check_state(game, timeline, f"{game.id} seed {seed!r} version {timeline.version}", rng)
            check_secrets(game, timeline, seat, command, offered, rng)
        try:
            run = timeline.command(seat, command, dice)
        except Refused as refused:
            raise Broken(
                f"{game.id} seed {seed!r} version {timeline.version}: offered {command}, refused: {refused}"
            ) from refused
        record.commands.append((seat, command))
        _take(timeline, run, record)
    record.outcome = outcome
    check_state(game, timeline, f"{game.id} seed {seed!r} at the end", rng)
    check_replay(game, record, timeline)
    return record


def _take(timeline: Timeline[Any], run: Run[Any], record: Record) -> None:
    timeline.follow(run)
    record.events.extend(run.events)
    record.ends.append(len(record.events))


def check_state(game: Game[Any], timeline: Timeline[Any], where: str, rng: random.Random) -> None:
    """Invariants, and positions that read back the same."""
    faults = game.faults(timeline.state)
    if faults:
        raise Broken(f"{where}: {faults[0]}")
    if rng.random() < 0.05:
        position = codec.write_position(game, timeline.state, timeline.version, timeline.keep_marked())
        state, _ = codec.read_position(game, json.loads(json.dumps(position)), timeline.version)
        if state != timeline.state:
            raise Broken(f"{where}: the position does not read back the same")


def check_secrets(
    game: Game[Any], timeline: Timeline[Any], seat: int, command: Mapping[str, Any], offered: Any, rng: random.Random
) -> None:
    """What a seat is shown and told must not depend on what is hidden from it."""
    where = f"{game.id} version {timeline.version} seat {seat}"
    dice = Dice(KeyedSource(draw_key(rng.randbytes(32), where, ())))
    other = game.redeal(timeline.state, seat, dice)
    if game.view(other, seat) != game.view(timeline.state, seat):
        raise Broken(f"{where}: the view changes with hidden things")
    if tuple(game.legal_commands(other, seat)) != tuple(offered):
        raise Broken(f"{where}: the forms change with hidden things")
    if tuple(game.awaited(other)) != tuple(game.awaited(timeline.state)):
        raise Broken(f"{where}: the awaited seats change with hidden things")
    for tried in (command, {"name": rng.choice(sorted(game.commands))}):
        if _refusal(game, timeline, timeline.state, seat, tried) != _refusal(game, timeline, other, seat, tried):
            raise Broken(f"{where}: the refusal of {tried} changes with hidden things")


def _refusal(game: Game[Any], timeline: Timeline[Any], state: Any, seat: int, command: Mapping[str, Any]) -> Any:
    shadow = Timeline.resume(
        game, version=timeline.version, state=state, draws=timeline.draws, kept=timeline.kept, log=timeline.whole_log
    )
    try:
        shadow.command(seat, dict(command), seeded("shadow", next_draw=timeline.draws))
    except Refused as refused:
        return refused.as_json()
    return None


def check_replay(game: Game[Any], record: Record, timeline: Timeline[Any]) -> None:
    """The record as JSON replays to the same state, and each viewer's version of it can be told in words."""
    events = [
        Event(event.type, json.loads(json.dumps(event.data)), event.version, event.type_version, event.draws)
        for event in record.events
    ]
    if replay(game, events).state != timeline.state:
        raise Broken(f"{game.id} seed {record.seed!r}: replay differs from the state that was played")
    check_hidden(game, record, events)
    told = [event for event in events if not event.type.startswith("match.") or event.type == REWOUND]
    for viewer in (None, *range(record.seats)):
        for event in told[:: max(1, len(told) // 50)]:
            if (seen := see_event(game, event, viewer)) is not None:
                game.tell(seen, viewer, Caption().names)


def check_hidden(game: Game[Any], record: Record, events: Sequence[Event]) -> None:
    """A command of whose events a viewer may see none changes nothing that he is shown."""
    timeline: Timeline[Any] = Timeline(game)
    for start, end in itertools.pairwise([0, *record.ends]):
        command = events[start:end]
        hidden_from = [
            viewer for viewer in (None, *range(record.seats)) if all(see_event(game, event, viewer) is None for event in command)
        ]
        before = {viewer: game.view(timeline.state, viewer) for viewer in hidden_from}
        timeline.fold(command)
        for viewer, seen in before.items():
            if game.view(timeline.state, viewer) != seen:
                where = f"{game.id} seed {record.seed!r} version {end}"
                raise Broken(f"{where}: {command[0].type} is hidden from {viewer} and changes what he is shown")


@dataclass
class Tally:
    """What a number of matches came to."""

    matches: int = 0
    commands: int = 0
    events: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    wins: Counter[int] = field(default_factory=Counter)
    scores: list[tuple[int, ...]] = field(default_factory=list)

    def add(self, record: Record) -> None:
        assert record.outcome is not None
        self.matches += 1
        self.commands += len(record.commands)
        self.events += len(record.events)
        self.reasons[record.outcome.reason] += 1
        for seat in record.outcome.ranking[0]:
            self.wins[seat] += 1
        self.scores.append(record.outcome.scores)
