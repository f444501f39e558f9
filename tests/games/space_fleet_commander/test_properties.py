"""Properties of every position: forms and `decide` agree, orders read back, nothing hidden leaks, nothing crashes."""

from __future__ import annotations

import functools
import itertools
import json
import random
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamesvc.games import dealing
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import Dice, KeyedSource, draw_key, seeded
from gamesvc.games.kernel.game import Caption, Refused, see_event
from gamesvc.games.kernel.timeline import Timeline, check_command, replay
from gamesvc.games.protocol import Session
from gamesvc.games.selfplay import play
from gamesvc.games.space_fleet_commander import GAME
from gamesvc.games.space_fleet_commander.data import ROSTER, SHIPS
from gamesvc.games.space_fleet_commander.secrecy import redeal
from gamesvc.games.space_fleet_commander.state import State
from tests.games.answering import answered
from tests.games.space_fleet_commander.record import PLAYERS

MODES: tuple[tuple[dict[str, Any], int], ...] = (
    ({}, 1),
    ({"mode": "high_score", "planetfall": "strict", "map": "crossing"}, 1),
    ({"mode": "race"}, 2),
    ({"mode": "race", "lockstep": True}, 3),
)


def walk(seed: int, steps: int, mode: int = 0, player: str = "mixed"):
    """Return a position after `steps` commands: the timeline, its dice and a generator."""
    options, seats = MODES[mode]
    full = {name: schema["default"] for name, schema in GAME.manifest.options["properties"].items()} | options
    rng, dice = random.Random(seed), seeded(f"walk {seed}")
    timeline = Timeline(GAME)
    timeline.follow(timeline.begin(full, seats, dice))
    for _ in range(steps):
        waiting = GAME.awaited(timeline.state)
        if not waiting:
            break
        seat = rng.choice(waiting).seat
        quick = PLAYERS["random" if player == "mixed" and timeline.state.sheets[seat].phase != "fleet" else player]
        command = quick(GAME.view(timeline.state, seat), GAME.legal_commands(timeline.state, seat), rng)
        timeline.follow(timeline.command(seat, dict(command), dice))
    return timeline, dice, rng


@functools.cache
def still(seed: int, steps: int) -> Timeline:
    """Return a position that is only looked at."""
    return walk(seed, steps)[0]


def accepted(timeline, seat, command, dice):
    """Return the run of a command, or None if it is refused with a code and a sentence."""
    shadow = Dice(dice.source, dice.next)
    try:
        return timeline.command(seat, command, shadow)
    except Refused as refused:
        if not (refused.code and refused.detail):
            raise
        return None


positions = st.tuples(st.integers(0, 10_000), st.integers(0, 60), st.integers(0, len(MODES) - 1))


@settings(max_examples=60, deadline=None)
@given(positions)
def test_everything_offered_is_accepted_and_reads_back(place):
    timeline, dice, rng = walk(*place)
    for awaited in GAME.awaited(timeline.state):
        view = GAME.view(timeline.state, awaited.seat)
        offered = GAME.legal_commands(timeline.state, awaited.seat)
        assert any(not form.aside for form in offered)
        default = dict(GAME.default_command(timeline.state, awaited.seat))
        assert default["name"] == "form_fleet" or forms.offered(offered, default)
        commands = [default]
        for form in offered:
            commands += [forms.fill(form, rng) for _ in range(3)]
        for command in commands:
            assert accepted(timeline, awaited.seat, command, dice) is not None, command
            assert GAME.parse(GAME.render(command), view) == command


def wild(timeline, seat, rng):
    """Return a command with parameters from all over the game, often nearly legal."""
    sheet = timeline.state.sheets[seat]
    dice = [*(die.id for die in sheet.dice), "5.1", "9.9", "x"]
    slots = list(ROSTER.order)
    places = [*timeline.state.board.neighbours[sheet.token], "A1", "Z9"]
    step = lambda: {"ship": rng.choice(slots), "die": rng.choice(dice), "delta": rng.choice((-1, 1))}  # noqa: E731
    remove = lambda: {"ship": rng.choice(slots), "die": rng.choice(dice)}  # noqa: E731
    name = rng.choice(sorted(set(GAME.commands) - {"form_fleet"}))
    some = lambda make, most=2: [make() for _ in range(rng.randint(0, most))]  # noqa: E731
    parameters = {
        "place_ship": lambda: {"die": rng.randint(0, 6), "ship": rng.choice(list(SHIPS)), "slot": rng.choice(slots)},
        "remove_ship": lambda: {"slot": rng.choice(slots)},
        "set_upgrade": lambda: {"slot": rng.choice(["4", "10"]), "target": rng.choice([*slots, None])},
        "reroll": lambda: {"dice": rng.sample(dice, rng.randint(0, 3))},
        "tinker": lambda: {"adjust": some(step), "remove": some(remove)},
        "explore": lambda: {"hex": rng.choice(places)} | ({"adjust": some(step)} if rng.random() < 0.6 else {}),
        "repair": lambda: {"tender": rng.choice(slots), "target": rng.choice(slots)},
        "redirect_hit": lambda: {"slot": rng.choice(slots)},
        "push_on": lambda: {"die": rng.choice(dice)},
    }.get(name, dict)()
    return {"name": name, **parameters}


@settings(max_examples=60, deadline=None)
@given(positions)
def test_everything_accepted_is_offered(place):
    timeline, dice, rng = walk(*place)
    for seat in range(len(timeline.state.sheets)):
        offered = GAME.legal_commands(timeline.state, seat)
        for _ in range(60):
            command = wild(timeline, seat, rng)
            run = accepted(timeline, seat, command, dice)
            assert (run is not None) == forms.offered(offered, command), command


def test_a_race_may_end_as_a_drone_boat_is_destroyed():
    """Its dice get their own colour back, beside others in the same place of the stream: they are rolled no more."""
    seed, bots = "s29-space_fleet_commander-2-73", ("random", "greedy")
    record = play(GAME, options={"mode": "race", "map": "crossing"}, seats=2, seed=seed, bots=bots, interrupt=0.1)
    assert record.outcome is not None
    destroyed = [event for event in record.events if event.type == "ship_destroyed"]
    assert destroyed[-1].data["colours"]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 60))
def test_hidden_parts_of_a_race_stay_hidden(seed, steps):
    timeline, _, rng = walk(seed, steps, 3)
    state = timeline.state
    for seat in range(len(state.sheets)):
        other = GAME.redeal(state, seat, Dice(KeyedSource(draw_key(rng.randbytes(32), "redeal", ()))))
        assert not GAME.faults(other)
        assert GAME.view(other, seat) == GAME.view(state, seat)
        assert GAME.legal_commands(other, seat) == GAME.legal_commands(state, seat)
        assert tuple(GAME.awaited(other)) == tuple(GAME.awaited(state))


def test_a_deal_finds_a_path_where_a_redeal_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A redeal, which records repeat, then leaves the true path. Nothing that is stored may hold it."""
    monkeypatch.setattr(redeal, "TRIES", 0)
    record = play(GAME, options={"mode": "race"}, seats=2, seed="paths", check_every=0)
    state = replay(GAME, record.events[: record.ends[len(record.ends) // 2]]).state
    assert state.sheets[1].stars
    assert GAME.redeal(state, 0, seeded("")).sheets[1].path == state.sheets[1].path
    dealt = [dealing.deal(GAME, state, no_mark, 0, seeded(f"{number}"))[0] for number in range(20)]
    assert len({one.sheets[1].path for one in dealt}) > 10
    own = state.sheets[0]
    assert set(state.stream or {}) > set(own.seen or {}), "the other seat has rolled more"
    assert all(set(one.stream or {}) == set(own.seen or {}) and len(one.hits) == own.rolls for one in dealt)


def test_a_deal_without_a_fitting_path_is_refused_and_never_keeps_the_true_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redeal, "NODES", 1)
    record = play(GAME, options={"mode": "race"}, seats=2, seed="paths", check_every=0)
    state = replay(GAME, record.events[: record.ends[len(record.ends) // 2]]).state
    with pytest.raises(Refused) as refused:
        dealing.deal(GAME, state, no_mark, 0, seeded("none"))
    assert refused.value.code == "no_deal"


def test_a_deal_does_not_tell_who_has_resigned() -> None:
    record = play(GAME, options={"mode": "race"}, seats=3, seed="ends", check_every=0)
    state = replay(GAME, record.events[: record.ends[-8]]).state
    assert not state.over
    ended = replace(state.sheets[1], phase="finished")
    found = []
    for reason in ("resigned", "stuck"):
        other = replace(state, sheets=(state.sheets[0], replace(ended, reason=reason), state.sheets[2]))
        found.append([dealing.deal(GAME, other, no_mark, 0, seeded(f"{number}"))[0].sheets[1].reason for number in range(20)])
    assert found[0] == found[1]
    assert {"resigned", "stuck"} <= set(found[0])


def no_mark(version: int) -> State:
    raise AssertionError(version)


def test_redacted_events_of_others_contain_public_columns_only():
    record = play(GAME, options={"mode": "race"}, seats=3, seed="redact", check_every=0)
    shown = set()
    for event in record.events:
        seen = see_event(GAME, event, 1)
        if seen is not None and seen.data.get("seat") not in (None, 1):
            shown |= {event.type, *seen.data}
        for viewer in (None, 0, 1, 2):
            told = see_event(GAME, event, viewer)
            assert told is None or GAME.tell(told, viewer, ("Ann", "Bob", "Cy"))
            assert told is None or "todo" not in told.data
    columns = {"seat", "stars", "total", "rank", "title", "box", "turn"}  # the clock shows the turn anyway
    assert shown <= columns | {"hex_explored", "rank_gained", "time_marked", "sheet_finished", "turn_started"}


def test_other_sheets_never_make_an_order_stale():
    record = play(GAME, options={"mode": "race"}, seats=2, seed="stale", check_every=0)
    seen = [told for event in record.events if (told := see_event(GAME, event, 0)) is not None]
    foreign = [event for event in seen if event.data.get("seat") == 1]
    own = [event for event in seen if event.data.get("seat") == 0]
    command = {"name": "reroll", "dice": []}
    assert foreign
    assert not any(GAME.stale(command, event, 0) for event in foreign)
    assert GAME.stale(command, own[0], 0)
    assert not any(GAME.stale(command, event, 1) for event in own)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.integers(0, 40))
def test_any_text_is_read_or_refused(text, steps):
    timeline = still(7, steps)
    code = None
    try:
        check_command(GAME, dict(GAME.parse(text, GAME.view(timeline.state, 0))))
    except Refused as refused:
        code = refused.code
    assert code in (None, "unreadable", "bad_parameter")
    assert answered(GAME, timeline, 0, text)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(GAME.commands)),
    st.dictionaries(
        st.sampled_from(["die", "ship", "slot", "target", "dice", "adjust", "remove", "hex", "tender", "placements", "upgrades"]),
        st.recursive(st.none() | st.integers() | st.text(max_size=6), lambda inner: st.lists(inner, max_size=3), max_leaves=6),
        max_size=3,
    ),
    st.integers(0, 40),
)
def test_any_command_is_decided_or_refused(name, parameters, steps):
    timeline = still(11, steps)
    assert answered(GAME, timeline, 0, {"name": name, **parameters})


ORDERS = [
    ("Place Dreadnaught at 5", {"name": "place_ship", "die": 5, "ship": "dreadnaught", "slot": "5"}),
    ("place 6 ace fighter 11", {"name": "place_ship", "die": 6, "ship": "ace_fighter", "slot": "11-12"}),
    ("place 0 dest 2/3", {"name": "place_ship", "die": 0, "ship": "destroyer", "slot": "2-3"}),
    ("REROLL 9.1, 8.2", {"name": "reroll", "dice": ["9.1", "8.2"]}),
    ("keep", {"name": "reroll", "dice": []}),
    ("reroll hit", {"name": "reroll_hit"}),
    ("explore g6", {"name": "explore", "hex": "G6"}),
    ("explore to G5 2:5.1-", {"name": "explore", "hex": "G5", "adjust": [{"ship": "2-3", "die": "5.1", "delta": -1}]}),
    (
        "tinker 6:5.2+ 4:9.1x",
        {"name": "tinker", "adjust": [{"ship": "6", "die": "5.2", "delta": 1}], "remove": [{"ship": "4", "die": "9.1"}]},
    ),
    ("push on without 5.2", {"name": "push_on", "die": "5.2"}),
    ("end", {"name": "end_turn"}),
    ("upgrade 4 none", {"name": "set_upgrade", "slot": "4", "target": None}),
    ("redirect to 8", {"name": "redirect_hit", "slot": "8"}),
    ("repair 4 2", {"name": "repair", "tender": "4", "target": "2-3"}),
]


@pytest.mark.parametrize(("text", "command"), ORDERS, ids=[text for text, _ in ORDERS])
def test_orders_are_forgiving(text, command):
    timeline = Timeline(GAME)
    dice = seeded("orders")
    options = {name: schema["default"] for name, schema in GAME.manifest.options["properties"].items()}
    timeline.follow(timeline.begin(options, 1, dice))
    view = GAME.view(timeline.state, 0) | {"formation": [1, 2, 2, 4, 5, 6, 6]}
    assert dict(GAME.parse(text, view)) == command
    assert dict(GAME.parse(GAME.render(command), view)) == command


@pytest.mark.parametrize(
    "text", ["", "explor Q9", "push", "reroll 9", "place warship 5", "fleet 1 2", "tinker 5.2", "upgrade", "frobnicate"]
)
def test_unreadable_orders_get_a_suggestion(text):
    timeline, _, _ = walk(3, 12)
    with pytest.raises(Refused) as caught:
        GAME.parse(text, GAME.view(timeline.state, 0))
    assert caught.value.code == "unreadable"
    assert len(caught.value.detail) > 15


def test_help_is_short_for_every_prompt():
    prompts = {None} | {awaited.prompt for seed in range(40) for awaited in GAME.awaited(walk(seed, seed, seed % 4)[0].state)}
    for prompt in prompts - {None}:
        lines = GAME.order_help(prompt).splitlines()
        assert 1 <= len(lines) <= 8
        assert max(map(len, lines)) <= 72
    assert "resign" in GAME.order_help(None)


@settings(max_examples=25, deadline=None)
@given(positions)
def test_pictures_and_texts_of_any_position(place):
    timeline, _, _ = walk(*place)
    for viewer in (None, 0):
        view = GAME.view(timeline.state, viewer)
        assert json.loads(json.dumps(view)) == view
        svg = GAME.picture(view, Caption("17", ("Ann <b>", "Анна")))
        assert svg.startswith("<svg")
        assert "<b>" not in svg
        text = GAME.board_text(view, Caption("17", ("Ann",)))
        assert max(map(len, text.splitlines())) <= 72
        _check_legend(view, text)


def _check_legend(view, text):
    """Check that each kind of hex on the map has letters of its own, and that the text says what they stand for."""
    named = dict(re.findall(r"(?:^|, )(\w\w) (\w+(?: \w+)?)(?=,|$)", text.partition("Map (")[2].replace(",\n", ", "), re.M))
    for place, (_q, _r, kind) in view["map"]["hexes"].items() if view["sheet"] else ():
        if place != view["sheet"]["token"] and place not in view["sheet"]["path"]:
            [cell] = re.findall(rf"\b{place}:\d+(\w\w)", text)
            assert named[cell] == view["map"]["kinds"][kind]["name"]


def test_a_decision_keeps_its_id_through_a_turn():
    record = play(GAME, options={}, seats=1, seed="ids", check_every=0)
    timeline = Timeline(GAME)
    ids = []
    for event in record.events:
        timeline.apply(event)
        ids += [one.id for one in GAME.awaited(timeline.state)]
    runs = [key for key, _ in itertools.groupby(ids)]
    assert len(runs) == len(set(runs))


@pytest.mark.parametrize("sheets", [3, pytest.param(8, marks=pytest.mark.long)])
@pytest.mark.parametrize(("options", "seats"), MODES)
def test_selfplay(options, seats, sheets):
    for seed in range(sheets // seats):
        record = play(GAME, options=options, seats=seats, seed=f"smoke {seed}")
        assert sorted(itertools.chain(*record.outcome.ranking)) == list(range(seats))


@pytest.mark.long
def test_greedy_plays_far_better_than_chance():
    """Over 200 matches the bot averages about 44 stars; four are enough to notice that it has broken."""
    scores = [
        play(GAME, options={}, seats=1, seed=f"greedy {seed}", bots=("greedy",), check_every=0).outcome.scores[0]
        for seed in range(4)
    ]
    assert sum(scores) / len(scores) > 25


def test_greedy_takes_over_a_fleet_that_another_player_began():
    timeline, dice, rng = walk(5, 3)
    for _ in range(60):
        if timeline.state.sheets[0].phase != "fleet":
            break
        view, offered = GAME.view(timeline.state, 0), GAME.legal_commands(timeline.state, 0)
        timeline.follow(timeline.command(0, dict(GAME.bots["greedy"](view, offered, rng)), dice))
    assert timeline.state.sheets[0].phase != "fleet"


def test_a_position_in_the_middle_of_a_turn_reads_back():
    timeline, dice, _ = walk(21, 25, 2)
    session = Session(GAME)
    session.timeline, session.dice = timeline, dice
    position = session.answer({"op": "position"})["position"]
    again = Session(GAME)
    assert again.answer({"op": "new", "position": json.loads(json.dumps(position))})["ok"]
    assert again.match.state == timeline.state
    position["state"]["sheets"][0]["time"] = 99
    assert again.answer({"op": "new", "position": position})["refusal"]["code"] == "bad_position"


def test_a_deal_does_not_tell_what_others_have_repaired() -> None:
    record = play(GAME, options={"mode": "race"}, seats=2, seed="hulls", check_every=0)
    state = replay(GAME, record.events[: record.ends[-8]]).state
    stronger = [replace(ship, hull=ship.hull + 2) if ship.die < 0 else ship for ship in state.sheets[1].ships]
    other = replace(state, sheets=(state.sheets[0], replace(state.sheets[1], ships=tuple(stronger))))
    assert state.sheets[1].phase != "fleet"
    one, two = (dealing.deal(GAME, world, no_mark, 0, seeded("hulls"))[0] for world in (state, other))
    assert one.sheets[1].ships == two.sheets[1].ships
