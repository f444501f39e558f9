"""Properties of many positions: forms and decisions agree, orders read back, secrets stay secret, nothing crashes."""

from __future__ import annotations

import copy
import functools
import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import Dice, KeyedSource, draw_key, seeded
from gamesvc.games.kernel.game import Caption, Refused, see_event
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.state import State
from tests.games.answering import answered
from tests.games.star_commander.table import Table

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
SETUPS = [
    ("classic", 2, "random"),
    ("classic", 3, "greedy"),
    ("revised", 2, "greedy"),
    ("revised", 4, "random"),
    ("revised", 3, "greedy"),
]


@functools.cache
def course(edition: str, seats: int, bot: str) -> tuple[Timeline[State], ...]:
    """Return timelines at many points of one match, thirty commands apart; the answering bot is random."""
    rng, dice = random.Random(f"{edition} {seats}"), seeded(f"course {edition} {seats}")
    timeline: Timeline[State] = Timeline(GAME)
    options = check_options(GAME, {"edition": edition, "turn_limit": 60}, seats)
    timeline.follow(timeline.begin(options, seats, dice))
    found = []
    for at in range(420):
        if GAME.outcome(timeline.state) is not None:
            break
        seat = GAME.awaited(timeline.state)[0].seat
        kinds = {"window", "choice", "combat_assign", "combat_retreat"}
        if at % 7 == 0 or timeline.state.prompt.kind in kinds:
            found.append(Timeline.resume(GAME, version=timeline.version, state=timeline.state, draws=dice.next, kept={}))
        command = GAME.bots[bot](GAME.view(timeline.state, seat), GAME.legal_commands(timeline.state, seat), rng)
        timeline.follow(timeline.command(seat, command, dice))
    return tuple(found)


def positions() -> st.SearchStrategy[Timeline[State]]:
    return st.sampled_from(SETUPS).flatmap(lambda setup: st.sampled_from(course(*setup)))


def accepted(timeline: Timeline[State], seat: int, command: dict[str, Any]) -> bool:
    try:
        timeline.command(seat, command, seeded("try", next_draw=timeline.draws))
    except Refused:
        return False
    return True


@QUICK
@given(positions(), st.randoms(use_true_random=False))
@pytest.mark.long
def test_offered_is_accepted_and_reads_back(timeline: Timeline[State], rng: random.Random) -> None:
    for seat in range(len(timeline.state.seats)):
        view = GAME.view(timeline.state, seat)
        for form in GAME.legal_commands(timeline.state, seat):
            command = forms.fill(form, rng)
            timeline.command(seat, command, seeded("try", next_draw=timeline.draws))
            assert GAME.parse(GAME.render(command), view) == command


def mutated(command: dict[str, Any], rng: random.Random, pool: list[Any]) -> dict[str, Any]:
    """Return a command with one part replaced by another existing value."""
    changed = copy.deepcopy(command)
    spots: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, item in list(items):
            if key != "name":
                spots.append((value, key))
            walk(item)

    walk(changed)
    if not spots:
        return changed
    where, key = rng.choice(spots)
    old = where[key]
    if isinstance(old, str):
        where[key] = rng.choice(pool)
    elif isinstance(old, bool):
        where[key] = not old
    elif isinstance(old, int):
        where[key] = old + rng.choice((-1, 1, 3))
    elif isinstance(old, list):
        where[key] = [*old, rng.choice(pool)] if rng.random() < 0.5 else old[:-1]
    elif isinstance(where, dict):
        del where[key]
    return changed


@settings(QUICK, max_examples=30)
@given(positions(), st.randoms(use_true_random=False))
def test_accepted_is_offered(timeline: Timeline[State], rng: random.Random) -> None:
    """An accepted command fits a form, except for firing past guards that the same command kills (see `rules.legal`)."""
    state = timeline.state
    pool: list[Any] = [*state.vessels, *state.cells, *(uid for seat in state.seats for uid in seat.hand), "0", "1", "s1"]
    for seat in range(len(state.seats)):
        offered = GAME.legal_commands(state, seat)
        for form in offered:
            command = mutated(forms.fill(form, rng), rng, pool)
            if accepted(timeline, seat, command) and not forms.offered(offered, command):
                assert command["name"] == "assign_damage", command
                guards = {
                    at for at, one in GAME.view(state, seat)["vessels"].items() if one["card"] in ("frigate", "defense_station")
                }
                assert guards & {shot["target"] for shots in command["assignments"].values() for shot in shots}


@QUICK
@given(positions(), st.binary(min_size=32, max_size=32))
def test_hidden_things_change_nothing_for_a_seat(timeline: Timeline[State], key: bytes) -> None:
    state = timeline.state
    for seat in range(len(state.seats)):
        other = GAME.redeal(state, seat, Dice(KeyedSource(draw_key(key, "", ()))))
        assert GAME.view(other, seat) == GAME.view(state, seat)
        assert GAME.legal_commands(other, seat) == GAME.legal_commands(state, seat)
        assert GAME.awaited(other) == GAME.awaited(state)
        assert not GAME.faults(other)
        if any(awaited.seat == seat for awaited in GAME.awaited(state)):
            assert GAME.default_command(other, seat) == GAME.default_command(state, seat)


@QUICK
@given(positions())
def test_defaults_are_offered_and_accepted(timeline: Timeline[State]) -> None:
    for awaited in GAME.awaited(timeline.state):
        command = dict(GAME.default_command(timeline.state, awaited.seat))
        assert accepted(timeline, awaited.seat, command)
        if command["name"] != "assign_damage":
            assert forms.offered(GAME.legal_commands(timeline.state, awaited.seat), command)


@QUICK
@given(positions(), st.integers(-1, 3))
def test_everything_can_be_shown(timeline: Timeline[State], seat: int) -> None:
    viewer = seat if 0 <= seat < len(timeline.state.seats) else None
    view = GAME.view(timeline.state, viewer)
    assert json.loads(json.dumps(view)) == view
    text = GAME.board_text(view, Caption("7", ("Ines", "Marek", "Joao", "Li")))
    assert max(map(len, text.splitlines())) <= 72
    assert GAME.picture(view, Caption("7")).startswith("<svg")
    assert len(GAME.order_help(timeline.state.prompt.kind).splitlines()) <= 8


@QUICK
@given(positions(), st.text(max_size=60))
def test_any_text_is_read_or_refused(timeline: Timeline[State], text: str) -> None:
    assert answered(GAME, timeline, 0, text)


WORDS = (
    *("move", "build", "play", "use", "fire", "retreat", "offer", "give", "want", "orders", "draw", "choose", "sell"),
    *("v1", "v99", "2,1", "9,9", "corvette", "c12", "x=3", "a=v1", "science", "auto=evasion/by:blue", "=", ">", "v1>v2=3"),
    *("carry", "v1=v2", "hold"),
)


@QUICK
@given(positions(), st.lists(st.sampled_from(WORDS), max_size=7))
def test_half_sensible_orders_are_read_or_refused(timeline: Timeline[State], words: list[str]) -> None:
    assert answered(GAME, timeline, timeline.state.prompt.seat, " ".join(words))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 12) | st.sampled_from(["v1", "2,1", "c01", "science", "ask", "", "s1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "v1", "target", "credits", "orders"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@QUICK
@given(positions(), st.sampled_from(sorted(GAME.commands)), st.data())
def test_any_parameters_are_decided_or_refused(timeline: Timeline[State], name: str, data: st.DataObject) -> None:
    known = list(GAME.commands[name]["properties"])
    parameters = {key: data.draw(JSON) for key in known if data.draw(st.booleans())}
    assert answered(GAME, timeline, timeline.state.prompt.seat, {"name": name, **parameters})


@pytest.mark.parametrize("setup", SETUPS)
def test_every_event_has_a_sentence_for_every_viewer(setup: tuple[str, int, str]) -> None:
    edition, seats, bot = setup
    rng, dice = random.Random("tell"), seeded("tell")
    timeline: Timeline[State] = Timeline(GAME)
    run = timeline.begin(check_options(GAME, {"edition": edition, "turn_limit": 12}, seats), seats, dice)
    while True:
        for event in run.events:
            for viewer in (None, *range(seats)):
                if (seen := see_event(GAME, event, viewer)) is not None:
                    text = GAME.tell(seen, viewer, ())
                    assert text.endswith("."), (event.type, text)
                    json.dumps(seen.data)
        timeline.follow(run)
        if GAME.outcome(timeline.state) is not None:
            return
        seat = GAME.awaited(timeline.state)[0].seat
        command = GAME.bots[bot](GAME.view(timeline.state, seat), GAME.legal_commands(timeline.state, seat), rng)
        run = timeline.command(seat, command, dice)


@QUICK
@given(positions(), st.randoms(use_true_random=False))
def test_a_rewind_keeps_standing_orders_and_invariants(timeline: Timeline[State], rng: random.Random) -> None:
    """After a rewind, the invariants hold and the current standing orders remain."""
    state = timeline.state
    seat = state.prompt.seat
    command = forms.fill(rng.choice([form for form in GAME.legal_commands(state, seat) if form.name != "resign"]), rng)
    dice = seeded("back", next_draw=timeline.draws)
    run = timeline.command(seat, command, dice)
    data = GAME.on_rewind(state, run.state, run.events, dice)
    back = GAME.rewound(state, run.state, json.loads(json.dumps(data)))
    assert not GAME.faults(back)
    assert [one.orders for one in back.seats] == [one.orders for one in run.state.seats]
    assert [one.hand for one in back.seats] == [one.hand for one in state.seats]


def test_a_form_offers_no_number_beyond_the_limit_of_commands() -> None:
    table = Table()
    table.system("1,0", "trade_world", 0)
    table.credits(0, 13_559).credits(1, 20_000).start()
    [form] = [form for form in table.session.answer({"op": "legal", "seat": 0})["forms"] if form["name"] == "offer_trade"]
    sides = form["parameters"]["properties"]
    most = {name: sides[name]["properties"]["credits"]["maximum"] for name in ("give", "want")}
    table.do(0, "offer_trade", to=1, give={"credits": most["give"]}, want={"credits": most["want"]})
    [offered] = table.ever("trade_offered")
    assert {name: offered[name]["credits"] for name in most} == most


def test_a_form_offers_no_more_vessels_than_a_command_may_name() -> None:
    table = Table("classic")
    supply = [card for card, count in table.state["supply"].items() for _ in range(count)]
    fleet = [table.vessel(1, card, table.homes[1]) for card in supply]
    assert len(fleet) > 90
    table.credits(0, 1).start()
    [form] = table.forms(0, "offer_trade")
    most = form["parameters"]["properties"]["want"]["properties"]["vessels"]["maxItems"]
    assert most == 90
    table.do(0, "offer_trade", to=1, give={"credits": 1}, want={"vessels": fleet[:most]})
    [offered] = table.ever("trade_offered")
    assert len(offered["want"]["vessels"]) == most


def test_a_greedy_fleet_leaves_home_although_stations_stay_there() -> None:
    table = Table()
    home, enemy = table.homes[0], table.homes[1]
    table.home(0, 8).credits(0, 0)
    for card in ("battleship", "battleship", "cruiser", "cruiser"):
        table.vessel(0, card, home)
    for _ in range(5):
        table.vessel(0, "defense_station", home)
    table.vessel(1, "strike_fighter", enemy)
    table.start()
    state = table.session.match.state
    view, offered = GAME.view(state, 0), GAME.legal_commands(state, 0)
    bot = GAME.bots["greedy"]
    assert bot(view, offered, random.Random(1))["name"] == "move_ships"
