"""A match in memory: fold events to a state, decide commands, go back. Pure; the service and the protocol both use it.

Rewind is one mechanism. `match.rewound` names the version `to` go back to and carries what the engine drew anew.
Nothing is deleted: versions and draw numbers go on counting, and any version may be gone back to, also one that
was itself taken back (that is redo). States gone back to lie flat beside the current one, never inside it.
What other seats did meanwhile on their own may be kept: `kept` names these events, and they are folded again.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from gamesvc.games.kernel import codec, forms
from gamesvc.games.kernel.dice import Dice, NoSource
from gamesvc.games.kernel.game import POSITIONED, REWOUND, Command, Data, Event, Game, Refused, no_marks

S = TypeVar("S")
LONGEST_ORDER = 2000


def effective(events: Sequence[Event], version: int) -> list[int]:
    """The versions that led to the state at `version`: what was taken back is left out. `events` begin at version 1."""
    path: list[int] = []
    while version > 0:
        path.append(version)
        event = events[version - 1]
        if event.type == REWOUND:
            path.extend(reversed(event.data.get("kept", ())))
            version = int(event.data["to"])
        else:
            version -= 1
    return path[::-1]


class Timeline(Generic[S]):
    """The state of a match at its newest version, with the earlier states that may be gone back to.

    `recall(version)` finds the state of a version that is not kept here; `log()` gives all events from version 1.
    Without them every state and event is kept in memory, as the engine protocol and self-play do.
    """

    def __init__(
        self,
        game: Game[S],
        *,
        recall: Callable[[int], S] | None = None,
        log: Callable[[], Sequence[Event]] | None = None,
    ) -> None:
        self.game = game
        self.version = 0
        self.draws = 0
        self._state: S | None = None
        self.kept: dict[int, S] = {}
        self._events: list[Event] = []
        self.recall = recall
        self.log = log
        self._first: int | None = None  # nothing is known of versions before this one

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
        log: Callable[[], Sequence[Event]] | None = None,
    ) -> Timeline[S]:
        """Go on from a snapshot."""
        timeline = cls(game, recall=recall, log=log)
        timeline.version, timeline._state, timeline.draws, timeline.kept = version, state, draws, dict(kept)
        return timeline

    def double(self, state: S) -> Timeline[S]:
        """The same match with another state at its newest version. Raises ValueError where a rule looks further back."""
        double = Timeline(self.game)
        double.version, double._state, double.draws = self.version, state, self.draws
        double._first = self.version
        double._events = list(self.whole_log())
        return double

    def branch(self) -> Timeline[S]:
        """A match at the same version, which goes its own way from here."""
        other = copy.copy(self)
        other.kept, other._events = dict(self.kept), list(self._events)
        return other

    def apply(self, event: Event) -> None:
        """Fold one event. Its version must be the next one."""
        if event.version != self.version + 1:
            raise ValueError(f"event {event.version} does not follow version {self.version}")
        if event.type == REWOUND:
            then = self.at(int(event.data["to"]))
            state = self.game.rewound(then, self.state, event.data.get("data", {}))
            if kept := event.data.get("kept"):
                state = refold(self.game, state, self.whole_log(), kept)
        elif event.type == POSITIONED:
            state, marked = codec.read_position(self.game, event.data["position"], event.version, judge=False)
            self.kept.update(marked)
        elif event.type.startswith("match."):
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

    def fold(self, events: Iterable[Event], keep: Iterable[int] = ()) -> Timeline[S]:
        """Fold many events. States that a later one of them goes back to, or named in `keep`, are kept on the way."""
        events = list(events)
        wanted = {int(e.data["to"]) for e in events if e.type == REWOUND} | set(keep)
        may_go_back = self.game.marks is not no_marks
        for event in events:
            if self._state is not None and (may_go_back or self.version in wanted):
                self.kept[self.version] = self._state
            self.apply(event)
        if self.recall is not None:
            self._forget(set(keep))
        return self

    def _forget(self, keep: set[int]) -> None:
        """Keep only the states that the present one marks, with those that they mark in turn, and `keep`."""
        waiting, kept = {*self.marked(), *keep}, {}
        while waiting:
            version = waiting.pop()
            if version in self.kept:
                kept[version] = self.kept[version]
                waiting |= set(self.game.marks(kept[version])) - kept.keys()
        self.kept = kept

    def marked(self) -> frozenset[int]:
        """The versions that the game itself may still go back to."""
        return self.game.marks(self._state) if self._state is not None else frozenset()

    def at(self, version: int) -> S:
        """The state at a version. Raises ValueError for one that does not exist."""
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
        """The states of before the match that its position brought along. Raises ValueError where there are none."""
        for event in self.whole_log() if self.version else ():
            if event.type == POSITIONED:
                return codec.read_position(self.game, event.data["position"], event.version, judge=False)[1]
        raise ValueError("the match begins with version 1")

    def whole_log(self) -> Sequence[Event]:
        """All events of the match, from version 1."""
        return self._events if self.log is None else self.log()

    def keep_marked(self) -> dict[int, S]:
        """The states that belong beside this one in snapshots and positions: those marked, and those they mark in turn."""
        kept: dict[int, S] = {}
        waiting = set(self.marked())
        while waiting:
            version = waiting.pop()
            kept[version] = self.at(version)
            waiting |= set(self.game.marks(kept[version])) - kept.keys()
        return kept

    # --- deciding ---

    def begin(self, options: Data, seats: int, dice: Dice) -> Run[S]:
        """Decide the opening events of a match. Raises `Refused` for options that do not fit."""
        run = Run(self, dice)
        self.game.setup(run, options, seats)
        return run

    def command(self, seat: int, command: Command, dice: Dice) -> Run[S]:
        """Decide a command. Raises `Refused`; this timeline does not change until the events are folded.

        The rules get the command as its record keeps it, with keys in order: objects have no order of their own, and
        decided again from its record a command must give the same events.
        """
        check_command(self.game, command)
        run = Run(self, dice)
        self.game.decide(run, seat, codec.with_sorted_keys(command))
        run.close()
        return run

    def preview(self, seat: int, command: Command) -> Run[S]:
        """What a command would do up to its first draw; raises `DrawNeeded` there. Never draws."""
        return self.command(seat, command, Dice(NoSource(), self.draws))

    def rewind(self, version: int, dice: Dice, **why: Any) -> Run[S]:
        """Decide to go back (or forward, to a version taken back) to a version, from outside the game.

        `kept` in `why`: the versions of events that hold all the same, because they hang on nothing that is taken back.
        """
        run = Run(self, dice)
        run.take_back(version, **why)
        return run

    def follow(self, run: Run[S]) -> None:
        """Make the events of a run, just decided on this timeline, its own."""
        if self._state is not None:
            self.kept[self.version] = self._state
        for event, state in zip(run.events, run.states, strict=True):
            self._moved(event, state)
            self.kept[event.version] = state
        self.kept.update(run.kept)
        if self.recall is not None:
            self._forget(set())


class Run(Generic[S]):
    """One decision in the making: the events decided so far and the state after them."""

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
        """Whether there is a state: versions may count events of the service before the game's first one."""
        return self._state is not None

    @property
    def state(self) -> S:
        if self._state is None:
            raise ValueError("no event has been emitted yet")
        return self._state

    def emit(self, event_type: str, /, **data: Any) -> S:
        """Add an event with the draws made since the last one, and return the state after it.

        Its data has its keys in order from the first, so that the state does not depend on whether the event was just
        decided or has been stored.
        """
        version, data = self.version + 1, codec.with_sorted_keys(data)
        event = Event(event_type, data, version, self.game.type_versions.get(event_type, 1), self.dice.taken())
        return self._add(event, self.game.evolve(self._state, event))

    def place(self, position: Data, **how: Any) -> S:
        """Begin from a described position instead of the game's own setup. `how` it came about goes into the event."""
        version = self.version + 1
        event = Event(POSITIONED, {"position": position, **how}, version, 1, self.dice.taken())
        state, marked = codec.read_position(self.game, position, version)
        self.kept.update(marked)
        return self._add(event, state)

    def rewind(self, version: int, **why: Any) -> S:
        """Go back to a version; the game draws anew what must be drawn anew. `why` goes into the event."""
        return self._rewind(version, self._retracted(version), why)

    def take_back(self, version: int, **why: Any) -> S:
        """The same from outside the game: what branches told that were left since the version counts as told, too.

        Without that, somebody could look at a card, take that back with leave, and take back the move before it freely: the
        pile would lie again as he knows it.
        """
        self.at(version)  # raises ValueError for one that does not exist
        log = [*self._timeline.whole_log(), *self.events]
        kept = set(why.get("kept", ()))
        gone = set(effective(log, self.version)) - set(effective(log, version)) | set(range(version + 1, self.version + 1))
        given_back = self.game.given_back(self.at(version), self.state, why)
        state = self._rewind(version, [log[at - 1] for at in sorted(gone - kept)], why, given_back)
        if kept:
            self._state = self.states[-1] = state = refold(self.game, state, log, why["kept"])
        return state

    def _rewind(self, version: int, retracted: Sequence[Event], why: Mapping[str, Any], given_back: Data | None = None) -> S:
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
        log = [*self._timeline.whole_log(), *self.events]
        gone = set(effective(log, self.version)) - set(effective(log, version))
        return [log[at - 1] for at in sorted(gone)]

    def at(self, version: int) -> S:
        """The state at a version: one the state marks, one of this run, or any earlier one."""
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
    """Fold a whole recorded match with nothing kept but what it goes back to."""
    recorded = list(events)

    def missing(version: int) -> S:
        return replay(game, recorded[:version]).state

    return Timeline(game, recall=missing, log=lambda: recorded).fold(recorded)


def refold(game: Game[S], state: S, log: Sequence[Event], versions: Iterable[int]) -> S:
    """Apply events of the log once more, on the state that a rewind made."""
    for version in versions:
        state = game.evolve(state, log[version - 1])
    return state


def read_order(game: Game[Any], text: str, view: Data) -> Command:
    """Read an order in the game's notation. Raises `Refused`, also for a text longer than any order: it is not parsed at all."""
    if len(text) > LONGEST_ORDER:
        raise Refused("unreadable", f"An order has at most {LONGEST_ORDER} characters, not {len(text)}. Write one order a line.")
    return game.parse(text, view)


def check_command(game: Game[Any], command: Command) -> None:
    """Refuse a command whose name the game does not know, or whose parameters have the wrong shape."""
    name = command.get("name")
    if not isinstance(name, str) or name not in game.commands:
        known = ", ".join(sorted(game.commands))
        raise Refused("unknown_command", f"There is no command {name!r}. There are: {known}.", "name")
    parameters = {key: value for key, value in command.items() if key != "name"}
    fault = forms.fault(game.commands[name], parameters)
    if fault is not None:
        raise Refused("bad_parameter", f"{name}: {fault.detail}", fault.path or None)


def check_options(game: Game[Any], options: Data, seats: int) -> dict[str, Any]:
    """Return the options with defaults filled in, or refuse them."""
    manifest = game.manifest
    if not manifest.min_seats <= seats <= manifest.max_seats:
        raise Refused(
            "bad_seats", f"{manifest.title} is for {manifest.min_seats} to {manifest.max_seats} seats, not {seats}.", "seats"
        )
    fault = forms.fault(manifest.options, options)
    if fault is not None:
        raise Refused("bad_options", f"Options: {fault.detail}", fault.path or "options")
    full = {name: schema["default"] for name, schema in manifest.options["properties"].items()} | dict(options)
    game.check_options(full, seats)
    return full
