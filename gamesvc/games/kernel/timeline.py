"""A match in memory: fold events to a state, decide commands, go back. Pure; used by the service and the protocol.

Rewinding is one mechanism. `match.rewound` names the version `to` go back to and carries the game's new draws. Nothing is
deleted: versions and draw numbers keep counting, and the match can go back to any version, including one that was itself undone
(that is redo). Earlier states lie in a flat table beside the current one, never inside it. Independent events of other seats may
survive: `kept` names them, and they are folded again.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Generic

from gamesvc.games.kernel import codec, forms
from gamesvc.games.kernel.dice import Dice, NoSource
from gamesvc.games.kernel.events import POSITIONED, REWOUND, of_service
from gamesvc.games.kernel.game import Command, Data, Event, Game, Refused, S, Schema, no_marks
from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import joined, say

LONGEST_ORDER = 2000
SPARE = 64
"""States that are kept at most beyond twice those that are needed, while many events are folded."""


def abandoned(event_at: Callable[[int], Event], version: int, to: int) -> set[int]:
    """Return the versions on the path to `version` that are not on the path to `to`, which may lie ahead on another branch.

    `event_at` returns the event of a version. It is never called for one before the point where the two paths meet.
    """
    gone: set[int] = set()
    stay: set[int] = set()
    to = max(0, to)
    while version != to:
        newest, passed = (version, gone) if version > to else (to, stay)
        event = event_at(newest)
        passed |= {newest, *event.kept}
        if newest == version:
            version = max(0, event.predecessor)
        else:
            to = max(0, event.predecessor)
    return gone - stay


class Timeline(Generic[S]):
    """The state of a match at its newest version, with the earlier states that the match may go back to.

    `recall(version)` loads the state of a version that is not kept here. `log(until)` returns the events from version 1 to
    `until`, which it may read on demand. Without them, every state and event stays in memory, as the engine protocol and
    self-play need it.
    """

    def __init__(
        self,
        game: Game[S],
        *,
        recall: Callable[[int], S] | None = None,
        log: Callable[[int], Sequence[Event]] | None = None,
    ) -> None:
        self.game = game
        self.version = 0
        self.draws = 0
        self._state: S | None = None
        self.kept: dict[int, S] = {}
        self._events: list[Event] = []
        self.recall = recall
        self.log = log
        self._first: int | None = None  # versions before this one are unknown
        self._needed = 0  # states that were kept when it was last looked which of them are

    @property
    def started(self) -> bool:
        return self._state is not None

    @property
    def state(self) -> S:
        if self._state is None:
            raise ValueError("the match has no state before its first game event")
        return self._state

    @classmethod
    def resume(
        cls,
        game: Game[S],
        *,
        version: int,
        state: S | None,
        draws: int,
        kept: dict[int, S],
        recall: Callable[[int], S] | None = None,
        log: Callable[[int], Sequence[Event]] | None = None,
    ) -> Timeline[S]:
        """Return a timeline that continues from a snapshot."""
        timeline = cls(game, recall=recall, log=log)
        timeline.version, timeline._state, timeline.draws, timeline.kept = version, state, draws, dict(kept)
        return timeline

    def double(self, state: S) -> Timeline[S]:
        """Return the same match with another state at its newest version. Earlier versions raise ValueError there."""
        double = Timeline(self.game)
        double.version, double._state, double.draws = self.version, state, self.draws
        double._first = self.version
        double._events = list(self.whole_log())
        return double

    def branch(self) -> Timeline[S]:
        """Return an independent copy of the match at the same version."""
        other = copy.copy(self)
        other.kept, other._events = dict(self.kept), list(self._events)
        return other

    def apply(self, event: Event) -> None:
        """Fold one event. Raises ValueError unless its version is the next one."""
        if event.version != self.version + 1:
            raise ValueError(f"event {event.version} does not follow version {self.version}")
        if event.type == REWOUND:
            then = self.at(int(event.data["to"]))
            state = self.game.rewound(then, self.state, event.data.get("data", {}))
            if event.kept:
                log = self.whole_log()
                state = refold(self.game, state, lambda version: log[version - 1], event.kept)
        elif event.type == POSITIONED:
            state, marked = codec.read_position(self.game, event.data["position"], event.version, judge=False)
            self.kept.update(marked)
        elif of_service(event.type):
            state = self._state  # type: ignore[assignment]
        else:
            state = self.game.evolve(self._state, event)
        self._moved(event, state)

    def _moved(self, event: Event, state: S | None) -> None:
        self._state = state
        self.version = event.version
        for draw in event.draws:
            self.draws = int(draw["i"]) + 1
        if self.recall is None:
            self._events.append(event)
            if state is not None:
                self.kept[self.version] = state

    def fold(self, events: Iterable[Event], keep: Collection[int] = ()) -> Timeline[S]:
        """Fold many events. Keeps the states that a later one of them goes back to, and those named in `keep`.

        Where some are, others stay until they are as many: looked for after each event, they would take the square of its number.
        """
        events = list(events)
        wanted = {int(e.data["to"]) for e in events if e.type == REWOUND}
        may_go_back = self.game.marks is not no_marks
        for event in events:
            if self._state is not None and (may_go_back or self.version in wanted or self.version in keep):
                self.kept[self.version] = self._state
            self.apply(event)
        if self.recall is not None and (not keep or len(self.kept) > 2 * self._needed + SPARE):
            self._forget(keep)
        return self

    def _forget(self, keep: Collection[int]) -> None:
        """Keep only the states in `keep` and those that the current state marks, directly or through another marked state."""
        waiting, kept = {*self.marked(), *keep}, {}
        while waiting:
            version = waiting.pop()
            if version in self.kept:
                kept[version] = self.kept[version]
                waiting |= set(self.game.marks(kept[version])) - kept.keys()
        self.kept, self._needed = kept, len(kept)

    def marked(self) -> frozenset[int]:
        """Return the versions that the game itself may still go back to."""
        return self.game.marks(self._state) if self._state is not None else frozenset()

    def at(self, version: int) -> S:
        """Return the state at a version. Raises ValueError if the version does not exist."""
        if version == self.version:
            return self.state
        if version in self.kept:
            return self.kept[version]
        if self._first is not None and version < self._first:
            raise ValueError(f"nothing is known of version {version}")
        if version <= 0:
            state = self._placed()[version]
        elif self.recall is None or version > self.version:
            raise ValueError(f"there is no version {version} to go back to")
        else:
            state = self.recall(version)
        self.kept[version] = state
        return state

    def _placed(self) -> dict[int, S]:
        """Return the earlier states that the match's starting position brought along. Raises ValueError if there are none."""
        for event in self.whole_log() if self.version else ():
            if event.type == POSITIONED:
                return codec.read_position(self.game, event.data["position"], event.version, judge=False)[1]
        raise ValueError("the match begins with version 1")

    def whole_log(self) -> Sequence[Event]:
        """Return all events of the match from version 1."""
        return self._events if self.log is None else self.log(self.version)

    def keep_marked(self) -> dict[int, S]:
        """Return the states that snapshots and positions must store beside this one: those marked, directly or indirectly."""
        kept: dict[int, S] = {}
        waiting = set(self.marked())
        while waiting:
            version = waiting.pop()
            kept[version] = self.at(version)
            waiting |= set(self.game.marks(kept[version])) - kept.keys()
        return kept

    # --- deciding ---

    def begin(self, options: Data, seats: int, dice: Dice) -> Run[S]:
        """Decide the opening events of a match. Raises `Refused` for invalid options."""
        run = Run(self, dice)
        self.game.setup(run, options, seats)
        return run

    def command(self, seat: int, command: Command, dice: Dice) -> Run[S]:
        """Decide a command. Raises `Refused`. The timeline does not change until the events are folded.

        The rules get the command as the record stores it, with sorted keys: key order has no meaning in JSON, and a command
        decided again from its record must produce the same events.
        """
        check_command(self.game, command)
        run = Run(self, dice)
        self.game.decide(run, seat, codec.with_sorted_keys(command))
        run.close()
        return run

    def preview(self, seat: int, command: Command) -> Run[S]:
        """Decide a command without drawing. Raises `DrawNeeded` at the first draw."""
        return self.command(seat, command, Dice(NoSource(), self.draws))

    def rewind(self, version: int, dice: Dice, **why: object) -> Run[S]:
        """Decide to rewind the match to a version (back, or forward to an undone one) from outside the game.

        `kept` in `why` lists the versions of events that survive because they do not depend on anything undone.
        """
        run = Run(self, dice)
        run.rewind_by_service(version, **why)
        return run

    def follow(self, run: Run[S]) -> None:
        """Adopt the events of a run that was just decided on this timeline."""
        if self._state is not None:
            self.kept[self.version] = self._state
        for event, state in zip(run.events, run.states, strict=True):
            self._moved(event, state)
            self.kept[event.version] = state
        self.kept.update(run.kept)
        if self.recall is not None:
            self._forget(())


class Run(Generic[S]):
    """One decision in progress: the events decided so far and the state after them."""

    def __init__(self, timeline: Timeline[S], dice: Dice) -> None:
        self._timeline = timeline
        self._state = timeline._state
        self.game = timeline.game
        self.dice = dice
        self.version = timeline.version
        self.events: list[Event] = []
        self.states: list[S] = []
        self.kept: dict[int, S] = {}

    @property
    def started(self) -> bool:
        """Return True if there is a state. The service's own events may take versions before the game's first one."""
        return self._state is not None

    @property
    def state(self) -> S:
        if self._state is None:
            raise ValueError("no event has been emitted yet")
        return self._state

    def emit(self, event: TypedEvent) -> S:
        """Add an event with the draws made since the last one, and return the state after it.

        The data has sorted keys from the start, so that a freshly decided event and a stored one give the same state.
        """
        data, version = codec.with_sorted_keys(event.as_json()), self.game.type_versions.get(event.TYPE, 1)
        emitted = Event(event.TYPE, data, self.version + 1, version, self.dice.taken())
        return self._add(emitted, self.game.evolve(self._state, emitted))

    def place(self, position: object, **how: object) -> S:
        """Begin from a described position instead of the game's own setup. `how` adds the origin to the event."""
        version = self.version + 1
        event = Event(POSITIONED, {"position": position, **how}, version, 1, self.dice.taken())
        state, marked = codec.read_position(self.game, position, version)
        self.kept.update(marked)
        return self._add(event, state)

    def rewind(self, version: int, **why: object) -> S:
        """Go back to a version. The game redraws what it must. `why` is added to the event's data."""
        return self._rewind(version, self._retracted(version), why)

    def rewind_by_service(self, version: int, **why: Any) -> S:
        """Go back to a version from outside the game. Information revealed on abandoned branches stays revealed.

        Otherwise a player could look at a card, undo that by consent, and then undo the move before it freely: the pile would lie
        in an order they know.
        """
        self.at(version)  # raises ValueError if the version does not exist
        event_at = self._events()
        kept = set(why.get("kept", ()))
        gone = abandoned(event_at, self.version, version) | set(range(version + 1, self.version + 1))
        retracted = [event_at(at) for at in sorted(gone - kept)]
        given_back = self.game.given_back(self.at(version), self.state, retracted, why)
        state = self._rewind(version, retracted, why, given_back)
        if kept:
            self._state = self.states[-1] = state = refold(self.game, state, event_at, why["kept"])
        return state

    def _rewind(self, version: int, retracted: Sequence[Event], why: JsonMapping, given_back: Data | None = None) -> S:
        then, now = self.at(version), self.state
        told = {**self.game.on_rewind(then, now, retracted, self.dice), **(given_back or {})}
        data = codec.with_sorted_keys(told)
        event = Event(REWOUND, {"to": version, **why, "data": data}, self.version + 1, 1, self.dice.taken())
        return self._add(event, self.game.rewound(then, now, event.data["data"]))

    def _add(self, event: Event, state: S) -> S:
        self.events.append(event)
        self.states.append(state)
        self.version = event.version
        self._state = state
        return state

    def _retracted(self, version: int) -> list[Event]:
        event_at = self._events()
        return [event_at(at) for at in sorted(abandoned(event_at, self.version, version))]

    def _events(self) -> Callable[[int], Event]:
        """Return a function that looks up an event of the match or of this run by its version."""
        log, written = self._timeline.whole_log(), self._timeline.version
        return lambda version: log[version - 1] if version <= written else self.events[version - written - 1]

    def at(self, version: int) -> S:
        """Return the state at a version: a marked state, one of this run, or any earlier one."""
        if version == self.version:
            return self.state
        if version in self.kept:
            return self.kept[version]
        if self._timeline.version < version < self.version:
            return self.states[version - self._timeline.version - 1]
        return self._timeline.at(version)

    def close(self) -> None:
        if self.dice.taken():
            raise ValueError("draws were made that no event carries")


def replay(game: Game[S], events: Iterable[Event]) -> Timeline[S]:
    """Fold a whole recorded match. Keeps only the states that it goes back to."""
    recorded = list(events)

    def missing(version: int) -> S:
        return replay(game, recorded[:version]).state

    return Timeline(game, recall=missing, log=lambda until: recorded).fold(recorded)


def refold(game: Game[S], state: S, event_at: Callable[[int], Event], versions: Iterable[int]) -> S:
    """Apply events of the log again, on the state that a rewind made. `event_at` returns the event of a version."""
    for version in versions:
        state = game.evolve(state, event_at(version))
    return state


def read_order(game: Game, text: str, view: Data) -> Command:
    """Read an order in the game's notation. Raises `Refused`. A text longer than any valid order is not parsed at all."""
    if len(text) > LONGEST_ORDER:
        raise Refused(
            "unreadable",
            say(
                "An order has at most {most} characters, not {length}. Write one order a line.",
                most=LONGEST_ORDER,
                length=len(text),
            ),
        )
    return game.parse(text, view)


def check_command(game: Game, command: Command) -> None:
    """Raise `Refused` for a command with an unknown name or with parameters of the wrong shape."""
    name = command.get("name")
    if not isinstance(name, str) or name not in game.commands:
        known = ", ".join(sorted(game.commands))
        raise Refused("unknown_command", say("There is no command {name!r}. There are: {known}.", name=name, known=known), "name")
    parameters = {key: value for key, value in command.items() if key != "name"}
    fault = forms.fault(game.commands[name], parameters)
    if fault is not None:
        raise Refused("bad_parameter", joined(name, fault.detail, between=": "), fault.path or None)


def default_option(schema: Schema, seats: int) -> object:
    """Return the default of an option in a match with some seats: `default_by_seats` may name another for a number of seats."""
    return schema.get("default_by_seats", {}).get(str(seats), schema["default"])


def check_options(game: Game, options: Data, seats: int) -> JsonObject:
    """Return the options with defaults filled in. Raises `Refused` for invalid ones."""
    manifest = game.manifest
    if not manifest.min_seats <= seats <= manifest.max_seats:
        raise Refused(
            "bad_seats",
            say(
                "{title} is for {min_seats} to {max_seats} seats, not {seats}.",
                title=manifest.title,
                min_seats=manifest.min_seats,
                max_seats=manifest.max_seats,
                seats=seats,
            ),
            "seats",
        )
    fault = forms.fault(manifest.options, options, "options")
    if fault is not None:
        raise Refused("bad_options", fault.detail, fault.path)
    full = {name: default_option(schema, seats) for name, schema in manifest.options["properties"].items()} | dict(options)
    game.check_options(full, seats)
    return full
