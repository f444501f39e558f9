"""What must hold of secrets in any game, checked by self-play while a match goes on.

`Watch` follows a match beside its players. For each seat it keeps a double of the match: the same view, with everything
hidden dealt anew. Each act happens in the double as well. As long as a seat is told the same of both it must be shown the
same, at every version; where it is told something else, an event must say that it reveals something (`Game.reveals`).
What a viewer is told names nothing that their view hides, also where a later event of the same act takes it back.
The same holds in the middle of an act, which readers of earlier versions see: a view there shows nothing that no event tells.
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from gamesvc.games.kernel.dice import Dice, KeyedSource, Source, draw_key, seeded
from gamesvc.games.kernel.game import REWOUND, Caption, Event, Game, Refused, Viewer, see_event
from gamesvc.games.kernel.timeline import Run, Timeline

Act = Callable[[Timeline[Any], Dice], Run[Any]]
"""A command or a rewind, as it happens on a timeline."""
FRESH = 0.1
"""How often a double that still serves is dealt anew."""


class Broken(AssertionError):
    """Something that must always hold did not."""


def command_of(seat: int, command: Mapping[str, Any]) -> Act:
    return lambda timeline, dice: timeline.command(seat, dict(command), dice)


def rewind_of(command: Mapping[str, Any]) -> Act:
    """Going back to the version `to` of a command, for what else it says: an undo of a seat, or else the organiser's act."""
    why = {name: value for name, value in command.items() if name != "to"} or {"cause": "host"}
    return lambda timeline, dice: timeline.rewind(int(command["to"]), dice, **why)


def chance(rng: random.Random, label: str) -> Dice:
    """Dice that are none of the match's."""
    return Dice(KeyedSource(draw_key(rng.randbytes(32), label, ())))


class Watch:
    """Follows one match with a double for each seat."""

    def __init__(self, game: Game[Any], timeline: Timeline[Any], rng: random.Random, name: str) -> None:
        self.game = game
        self.timeline = timeline
        self.rng = rng
        self.name = name
        self.seats = range(game.seats(timeline.state))
        self.doubles: dict[int, Timeline[Any]] = {}
        self.counts: Counter[str] = Counter()
        self._seen: dict[tuple[int, Any], Any] = {}  # what the match itself shows: every double is compared with it

    @property
    def where(self) -> str:
        return f"{self.name} version {self.timeline.version}"

    def look(self) -> None:
        """Give each seat a double where it has none, and now and then a fresh one."""
        for seat in self.seats:
            if seat not in self.doubles or self.rng.random() < FRESH:
                self.counts["redeals"] += 1
                self.doubles[seat] = self._double(seat)

    def _own(self, state: Any, what: str, viewer: Viewer) -> Any:
        """A view, the forms or the awaited seats of a state of the match; the ids that a view or the forms name."""
        key = (id(state), (what, viewer))
        if key not in self._seen:
            found = self._ids_own(state, what, viewer) if what.startswith("ids") else _ask(self.game, state, what, viewer)
            self._seen[key] = state, found  # with the state, so that its id stays its own
        return self._seen[key][1]

    def _ids_own(self, state: Any, what: str, viewer: Viewer) -> set[str]:
        shown = self._own(state, what.removeprefix("ids of "), viewer)
        return ids_in(self.game, state, shown if isinstance(shown, dict) else [form.as_json() for form in shown])

    def close_eyes(self) -> None:
        """Forget the doubles: what happens next is not followed."""
        self.doubles.clear()

    def _double(self, seat: int) -> Timeline[Any]:
        state = self.game.redeal(self.timeline.state, seat, chance(self.rng, self.where))
        self._check_same(seat, self.timeline.state, state, f"{self.where} seat {seat}, dealt anew")
        return self.timeline.double(state)

    def _check_same(self, seat: int, state: Any, other: Any, where: str) -> None:
        """A seat's view, forms and awaited seats, and what everybody sees, are the same in both."""
        game = self.game
        for what, viewer in (("view", seat), ("view", None), ("forms", seat), ("awaited", None)):
            if (counterpart := _ask(game, other, what, viewer)) != (own := self._own(state, what, viewer)):
                more = apart(own, counterpart) if what == "view" else ""
                raise Broken(f"{where}: the {what} changes with hidden things, for {viewer}: {more}")
        if named := self._own(state, "ids of forms", seat) - self._own(state, "ids of view", seat):
            raise Broken(f"{where}: the forms name {sorted(named)}, which the view hides")

    def check_refusal(self, seat: int, command: Mapping[str, Any]) -> None:
        """A seat's command is refused in the same words, or accepted, whatever is hidden from it."""
        game, timeline = self.game, self.timeline
        if seat in self.doubles:
            other = self.doubles[seat].state
            if _refusal(game, timeline, timeline.state, seat, command) != _refusal(game, timeline, other, seat, command):
                raise Broken(f"{self.where} seat {seat}: the refusal of {command} changes with hidden things")

    # --- following ---

    def follow(self, run: Run[Any], act: Act, source: Source, draws: int, actor: int | None) -> None:
        """Check what an act, just decided on the timeline and not yet folded, tells and shows each viewer."""
        for viewer in (None, *self.seats):
            self._check_told(run, viewer)
            self._check_between(run, viewer)
        for seat, double in list(self.doubles.items()):
            try:
                other = act(double, Dice(source, draws))
            except Refused as refused:
                if seat == actor:
                    raise Broken(f"{self.where} seat {seat}: hidden things decide that this is refused: {refused}") from refused
                del self.doubles[seat]
            except ValueError:  # a rule looks behind the beginning of the double
                del self.doubles[seat]
            else:
                self.counts["doubled acts"] += 1
                if self._same_told(seat, run, other, own=actor == seat):
                    self.counts["doubled acts alike"] += 1
                    double.follow(other)
                else:
                    del self.doubles[seat]
        self._seen = {key: kept for key, kept in self._seen.items() if kept[0] is run.state}

    def _same_told(self, seat: int, run: Run[Any], other: Run[Any], *, own: bool) -> bool:
        """Whether a seat learns the same of an act and of its double.

        If not, an event must say that it reveals something; but what another seat does may always hang on what it holds.
        What a view shows on the way must be told by an event, or still be seen at the end.
        """
        game, where = self.game, f"{self.where} seat {seat}"
        shown_early = ""
        for at, (event, twin) in enumerate(zip(run.events, other.events, strict=False)):
            told, counterpart = shown(game, event, seat), shown(game, twin, seat)
            if told != counterpart and (shown_early or not own):
                return False
            if told == counterpart and shown(game, event, None) != shown(game, twin, None):
                raise Broken(f"{where}: {event.type} tells everybody what the seat does not know")
            fault = f"{seat} is told {told}, dealt anew {counterpart}" if told != counterpart else ""
            if not fault and told is not None:
                fault = self._difference(seat, run.states[at], other.states[at])
            if fault and not any(game.reveals(one) for one in (*run.events[: at + 1], *other.events[: at + 1])):
                raise Broken(f"{where}: no event reveals anything, and after {event.type} {fault}")
            if told != counterpart:
                return False
            public = "" if fault or shown(game, event, None) is None else self._difference(None, run.states[at], other.states[at])
            if public:
                raise Broken(f"{where}: everybody sees what the seat does not: after {event.type} {public}")
            shown_early = shown_early or (f"after {event.type} {fault}" if fault else "")
        if len(run.events) != len(other.events):
            return False
        if shown_early and self._difference(seat, run.state, other.state):
            return False
        if shown_early:
            raise Broken(f"{where}: no event tells what a view in the middle of the act shows: {shown_early}")
        self._check_same(seat, run.state, other.state, f"{where}, one act later")
        return True

    def _difference(self, viewer: Viewer, state: Any, other: Any) -> str:
        """What a viewer is shown otherwise in a state of the match and in its double; empty for nothing."""
        view, counterpart = self._own(state, "view", viewer), self.game.view(other, viewer)
        return "" if view == counterpart else f"{viewer} is shown otherwise: {apart(view, counterpart)}"

    def _check_told(self, run: Run[Any], viewer: Viewer) -> None:
        """Events name only what the viewer's view shows before the act, or on the way that is not taken back."""
        game, before = self.game, self.timeline.state
        known = set(self._own(before, "ids of view", viewer))
        for event in run.events:
            if (seen := see_event(game, event, viewer)) is None:
                continue
            if event.type != REWOUND:
                game.tell(seen, viewer, Caption().names)
            if not (named := ids_in(game, run.state, seen.data) - known - set(game.shows(event))):
                continue
            for state in standing(run):
                known |= ids_in(game, state, game.view(state, viewer))
            if named - known:
                raise Broken(f"{self.where}: {event.type} tells {viewer} of {sorted(named - known)}, which the view hides")

    def _check_between(self, run: Run[Any], viewer: Viewer) -> None:
        """A view in the middle of an act names only what the viewer saw before it, is told by then, or sees at its end."""
        game = self.game
        known = words_in(self._own(self.timeline.state, "view", viewer)) | words_in(self._own(run.state, "view", viewer))
        for event, state in zip(run.events, run.states, strict=True):
            if (seen := see_event(game, event, viewer)) is None:
                continue  # nobody looks at a version that they do not know of
            known |= words_in(seen.data) | set(game.shows(event))
            if hidden := self._own(state, "ids of view", viewer) - known:
                raise Broken(f"{self.where}: the view of {viewer} after {event.type} names {sorted(hidden)}, which nothing tells")


def standing(run: Run[Any]) -> list[Any]:
    """The states of a run that no later event of it takes back, the newest first."""
    first, at, states = run.version - len(run.events), run.version, []
    while at > first:
        states.append(run.states[at - first - 1])
        event = run.events[at - first - 1]
        at = int(event.data["to"]) if event.type == REWOUND else at - 1
    return states


def ids_in(game: Game[Any], state: Any, shown: Any) -> set[str]:
    """The ids of things that can lie hidden, as they are named anywhere in JSON."""
    ids: Collection[str] = game.ids(state)
    return words_in(shown).intersection(ids) if ids else set()


def words_in(shown: Any) -> set[str]:
    """Every word in JSON, ids among them."""
    return set(re.findall(r"[\w-]+", json.dumps(shown)))


def shown(game: Game[Any], event: Event, viewer: Viewer) -> Any:
    seen = see_event(game, event, viewer)
    return None if seen is None else (seen.type, json.dumps(seen.data, sort_keys=True))


def _ask(game: Game[Any], state: Any, what: str, viewer: Viewer) -> Any:
    if what == "view":
        return game.view(state, viewer)
    if what == "forms" and viewer is not None:
        return tuple(game.legal_commands(state, viewer))
    return tuple(game.awaited(state))


def apart(view: Any, other: Any) -> str:
    """The first place at which two views differ, in a few words."""
    return _apart(json.loads(json.dumps(view)), json.loads(json.dumps(other)), "")


def _apart(one: Any, two: Any, path: str) -> str:
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        return next((_apart(one[key], two[key], f"{path}/{key}") for key in one if one[key] != two[key]), "")
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        return next((_apart(a, b, f"{path}/{at}") for at, (a, b) in enumerate(zip(one, two, strict=True)) if a != b), "")
    return f"{path} is {json.dumps(one)[:200]}, dealt anew {json.dumps(two)[:200]}"


# --- checks of one moment ---


def check_secrets(
    game: Game[Any], timeline: Timeline[Any], seat: int, command: Mapping[str, Any], offered: Any, rng: random.Random
) -> None:
    """What a seat is shown, offered and refused must not depend on what is hidden from it."""
    where = f"{game.id} version {timeline.version} seat {seat}"
    other = game.redeal(timeline.state, seat, chance(rng, where))
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


def check_hidden(game: Game[Any], events: Sequence[Event], ends: Sequence[int], seats: int, name: str) -> None:
    """An act of whose events a viewer may see none changes nothing that they are shown. `ends`: the acts' last versions."""
    timeline: Timeline[Any] = Timeline(game)
    for start, end in itertools.pairwise([0, *ends]):
        act = events[start:end]
        hidden_from = [viewer for viewer in (None, *range(seats)) if all(see_event(game, event, viewer) is None for event in act)]
        before = {viewer: game.view(timeline.state, viewer) for viewer in hidden_from}
        timeline.fold(act)
        for viewer, seen in before.items():
            if game.view(timeline.state, viewer) != seen:
                raise Broken(f"{name} version {end}: {act[0].type} is hidden from {viewer} and changes what they are shown")
