"""The recorded commands decided again: they must give the same events from the same draws. Pure.

This needs the rules under which a command was decided; under other rules its events are folded by `evolve`, and the result says
so. Events of the service itself (lobby, deadlines) are skipped; the start begins the game, the end is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from events import canonical
from gamesvc.games.kernel.dice import Dice, KeyedSource
from gamesvc.games.kernel.events import POSITIONED, REWOUND, STARTED, makes_state
from gamesvc.games.kernel.game import Event, Game, Refused
from gamesvc.games.kernel.timeline import Run, Timeline
from gamesvc.matches.events import Ended
from gamesvc.matches.record import evidence, positions
from gamesvc.matches.record.evidence import Record, Wrong


@dataclass
class Retold:
    """The result of deciding a match again."""

    timeline: Timeline
    decided: int = 0
    folded: int = 0
    other_rules: set[str] = field(default_factory=set)


def retell(game: Game, records: Sequence[Record], source: KeyedSource | None) -> Retold:
    """Decide all commands again; fold what was decided under other rules (without `source`: everything). Raises `Wrong`."""
    retold = Retold(Timeline(game))
    for act in acts(records):
        rules = evidence.field(act[0], str, "meta", "rules")
        again = source is not None and rules == game.manifest.rules
        if rules != game.manifest.rules:
            retold.other_rules.add(rules)
        try:
            events = [evidence.lifted(game, record) for record in act]
            if again and source is not None:
                _decide(retold, act, events, source)
            else:
                retold.timeline.fold(events)
                retold.folded += sum(makes_state(event.type) for event in events)
        except Wrong:
            raise
        except Refused as refused:
            raise Wrong(act[0]["version"], f"The rules refuse the recorded command: {refused.detail}") from None
        except Exception as error:
            # Rules code expects input the service has checked. Here a forger chooses the input, so any exception means that the
            # file is wrong.
            said = f"{type(error).__name__}: {error}"
            raise Wrong(act[0]["version"], f"The rules cannot follow what is recorded here ({said}).") from error
        if act[-1].get("type") == Ended.TYPE:
            check_outcome(retold.timeline, act[-1])
        elif again and retold.timeline.started and game.outcome(retold.timeline.state) is not None:
            raise Wrong(act[-1]["version"], "The game is over here, and the record does not end.")
    return retold


def acts(records: Sequence[Record]) -> Iterator[list[Record]]:
    """Yield the acts: events that were appended together. An act's first event carries the command's id. Raises `Wrong`."""
    act: list[Record] = []
    for record in records:
        if "command_id" in evidence.field(record, dict, "meta"):
            if act:
                yield act
            act = []
        elif not act:
            raise Wrong(record["version"], "meta.command_id is missing: the first event of every act has one.")
        act.append(record)
    if act:
        yield act


def _decide(retold: Retold, act: Sequence[Record], events: list[Event], source: KeyedSource) -> None:
    timeline = retold.timeline
    if events[0].type == STARTED:
        timeline.fold(events[:1])
        events, act = events[1:], act[1:]
        run = _begin(retold, act, events, Dice(source, timeline.draws))
    elif "command" in act[0]["meta"] and not _service_rewind(timeline.game, act[0], events[0]):
        seat = evidence.field(act[0], int, "meta", "actor", "seat")
        command = evidence.field(act[0], dict, "meta", "command")
        run = timeline.command(seat, command, Dice(source, timeline.draws))
    elif (at := _rewind_at(events)) is not None:
        # A request and its answers before the rewind are events of the service too.
        timeline.fold(events[:at])
        events, act = events[at:], act[at:]
        to = evidence.field(act[0], int, "data", "to")
        why = {name: value for name, value in events[0].data.items() if name not in ("to", "data")}
        run = timeline.rewind(to, Dice(source, timeline.draws), **why)
    else:
        for event in events:
            if makes_state(event.type):
                raise Wrong(event.version, f"No command is recorded that led to {event.type}.")
        timeline.fold(events)
        return
    _compare(run, events)
    retold.decided += len(run.events)
    timeline.follow(run)
    timeline.fold(events[len(run.events) :])


def _rewind_at(events: Sequence[Event]) -> int | None:
    """Return the index of the rewind in an act of the service; None if the first event of the game is another one, or missing."""
    at = next((at for at, event in enumerate(events) if makes_state(event.type)), None)
    return at if at is not None and events[at].type == REWOUND else None


def _service_rewind(game: Game, first: Record, event: Event) -> bool:
    """Return True for a rewind by the service (an undo, an organiser), and False for a command of the game."""
    return event.type == REWOUND and evidence.field(first, dict, "meta", "command").get("name") not in game.commands


def _begin(retold: Retold, act: Sequence[Record], events: Sequence[Event], dice: Dice) -> Run:
    """Begin with the game's own setup, or with the recorded position of the match."""
    timeline = retold.timeline
    if events and events[0].type == POSITIONED:
        run = Run(timeline, dice)
        position, seat = evidence.field(act[0], dict, "data", "position"), None
        if "dealt" in act[0]["data"]:
            position = evidence.field(act[0], dict, "data", "dealt", "from")
            seat = evidence.field(act[0], int, "data", "dealt", "seat")
        positions.place(run, position, evidence.field(act[0], str, "data", "salt"), seat)
        return run
    opened = timeline.whole_log()[0].data
    return timeline.begin(opened["options"], opened["seats"], dice)


def _compare(run: Run, events: Sequence[Event]) -> None:
    """Check that every decided event equals the recorded one, followed only by service events. Raises `Wrong` at the first
    difference.
    """
    run.close()
    for decided, recorded in zip(run.events, events, strict=False):
        if _plain(decided) != _plain(recorded):
            raise Wrong(recorded.version, f"The rules decide {_shown(decided)} here; recorded is {_shown(recorded)}.")
    if len(run.events) > len(events):
        missing = run.events[len(events)]
        raise Wrong(missing.version, f"The rules decide a further event here, {_shown(missing)}, which is not recorded.")
    for event in events[len(run.events) :]:
        if makes_state(event.type):
            raise Wrong(event.version, f"The rules decide no further event here; recorded is {_shown(event)}.")


def _plain(event: Event) -> bytes:
    return canonical.encode([event.type, event.type_version, dict(event.data), list(event.draws)])


def _shown(event: Event) -> str:
    text = canonical.encode(dict(event.data)).decode()
    draws = f" with draws {canonical.encode(list(event.draws)).decode()}" if event.draws else ""
    shown = f"{event.type} {text}{draws}"
    return shown if len(shown) <= 300 else f"{shown[:297]}..."


def check_outcome(timeline: Timeline, ended: Record) -> None:
    """Check that the recorded end fits the state of the match. Raises `Wrong`."""
    game, version = timeline.game, ended["version"]
    outcome = game.outcome(timeline.state) if timeline.started else None
    recorded = ended["data"].get("outcome")
    if outcome is None:
        if recorded is not None:
            raise Wrong(version, "An outcome is recorded, and by the rules the game is not over.")
        return
    if recorded is None or canonical.encode(recorded) != canonical.encode(outcome.as_json()):
        found = canonical.encode(outcome.as_json()).decode()
        raise Wrong(version, f"By the rules the outcome is {found}; recorded is {canonical.encode(recorded).decode()}.")
    if ended["data"].get("reason") != outcome.reason:
        raise Wrong(version, f"By the rules the match ends by {outcome.reason!r}; recorded is {ended['data'].get('reason')!r}.")
