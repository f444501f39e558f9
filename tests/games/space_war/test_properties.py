"""Properties of every match: forms, notation, secrets, rewinds (hypothesis and self-play)."""

from __future__ import annotations

import itertools
import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamesvc.games import secrecy, selfplay
from gamesvc.games.kernel import codec, forms
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Caption, Refused, see_event
from gamesvc.games.kernel.timeline import Timeline, check_options, replay
from gamesvc.games.space_war import GAME
from tests.games.answering import answered
from tests.games.space_war.table import table

DECKS = ("terrans", "swarm", "united_stars")
SLOW = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def options_of(number: int) -> dict:
    return {
        "decks": [DECKS[number % 3], DECKS[number // 3 % 3]],
        "commander_pool": ("faction", "any")[number % 2],
        "starter": ("chosen", "random")[number // 2 % 2],
        "reaction_points": ("all", "plays_only")[number // 4 % 2],
        "max_timeouts": 0,
    }


def walk(number: int, commands: int, react: float = 0.2):
    """Play at random; seats that are not awaited react now and then. Yields the timeline before each command."""
    rng = random.Random(number)
    dice = seeded(f"walk {number}")
    timeline = Timeline(GAME)
    timeline.follow(timeline.begin(check_options(GAME, options_of(number), 2), 2, dice))
    for _ in range(commands):
        state = timeline.state
        if state.phase == "over":
            return
        seat = GAME.awaited(state)[0].seat
        other = GAME.legal_commands(state, 1 - seat)
        intrusions = [form for form in other if form.name in ("react", "choose", "let_stand")]
        if intrusions and rng.random() < react:
            seat, offered = 1 - seat, intrusions
        else:
            offered = [form for form in GAME.legal_commands(state, seat) if form.name not in ("resign", "time_out")]
        form = rng.choice([form for form in offered if not form.aside] or offered)
        command = forms.fill(form, rng)
        yield timeline, seat, command
        timeline.follow(timeline.command(seat, command, dice))
        assert not GAME.faults(timeline.state)


@SLOW
@given(st.integers(0, 10_000))
@pytest.mark.long
def test_offered_commands_are_accepted_even_from_seats_that_are_not_awaited(number):
    rng = random.Random(number)
    for timeline, seat, command in walk(number, 120, 0.4):
        offered = GAME.legal_commands(timeline.state, seat)
        secrecy.check_secrets(GAME, timeline, seat, command, offered, rng)
        assert command["name"] in [form.name for form in offered]


@SLOW
@given(st.integers(0, 10_000))
def test_orders_round_trip(number):
    rng = random.Random(number)
    for timeline, seat, _ in walk(number, 60):
        view = GAME.view(timeline.state, seat)
        for form in GAME.legal_commands(timeline.state, seat):
            command = forms.fill(form, rng)
            assert GAME.parse(GAME.render(command), view) == command


@SLOW
@given(st.integers(0, 10_000), st.text(max_size=30))
def test_any_text_is_an_order_or_unreadable(number, text):
    for timeline, seat, _ in walk(number, 12):
        for said in (text, f"play {text}", f"react {text}", f"orders {text}", f"choose {text}", f"attack {text} station {text}"):
            assert answered(GAME, timeline, seat, said), said


@SLOW
@given(st.integers(0, 10_000))
def test_refusals_match_the_forms(number):
    """A command from another moment's form is accepted exactly if the current forms offer it."""
    rng = random.Random(number)
    pool = []
    for timeline, seat, command in walk(number, 80):
        pool.append(command)
        tried = rng.choice(pool)
        offered = forms.offered(GAME.legal_commands(timeline.state, seat), tried)
        try:
            timeline.command(seat, tried, seeded("shadow", next_draw=timeline.draws))
            accepted = True
        except Refused:
            accepted = False
        assert accepted == offered, tried


@SLOW
@given(st.integers(0, 10_000))
def test_views_events_and_texts_can_be_shown(number):
    timeline = [timeline for timeline, _seat, _command in walk(number, 80)][-1]
    for viewer in (None, 0, 1):
        seen = json.loads(json.dumps(GAME.view(timeline.state, viewer)))
        assert max(map(len, GAME.board_text(seen, Caption("7")).splitlines())) <= 72
        for event in timeline.whole_log():
            shown = see_event(GAME, event, viewer)
            if shown is not None:
                assert "todo" not in shown.data
                assert "cmd" not in shown.data
                GAME.tell(shown, viewer, ())


def fates(timeline, versions):
    """Play the commands after each version again with the same dice, from the rewound state."""
    for version in versions:
        run = timeline.rewind(version, seeded("again", next_draw=timeline.draws))
        then, now = timeline.at(version), run.state
        assert [len(side.pile) for side in then.sides] == [len(side.pile) for side in now.sides]
        assert not GAME.faults(now)
        assert now.pieces == then.pieces
        assert now.agenda == then.agenda
        yield version, run


@SLOW
@given(st.integers(0, 10_000))
def test_repeating_the_commands_after_a_rewind_gives_the_same_state(number):
    for timeline, _seat, _command in walk(number, 90, 0.3):
        marked = sorted(GAME.marks(timeline.state))
        if len(marked) < 4:
            continue
        for _version, run in fates(timeline, marked):
            one = _continue(timeline, run, number)
            two = _continue(timeline, run, number)
            assert one == two
        return


def _continue(timeline, run, number):
    """Play a few more commands from a rewound state with seeded dice, with positions and restarts in between."""
    position = json.loads(json.dumps(codec.write_position(GAME, run.state, run.version, _kept(timeline, run))))
    state, kept = codec.read_position(GAME, position, 500)
    fork = Timeline.resume(
        GAME, version=500, state=state, draws=0, kept=kept, log=lambda until: [], recall=lambda version: kept[version]
    )
    dice, rng, told = seeded(f"fork {number}"), random.Random(number), []
    for _ in range(6):
        if fork.state.phase == "over":
            break
        seat = GAME.awaited(fork.state)[0].seat
        offered = [
            form for form in GAME.legal_commands(fork.state, seat) if not form.aside and form.name not in ("react", "replay")
        ]
        if not offered:
            break
        done = fork.command(seat, forms.fill(rng.choice(offered), rng), dice)
        for event in done.events:
            fork.apply(event)
        told.append([(event.type, json.dumps(event.data, sort_keys=True, default=str)) for event in done.events])
    return told, codec.to_json(fork.state, GAME.state, fork.version)


def _kept(timeline, run):
    return {version: timeline.at(version) for version in GAME.marks(run.state)}


def test_a_turn_of_many_items_grows_linearly():
    """The size of the state and position of a turn with many open items."""
    sizes = {}
    for count in (20, 40):
        deck = {"pile": ["drone"] * 50}
        a, b = {"commander": "nicia_satu", "actions": 3, "charge": 1, **deck}, {"hand": ["luck", "discovery"], **deck}
        t = table(a=a, b=b)
        for _ in range(count // 2):
            t.do(0, "use_commander", mode=1)
            t.do(0, "use_commander", mode=2, n=1)
        assert len(t.state.open_items(1)) == count
        sizes[count] = len(json.dumps(t.ok({"op": "position"})))
    assert sizes[40] < 2.1 * sizes[20]


def test_restart_from_events_gives_the_same_state():
    timeline = [timeline for timeline, _seat, _command in walk(77, 150, 0.4)][-1]
    assert replay(GAME, timeline.whole_log()).state == timeline.state


@pytest.mark.parametrize("number", range(8))
def test_self_play(number):
    options, bots = options_of(number), ("random", "greedy")
    record = selfplay.play(GAME, options=options, seats=2, seed=f"smoke {number}", bots=bots, check_every=6)
    assert sorted(itertools.chain(*record.outcome.ranking)) == [0, 1]
