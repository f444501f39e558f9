"""A seat's secrets (standing orders, preferences, settled marks) stay hidden until it acts."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Event, Refused
from gamesvc.games.kernel.timeline import Run, Timeline
from gamesvc.games.secrecy import shown
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.commands import SET_ORDERS
from gamesvc.games.space_war.data import CARDS
from gamesvc.games.space_war.state import State
from tests.games.space_war.table import Table, kinds, table
from tests.games.space_war.test_properties import walk
from tests.games.two_worlds import part, same_sight

pytestmark = pytest.mark.long

FIRES = frozenset({"order_fired"})
"""An order answers with a card; one that lets an item stand adds no event."""
PREFERS = frozenset({"station_flipped", "prompt_opened", "cards_drawn", "cards_milled"})
"""Events through which a preference acts: flipped cards, a skipped question, a replaced draw."""
SETTLES = frozenset({"turn_started", "outcome_pending"})
"""Events through which a settled mark acts: a skipped review or last answer. It acts, too, where flipped cards become public."""


def acts(event: Event) -> bool:
    """Return True for an event through which a secret acts; also for a barrier card that an order lets stand: nobody is asked."""
    if event.type == "item_opened":
        return "left" in event.data and "barrier" in getattr(CARDS.get(event.data["card"]), "keywords", ())
    return event.type in FIRES | PREFERS | SETTLES or bool(event.data.get("flips"))


def settles_or_not() -> list[Table]:
    """Return two tables where seat b did something hidden in seat a's turn: let the drone stand, or set orders without effect."""
    tables = []
    for hidden in ("let_stand", "set_orders"):
        t = table(a={"hand": ["drone", "sabotage"]}, b={"hand": ["titan"]})
        t.do(0, "play_card", card=t["a.drone"], options={"draw": False})
        t.do(1, hidden, **({"orders": []} if hidden == "set_orders" else {}))
        tables.append(t)
    return tables


def alike(tables: list[Table], version: int) -> None:
    one, two = (t.session.match.at(version) for t in tables)
    for viewer in (None, 0):
        same_sight(GAME, one, two, viewer, f"version {version}")


def test_a_barrier_card_does_not_reveal_what_was_let_stand():
    tables = settles_or_not()
    events = [t.do(0, "play_card", card=t["a.sabotage"]) for t in tables]
    assert kinds(events[0]) == kinds(events[1]) == ["card_played", "item_opened"]
    for event in events[0]:
        alike(tables, event["version"])
    assert [t.awaited for t in tables] == [[(1, "barrier")]] * 2


def test_a_barrier_prompt_does_not_reveal_the_open_items():
    """A pause asks about everything; the items that seat b has already answered are its own secret."""
    tables = []
    for settled in ("drone", "hunter"):
        t = table(a={"hand": ["drone", "hunter"]})
        order = {"when": {"card": settled}, "do": "stand", "until": "cancelled"}
        t.do(1, "set_orders", orders=[order])
        t.do(0, "play_card", card=t["a.drone"], options={"draw": False})
        t.do(0, "play_card", card=t["a.hunter"])
        t.do(0, "pause")
        tables.append(t)
    assert tables[0].session.match.version == tables[1].session.match.version
    assert [t.awaited for t in tables] == [[(1, "barrier")]] * 2
    alike(tables, tables[0].session.match.version)


def test_an_order_that_lets_an_item_stand_adds_no_event_to_the_act_it_answers():
    """Until rules 1.2.3 it added two, sealed but there to count: the acting player knew that nothing would be answered."""
    told = {}
    for orders in ([], [{"when": {"any": True}, "do": "stand"}]):
        t = table(a={"hand": ["drone"]}, b={"hand": ["titan"]})
        t.do(1, "set_orders", orders=orders)
        t.do(0, "play_card", card=t["a.drone"], options={"draw": False})
        assert [item.settled for item in t.state.items] == [bool(orders)]
        log = t.session.match.whole_log()
        for viewer in (None, 0, 1):
            told.setdefault(viewer, []).append([shown(GAME, event, viewer) for event in log[-3:]])
    for viewer in (None, 0):
        assert told[viewer][0] == told[viewer][1]
        assert None not in told[viewer][1]
    assert told[1][0] != told[1][1]
    sentence = GAME.tell(next(event for event in log if event.type == "item_opened"), 1, ("Ann", "Ben"))
    assert sentence.endswith("Your standing order answered item 1.")


def answered(do: str) -> Table:
    """Return a table where seat b answers a card of seat a with Avoid, which the orders of seat a let stand, or ask about."""
    t = table(a={"hand": ["drone", "hunter"]}, b={"play": ["avoid"]}, phase="action")
    t.do(0, "set_orders", orders=[{"when": {"any": True}, "do": do, "until": "cancelled"}])
    t.do(0, "play_card", card=t["a.drone"], options={"draw": False})
    t.react(1, t.item(), card=t["b.avoid"])
    return t


def played(do: str) -> Table:
    """Return a table where seat b has played a card, which the orders of seat a let stand, or ask about."""
    t = table(a={"play": ["satellite"]}, b={"hand": ["hunter"], "actions": 9}, turn=6, active=1)
    t.do(0, "set_orders", orders=[{"when": {"any": True}, "do": do, "until": "cancelled"}])
    t.do(1, "play_card", card=t["b.hunter"])
    return t


@pytest.mark.parametrize(
    ("begun", "command"),
    [
        (answered, {"name": "end_phase"}),
        (answered, {"name": "add_station", "card": "a.hunter", "row": "draw"}),
        (answered, {"name": "pause"}),
        (answered, {"name": "time_out"}),
        (played, {"name": "react", "play": {"card": "a.satellite"}}),
    ],
)
def test_a_seat_that_goes_on_does_not_tell_whether_its_orders_let_everything_stand(begun, command):
    """Until rules 1.2.3 a sealed event settled what was open, so its absence told that orders let all stand."""
    told = []
    for do in ("ask", "stand"):
        t = begun(do)
        before = t.session.match.version
        parameters = {name: t.names.get(value, value) if isinstance(value, str) else value for name, value in command.items()}
        if "play" in command:
            parameters["play"] = {"card": t[command["play"]["card"]]}
        t.do(0, **parameters)
        assert not t.state.open_items(0)
        log = t.session.match.whole_log()[before:]
        told.append([(shown(GAME, event, viewer), event.version) for event in log for viewer in (None, 1)])
    assert told[0] == told[1]


def with_orders(timeline: Timeline[State], seat: int, rng: random.Random) -> Timeline[State]:
    """Return the same match after a seat has left some standing orders."""
    other = timeline.branch()
    command = dict(forms.fill(SET_ORDERS, rng))
    stand = {"when": {"any": True}, "do": "stand"}
    if rng.random() < 0.5:
        command["orders"] = [stand] if rng.random() < 0.5 else []
    other.follow(other.command(seat, command, seeded("orders", next_draw=other.draws)))
    return other


def settled_or_not(timeline: Timeline[State], seat: int, rng: random.Random) -> list[Timeline[State]]:
    """Return two worlds that differ in a seat's last, hidden act: it let everything stand, or set its orders."""
    worlds = [with_orders(timeline, seat, rng), with_orders(timeline, seat, rng)]
    if timeline.state.active != seat and timeline.state.open_items(seat) and rng.random() < 0.5:
        other = timeline.branch()
        run = answer(other, seat, {"name": "let_stand"})
        if run is not None and len(run.events) == 1 and GAME.redact(run.events[0], 1 - seat) is None:
            other.follow(run)
            worlds[0] = other
    return worlds


def answer(world: Timeline[State], seat: int, command: dict[str, Any]) -> Run[State] | None:
    try:
        return world.command(seat, command, seeded("worlds", next_draw=world.draws))
    except Refused:
        return None


@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10_000))
def test_worlds_that_differ_in_hidden_orders_look_the_same_until_an_order_acts(number):
    rng = random.Random(number)
    compared = 0
    for timeline, seat, command in walk(number, 100, 0.3):
        if timeline.state.phase in ("choose_starter", "prepare"):
            continue
        keeper = rng.randrange(2)
        worlds = settled_or_not(timeline, keeper, rng)
        for viewer in (None, 1 - keeper):
            same_sight(GAME, worlds[0].state, worlds[1].state, viewer, f"{number}, before {command}")
        one, two = (answer(world, seat, command) for world in worlds)
        if seat != keeper:
            assert (one is None) == (two is None), command
        if one is not None and two is not None:
            part(GAME, keeper, one, two, acts)
            compared += 1
    assert compared > 10
