"""Properties of every position: forms and `decide` agree, secrets are kept, orders round-trip, rubbish is refused."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamesvc.games import dealing, selfplay
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Caption, Refused, see_event
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.protocol import Session
from gamesvc.games.stratastar import GAME
from gamesvc.games.stratastar.commands import SCHEMA
from gamesvc.games.stratastar.secrecy import redeal
from gamesvc.games.stratastar.state import Chart, State
from gamesvc.games.stratastar.text.help import _HELP
from tests.games.answering import answered
from tests.games.stratastar.record import busy
from tests.games.stratastar.stress import play_busy, random_options
from tests.games.stratastar.table import Table

SEEDS = st.integers(0, 10**6)
CAPTION = Caption("42", ("Ines", "Marek", "Tolu", "Kaja"))


def some_position(seed: int, commands: int = 120) -> Timeline[State]:
    """Return a position of a busy match."""
    rng = random.Random(seed)
    seats = rng.choice([2, 3, 4])
    options = random_options(rng, seats) | {"max_rounds": 20}
    dice, timeline = seeded(str(seed)), Timeline(GAME)
    timeline.follow(timeline.begin(check_options(GAME, options, seats), seats, dice))
    for _ in range(rng.randint(5, commands)):
        if GAME.outcome(timeline.state):
            break
        seat = rng.choice(GAME.awaited(timeline.state)).seat
        offered = GAME.legal_commands(timeline.state, seat)
        timeline.follow(timeline.command(seat, dict(busy(GAME.view(timeline.state, seat), offered, rng)), dice))
    return timeline


@settings(max_examples=8, deadline=None, derandomize=True)
@given(SEEDS)
@pytest.mark.long
def test_forms_and_decide_agree_and_secrets_are_kept(seed):
    # Each step is checked.
    seen = play_busy(f"property {seed}", most_commands=220, probe=True)
    assert sum(seen.values()) > 20  # a match may be over soon


@settings(max_examples=25, deadline=None, derandomize=True)
@given(SEEDS)
def test_every_offered_command_round_trips_as_text(seed):
    timeline, rng = some_position(seed), random.Random(seed)
    for seat in range(len(timeline.state.players)):
        view = GAME.view(timeline.state, seat)
        for form in GAME.legal_commands(timeline.state, seat):
            command = forms.fill(form, rng)
            text = GAME.render(command)
            assert GAME.parse(text, view) == command
            assert GAME.parse(f"  {text.upper()} ", view) == command


@settings(max_examples=60, deadline=None, derandomize=True)
@given(SEEDS)
def test_standing_orders_round_trip_as_text(seed):
    command = {"name": "set_orders", "orders": forms.sample(SCHEMA, random.Random(seed))}
    assert GAME.parse(GAME.render(command), {}) == command


@settings(max_examples=15, deadline=None, derandomize=True)
@given(SEEDS)
def test_views_pictures_and_texts_of_any_position(seed):
    timeline = some_position(seed)
    for viewer in (None, *range(len(timeline.state.players))):
        view = GAME.view(timeline.state, viewer)
        assert json.loads(json.dumps(view)) == view
        assert len(json.dumps(view)) < 20_000
        root = ElementTree.fromstring(GAME.picture(view, CAPTION))
        assert root.attrib["width"] == "720"
        assert all(len(line) <= 72 for line in GAME.board_text(view, CAPTION).splitlines())


@settings(max_examples=10, deadline=None, derandomize=True)
@given(SEEDS)
def test_events_have_a_sentence_for_every_viewer(seed):
    timeline = some_position(seed)
    for event in timeline.whole_log():
        for viewer in (None, *range(len(timeline.state.players))):
            seen = see_event(GAME, event, viewer)
            if seen is not None:
                sentence = GAME.tell(seen, viewer, ("Ines", "Marek", "Tolu", "Kaja"))
                assert sentence[0].isupper() or sentence[0].isdigit()
                assert sentence.endswith(".")


@settings(max_examples=10, deadline=None, derandomize=True)
@given(SEEDS)
def test_cards_of_others_are_cut_from_events(seed):
    for event in some_position(seed).whole_log():
        seen = see_event(GAME, event, None)
        if event.type in ("orders_set",):
            assert seen is None
        if event.type in ("cards_drawn", "attack_committed", "spied"):
            assert seen is not None
            assert "cards" not in seen.data
        if event.type == "hands_dealt":
            assert seen is not None
            assert all(isinstance(hand, int) for hand in seen.data["hands"])


SUPPORT = {
    "name": "support",
    "builds": ["build", "build"],
    "disband": [{"space": "C4", "fleets": 1, "warfleets": 0}],
}
ALPHABET = st.text("abcdefghij0123456789 ABMTRFW+;,=", max_size=30)
VERBS = st.sampled_from(["move", "orders", "offer Blue", "support", "commit", "disaster", "accept", "retool", "defend", "pick"])


@settings(max_examples=300, deadline=None, derandomize=True)
@given(VERBS, ALPHABET)
def test_any_text_is_read_or_refused(verb, rest):
    view = GAME.view(some_view_state(), 0)
    for text in (f"{verb} {rest}", rest):
        command, code = None, "unreadable"
        try:
            command = GAME.parse(text, view)
        except Refused as refused:
            code = refused.code
        assert code == "unreadable"
        assert command is None or command["name"] in GAME.commands


_CACHE: list[State] = []


def some_view_state():
    if not _CACHE:
        _CACHE.append(some_position(3, 60).state)
    return _CACHE[0]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 12) | st.sampled_from(["A1", "attack", "deck", "build", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["space", "from", "fleets"]), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(GAME.commands)), st.data())
def test_any_command_is_played_or_refused(name, drawn):
    timeline = Timeline(GAME)
    timeline.version, timeline._state = 1, some_view_state()
    properties = GAME.commands[name]["properties"]
    command = {"name": name} | {key: drawn.draw(JSON) for key in properties if drawn.draw(st.booleans())}
    for seat in range(len(timeline.state.players)):
        assert answered(GAME, timeline, seat, command), command


def test_help_is_short():
    for prompt in _HELP:
        lines = GAME.order_help(prompt).splitlines()
        assert 0 < len(lines) <= 9
    assert "commit" in GAME.order_help(None)
    assert "unofficial" in GAME.rules_help()


@pytest.mark.long
def test_selfplay_smoke():
    rng = random.Random(5)
    for at in range(8):
        seats = rng.choice([2, 3, 4])
        options = random_options(rng, seats)
        record = selfplay.play(GAME, options=options, seats=seats, seed=f"smoke {at}", check_every=5, bots=("random", "greedy"))
        assert sorted(itertools.chain(*record.outcome.ranking)) == list(range(seats))


def test_greedy_beats_random():
    won = 0
    for at in range(10):
        bots = ("greedy", "random") if at % 2 else ("random", "greedy")
        record = selfplay.play(GAME, options={}, seats=2, seed=f"greedy {at}", check_every=0, bots=bots)
        assert record.outcome is not None
        won += bots[record.outcome.ranking[0][0]] == "greedy"
    assert won >= 8


def test_a_rewind_keeps_orders_and_reshuffles_the_deck():
    session = Session(GAME)
    started = session.answer({"op": "new", "seats": 2, "options": {"homeworld_choice": "random"}, "seed": "rewind"})
    seat, version = started["awaited"][0]["seat"], started["version"]
    before = session.match.state
    drawn = session.answer(
        {"op": "command", "seat": seat, "command": {"name": "retool", "cards": [before.players[seat].hand[0]]}}
    )
    assert drawn["ok"]
    session.answer({"op": "command", "seat": seat, "command": {"name": "set_orders", "orders": {"fight": "peace"}}})
    assert session.answer({"op": "rewind", "version": version})["ok"]
    after = session.match.state
    assert after.players[seat].hand == before.players[seat].hand
    assert after.players[seat].orders.fight == "peace"
    assert sorted(after.deck) == sorted(before.deck)
    assert after.deck != before.deck


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Move 2 fleets from E5 to F5, free", {"name": "move", "from": "E5", "to": "F5", "fleets": 2, "free": True}),
        ("move e5 -> f5 1w paid", {"name": "move", "from": "E5", "to": "F5", "warfleets": 1}),
        ("colonise c4", {"name": "colonize", "space": "C4"}),
        ("build a fleet", {"name": "build_fleet"}),
        ("build stargate at C4", {"name": "build_stargate", "space": "C4"}),
        ("end turn", {"name": "end_turn"}),
        ("END", {"name": "end_phase"}),
        ("retool 2 attack, 1 move", {"name": "retool", "cards": ["attack", "attack", "move"]}),
        ("commit none", {"name": "commit_attack", "cards": []}),
        ("spy on blue", {"name": "spy", "target": 1}),
        ("spy deck pay R", {"name": "spy", "target": "deck", "pay": ["research"]}),
        ("disaster blue fleet e5", {"name": "disaster", "seat": 1, "piece": "fleet", "space": "E5"}),
        ("offer anyone give 1T want 2M+", {"name": "offer_trade", "to": None, "give": {"trade": 1}, "want": {"move2": 2}}),
        ("support 2B disband C4 1F", SUPPORT),
        ("pick hand size", {"name": "pick_ability", "ability": "hand_size"}),
        ("orders retreat auto; commit 3", {"name": "set_orders", "orders": {"retreat": {"mode": "auto"}, "commit": 3}}),
    ],
)
def test_orders_are_read_tolerantly(text, command):
    assert GAME.parse(text, {"viewer": 0, "free_move": True, "chits": {}, "players": [], "actions": []}) == command


@pytest.mark.parametrize(
    ("text", "hint"),
    [("colnize C4", "colonize"), ("move E5 K5", "A1 to J10"), ("retool 2X", "letters A M B T R"), ("colonize", "lacks space")],
)
def test_unreadable_orders_get_an_explanation(text, hint):
    with pytest.raises(Refused, match=hint) as caught:
        GAME.parse(text, {"viewer": 0, "free_move": True, "chits": {}, "players": [], "actions": []})
    assert caught.value.code == "unreadable"


def scouted_by_the_other(kinds: tuple[str, ...]) -> State:
    """Return a position with four unknown spaces, of which the other seat has scouted as many as there are kinds."""
    spaces = ("C3", "D4", "E5", "F6")
    state = Table(exploration=True).state
    scouted = dict(zip(spaces, kinds, strict=False))
    left = {"world": 1, "nebula": 1, "black_hole": 1, "supernova": 1}
    for kind in kinds:
        left[kind] -= 1
    chart = replace(
        state.chart,
        chits={space: kind for space, kind in state.chart.chits.items() if space not in spaces},
        unknown=frozenset(spaces),
        scouted=scouted,
        scouts=dict.fromkeys(scouted, (1,)),
        pile={kind: count for kind, count in left.items() if count},
    )
    return replace(state, chart=chart)


def dealt_chits(state: State, number: int) -> Chart:
    dealt, _marked = dealing.deal(GAME, state, dict[int, State]().__getitem__, 0, seeded(f"{number}"))
    before, after = state.chart, dealt.chart
    assert GAME.view(dealt, 0) == GAME.view(state, 0)
    assert Counter(after.scouted.values()) + Counter(after.pile) == Counter(before.scouted.values()) + Counter(before.pile)
    return after


@pytest.mark.parametrize("kind", ["world", "nebula"])
def test_a_deal_draws_chits_that_another_seat_has_scouted_from_all_unknown_ones(kind: str) -> None:
    """A redeal, which records repeat, shuffles them among themselves: a single one stays as it is."""
    found = Counter(dealt_chits(scouted_by_the_other((kind,)), number).scouted["C3"] for number in range(60))
    assert set(found) == {"world", "nebula", "black_hole", "supernova"}


def test_a_deal_never_leaves_the_true_chits_where_none_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redeal, "joined", lambda state: False)
    found = {tuple(dealt_chits(scouted_by_the_other(("nebula",)), number).scouted.values()) for number in range(20)}
    assert found == {("world",)}
