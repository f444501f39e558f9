"""The kernel, tested on the toy engine: folding, the one rewind mechanism, positions, the engine protocol, purity."""

from __future__ import annotations

import io
import json
import random
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamesvc.games
from gamesvc.games import catalog, records
from gamesvc.games.kernel import codec
from gamesvc.games.kernel.dice import (
    Dice,
    DrawNeeded,
    KeyedSource,
    NoSource,
    ScriptedSource,
    commitment,
    contribution,
    draw_key,
    seeded,
)
from gamesvc.games.kernel.events import REWOUND
from gamesvc.games.kernel.game import Event, Refused
from gamesvc.games.kernel.timeline import Timeline, abandoned, check_options, read_order, replay
from gamesvc.games.protocol import Session, serve
from gamesvc.games.secrecy import Broken
from gamesvc.games.selfplay import play
from tests.games.paths import effective
from tests.games.toy import GAME


def started(seed: str = "a") -> tuple[Timeline, Dice]:
    dice = seeded(seed)
    timeline = Timeline(GAME)
    timeline.follow(timeline.begin({"points": 3}, 2, dice))
    return timeline, dice


def act(timeline: Timeline, dice: Dice, seat: int, **command: object) -> None:
    timeline.follow(timeline.command(seat, command, dice))


@given(st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_selfplay_holds_all_invariants_and_replays(seed: int) -> None:
    record = play(GAME, options={}, seats=2, seed=str(seed))
    again = records.load(records.dump(GAME, record))
    assert records.check_replay(GAME, again).version == len(record.events)
    records.check_again(GAME, again)


def test_a_leak_is_found() -> None:
    leaking = replace(GAME, view=lambda state, viewer: {"hands": state.hands, "deck": list(state.deck)})
    with pytest.raises(Broken, match="view changes"):
        play(leaking, options={}, seats=2, seed="1")


def test_a_rewind_goes_back_while_versions_and_draws_keep_counting() -> None:
    timeline, dice = started()
    before = timeline.state
    version, draws = timeline.version, dice.next
    act(timeline, dice, 0, name="draw")
    timeline.follow(timeline.rewind(version, dice))
    assert timeline.state.hands == before.hands
    assert timeline.version == version + 3
    assert dice.next == draws + 1, "the pile that a retracted event drew from is shuffled anew, with a new draw number"


def test_redo_is_a_rewind_to_an_undone_version() -> None:
    timeline, dice = started()
    act(timeline, dice, 0, name="play", card=timeline.state.hands[0][0])
    played = timeline.state
    version = timeline.version
    timeline.follow(timeline.rewind(2, dice))
    assert timeline.state != played
    timeline.follow(timeline.rewind(version, dice))
    assert timeline.state == played
    assert effective(timeline.whole_log(), timeline.version) == [1, 2, 3, 4, timeline.version]


@given(st.randoms(use_true_random=False))
def test_what_a_rewind_abandons_is_found_where_the_paths_part(rng: random.Random) -> None:
    log: list[Event] = []
    for version in range(1, rng.randint(2, 40)):
        if version > 1 and rng.random() < 0.4:
            to = rng.randint(-1, version - 1)
            gone = sorted(set(effective(log, version - 1)) - set(effective(log, to)))
            kept = [at for at in gone if rng.random() < 0.3 and at > to]
            log.append(Event(REWOUND, {"to": to, "kept": kept}, version, 1))
        else:
            log.append(Event("moved", {"kept": ["a-01"]}, version, 1))
    newest, to = len(log), rng.randint(-1, len(log))
    gone = set(effective(log, newest)) - set(effective(log, to))
    assert abandoned(lambda version: log[version - 1], newest, to) == gone


def test_a_rewind_reads_no_event_before_the_one_it_goes_back_to() -> None:
    timeline, dice = started()
    for number in range(3):
        act(timeline, dice, number % 2, name="play", card=timeline.state.hands[number % 2][0])
    log, to = timeline.whole_log(), timeline.version - 1

    class Guarded(list[Event]):
        def __getitem__(self, at: Any) -> Any:
            assert at >= to
            return super().__getitem__(at)

    timeline.log = lambda until: Guarded(log)
    assert timeline.rewind(to, dice).state == timeline.at(to)


def test_a_rewind_into_the_middle_of_a_command() -> None:
    timeline, dice = started()
    act(timeline, dice, 0, name="play", card=timeline.state.hands[0][0])
    timeline.follow(timeline.rewind(timeline.version - 1, dice))
    assert timeline.state.turn == 0
    assert max(timeline.state.points) > 0


def test_there_is_no_version_beyond_the_newest() -> None:
    timeline, dice = started()
    with pytest.raises(ValueError, match="no version 99"):
        timeline.rewind(99, dice)


class Counted(Collection[int]):
    """Versions that count how many of them were looked at one by one."""

    def __init__(self, versions: Iterable[int]) -> None:
        self.versions, self.looked_at = set(versions), 0

    def __contains__(self, version: object) -> bool:
        return version in self.versions

    def __len__(self) -> int:
        return len(self.versions)

    def __iter__(self) -> Iterator[int]:
        for version in self.versions:
            self.looked_at += 1
            yield version


def test_the_states_that_many_acts_need_are_not_looked_for_after_each_of_them() -> None:
    """A match of 8,000 acts that went back as often took minutes to fold."""
    acts = 600
    run = Timeline(GAME).begin(check_options(GAME, {}, 2), 2, seeded("many"))
    run.close()
    data = GAME.on_rewind(run.state, run.state, [], seeded("back"))
    first = run.version
    back = [
        Event(REWOUND, {"to": max(first, version - 9), "cause": "undo", "data": data}, version, 1, ())
        for version in range(first + 1, first + acts)
    ]
    timeline = Timeline(GAME, recall=lambda version: pytest.fail(f"the state at {version} is not kept"))
    wanted = Counted(event.data["to"] for event in back)
    for event in [*run.events, *back]:
        timeline.fold([event], wanted)
    assert wanted.looked_at < 10 * acts
    timeline.fold(())
    assert timeline.kept.keys() <= GAME.marks(timeline.state)


def test_a_rewind_to_before_the_snapshot_recalls_the_older_state() -> None:
    played = (play(GAME, options={}, seats=2, seed=str(number)) for number in range(500))
    record = next(record for record in played if any(event.type == "match.rewound" for event in record.events))
    at = next(event.version for event in record.events if event.type == "match.rewound")
    events = record.events
    snapshot = replay(GAME, events[: at - 1])
    recalled = []

    def recall(version: int) -> object:
        recalled.append(version)
        return replay(GAME, events[:version]).state

    resumed = Timeline.resume(
        GAME, version=at - 1, state=snapshot.state, draws=snapshot.draws, kept={}, recall=recall, log=lambda until: events
    )
    resumed.fold(events[at - 1 :])
    assert resumed.state == replay(GAME, events).state
    assert recalled
    marked = replay(GAME, events[: at - 1])
    with_marks = Timeline.resume(
        GAME,
        version=at - 1,
        state=marked.state,
        draws=marked.draws,
        kept=marked.keep_marked(),
        recall=recall,
        log=lambda until: events,
    )
    recalled.clear()
    with_marks.fold(events[at - 1 :])
    assert with_marks.state == resumed.state
    assert not recalled, "the marked states lie beside the snapshot"


def test_positions_keep_the_distance_of_marks() -> None:
    timeline, dice = started("b")
    act(timeline, dice, 0, name="play", card=timeline.state.hands[0][0])
    position = codec.write_position(GAME, timeline.state, timeline.version, timeline.keep_marked())
    session = Session(GAME)
    answer = session.answer({"op": "new", "position": json.loads(json.dumps(position))})
    assert answer["ok"]
    item = session.match.state.items[0].id
    assert item == 1 - (timeline.version - timeline.state.items[0].id)
    assert item <= 0
    assert session.answer({"op": "command", "seat": 1, "command": {"name": "counter", "item": item}})["ok"]
    assert session.match.state.points == (0, 0)


@pytest.mark.parametrize(
    "position",
    [None, [], {}, {"format": 1, "game": "other"}, {"format": 1, "game": "toy", "state": {"deck": "x"}, "marked": []}],
)
def test_a_bad_position_is_refused(position: object) -> None:
    answer = Session(GAME).answer({"op": "new", "position": position})
    assert answer["refusal"]["code"] == "bad_position"


def test_a_preview_never_draws() -> None:
    timeline, _dice = started()
    timeline.preview(0, {"name": "play", "card": timeline.state.hands[0][0]})
    drawn = Timeline(GAME)
    with pytest.raises(DrawNeeded):
        drawn.begin({"points": 3}, 2, Dice(NoSource()))


def test_the_shape_of_commands_is_checked_first() -> None:
    timeline, dice = started()
    for command, code in (
        ({"name": "fly"}, "unknown_command"),
        ({}, "unknown_command"),
        ({"name": "play"}, "bad_parameter"),
        ({"name": "play", "card": "1"}, "bad_parameter"),
        ({"name": "play", "card": True}, "bad_parameter"),
        ({"name": "play", "card": 1, "more": 2}, "bad_parameter"),
        ({"name": "draw", "card": 1}, "bad_parameter"),
    ):
        with pytest.raises(Refused) as refused:
            timeline.command(0, command, dice)
        assert refused.value.code == code


def test_an_order_beyond_the_length_limit_is_not_parsed() -> None:
    timeline, _dice = started()
    view = GAME.view(timeline.state, 0)
    assert read_order(GAME, "draw", view)["name"] == "draw"
    deaf = replace(GAME, parse=lambda *_: pytest.fail("it was parsed"))
    with pytest.raises(Refused, match="at most 2000 characters, not 2001") as refused:
        read_order(deaf, "x" * 2001, view)
    assert refused.value.code == "unreadable"


def test_the_protocol_continues_after_a_malformed_line() -> None:
    lines = ["nonsense", "[]", '{"op":"fly"}', '{"op":"view","seat":0}', '{"op":"new","seed":"x"}', '{"op":"legal","seat":0}']
    out = io.StringIO()
    serve(GAME, lines, out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [answer["ok"] for answer in answers] == [False, False, False, False, True, True]
    assert answers[4]["version"] == 2


def test_the_protocol_offers_every_operation() -> None:
    session = Session(GAME)
    assert session.answer({"op": "schema"})["schema"]["options"]["properties"]
    assert session.answer({"op": "new", "seats": 2, "seed": "s"})["awaited"] == [
        {"seat": 0, "prompt": "turn", "id": "turn0", "kind": "turn"}
    ]
    assert session.answer({"op": "default", "seat": 0})["command"] == {"name": "draw"}
    assert session.answer({"op": "default", "seat": 1})["refusal"]["code"] == "not_awaited"
    assert session.answer({"op": "order", "seat": 0, "text": "draw"})["command"] == {"name": "draw"}
    assert session.answer({"op": "rewind", "version": 2})["version"] == 5
    hidden = session.answer({"op": "events", "since": 0, "seat": 1})["events"]
    assert all(event["draws"] == [] for event in hidden)
    assert "card" not in next(event["data"] for event in hidden if event["type"] == "toy.drew")
    whole = session.answer({"op": "events", "since": 0})["events"]
    assert any(event["draws"] for event in whole)
    assert session.answer({"op": "view"})["view"]["hands"] == [2, 2]
    assert session.answer({"op": "picture", "seat": 0})["svg"].startswith("<svg")


def test_scripted_dice_are_followed_by_seeded_ones() -> None:
    session = Session(GAME)
    session.answer({"op": "dice", "script": [[7, 6, 5, 4, 3, 2, 1, 0]]})
    session.answer({"op": "new", "seed": "s"})
    assert session.match.state.hands == ((2, 2), (2, 2))


def spoken(game_id: str, *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the answers of a real process that speaks the engine protocol."""
    said = "".join(json.dumps(request) + "\n" for request in requests)
    command = [sys.executable, "-m", "gamesvc.games", game_id]
    done = subprocess.run(command, input=said, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_dice_before_a_second_new_script_its_setup() -> None:
    new = {"op": "new", "seed": "s"}
    dice = [{"op": "dice", "script": [face] * 7} for face in (1, 2, 3)]
    answers = spoken("space_fleet_commander", dice[0], new, dice[1], new, new, dice[2], {**new, "seats": 9}, new)
    rolled = [answer["events"][1]["data"]["dice"] for answer in answers if answer["ok"] and "events" in answer]
    assert rolled[:2] == [[1] * 7, [2] * 7]
    assert rolled[2] == spoken("space_fleet_commander", new)[0]["events"][1]["data"]["dice"]
    assert answers[6]["refusal"]["code"] == "bad_seats"
    assert rolled[3] == [3] * 7, "a refused new uses up no dice"


def test_a_second_new_forgets_the_first_match() -> None:
    new = {"op": "new", "seed": "s"}
    events = {"op": "events", "since": 0}
    rules = "space_fleet_commander"
    first = spoken(rules, new, {"op": "default", "seat": 0}, events, {"op": "position"})
    played = {"op": "command", "seat": 0, "command": first[1]["command"]}
    again = spoken(rules, {**new, "seed": "other"}, new, {"op": "default", "seat": 0}, events, {"op": "position"}, played)
    assert again[1:5] == first
    assert again[5] == spoken(rules, new, played)[1], "the draws are numbered from 0 and come from the new seed"


def test_a_failed_decision_uses_up_no_dice() -> None:
    for request in ({"op": "command", "seat": 0, "command": {"name": "draw"}}, {"op": "rewind", "version": 2}):
        session = Session(GAME)
        session.answer({"op": "new", "seed": "s"})
        session.answer({"op": "command", "seat": 0, "command": {"name": "draw"}})
        session.answer({"op": "dice", "script": [[0, 0], 7]})
        before = session.match.version, session.dice.next
        if request["op"] == "rewind":
            assert "is not an order" in session.answer(request)["error"]
        else:
            assert session.answer(request)["refusal"]["code"] == "not_your_turn"
        assert (session.match.version, session.dice.next) == before
        assert session.dice.source.script == [[0, 0], 7]
        assert session.dice.taken() == ()


def test_draws_are_unbiased_and_repeatable() -> None:
    key = draw_key(b"s" * 32, "m", ["c"])
    dice, again = Dice(KeyedSource(key)), Dice(KeyedSource(key))
    rolls = [dice.roll(6) for _ in range(6000)]
    assert rolls == [again.roll(6) for _ in range(6000)]
    assert all(850 < rolls.count(face) < 1150 for face in range(1, 7))
    assert sorted(dice.shuffle(range(50))) == list(range(50))
    assert len(set(dice.sample(range(50), 7))) == 7
    with pytest.raises(ValueError, match="cannot draw"):
        dice.sample([1], 2)


def test_a_script_that_does_not_fit_is_refused() -> None:
    for script, draw in (([7], lambda d: d.roll(6)), ([[0, 0]], lambda d: d.shuffle([1, 2])), ([[1]], lambda d: d.roll(6))):
        with pytest.raises(ValueError):
            draw(Dice(ScriptedSource(script, KeyedSource(b"k"))))


def test_old_type_versions_are_lifted() -> None:
    newer = replace(GAME, upcasters={("drew", 1): lambda data: {**data, "from": "deck"}})
    assert newer.lift(Event("drew", {"seat": 0}, 3, 1)).data == {"seat": 0, "from": "deck"}
    assert newer.lift(Event("drew", {"seat": 0}, 3, 2)).data == {"seat": 0}


@pytest.mark.parametrize("module", ["gamesvc.games.protocol", *(f"gamesvc.games.{game_id}" for game_id in catalog.OFFERED)])
def test_importing_a_game_loads_no_django(module: str) -> None:
    unwanted = ("django", "celery", "redis", "rest_framework", "psycopg")
    code = f"import sys, {module}; print([name for name in {unwanted} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_documented_vectors_of_the_draws() -> None:
    """The table in gamesvc/games/README.md, which lets anyone write their own check."""
    secret, match = bytes(range(32)), "00000000-0000-0000-0000-000000000001"
    contributed = contribution(match, "tea")
    key = draw_key(secret, match, [contributed])
    dice = Dice(KeyedSource(key))
    rows = {
        "commitment": f"`{commitment(secret)}`",
        "contributed hash": f"`{contributed}`",
        "key": f"`{key.hex()}`",
        "draws 0 to 9, dice of 6": ", ".join(str(dice.roll(6)) for _ in range(10)),
        "draw 10, choose 1000": str(dice.choose(1000)),
        "draw 11, shuffle 10": ", ".join(map(str, dice.shuffle(range(10)))),
        "draw 12, sample 5 of 85": ", ".join(map(str, dice.sample(range(85), 5))),
    }
    text = (Path(gamesvc.games.__file__).parent / "README.md").read_text(encoding="utf-8")
    for name, value in rows.items():
        assert f"| {name} | {value} |" in text


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_a_game_begins_at_any_version(game_id: str) -> None:
    """In the service, the events of the lobby come first."""
    game = catalog.game(game_id)
    for before in (0, 5):
        timeline: Timeline = Timeline(game)
        for version in range(1, before + 1):
            timeline.apply(Event("match.joined", {}, version))
        seats = game.manifest.min_seats
        timeline.follow(timeline.begin(check_options(game, {}, seats), seats, seeded("x")))
        assert game.awaited(timeline.state)


def test_shared_parts_of_states_are_written_once_and_read_the_same() -> None:
    record = next(
        record
        for record in (play(GAME, options={}, seats=2, seed=str(number)) for number in range(200))
        if any(event.type == "played" for event in record.events[:-1])
    )
    for until in range(3, len(record.events)):
        timeline = Timeline(GAME).fold(record.events[:until])
        written = codec.write_states(GAME, timeline.state, timeline.keep_marked(), timeline.version)
        state, kept = codec.read_states(GAME, json.loads(json.dumps(written)), timeline.version)
        assert state == timeline.state
        assert kept == timeline.keep_marked()


@pytest.mark.parametrize(
    "damage",
    [
        {"parts": []},
        {"parts": "x"},
        {"parts": [{"=part": 0, "first": 1, "and": []}]},
        {"parts": [{"=part": 5}]},
        {"state": {"=part": -1}},
        {"state": {"=part": "x"}},
        {"marked": [{"back": "x", "state": {}}]},
        {"marked": [{}]},
    ],
)
def test_damaged_parts_are_refused(damage: dict) -> None:
    timeline, dice = started("b")
    act(timeline, dice, 0, name="play", card=timeline.state.hands[0][0])
    position = codec.write_position(GAME, timeline.state, timeline.version, timeline.keep_marked())
    answer = Session(GAME).answer({"op": "new", "position": {**json.loads(json.dumps(position)), **damage}})
    assert answer["refusal"]["code"] == "bad_position", answer
