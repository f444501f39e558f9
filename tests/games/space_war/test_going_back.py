"""Random matches: going back to an open item and playing on, and restarts between an item and its answer.

The matches are drawn by seed over all decks and commanders. Seats react out of turn, pause, replay and leave orders.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from gamesvc.games.kernel import codec, forms
from gamesvc.games.kernel.dice import Dice, NoSource, ScriptedSource, seeded
from gamesvc.games.kernel.events import REWOUND
from gamesvc.games.kernel.game import Event
from gamesvc.games.kernel.timeline import Run, Timeline, check_options
from gamesvc.games.protocol import Session
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.data.decks import DECK
from gamesvc.games.space_war.rules.decision import halted
from gamesvc.games.space_war.rules.reactions import said
from gamesvc.games.space_war.state import State
from tests.games.paths import effective
from tests.games.space_war.exchanges import REACT
from tests.games.space_war.record import Move, Player, bot, busy, duel
from tests.games.space_war.test_properties import DECKS as PRESETS
from tests.games.space_war.test_properties import options_of

pytestmark = pytest.mark.long


def meddling(timeline: Timeline[State], rng: random.Random) -> Move:
    """Let both seats act in the other's turn again and again, with few orders, so that items stay open."""
    state = timeline.state
    if state.phase not in ("prepare", "choose_starter"):
        seat = GAME.awaited(state)[0].seat
        for who, names, share in (
            (1 - seat, ("react",), 0.12),
            (1 - seat, ("let_stand",), 0.02),
            (1 - seat, ("choose", "draw"), 0.3),
            (seat, ("react",), 0.3),
            (seat, ("replay",), 0.8),
            (seat, ("pause",), 0.02),
        ):
            offered = [form for form in GAME.legal_commands(state, who) if form.name in names]
            if offered and rng.random() < share:
                return who, forms.fill(rng.choice(offered), rng)
        if rng.random() < 0.02:
            return 1 - seat, {"name": "set_orders", "orders": [{**REACT, "until": "turn"}]}
    return bot("random" if rng.random() < 0.2 else "greedy")(timeline, rng)


MOST_CHECKS = 10
"""The limit for one match, so that a match with many open items does not take all the time."""

DECKS = (*PRESETS, DECK)
"""The official decks, and one full of responses."""

PLAYERS: dict[str, Player] = {"random": bot("random"), "greedy": bot("greedy"), "busy": busy, "duel": duel, "meddling": meddling}


@dataclasses.dataclass(frozen=True)
class Step:
    """A command as played, with the versions before and after it."""

    seat: int
    command: dict[str, Any]
    before: int
    after: int


def match(player: str, number: int, most: int) -> Iterator[tuple[Timeline[State], list[Step]]]:
    """Play a match. Yields the timeline and the steps so far before each command."""
    rng, dice = random.Random(f"{player} {number}"), seeded(f"{player} {number}")
    timeline: Timeline[State] = Timeline(GAME)
    decks = [DECKS[number % 4], DECKS[number // 4 % 4]]
    options = {**options_of(number // 2), "decks": decks, "commander_pool": "any"}
    timeline.follow(timeline.begin(check_options(GAME, options, 2), 2, dice))
    steps: list[Step] = []
    while timeline.state.phase != "over" and len(steps) < most:
        yield timeline, steps
        seat, command = PLAYERS[player](timeline, rng)
        run = timeline.command(seat, command, dice)
        steps.append(Step(seat, command, timeline.version, run.version))
        timeline.follow(run)


class AsItWas:
    """A source of draws that leaves every pile in its order."""

    def below(self, i: int, n: int) -> int:
        raise AssertionError("going back throws no dice")

    def order(self, i: int, n: int, k: int) -> tuple[int, ...]:
        return tuple(range(k))


class Unasked(Exception):
    """In a review, no seat is asked to continue. Pending tasks continue with the next answer, which is another command."""


class Again:
    """A second run of a match from one of its versions: the same commands with the recorded draws.

    Items and prompts get new numbers, so the numbers in commands are replaced.
    """

    def __init__(self, timeline: Timeline[State], steps: list[Step], version: int) -> None:
        self.old, self.steps, self.version = timeline.whole_log(), steps, version
        self.log = list(self.old)
        self.fork = Timeline.resume(
            GAME,
            version=timeline.version,
            state=timeline.state,
            draws=timeline.draws,
            kept=timeline.kept,
            log=lambda until: self.log,
        )
        self.numbers: dict[str, dict[int, int]] = {"item": {}, "prompt": {}}
        self._follow(self.fork.rewind(version, Dice(AsItWas(), self.fork.draws)))
        self.first = self.fork.version
        drawn = [draw["got"] for event in self.old[version:] for draw in event.draws]
        self.source = ScriptedSource(drawn, NoSource())

    def _follow(self, run: Run[State]) -> None:
        self.fork.follow(run)
        self.log.extend(run.events)

    def play(self) -> None:
        """Finish the command that the version interrupts, then send the later ones."""
        for step in self.steps:
            if step.before < self.version < step.after:
                self._go_on()
                if step.command["name"] == "replay":
                    self._repeat(step, self.version)
            elif step.before >= self.version:
                if step.command["name"] == "replay":
                    self._repeat(step, step.before)
                else:
                    self._send(step.seat, step.command)

    def _repeat(self, step: Step, since: int) -> None:
        """Repeat the commands that a `replay` stands for."""
        for event in self.old[since : step.after]:
            if "cmd" in event.data:
                self._send(event.data["cmd"]["seat"], event.data["cmd"]["command"])

    def _offers(self, seat: int, command: dict[str, Any]) -> bool:
        return forms.offered(GAME.legal_commands(self.fork.state, seat), command)

    def _go_on(self) -> None:
        state = self.fork.state
        if self._offers(state.active, {"name": "go_on"}):
            self._command(state.active, {"name": "go_on"})
        elif state.agenda and not halted(state, state.agenda):
            raise Unasked

    def _send(self, seat: int, command: dict[str, Any]) -> None:
        named = {"item": "item", "upto": "item", "prompt": "prompt"}
        sent = {
            key: self.numbers[named[key]].get(value, value) if key in named else value
            for key, value in command.items()
            if key != "does"  # the text of a default may contain a number
        }
        settled = {item.n for item in self.fork.state.items if item.settled}
        if sent["name"] == "let_stand" and sent.get("upto") in settled:
            self._go_on()  # settled items stay settled, so a task that waited for one does not wait again
        else:
            self._command(seat, sent)

    def _command(self, seat: int, command: dict[str, Any]) -> None:
        self._follow(self.fork.command(seat, command, Dice(self.source, self.fork.draws)))
        for kind, event_type in (("item", "item_opened"), ("prompt", "prompt_opened")):
            before = [event.data[kind] for event in self.old[self.version :] if event.type == event_type]
            now = [event.data[kind] for event in self.log[self.first :] if event.type == event_type]
            self.numbers[kind] = dict(zip(before, now, strict=False))

    def renumbered(self, data: Any) -> Any:
        """Return data of the first run with the numbers of the second."""
        if isinstance(data, dict):
            return {
                key: self.numbers["item"].get(value, value) if key in ("item", "against") else self.renumbered(value)
                for key, value in data.items()
            }
        return [self.renumbered(value) for value in data] if isinstance(data, list) else data


def bare(state: State, again: Again | None = None) -> dict[str, Any]:
    """Return a state without the parts that any rewind changes: versions, counts of rewinds and timeouts, undone commands."""
    data: dict[str, Any] = json.loads(json.dumps(codec.to_json(state, State, 0)))
    for name in ("rewinds", "replay", "next_item", "next_prompt"):
        del data[name]
    for side in data["sides"]:
        del side["timeouts"], side["timed"]
    for at, item in enumerate(data["items"]):
        ended = item["end"] is not None
        item |= {"seq": None, "end": ended, "plays": said(state.items, at) if ended and not item["settled"] else None}
    if again is not None:
        data = again.renumbered(data)
        items, prompts = again.numbers["item"], again.numbers["prompt"]
        data["paused"] = items.get(data["paused"], data["paused"])
        for item in data["items"]:
            item["n"] = items.get(item["n"], item["n"])
        for prompt in data["prompts"]:
            prompt["id"] = prompts.get(prompt["id"], prompt["id"])
    return data


def standing(state: State) -> Any:
    return [(side.orders, side.flip_preference) for side in state.sides]


def check_again(timeline: Timeline[State], steps: list[Step], version: int) -> bool:
    """Go back to a version and play again. Returns False if surviving standing orders would answer differently now."""
    if standing(timeline.at(version)) != standing(timeline.state):
        return False
    again = Again(timeline, steps, version)
    try:
        again.play()
    except Unasked:
        return False
    now = again.fork.state
    assert not GAME.faults(now)
    assert again.source.script == []
    assert bare(now) == bare(timeline.state, again)
    for old, new in zip(timeline.state.items, now.items, strict=True):
        for one, other in ((old.seq, new.seq), (old.end, new.end)):
            if one is not None and other is not None and one > version and one in GAME.marks(timeline.state):
                then = bare(again.fork.at(other))
                assert then["pieces"] == bare(timeline.at(one), again)["pieces"]
    return True


@pytest.mark.parametrize("player", PLAYERS)
def test_repeating_the_commands_after_an_open_item_gives_the_same_events(player):
    checked, decks, commanders = 0, set(), set()
    for number in range(20):
        rng, left = random.Random(number), MOST_CHECKS
        for timeline, steps in match(player, number, 110):
            marked = sorted(GAME.marks(timeline.state)) if left else []
            for version in rng.sample(marked, min(2, left, len(marked))):
                left -= 1
                checked += check_again(timeline, steps, version)
        decks |= {side.deck for side in timeline.state.sides}
        commanders |= {side.commander for side in timeline.state.sides}
    assert checked >= 40
    assert decks == {*PRESETS, "constructed"}
    assert len(commanders) >= 10


def reactions(state: State, rng: random.Random) -> list[tuple[int, dict[str, Any]]]:
    """Return a few answers to open items by either seat."""
    found = []
    for seat in (0, 1):
        for form in GAME.legal_commands(state, seat):
            if form.name == "react" and "item" in form.parameters:
                command = forms.fill(form, rng)
                command["item"] = rng.choice(form.parameters["item"]["enum"])
                found.append((seat, command))
    return rng.sample(found, min(3, len(found)))


def through_json(value: Any, hint: Any) -> Any:
    return codec.from_json(json.loads(json.dumps(codec.to_json(value, hint))), hint)


def from_snapshot(timeline: Timeline[State]) -> Timeline[State]:
    """Return the match as another process loads it: from a state, the states it marks, and the log."""
    log = [dataclasses.replace(event, data=json.loads(json.dumps(event.data))) for event in timeline.whole_log()]

    def nowhere(version: int) -> State:
        raise AssertionError(f"the state at {version} is not beside the snapshot")

    return Timeline.resume(
        GAME,
        version=timeline.version,
        state=through_json(timeline.state, State),
        draws=timeline.draws,
        kept={version: through_json(state, State) for version, state in timeline.keep_marked().items()},
        recall=nowhere,
        log=lambda until: log,
    )


def from_position(timeline: Timeline[State]) -> Session:
    position = codec.write_position(GAME, timeline.state, timeline.version, timeline.keep_marked())
    session = Session(GAME)
    assert session.answer({"op": "new", "position": json.loads(json.dumps(position)), "seed": "elsewhere"})["ok"]
    return session


def told(events: list[Event], base: int) -> list[Any]:
    """Return events as a reader gets them: versions relative to a base, draws without their numbers."""
    result = []
    for event in events:
        data = json.loads(json.dumps(event.data))
        if event.type == "item_opened":
            data["seq"] -= base
            if data["last"] is not None:
                data["last"]["end"] -= base
        elif event.type == REWOUND:
            data["to"] -= base
        draws = [{name: got for name, got in draw.items() if name != "i"} for draw in event.draws]
        result.append((event.type, event.version - base, data, draws))
    return result


def without_replay(events: list[Any]) -> list[Any]:
    """Clear the commands offered for replay: a match begun from a position has no log and therefore none."""
    for event_type, _version, data, _draws in events:
        if event_type == REWOUND:
            data["data"]["replay"] = []
    return events


def check_restarts(timeline: Timeline[State], seat: int, command: dict[str, Any]) -> bool:
    """Answer an item here, after a restart from a snapshot, and in a match begun from the position.

    Returns True if the answer went back.
    """
    run = timeline.command(seat, command, seeded("answer", next_draw=timeline.draws))
    events = told(run.events, timeline.version)

    other = from_snapshot(timeline)
    again = other.command(seat, command, seeded("answer", next_draw=other.draws))
    assert again.events == run.events
    assert again.state == run.state
    other.follow(again)
    assert other.keep_marked().keys() == GAME.marks(run.state)

    session = from_position(timeline)
    base = session.match.version
    session.answer({"op": "dice", "script": [draw["got"] for event in run.events for draw in event.draws]})
    answer = session.answer({"op": "command", "seat": seat, "command": command})
    assert answer["ok"], answer
    assert without_replay(told(session.log[base:], base)) == without_replay(events)
    here, there = dataclasses.replace(run.state, replay=()), dataclasses.replace(session.match.state, replay=())
    assert codec.to_json(there, State, session.match.version) == codec.to_json(here, State, run.version)
    return any(event.type == REWOUND for event in run.events)


@pytest.mark.parametrize("player", ["greedy", "busy", "duel", "meddling"])
def test_a_restart_between_an_item_and_the_answer_to_it_changes_nothing(player):
    went_back = 0
    for number in range(16):
        rng, left = random.Random(number), MOST_CHECKS
        for timeline, _steps in match(player, number, 160):
            for seat, command in reactions(timeline.state, rng)[:left]:
                left -= 1
                went_back += check_restarts(timeline, seat, command)
    assert went_back >= 20


def test_a_pile_seen_on_an_undone_branch_is_reshuffled_by_later_rewinds_too():
    """The first rewind reshuffled the pile. A second one, to a version before it, must not restore the old order."""
    checked = 0
    for number in range(16):
        for timeline, steps in match("meddling", number, 160):
            newest = timeline.whole_log()[steps[-1].before :] if steps else []
            for event in newest:
                if event.type == REWOUND and event.data["data"]["orders"]:
                    before = effective(timeline.whole_log(), event.data["to"])[-2]
                    run = timeline.rewind(before, seeded("further", next_draw=timeline.draws))
                    assert run.events[0].data["data"]["orders"].keys() >= event.data["data"]["orders"].keys()
                    checked += 1
    assert checked >= 5
