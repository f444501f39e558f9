"""Secrecy: hands, decks, face-down systems, looks, trades (RULES.md 17)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from gamesvc.games import dealing
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import see_event
from gamesvc.games.protocol import Session
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.data import CATALOGS
from gamesvc.games.star_commander.state import State
from tests.games.star_commander.table import Table
from tests.games.two_worlds import same_sight


def seen(table: Table, kind: str, viewer: int | None) -> dict[str, Any]:
    """Return the last event of a type as a viewer sees it."""
    event = [event for event in table.session.log if event.type == kind][-1]
    told = see_event(GAME, event, viewer)
    assert told is not None
    return dict(told.data)


def test_setup_shows_only_the_homeworlds() -> None:
    session = Session(GAME)
    session.answer({"op": "new", "seats": 3, "seed": "s"})
    events = session.answer({"op": "events", "since": 0, "seat": 0})["events"]
    data = events[0]["data"]
    assert not {"decks", "faces", "undealt"} & set(data)
    assert {card for _, card, _ in data["cells"]} == {None, "homeworld"}
    assert events[0]["draws"] == []


def test_draws_are_private() -> None:
    table = Table(seats=3).system("1,1", "trade_world", 0, 1).credits(0, 3)
    table.done(0, "trade_draw", domain="industry")
    assert "card" in seen(table, "card_drawn", 0)
    for viewer in (1, 2, None):
        told = seen(table, "card_drawn", viewer)
        assert not {"card", "uid"} & set(told)
        assert told["domain"] == "industry"


def test_declared_discards_are_private_until_they_happen() -> None:
    table = Table()
    uids = table.hand(0, "ram", "barrage")
    table.hand(1, "evasion")
    table.orders(1, actions="ask")
    table.do(0, "trade_discard", uids=uids)
    assert table.view(0)["stack"][0]["params"]["uids"] == uids
    assert "uids" not in table.view(1)["stack"][0]["params"]
    assert "uids" not in seen(table, "action_declared", 1)["item"]["params"]
    table.passes()
    assert seen(table, "card_discarded", 1)["card"] in ("ram", "barrage")


def test_a_look_at_the_top_card_is_private() -> None:
    table = Table().system("1,1", "trade_world", 0, 1).credits(0, 3)
    table.tech(0, "research_initiative")
    table.top("ram")
    table.done(0, "trade_draw", domain="industry")
    assert seen(table, "choice_requested", 0)["card"] == "ram"
    assert set(seen(table, "choice_requested", 1)) == {"prompt", "seat", "what", "number"}


def test_trades_are_visible_to_their_two_sides() -> None:
    table = Table(seats=3)
    [card] = table.hand(0, "ram")
    table.hand(1, "barrage", "evasion")
    table.do(0, "offer_trade", to=1, give={"hand": [card], "credits": 1}, want={"hand": 2})
    assert table.view(1)["offers"][0]["cards"] == [[card, "ram"]]
    assert table.view(2)["offers"][0] == {"id": 1, "maker": 0, "to": 1}
    assert seen(table, "trade_offered", 2) == {"offer": 1, "seat": 0, "to": 1}
    theirs = list(table.seat(1)["hand"])
    table.do(1, "accept_trade", offer=1, hand=theirs)
    assert sorted(table.seat(0)["hand"]) == sorted(theirs)
    text = json.dumps(seen(table, "trade_completed", 2))
    assert not any(uid in text for uid in (card, *theirs))
    assert card in json.dumps(seen(table, "trade_completed", 1))


def test_an_offer_of_goods_that_are_gone_is_withdrawn() -> None:
    table = Table()
    [card, envoy] = table.hand(0, "ram", "trade_envoy")
    table.do(0, "offer_trade", to=1, give={"hand": [envoy]}, want={"credits": 1})
    table.do(0, "offer_trade", to=1, give={"hand": [card]}, want={"credits": 1})
    table.do(0, "play_command", uid=envoy, targets={"a": "2,2"})
    assert [one["id"] for one in table.state["offers"]] == [2]
    assert table.ever("trade_withdrawn")[0]["auto"] is True
    table.do(1, "decline_trade", offer=2)
    assert table.state["offers"] == []


def test_offers_are_limited_and_can_be_withdrawn() -> None:
    table = Table()
    for _ in range(3):
        table.do(1, "offer_trade", to=0, give={"credits": 1}, want={})
    table.refuse(1, "offer_trade", "illegal_target", to=0, give={"credits": 1}, want={})
    table.do(1, "withdraw_trade", offer=2)
    table.do(1, "offer_trade", to=0, give={"credits": 1}, want={})
    table.refuse(0, "withdraw_trade", "no_target", offer=1)
    assert len(table.ever("trade_offered")) == 4


def test_a_match_without_trade_refuses_offers() -> None:
    table = Table(trade=False)
    table.refuse(0, "offer_trade", "wrong_time", to=1, give={"credits": 1}, want={})
    assert not table.forms(0, "offer_trade")


def test_classic_fighter_limit_binds_trades() -> None:
    table = Table("classic").home(1, 1)
    one, two = table.vessel(0, "strike_fighter", "2,2"), table.vessel(0, "strike_fighter", "2,2")
    table.do(0, "offer_trade", to=1, give={"vessels": [one, two]}, want={})
    table.refuse(1, "accept_trade", "limit", offer=1)
    assert not table.forms(1, "accept_trade")


def views_of(table: Table, versions: range, viewer: int | None) -> list[dict[str, Any]]:
    """Return a viewer's views of versions, including those in the middle of an act."""
    return [GAME.view(table.session.match.at(version), viewer) for version in versions]


def looking(seats: int = 2, *, copies: int = 1, tops: tuple[str, ...] = ("barrage", "ram")) -> Table:
    """Return a table where seat 0 looks at the top card of industry, the last of `tops`; the others are below it."""
    table = Table(seats=seats).system("1,1", "trade_world", 0, 1).credits(0, 3)
    table.tech(0, *["research_initiative"] * copies)
    for card in tops:
        table.top(card)
    table.do(0, "trade_draw", domain="industry")
    if table.prompt["kind"] == "window":
        table.passes()
    assert table.view(0)["prompt"]["what"] == "keep_or_discard"
    return table


@pytest.mark.parametrize("value", ["keep", "discard"])
@pytest.mark.parametrize("copies", [1, 2])
def test_an_answered_look_shows_no_further_card(value: str, copies: int) -> None:
    table = looking(copies=copies)
    shown = table.view(0)["prompt"]["cards"]
    asked = table.session.match.version
    table.do(0, "choose", value=value)
    between = views_of(table, range(asked + 1, table.session.match.version), 0)
    assert between
    assert [view["prompt"].get("cards", []) for view in between] == [[]] * len(between)
    assert views_of(table, range(asked, asked + 1), 0)[0]["prompt"]["cards"] == shown


def test_going_back_to_an_open_look_shows_the_same_card_and_shuffles_the_rest() -> None:
    table = looking()
    then, asked, shown = table.session.match.state, table.session.match.version, table.view(0)["prompt"]["cards"]
    table.do(0, "choose", value="keep")
    undone = [event for event in table.session.log if event.version > asked]
    states = [
        GAME.rewound(
            then, table.session.match.state, GAME.on_rewind(then, table.session.match.state, undone, seeded(f"{number}"))
        )
        for number in range(20)
    ]
    assert all(GAME.view(state, 0)["prompt"]["cards"] == shown for state in states)
    assert len({state.decks["industry"] for state in states}) == 20


def test_a_look_at_a_hand_does_not_show_cards_drawn_later() -> None:
    table = Table("classic").system("1,1", "trade_world", 1, 1)
    table.orders(0, commands="ask").orders(1, commands="ask")
    envoy, spies = table.hand(0, "trade_envoy", "spy_network")
    explore, evasion, _ram = table.hand(1, "explore_the_unknown", "evasion", "ram")
    table.do(0, "play_command", uid=envoy, targets={"a": "2,2"})
    table.do(1, "play_command", uid=explore)
    table.do(0, "play_command", uid=spies, targets={"p": "1"})
    table.passes()
    assert table.view(0)["prompt"]["what"] == "take_card"
    asked = table.session.match.version
    events = table.do(0, "choose", value=evasion)
    assert len(table.sent_of(events, "card_drawn")) == 2
    for viewer in (None, 0):
        between = views_of(table, range(asked + 1, table.session.match.version), viewer)
        assert not any("cards" in view["prompt"] for view in between)


@pytest.mark.parametrize("resigning", [0, 1])
def test_a_decision_dropped_by_a_resignation_shows_nothing(resigning: int) -> None:
    """The active seat, or the seat that is asked in that turn, resigns while the decision is pending."""
    table = Table(seats=3).orders(1, commands="ask")
    home = table.homes[0]
    [envoy] = table.hand(0, "trade_envoy")
    [spies] = table.hand(1, "spy_network")
    table.hand(2, "ram", "evasion")
    table.do(0, "play_command", uid=envoy, targets={"a": home})
    table.do(1, "play_command", uid=spies, targets={"p": "2"})
    table.passes()
    assert table.waits() == ("choice", 1)
    asked = table.session.match.version
    table.do(resigning, "resign")
    for viewer in (None, 0, 1, 2):
        between = views_of(table, range(asked + 1, table.session.match.version), viewer)
        assert between
        assert not any("cards" in view["prompt"] for view in between)


def test_an_offered_card_that_was_discarded_and_reshuffled_can_still_be_shown() -> None:
    table = Table("classic").system("1,1", "trade_world", 0, 1).credits(0, 3)
    cards = table.hand(0, "ram", "ram", "barrage", "barrage", "evasion", "trade_envoy", "filibuster", "spy_network")
    table.leave("industry", 0)
    table.do(0, "offer_trade", to=1, give={"hand": [cards[0]]}, want={"credits": 1})
    offered = table.session.match.version
    events = table.do(0, "trade_draw", domain="industry", discard=cards[0])
    assert table.sent_of(events, "deck_reshuffled")
    views_of(table, range(offered, table.session.match.version + 1), 1)
    assert table.state["offers"] == []


def told_to(table: Table, since: int, viewer: int | None) -> list[tuple[str, dict[str, Any]]]:
    """Return a viewer's copies of the events after a version."""
    seen = [see_event(GAME, event, viewer) for event in table.session.log[since:]]
    return [(event.type, dict(event.data)) for event in seen if event is not None]


def barrage(seats: int = 3, asked: Sequence[int] = (1, 2, 3)) -> Table:
    """Return a table where seat 0 has played a card at a ship of seat 1, which is asked first.

    All seats hold a card, and those in `asked` want to be asked.
    """
    table = Table(seats=seats).system("1,1", "trade_world")
    ours, theirs = table.vessel(0, "corvette", "1,1"), table.vessel(1, "destroyer", "1,1")
    [uid, *_] = table.hand(0, "barrage", "ram")
    for seat in range(1, seats):
        table.hand(seat, "trade_envoy")
        table.orders(seat, commands="ask" if seat in asked else "pass")
    table.hand(1, "filibuster")
    table.do(0, "play_command", uid=uid, targets={"a": ours, "b": theirs})
    assert table.waits() == ("window", 1)
    return table


def test_an_early_pass_is_known_to_its_seat_alone_until_it_counts() -> None:
    """For a seat that is not asked, nothing is visible. For an asked seat, others see that it has answered, but not how."""
    table = barrage(asked=(1,))
    before = {viewer: table.view(viewer) for viewer in (None, 0, 1)}
    since = table.session.match.version
    table.do(2, "pass")
    assert table.view(2)["window"]["early"] == [2]
    assert table.forms(2, "pass") == []
    for viewer, view in before.items():
        assert told_to(table, since, viewer) == []
        assert table.view(viewer) == view
    table.do(1, "pass")
    [passed] = [data for kind, data in told_to(table, since, 0) if kind == "priority_passed" and data["closed"]]
    assert (passed["seats"], passed["auto"]) == ([2], True)
    assert table.waits() == ("command", 0)


def test_a_pass_given_with_the_damage_is_known_to_its_seat_alone_until_it_counts() -> None:
    table = Table().system("1,1", "trade_world")
    for seat in (0, 1):
        table.vessel(seat, "destroyer", "1,1")
        table.hand(seat, "trade_envoy")
    table.fight("1,1")
    since = table.session.match.version
    table.do(0, "assign_damage", assignments={})
    table.do(1, "assign_damage", assignments={}, **{"pass": True})
    assert table.waits() == ("window", 0), "seat 0 waits for what others play"
    assert table.view(1)["combat"]["passed"] == [1]
    assert table.view(1)["window"]["early"] == [1]
    for viewer in (None, 0):
        assert table.view(viewer)["combat"]["passed"] == []
        assert table.view(viewer)["window"]["early"] == []
        told = told_to(table, since, viewer)
        assert [data.get("passes") for kind, data in told if kind == "damage_assigned" and data["seat"] == 1] == [None]
        assert [data["passed"] for kind, data in told if kind == "phase_entered"] == [[]]
    [own] = [data for kind, data in told_to(table, since, 1) if kind == "damage_assigned" and data["seat"] == 1]
    assert own["passes"] is True
    table.do(0, "pass")
    assert table.waits()[0] != "window"


def test_holding_priority_is_known_to_its_seat_alone() -> None:
    table = barrage()
    held = table.seat(1)["hand"][0]
    table.do(1, "play_command", uid=held, targets={"a": table.homes[1]}, hold=True)
    assert table.view(1)["stack"][-1]["hold"] is True
    assert seen(table, "card_played", 1)["item"]["hold"] is True
    for viewer in (None, 0, 2):
        assert "hold" not in table.view(viewer)["stack"][-1]
        assert "hold" not in seen(table, "card_played", viewer)["item"]


def test_hidden_passes_of_others_are_redealt() -> None:
    table = barrage()
    held = table.seat(1)["hand"][0]
    table.do(1, "play_command", uid=held, targets={"a": table.homes[1]}, hold=True)
    table.do(2, "pass")
    state = table.session.match.state
    for viewer, early, holds in ((0, (), False), (1, (), True), (2, (2,), False)):
        other = GAME.redeal(state, viewer, seeded("redealt"))
        assert GAME.view(other, viewer) == GAME.view(state, viewer)
        assert other.window.early == early
        assert other.stack[-1].hold is holds


def test_an_answer_before_priority_is_known_to_its_seat_alone() -> None:
    tables = [barrage(4), barrage(4), barrage(4)]
    envoy = tables[0].seat(2)["hand"][0]
    since = tables[0].session.match.version
    tables[0].do(2, "pass")
    tables[1].do(2, "play_command", uid=envoy, targets={"a": tables[1].homes[2]})
    tables[2].do(2, "pass", rest=True)
    states = [table.session.match.state for table in tables]
    for viewer in (None, 0, 1, 3):
        for state, table in zip(states[1:], tables[1:], strict=True):
            same_sight(GAME, states[0], state, viewer, str(viewer))
            told = {"seats": [2], "early": True, "sealed": True}
            assert told_to(table, since, viewer) == told_to(tables[0], since, viewer) == [("priority_passed", told)]
        assert GAME.view(states[1], viewer)["window"]["ready"] == {}
        assert GAME.view(states[2], viewer)["resting"] == []
    assert tables[1].view(2)["window"]["ready"]["2"]["uid"] == envoy
    assert tables[2].view(2)["resting"] == [2]
    redealt = GAME.redeal(states[1], 1, seeded("redealt"))
    assert redealt.window.ready == {}
    assert GAME.awaited(redealt) == GAME.awaited(states[1])


def test_declining_to_retreat_is_known_to_its_seat_alone() -> None:
    seen_by = []
    for stay in (False, True):
        table = Table().system("1,1", "trade_world")
        for seat in (0, 1):
            table.vessel(seat, "destroyer", "1,1")
            table.hand(seat, "trade_envoy")
        table.fight("1,1")
        table.do(0, "assign_damage", assignments={}, stay=stay)
        seen_by.append((table.view(1)["combat"], seen(table, "damage_assigned", 1)))
        assert table.view(0)["combat"]["staying"] == ([0] if stay else [])
    assert seen_by[0] == seen_by[1]


def test_triggering_a_prepared_play_reveals_something() -> None:
    """A pass that reveals another seat's play cannot be undone freely."""
    table = Table(seats=2).system("1,1", "trade_world").credits(1, 6)
    table.vessel(0, "destroyer", "1,1")
    ship = table.vessel(1, "corvette", "1,1")
    table.hand(0, "trade_envoy")
    [gun] = table.tech(1, "railgun_turrets")
    for seat in (0, 1):
        table.orders(seat, abilities="ask")
        table.state["seats"][seat]["orders"]["combat"]["after_initiate"] = "ask"
    table.fight("1,1")
    table.do(1, "activate", source=gun, targets={"a": ship})
    since = table.session.match.version
    table.do(0, "pass")
    assert table.ever("ability_activated")
    assert table.waits() == ("window", 0)
    assert any(GAME.reveals(event) for event in table.session.log[since:])


def test_a_window_reveals_which_seats_it_asks() -> None:
    """A missing seat has passed in advance or can play nothing, so the act that led to the window cannot be undone freely."""
    table = Table(seats=2).system("1,1", "trade_world")
    table.vessel(0, "destroyer", "1,1")
    table.vessel(1, "corvette", "1,1")
    table.tech(1, "railgun_turrets")
    for seat in (0, 1):
        table.orders(seat, abilities="ask")
        table.state["seats"][seat]["orders"]["combat"]["after_initiate"] = "ask"
    since = table.session.match.version
    table.fight("1,1")
    assert table.waits()[0] == "window"
    assert any(GAME.reveals(event) for event in table.session.log[since:] if event.type == "choice_requested")


def test_a_fork_does_not_tell_what_others_hold_of_each_domain() -> None:
    """With three seats, one card may have gone from one of the others to another, and its domain is a secret."""
    table = Table(seats=3)
    table.hand(1, "raise_shields", "raise_shields")
    table.hand(2, "sabotage", "sabotage")
    state = table.start().session.match.state
    held = set()
    for number in range(40):
        dealt, _marked = dealing.deal(GAME, state, dict[int, State]().__getitem__, 0, seeded(f"{number}"))
        assert GAME.view(dealt, 0) == GAME.view(state, 0)
        assert not list(GAME.faults(dealt))
        held.add(tuple(CATALOGS["revised"][dealt.faces[uid]].domain for uid in dealt.seats[1].hand))
    assert len({tuple(sorted(domains)) for domains in held}) > 1
