"""Going back to an open item and playing on, and restarts between an item and its answer, for matches by chance.

The matches are drawn by seed over all decks and commanders; seats react out of turn, pause, replay and leave orders.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from gamesvc.games import codec, forms
from gamesvc.games.dice import Dice, NoSource, ScriptedSource, seeded
from gamesvc.games.kernel import REWOUND, Event
from gamesvc.games.protocol import Session
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.exchanges import REACT
from gamesvc.games.space_war.reactions import said
from gamesvc.games.space_war.state import State
from gamesvc.games.timeline import Run, Timeline, check_options
from tests.games.space_war.record import Move, Player, bot, busy
from tests.games.space_war.test_properties import options_of



def meddling(timeline: Timeline[State], rng: random.Random) -> Move:
    """Both seats meddle in the other's turn again and again; few orders, so that items stay open."""
    state = timeline.state
    if state.phase not in ("prepare", "choose_starter"):
        seat = GAME.awaited(state)[0].seat
        for who, names, share in (
            (1 - seat, ("react",), 0.2),
            (1 - seat, ("let_stand", "choose", "draw"), 0.1),
            (seat, ("react",), 0.3),
            (seat, ("replay",), 0.8),
            (seat, ("pause",), 0.05),
        ):
            offered = [form for form in GAME.legal_commands(state, who) if form.name in names]
            if offered and rng.random() < share:
                return who, forms.fill(rng.choice(offered), rng)
        if rng.random() < 0.02:
            return 1 - seat, {"name": "set_orders", "orders": [{**REACT, "until": "turn"}]}
    return bot(rng.choice(["random", "greedy"]))(timeline, rng)


PLAYERS: dict[str, Player] = {"random": bot("random"), "greedy": bot("greedy"), "busy": busy, "meddling": meddling}


@dataclasses.dataclass(frozen=True)
class Step:
    """A command as it was played: it led from one version to another."""

    seat: int
    command: dict[str, Any]
    before: int
    after: int


def match(player: str, number: int, most: int) -> Iterator[tuple[Timeline[State], list[Step]]]:
    """Play on, and stop before each command with what was played so far."""
    rng, dice = random.Random(f"{player} {number}"), seeded(f"{player} {number}")
    timeline: Timeline[State] = Timeline(GAME)
    options = {**options_of(number), "commander_pool": "any"}
    timeline.follow(timeline.begin(check_options(GAME, options, 2), 2, dice))
    steps: list[Step] = []
    while timeline.state.phase != "over" and len(steps) < most:
        yield timeline, steps
        seat, command = PLAYERS[player](timeline, rng)
        run = timeline.command(seat, command, dice)
        steps.append(Step(seat, command, timeline.version, run.version))
        timeline.follow(run)


class AsItWas:
    """Leaves every pile in the order it has."""

    def below(self, i: int, n: int) -> int:
        raise AssertionError("going back throws no dice")

    def order(self, i: int, n: int, k: int) -> tuple[int, ...]:
        return tuple(range(k))


class Again:
    """A second life of a match from one of its versions: its commands are sent again with the draws that were recorded.

    Items and prompts get new numbers in it, so commands that name them are sent with those.
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
            log=lambda: self.log,
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
        """Finish the command in whose middle the version lies, then send those after it."""
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
        """A `replay` stands for the commands it repeated."""
        for event in self.old[since : step.after]:
            if "cmd" in event.data:
                self._send(event.data["cmd"]["seat"], event.data["cmd"]["command"])

    def _offers(self, seat: int, command: dict[str, Any]) -> bool:
        return forms.offered(GAME.legal_commands(self.fork.state, seat), command)

    def _go_on(self) -> None:
        active = self.fork.state.active
        if self._offers(active, {"name": "go_on"}):
            self._command(active, {"name": "go_on"})

    def _send(self, seat: int, command: dict[str, Any]) -> None:
        named = {"item": "item", "upto": "item", "prompt": "prompt"}
        sent = {
            key: self.numbers[named[key]].get(value, value) if key in named else value
            for key, value in command.items()
            if key != "does"  # how a default reads may name a number
        }
        settled = {item.n for item in self.fork.state.items if item.settled}
        if sent["name"] == "let_stand" and sent.get("upto") in settled:
            self._go_on()  # settled is settled for ever: what waited for it has not waited again
        else:
            self._command(seat, sent)

    def _command(self, seat: int, command: dict[str, Any]) -> None:
        self._follow(self.fork.command(seat, command, Dice(self.source, self.fork.draws)))
        for kind, event_type in (("item", "item_opened"), ("prompt", "prompt_opened")):
            before = [event.data[kind] for event in self.old[self.version :] if event.type == event_type]
            now = [event.data[kind] for event in self.log[self.first :] if event.type == event_type]
            self.numbers[kind] = dict(zip(before, now, strict=False))

    def renumbered(self, data: Any) -> Any:
        """What was told in the first life, with the numbers of the second."""
        if isinstance(data, dict):
            return {
                key: self.numbers["item"].get(value, value) if key in ("item", "against") else self.renumbered(value)
                for key, value in data.items()
            }
        return [self.renumbered(value) for value in data] if isinstance(data, list) else data


def bare(state: State, again: Again | None = None) -> dict[str, Any]:
    """A state without what is different after any rewind: versions, counts of rewinds and time-outs, what was taken back."""
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
    """Go back to a version and play again. False where standing orders, which survive, would answer otherwise now."""
    if standing(timeline.at(version)) != standing(timeline.state):
        return False
    again = Again(timeline, steps, version)
    again.play()
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
def test_going_back_to_an_open_item_and_playing_the_same_again_gives_the_same(player):
    checked, decks, commanders = 0, set(), set()
    for number in range(18):
        rng = random.Random(number)
        for timeline, steps in match(player, number, 110):
            marked = sorted(GAME.marks(timeline.state))
            if marked and rng.random() < 0.2:
                for version in rng.sample(marked, min(3, len(marked))):
                    checked += check_again(timeline, steps, version)
        decks |= {side.deck for side in timeline.state.sides}
        commanders |= {side.commander for side in timeline.state.sides}
    print(player, checked, len(commanders))
    assert checked > 50
    assert len(decks) == 3
