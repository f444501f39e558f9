"""Figures about the players of a match, folded from its events: answers and their time, timeouts, results. Pure.

An answer's time runs from the act that asked the question to the act by which the seat answered it, without pauses. A conditional
order or another player's act is no answer of the seat. Not here: the players these figures belong to (`statistics`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from events import canonical
from events.store import StoredEvent
from gamesvc.games.kernel.game import Data
from gamesvc.json_types import JsonObject
from gamesvc.matches.events import (
    Ended,
    Joined,
    Left,
    MatchEvent,
    Opened,
    Paused,
    Resumed,
    Seated,
    Started,
    TimedOut,
    Vacated,
    read_events,
)
from gamesvc.matches.record.loading import Loaded, recall
from gamesvc.matches.record.past import Past, rewound_to
from gamesvc.matches.record.stream import acts, lift

Key = tuple[int, str]


@dataclass(slots=True)
class Numbers:
    """The figures of one seat tenure. `place` and `shared` are set only if the match was contested from its start."""

    seat: int
    counts: bool = True
    contested: bool = False
    answers: int = 0
    answer_seconds: int = 0
    timeouts: int = 0
    excused: int = 0
    finished: bool = False
    vacated: bool = False
    place: int | None = None
    shared: bool = False
    last_at: datetime | None = None


@dataclass(slots=True)
class Asked:
    """An open question: when it was asked, and if its timeout was recorded."""

    since: datetime
    late: bool = False


@dataclass(slots=True)
class Reckoning:
    """A match folded so far, with the figures of every user who ever held a seat, by holder."""

    loaded: Loaded
    numbers: dict[str, Numbers] = field(default_factory=dict)
    asked: dict[Key, Asked] = field(default_factory=dict)
    paused: datetime | None = None
    people: dict[int, str] = field(default_factory=dict)  # seat -> holder; bots and empty seats are missing
    began: frozenset[str] = frozenset()
    counts: bool = True
    programs: set[int] = field(default_factory=set)  # seats of bot accounts, which make no match one between people

    def fold(self, stored: Sequence[StoredEvent]) -> Reckoning:
        """Fold the events that follow; they must be whole acts."""
        past, targets = recall(self.loaded, stored), rewound_to(stored)
        for act in acts(stored):
            self._take(act, targets, past)
        return self

    def _take(self, act: Sequence[StoredEvent], targets: Collection[int], past: Past) -> None:
        first = act[0]
        moment, actor = first.occurred_at, first.meta["actor"]
        events = [lift(self.loaded.game, one) for one in act]
        self.loaded.fold(act, events, targets=targets, past=past)
        for told in read_events(events):
            self._tell(told, moment)
        open_now = {(one.seat, one.id) for one in self.loaded.awaited()}
        for key in self.asked.keys() - open_now:
            self._close(key, self.asked.pop(key), actor, moment, automatic=bool(first.meta.get("automatic")))
        for key in open_now - self.asked.keys():
            self.asked[key] = Asked(moment)

    def _close(self, key: Key, asked: Asked, actor: JsonObject, moment: datetime, *, automatic: bool) -> None:
        seat = key[0]
        numbers = self._of(seat)
        if numbers is None or actor.get("seat") != seat or automatic:
            return
        if actor["kind"] == "seat":
            numbers.answers += 1
            numbers.answer_seconds += max(0, int((moment - asked.since).total_seconds()))
        elif actor["kind"] == "clock" and not asked.late:
            numbers.timeouts += 1
        else:
            return
        numbers.last_at = moment

    def _tell(self, event: MatchEvent, moment: datetime) -> None:
        match event:
            case Joined() | Seated():
                self._seat(event, moment)
            case Left():
                if (holder := self.people.pop(event.seat, None)) is not None:
                    self.numbers.pop(holder, None)  # before the start: as if they had never sat down
            case Vacated():
                if (numbers := self._of(event.seat)) is not None:
                    # An organiser, who gives a code, may remove anyone: that is the player's fault only if they had timed out.
                    numbers.vacated, numbers.last_at = not event.code or numbers.timeouts > 0, moment
                    del self.people[event.seat]
            case Started():
                self.began = frozenset(holder for seat, holder in self.people.items() if seat not in self.programs)
                for numbers in self.numbers.values():
                    numbers.contested = len(self.began) > 1
            case TimedOut():
                self._time_out(event, moment)
            case Paused():
                self.paused = moment
            case Resumed():
                self._resume(moment)
            case Ended():
                self._end(event.outcome, moment)
            case Opened():
                # A fork, an analysis board, a described position: its result is not the players' own work from the start.
                self.counts = event.position is None

    def _seat(self, event: Joined | Seated, moment: datetime) -> None:
        """Seat a new holder, at the start or as a substitute. The previous holder has left the seat."""
        if self.loaded.started and (before := self._of(event.seat)) is not None:
            before.vacated, before.last_at = True, moment
        self.people.pop(event.seat, None)
        (self.programs.add if event.kind == "program" else self.programs.discard)(event.seat)
        if event.kind in ("user", "program", ""):
            self.people[event.seat] = event.holder
            self.numbers[event.holder] = Numbers(event.seat, self.counts, len(self.began) > 1)

    def _time_out(self, event: TimedOut, moment: datetime) -> None:
        if event.key in self.asked:
            self.asked[event.key].late = True
        if (numbers := self._of(event.seat)) is not None:
            numbers.excused += event.excused
            numbers.timeouts += not event.excused
            numbers.last_at = moment

    def _resume(self, moment: datetime) -> None:
        if self.paused is not None:
            for asked in self.asked.values():
                asked.since += moment - max(asked.since, self.paused)
            self.paused = None

    def _end(self, outcome: Data | None, moment: datetime) -> None:
        if outcome is None:
            return
        for seat, holder in self.people.items():
            numbers = self.numbers[holder]
            numbers.finished, numbers.last_at = True, moment
            if numbers.contested and holder in self.began:
                numbers.place, numbers.shared = _place(outcome["ranking"], seat)

    def _of(self, seat: int) -> Numbers | None:
        holder = self.people.get(seat)
        return self.numbers[holder] if holder is not None else None

    # --- what must be kept to go on later ---

    def as_notes(self) -> JsonObject:
        """Return everything except the state and the figures, as JSON."""
        return {
            "asked": [[*key, canonical.write_time(one.since), one.late] for key, one in sorted(self.asked.items())],
            "paused": canonical.write_time(self.paused) if self.paused is not None else None,
            "holders": sorted(self.numbers),
            "people": [list(one) for one in sorted(self.people.items())],
            "began": sorted(self.began),
            "counts": self.counts,
            **({"programs": sorted(self.programs)} if self.programs else {}),
        }

    @classmethod
    def resume(cls, loaded: Loaded, notes: JsonObject, numbers: dict[str, Numbers]) -> Reckoning:
        return cls(
            loaded,
            numbers,
            {(seat, question): Asked(canonical.read_time(since), late) for seat, question, since, late in notes["asked"]},
            canonical.read_time(notes["paused"]) if notes["paused"] is not None else None,
            {seat: holder for seat, holder in notes["people"] if holder in numbers},
            frozenset(notes["began"]),
            notes["counts"],
            set(notes.get("programs", ())),
        )


def _place(ranking: Sequence[Sequence[int]], seat: int) -> tuple[int | None, bool]:
    """Return the place of a seat, 1 for the best, and True if others share it."""
    before = 0
    for group in ranking:
        if seat in group:
            return before + 1, len(group) > 1
        before += len(group)
    return None, False
