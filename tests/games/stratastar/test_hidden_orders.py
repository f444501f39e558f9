"""A seat's secrets (standing orders, prepared answers) stay hidden until it acts."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Event, Refused, see_event
from gamesvc.games.kernel.timeline import Run, Timeline, check_options
from gamesvc.games.secrecy import chance, shown
from gamesvc.games.stratastar import GAME
from gamesvc.games.stratastar.commands import SCHEMA
from gamesvc.games.stratastar.state import State
from tests.games.stratastar.stress import choose_busy, crowded_on, random_options
from tests.games.stratastar.table import Table
from tests.games.two_worlds import part, same_sight

pytestmark = pytest.mark.long

P, Q, R = 0, 1, 2
ACTS = frozenset(
    [
        *("action_declared", "window_opened", "battle_declared", "attack_committed", "calls_opened", "offer_rejected"),
        *("phase_ended", "turn_started"),
    ]
)
"""Events through which orders and prepared answers act: asked seats, automatic acts, and skipped questions."""


def acts(event: Event) -> bool:
    return event.type in ACTS


def waiting_table(**orders: Any) -> Table:
    """Return a table where P has moved onto Q and R, who are both asked about it. Q could also retreat."""
    table = Table(3, pace="secret").hand(P, "1M").hand(Q, "2T 2M").hand(R, "2T").phase("movement", free_move=False)
    table.put(P, "D4", fleets=2).put(Q, "D5", fleets=1).put(R, "D5", colonies=1)
    if orders:
        table.order(Q, **orders)
    table.do(P, "move", start="D4", to="D5", fleets=2)
    assert table.awaited() == [(Q, "window"), (R, "window")]
    return table


PASS = {"name": "pass"}
RETREAT = {"name": "retreat", "to": "D6", "fleets": 1}
WORLDS = {
    "an automatic order": (({"retreat": "auto"}, PASS), ({}, PASS)),
    "an order that forbids": (({"retreat": "never"}, PASS), ({}, PASS)),
    "a prepared retreat": (({}, RETREAT), ({}, PASS)),
    "two retreats": (({}, RETREAT), ({}, {**RETREAT, "to": "C5"})),
    "the cards that pay for it": (({}, {**RETREAT, "pay": ["move"]}), ({}, RETREAT)),
}


@pytest.mark.parametrize("worlds", WORLDS.values(), ids=WORLDS)
def test_an_answer_to_a_movement_does_not_reveal_the_follow_up(worlds):
    tables = []
    for orders, command in worlds:
        table = waiting_table(**orders)
        parameters = {name: value for name, value in command.items() if name != "name"}
        table.do(Q, command["name"], **parameters)
        assert table.awaited() == [(R, "window")]
        tables.append(table)
    one, two = (table.session.match for table in tables)
    assert one.version == two.version
    for viewer in (None, P, R):
        same_sight(GAME, one.state, two.state, viewer, str(viewer))
        told = [see_event(GAME, table.session.log[-1], viewer) for table in tables]
        assert told[0] == told[1]
        assert GAME.tell(told[0], viewer, ()) == "Blue passed."


def test_a_seat_sees_its_own_prepared_answer():
    table = waiting_table()
    table.do(Q, "retreat", to="D6", fleets=1)
    assert table.view(Q)["actions"][-1]["later"] == {"1": {"name": "retreat", "to": "D6", "fleets": 1}}
    assert table.view(R)["actions"][-1]["later"] == table.view(None)["actions"][-1]["later"] == {}
    event = see_event(GAME, table.session.log[-1], Q)
    assert GAME.tell(event, Q, ()) == "You will let it happen and then retreat to D6."
    assert "action_declared" in table.events(table.do(R, "pass"))
    assert table.state.players[Q].fleets == {"D6": 1}


def test_a_prepared_answer_is_redealt_for_the_others():
    table = waiting_table()
    table.do(Q, "retreat", to="D6", fleets=1)
    for seat, later in ((P, {}), (Q, table.state.actions[-1].later[Q]), (R, {})):
        assert GAME.redeal(table.state, seat, seeded("anew")).actions[-1].later == {Q: later}


def test_an_automatic_order_still_holds_after_letting_the_movement_happen():
    table = waiting_table(retreat="auto")
    table.do(Q, "pass")
    table.do(R, "pass")
    assert "D5" not in table.state.players[Q].fleets
    assert table.awaited() == [(P, "movement")]


def test_prepared_answers_leave_with_their_seat():
    table = waiting_table()
    table.do(Q, "retreat", to="D6", fleets=1)
    table.do(Q, "resign")
    assert table.state.actions[-1].later == {}
    assert not GAME.faults(table.state)
    table.do(R, "pass")
    assert table.awaited() == [(P, "movement")]


def test_reactions_prepared_by_earlier_rules_are_read_and_hidden():
    table = waiting_table()
    timeline = table.session.match.branch()
    event = Event(
        "reaction_prepared", {"seat": Q, "action": table.state.actions[-1].id, "command": RETREAT}, timeline.version + 1
    )
    timeline.fold([event])
    assert timeline.state.actions[-1].later == {Q: RETREAT}
    assert see_event(GAME, event, Q).data["command"] == RETREAT
    for viewer in (None, P, R):
        seen = see_event(GAME, event, viewer)
        assert "command" not in seen.data
        assert GAME.tell(seen, viewer, ()) == "Blue passed."
        assert GAME.view(timeline.state, viewer)["actions"][-1]["later"] == {}


# --- all preferences and prepared answers, version by version ---


def busy_positions(number: int, most: int) -> Iterator[tuple[Timeline[State], int, dict[str, Any]]]:
    """Yield the timeline, a seat and its command before each command of a crowded match."""
    rng = random.Random(number)
    seats = rng.choice([2, 3, 4])
    options = check_options(GAME, random_options(rng, seats) | {"pace": rng.choice(["fast", "secret"])}, seats)
    dice, timeline = seeded(str(number)), Timeline(GAME)
    timeline.follow(timeline.begin(options, seats, dice))
    crowded = False
    for _ in range(most):
        state = timeline.state
        if GAME.outcome(state) is not None:
            return
        if not crowded and state.turn.phase == "retool":
            crowded = True
            timeline = crowded_on(timeline, rng)
        seat = rng.choice(GAME.awaited(timeline.state)).seat
        command = dict(choose_busy(list(GAME.legal_commands(timeline.state, seat)), rng))
        yield timeline, seat, command
        timeline.follow(timeline.command(seat, command, dice))


def world(timeline: Timeline[State], seat: int, command: dict[str, Any]) -> Run[State] | None:
    try:
        return timeline.command(seat, command, seeded("world", next_draw=timeline.draws))
    except Refused:
        return None


def with_orders(timeline: Timeline[State], seat: int, rng: random.Random) -> Timeline[State]:
    """Return the same match after a seat has changed its standing orders. Orders that answer at once have acted."""
    for _ in range(20):
        run = world(timeline, seat, {"name": "set_orders", "orders": forms.sample(SCHEMA, rng)})
        if run is not None and [event.type for event in run.events] == ["orders_set"]:
            other = timeline.branch()
            other.follow(run)
            return other
    return timeline


def answers(timeline: Timeline[State], seat: int, rng: random.Random) -> list[dict[str, Any]]:
    """Return a seat's answers to the open window that have no immediate effect."""
    offered = GAME.legal_commands(timeline.state, seat)
    return [PASS, *(dict(forms.fill(form, rng)) for form in offered if form.name in ("retreat", "defend_homeworld"))]


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10_000))
def test_worlds_that_differ_in_hidden_orders_look_the_same_until_an_order_acts(number):
    rng, compared = random.Random(number), Counter[str]()
    for timeline, seat, command in busy_positions(number, 100):
        state = timeline.state
        keeper = rng.randrange(len(state.players))
        if state.players[keeper].alive:
            one, two = with_orders(timeline, keeper, rng), with_orders(timeline, keeper, rng)
            if one.version == two.version:
                compare(one, two, keeper, seat, [command, command], compared)
        if state.actions and state.actions[-1].stage == "before":
            asked = rng.choice(state.actions[-1].asked)
            compare(timeline, timeline, asked, asked, rng.choices(answers(timeline, asked, rng), k=2), compared)
    assert compared["compared"] > 10 or GAME.outcome(timeline.state) is not None


def compare(
    one: Timeline[State], two: Timeline[State], keeper: int, seat: int, commands: list[dict[str, Any]], compared: Counter[str]
) -> None:
    where = f"version {one.version}, {commands}"
    for viewer in (None, *(other for other in range(len(one.state.players)) if other != keeper)):
        same_sight(GAME, one.state, two.state, viewer, where)
    runs = [world(timeline, seat, command) for timeline, command in zip((one, two), commands, strict=True)]
    if seat != keeper:
        assert (runs[0] is None) == (runs[1] is None), where
    if runs[0] is not None and runs[1] is not None:
        compared["compared"] += 1
        compared["parted"] += part(GAME, keeper, runs[0], runs[1], acts)


@pytest.mark.parametrize("number", [6, 10])
def test_an_act_that_tells_its_seat_otherwise_in_another_deal_is_undone_freely_in_neither(number):
    """Else a seat could try act after act, and take each back. An offer is left out: to withdraw it is as free."""
    rng, told = random.Random(number), Counter[bool]()
    for timeline, seat, command in busy_positions(number, 120):
        if command["name"] in ("offer_trade", "set_orders"):
            continue
        runs = [world(timeline, seat, command)]
        runs += [world(timeline.double(GAME.redeal(timeline.state, seat, chance(rng))), seat, command) for _ in range(2)]
        acts = [[event for event in run.events if shown(GAME, event, seat)] for run in runs if run is not None]
        read = [[shown(GAME, event, seat) for event in events] for events in acts]
        if any(one != read[0] for one in read):
            told.update(any(map(GAME.reveals, events)) for events in acts)
            assert told[False] == 0, f"version {timeline.version}, {command}"
    assert told[True] > 10


@pytest.mark.parametrize("then", ["battle", "end_turn"])
def test_a_planned_follow_up_stays_hidden_until_it_happens(then):
    tables = []
    for more in ({}, {"then": then}):
        table = Table(3, pace="secret").hand(P, "1M").hand(Q, "2T 2M").hand(R, "2T").phase("movement", free_move=False)
        table.put(P, "D4", fleets=2).put(Q, "D5", fleets=1).put(R, "D5", colonies=1)
        table.do(P, "move", start="D4", to="D5", fleets=2, **more)
        table.do(R, "pass")
        tables.append(table)
    one, two = (table.session.match for table in tables)
    assert one.version == two.version
    for viewer in (None, Q, R):
        same_sight(GAME, one.state, two.state, viewer, str(viewer))
        for event, twin in zip(*(table.session.log for table in tables), strict=True):
            assert see_event(GAME, event, viewer) == see_event(GAME, twin, viewer)
        assert GAME.redeal(two.state, R, seeded("anew")).actions[-1].then == ""
    assert tables[1].view(P)["actions"][-1]["then"] == then


def test_a_prepared_retreat_stays_hidden_when_the_after_window_opens():
    """R could retreat as well, and is asked after the movement. Q has prepared its answer."""
    table = waiting_table()
    table.do(Q, "retreat", to="D6", fleets=1)
    table.do(R, "pass")
    for event in table.session.log:
        if event.type == "window_opened" and "later" in event.data:
            for viewer in (None, P, R):
                told = see_event(GAME, event, viewer)
                assert told is not None
                assert "later" not in told.data
            own = see_event(GAME, event, Q)
            assert own is not None
            assert "1" in own.data["later"]
            break
    else:
        raise AssertionError("no window opened with an answer given beforehand")
