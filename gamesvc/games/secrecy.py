"""Secrecy checks for any game, run by self-play during a match.

`Watch` follows a match beside its players. For each seat it keeps a double of the match: the same view, with everything hidden
redealt. Each act also happens in the double. While a seat receives the same events from both, it must see the same view of both,
at every version. Where it receives different events, an event must declare that it reveals something (`Game.reveals`). Events
sent to a viewer contain nothing that their view hides, even if a later event of the same act undoes it. The same holds in the
middle of an act, which readers of earlier versions see: a view there shows nothing that no event reveals.
"""

from __future__ import annotations

import functools
import itertools
import json
import marshal
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from gamesvc.errors import GamesvcError
from gamesvc.games import dealing
from gamesvc.games.kernel.dice import Dice, Source, seeded
from gamesvc.games.kernel.events import REWOUND
from gamesvc.games.kernel.game import Caption, Event, Form, Game, Refused, S, Viewer, see_event
from gamesvc.games.kernel.targets import stands
from gamesvc.games.kernel.timeline import Run, Timeline
from gamesvc.json_types import JsonMapping, JsonObject

_WORD = re.compile(r"[\w-]+")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
"""A string of JSON as it is written, with its escapes."""
_ESCAPE = re.compile(r"\\(?:u[0-9a-f]{4}|.)")
_WORDS_OF = "words of "
_WITHOUT_REFERENCES = 2
"""The version of `marshal` in which equal values are equal bytes. It writes a key several times as fast as `json`."""
Act = Callable[[Timeline, Dice], Run]
"""A command or a rewind, applied to a timeline."""
FRESH = 0.1
"""The probability of replacing a double that is still usable by a fresh one."""


class Broken(GamesvcError, AssertionError):
    """A condition that must always hold was violated."""


def command_of(seat: int, command: JsonMapping) -> Act:
    return lambda timeline, dice: timeline.command(seat, dict(command), dice)


def rewind_of(command: JsonMapping) -> Act:
    """Return the act of rewinding to version `to`. Other fields describe the cause; without any, it is the organiser."""
    why = {name: value for name, value in command.items() if name != "to"} or {"cause": "host"}
    return lambda timeline, dice: timeline.rewind(int(command["to"]), dice, **why)


def chance(rng: random.Random) -> Dice:
    """Return dice that are independent of the match's own."""
    return Dice(_Chance(random.Random(rng.getrandbits(64))))


class _Chance:
    """Draws that nobody has to repeat without the seed of the whole run: several times as fast as those of a match."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def below(self, i: int, n: int) -> int:
        return int(self._rng.random() * n)

    def order(self, i: int, n: int, k: int) -> tuple[int, ...]:
        return tuple(self._rng.sample(range(n), k))


class Watch:
    """An observer of one match with a double for each seat."""

    def __init__(self, game: Game, timeline: Timeline, rng: random.Random, name: str) -> None:
        self.game = game
        self.timeline = timeline
        self.rng = rng
        self.name = name
        self.seats = range(game.seats(timeline.state))
        self.doubles: dict[int, Timeline] = {}
        self.counts: Counter[str] = Counter()
        # Outputs for states of the match, which every double is compared with, and of the doubles.
        self._seen: dict[tuple[int, tuple[str, Viewer]], tuple[object, Any]] = {}

    @property
    def where(self) -> str:
        return f"{self.name} version {self.timeline.version}"

    def look(self) -> None:
        """Create the missing doubles, and now and then replace one."""
        for seat in self.seats:
            if seat not in self.doubles or self.rng.random() < FRESH:
                self.counts["redeals"] += 1
                self.doubles[seat] = self._double(seat)

    def _output(self, state: object, what: str, viewer: Viewer) -> Any:
        """Return one output for a state: view, forms, awaited seats, or the words in a view or in the forms."""
        key = (id(state), (what, viewer))
        if key not in self._seen:
            if what.startswith(_WORDS_OF):
                shown = self._output(state, what.removeprefix(_WORDS_OF), viewer)
                found: object = words_in(shown if isinstance(shown, dict) else [form.as_json() for form in shown])
            else:
                found = _ask(self.game, state, what, viewer)
            self._seen[key] = state, found  # stored with the state, so that its id stays unique
        return self._seen[key][1]

    def _ids(self, state: object, what: str, viewer: Viewer) -> set[str]:
        """Return the ids of a state's items that one of its outputs names."""
        words: set[str] = self._output(state, _WORDS_OF + what, viewer)
        return words.intersection(self.game.ids(state))

    def close_eyes(self) -> None:
        """Drop the doubles: the next act is not followed."""
        self.doubles.clear()

    def _double(self, seat: int) -> Timeline:
        state = self.game.redeal(self.timeline.state, seat, chance(self.rng))
        self._check_same(seat, self.timeline.state, state, f"{self.where} seat {seat}, redealt", at=self.timeline.at)
        return self.timeline.double(state)

    def _check_same(
        self, seat: int, state: object, other: object, where: str, *, at: Callable[[int], object], halfway: bool = False
    ) -> None:
        """Check that a seat's view, forms, default, awaited seats, and the public view, are the same in both states.

        `at` returns an earlier state. Forms may name what the seat saw where the game may still go back to: a card of its station
        that lay open at the end of the item which the card answers, and was turned face down after that.
        """
        forms = () if halfway else (("forms", seat), ("default", seat))
        for what, viewer in (("view", seat), ("view", None), ("awaited", None), *forms):
            if (counterpart := self._output(other, what, viewer)) != (own := self._output(state, what, viewer)):
                more = apart(own, counterpart) if what == "view" else ""
                raise Broken(f"{where}: the {what} changes with hidden things, for {viewer}: {more}")
        if forms and (named := self._unseen(state, seat, at)):
            raise Broken(f"{where}: the forms name {sorted(named)}, which the view hides")

    def _unseen(self, state: object, seat: int, at: Callable[[int], object]) -> set[str]:
        """Return the ids that a seat's forms name and no view of the seat shows, now or where the game may still go back to."""
        named: set[str] = self._ids(state, "forms", seat) - self._ids(state, "view", seat)
        if named:
            named = named.difference(*(ids_in(self.game, state, self.game.view(at(one), seat)) for one in self.game.marks(state)))
        return named

    def check_refusal(self, seat: int, command: JsonMapping) -> None:
        """Check that a seat's command is accepted, or refused in the same words, whatever is hidden from the seat."""
        game, timeline = self.game, self.timeline
        if seat in self.doubles:
            other = self.doubles[seat].state
            if refusal_of(game, timeline, timeline.state, seat, command) != refusal_of(game, timeline, other, seat, command):
                raise Broken(f"{self.where} seat {seat}: the refusal of {command} changes with hidden things")

    def check_named(self, seat: int, command: JsonMapping, rng: random.Random) -> None:
        """Check that the refusal of a seat's command tells nothing of an item that it names, although it may not know it.

        One of the command's ids becomes that of any item. The places of hidden ids are redealt, too.
        """
        game, timeline = self.game, self.timeline
        try:
            other, _marked = dealing.deal(game, timeline.state, timeline.at, seat, chance(rng))
        except Refused:  # of this position no deal is found
            return
        tried = naming(command, sorted(game.ids(timeline.state)), rng)
        if refusal_of(game, timeline, timeline.state, seat, tried) != refusal_of(game, timeline, other, seat, tried):
            raise Broken(f"{self.where} seat {seat}: the refusal of {tried} changes with what it names")
        self.counts["named"] += 1

    # --- following the match ---

    def follow(self, run: Run, act: Act, source: Source, draws: int, actor: int | None, *, halfway: bool = False) -> None:
        """Check all events and views that an act sends to each viewer. The act is decided on the timeline but not yet folded.

        `halfway`: it goes back into the middle of a command, where nobody may act and there are no forms to compare.
        """
        for viewer in (None, *self.seats):
            self._check_told(run, viewer)
            self._check_between(run, viewer)
        if actor is not None:
            self._check_thrown(run, actor)
        for seat, double in list(self.doubles.items()):
            try:
                other = act(double, Dice(source, draws))
            except Refused as refused:
                if seat == actor:
                    raise Broken(f"{self.where} seat {seat}: hidden things decide that this is refused: {refused}") from refused
                del self.doubles[seat]
            except ValueError:  # a rule looks further back than the double's first version
                del self.doubles[seat]
            else:
                self.counts["doubled acts"] += 1
                if actor == seat or (actor is not None and self.game.turn_owner is Game.turn_owner):
                    self._check_counted(seat, run, other)
                if self._same_told(seat, run, other, own=actor == seat, halfway=halfway):
                    self.counts["doubled acts alike"] += 1
                    double.follow(other)
                else:
                    del self.doubles[seat]
        self._seen = {key: kept for key, kept in self._seen.items() if kept[0] is run.state}

    def _same_told(self, seat: int, run: Run, other: Run, *, own: bool, halfway: bool) -> bool:
        """Return True if a seat learns the same from an act and from its double. Raises `Broken` for a leak.

        A difference needs an event that reveals something, except in another seat's act, which may depend on what that seat
        holds. Anything that a view shows during the act must be revealed by an event or still be visible at the end.
        """
        game, where = self.game, f"{self.where} seat {seat}"
        shown_early = ""
        for at, (event, twin) in enumerate(zip(run.events, other.events, strict=False)):
            told, counterpart = shown(game, event, seat), shown(game, twin, seat)
            if told != counterpart and (shown_early or not own):
                return False
            if told == counterpart and shown(game, event, None) != shown(game, twin, None):
                raise Broken(f"{where}: {event.type} tells all seats what the seat does not know")
            fault = f"{seat} reads {told}, redealt {counterpart}" if told != counterpart else ""
            if not fault and told is not None:
                fault = self._difference(seat, run.states[at], other.states[at])
            if fault and not any(game.reveals(one) for one in (*run.events[: at + 1], *other.events[: at + 1])):
                raise Broken(f"{where}: no event reveals anything, and after {event.type} {fault}")
            if told != counterpart:
                return False
            public = "" if fault or shown(game, event, None) is None else self._difference(None, run.states[at], other.states[at])
            if public:
                raise Broken(f"{where}: all seats see what the seat does not: after {event.type} {public}")
            shown_early = shown_early or (f"after {event.type} {fault}" if fault else "")
        if len(run.events) != len(other.events):
            return False
        if shown_early and self._difference(seat, run.state, other.state):
            return False
        if shown_early:
            raise Broken(f"{where}: no event tells what a view in the middle of the act shows: {shown_early}")
        self._check_same(seat, run.state, other.state, f"{where}, one act later", at=run.at, halfway=halfway)
        return True

    def _check_counted(self, seat: int, run: Run, other: Run) -> None:
        """Check that a seat learns nothing by the number of events in an act that it may not read: versions tell it.

        As long as it reads the same in the act and in its double, as many sealed events lie in between. Only where each seat has
        turns of its own, in a race, the size of another's act is no secret.
        """
        for (told, at), (counterpart, place) in zip(_read(self.game, run, seat), _read(self.game, other, seat), strict=False):
            if told != counterpart:
                return
            if at != place:
                what = f"{told or 'the end'} is event {at} of the act, redealt {place}"
                raise Broken(f"{self.where} seat {seat}: hidden things decide how many sealed events there are: {what}")

    def _difference(self, viewer: Viewer, state: object, other: object) -> str:
        """Describe how a viewer's views of a state and of its double differ; empty if they do not."""
        view, counterpart = self._output(state, "view", viewer), self._output(other, "view", viewer)
        return "" if view == counterpart else f"{viewer} is shown otherwise: {apart(view, counterpart)}"

    def _check_told(self, run: Run, viewer: Viewer) -> None:
        """Check that events contain only ids that the viewer's view shows before the act or in a state the act does not undo."""
        game, before = self.game, self.timeline.state
        known = self._ids(before, "view", viewer)
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

    def _check_thrown(self, run: Run, actor: int) -> None:
        """Check that an act which throws dice for another seat reveals something to its own.

        Else its undo would be free, and each time another throw of dice that only the others have seen. As for an undo, all data
        counts of the events that a seat may know.
        """
        game, drawn = self.game, False
        told: dict[int, list[str]] = {seat: [] for seat in self.seats}
        for event in run.events:
            thrown, drawn = drawn or bool(event.draws), bool(event.draws)
            for seat, found in told.items():
                if (thrown or seat == actor) and see_event(game, event, seat) is not None and game.reveals(event):
                    found.append(event.type)
        if any(told.values()) and not told[actor]:
            raise Broken(f"{self.where} seat {actor}: its act throws dice, which reveals something only to others: {told}")

    def _check_between(self, run: Run, viewer: Viewer) -> None:
        """Check the views in the middle of an act.

        Each may show only ids that the viewer saw before the act, has been sent by then, or sees at its end; once a match has
        gone back, also those that the viewer saw in what it undid: commands repeated afterwards pass through it again.
        """
        game = self.game
        if not any(game.ids(state) for state in run.states):
            return
        known = self._output(self.timeline.state, "words of view", viewer) | self._output(run.state, "words of view", viewer)
        for event, state in zip(run.events, run.states, strict=True):
            if (seen := see_event(game, event, viewer)) is None:
                continue  # nobody reads a version that they do not know of
            known |= words_in(seen.data) | set(game.shows(event))
            named = self._ids(state, "view", viewer)
            if not named <= known:
                known |= self._undone(run, viewer)
            if hidden := named - known:
                raise Broken(f"{self.where}: the view of {viewer} after {event.type} names {sorted(hidden)}, which nothing tells")

    def _undone(self, run: Run, viewer: Viewer) -> set[str]:
        """Return the words in the views of what the last rewind undid, as far as the viewer knows of it."""
        log = self.timeline.whole_log()
        rewound = next((event for event in reversed([*log, *run.events]) if event.type == REWOUND), None)
        if rewound is None:
            return set()
        begin, end = rewound.data["to"], min(rewound.version - 1, len(log))
        known_of = [event.version for event in log[begin:end] if see_event(self.game, event, viewer) is not None]
        return {word for at in (begin, *known_of) for word in words_in(self.game.view(self.timeline.at(at), viewer))}


def _read(game: Game, run: Run, seat: int) -> list[tuple[object, int]]:
    """Return all that a seat reads of an act, each with its place among the events; None for the end."""
    told = [(shown(game, event, seat), at) for at, event in enumerate(run.events, 1)]
    return [*((one, at) for one, at in told if one is not None), (None, len(run.events) + 1)]


def standing(run: Run[S]) -> list[S]:
    """Return the states of a run that none of its later events undoes, newest first."""
    first, at, states = run.version - len(run.events), run.version, []
    while at > first:
        states.append(run.states[at - first - 1])
        at = run.events[at - first - 1].predecessor
    return states


def ids_in(game: Game[S], state: S, shown: object) -> set[str]:
    """Return the ids in JSON that belong to items which can be hidden."""
    ids: Collection[str] = game.ids(state)
    return words_in(shown).intersection(ids) if ids else set()


def words_in(shown: Any) -> set[str]:
    """Return every word of the strings and names in JSON, ids included."""
    return set().union(*(_words(marshal.dumps(part, _WITHOUT_REFERENCES)) for part in _parts(shown, 2)))


def _parts(shown: Any, depth: int) -> Iterator[Any]:
    """Yield the parts of JSON so many levels down."""
    if not depth or not isinstance(shown, dict | list):
        yield shown
    elif isinstance(shown, list):
        for part in shown:
            yield from _parts(part, depth - 1)
    else:
        yield list(shown)
        for part in shown.values():
            yield from _parts(part, depth - 1)


@functools.lru_cache(maxsize=20_000)
def _words(part: bytes) -> frozenset[str]:
    """Return the words in the strings of marshalled JSON. From one view to the next, most parts stay the same."""
    texts = " ".join(set(_STRING.findall(json.dumps(marshal.loads(part), ensure_ascii=False))))
    return frozenset(_WORD.findall(_ESCAPE.sub(" ", texts)))


def shown(game: Game, event: Event, viewer: Viewer) -> tuple[str, str, bool] | None:
    """Return everything that a viewer is told of an event: whether it is redacted, too; None if it is sealed."""
    seen = see_event(game, event, viewer)
    return None if seen is None else (seen.type, json.dumps(seen.data, sort_keys=True), seen.redacted)


def _ask(game: Game[S], state: S, what: str, viewer: Viewer) -> object:
    if what == "view":
        return game.view(state, viewer)
    if what == "forms" and viewer is not None:
        return tuple(game.legal_commands(state, viewer))
    if what == "default" and viewer is not None:
        # A mail tells it to the seat before its time runs out.
        return any(one.seat == viewer for one in game.awaited(state)) and game.default_command(state, viewer)
    return tuple(game.awaited(state)), sorted(game.awaiting_result(state))


def apart(view: object, other: object) -> str:
    """Describe the first place at which two views differ."""
    return _apart(json.loads(json.dumps(view)), json.loads(json.dumps(other)), "")


def _apart(one: object, two: object, path: str) -> str:
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        return next((_apart(one[key], two[key], f"{path}/{key}") for key in one if one[key] != two[key]), "")
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        return next((_apart(a, b, f"{path}/{at}") for at, (a, b) in enumerate(zip(one, two, strict=True)) if a != b), "")
    return f"{path} is {json.dumps(one)[:200]}, redealt {json.dumps(two)[:200]}"


# --- checks of one state ---


def check_secrets(
    game: Game, timeline: Timeline, seat: int, command: JsonMapping, offered: Sequence[Form], rng: random.Random
) -> None:
    """Check that a seat's view, forms and refusals do not depend on anything hidden from it. Raises `Broken`."""
    where = f"{game.id} version {timeline.version} seat {seat}"
    other = game.redeal(timeline.state, seat, chance(rng))
    if game.view(other, seat) != game.view(timeline.state, seat):
        raise Broken(f"{where}: the view changes with hidden things")
    if tuple(game.legal_commands(other, seat)) != tuple(offered):
        raise Broken(f"{where}: the forms change with hidden things")
    if tuple(game.awaited(other)) != tuple(game.awaited(timeline.state)):
        raise Broken(f"{where}: the awaited seats change with hidden things")
    check_told(game, timeline.state, other, seat, where)
    for tried in (command, {"name": rng.choice(sorted(game.commands))}):
        if refusal_of(game, timeline, timeline.state, seat, tried) != refusal_of(game, timeline, other, seat, tried):
            raise Broken(f"{where}: the refusal of {tried} changes with hidden things")


def check_told(game: Game[S], state: S, other: S, seat: int, where: str) -> None:
    """Check that all answers about a seat's view are the same where hidden things differ, and name nothing hidden."""
    told, counterpart = _told(game, state, seat), _told(game, other, seat)
    if told != counterpart:
        raise Broken(f"{where}: the words about a view change with hidden things: {apart(told, counterpart)}")
    hidden = {*game.ids(state)} - words_in(game.view(state, seat))
    if named := words_in({**told, "help": list(told["help"].values())}) & hidden:
        raise Broken(f"{where}: the words about a view name {sorted(named)}, which it hides")
    if helped := sorted(told["help"].keys() & hidden):
        raise Broken(f"{where}: there is help on {helped}, which the view hides")


def _told(game: Game[S], state: S, seat: int) -> JsonObject:
    """Return all answers about a seat's view, with help on every id that there is."""
    view = game.view(state, seat)
    hand, orders, finder = game.hand(view), game.standing_orders, game.finder(view)
    help_on = {of: game.explain(view, of) for of in game.ids(state)}
    offered = [target for form in game.legal_commands(state, seat) for target in stands(finder, form)]
    return {
        "glance": asdict(game.glance(view, Caption())),
        "hand": None if hand is None else [asdict(held) for held in hand],
        "summary": None if (ended := game.summary(view, Caption())) is None else asdict(ended),
        "reference": [asdict(entry) for entry in game.reference(view)],
        "orders": None if orders is None else orders.shown(view),
        "targets": [asdict(target) for target in offered],
        "help": {of: asdict(explained) for of, explained in help_on.items() if explained is not None},
    }


def refusal_of(game: Game[S], timeline: Timeline[S], state: S, seat: int, command: JsonMapping) -> JsonObject | None:
    """Return the refusal of a seat's command in a state that takes the place of the timeline's own; None if it is accepted."""
    log = timeline.whole_log()
    shadow = Timeline.resume(
        game, version=timeline.version, state=state, draws=timeline.draws, kept=timeline.kept, log=lambda until: log
    )
    try:
        shadow.command(seat, dict(command), seeded("shadow", next_draw=timeline.draws))
    except Refused as refused:
        return refused.as_json()
    return None


def naming(command: JsonMapping, ids: Sequence[str], rng: random.Random) -> JsonObject:
    """Return a command with one of its strings replaced by one of these ids; the same if it has none."""
    changed: JsonObject = json.loads(json.dumps(dict(command)))
    places: list[tuple[Any, Any]] = []
    boxes: list[Any] = [changed]
    while boxes:
        box = boxes.pop()
        for key, value in list(box.items() if isinstance(box, dict) else enumerate(box)):
            if isinstance(value, dict | list):
                boxes.append(value)
            elif isinstance(value, str) and not (box is changed and key == "name"):
                places.append((box, key))
    if places and ids:
        box, key = rng.choice(places)
        box[key] = rng.choice(ids)
    return changed


def check_hidden(game: Game, events: Sequence[Event], ends: Sequence[int], seats: int, name: str) -> None:
    """Check that an act without visible events changes nothing in a viewer's view. `ends`: the last version of each act."""
    timeline: Timeline = Timeline(game)
    for start, end in itertools.pairwise([0, *ends]):
        act = events[start:end]
        hidden_from = [viewer for viewer in (None, *range(seats)) if all(see_event(game, event, viewer) is None for event in act)]
        before = {viewer: game.view(timeline.state, viewer) for viewer in hidden_from}
        timeline.fold(act)
        for viewer, seen in before.items():
            if game.view(timeline.state, viewer) != seen:
                raise Broken(f"{name} version {end}: {act[0].type} is hidden from {viewer} and changes what they are shown")
