"""Declared actions, windows, standing orders, leaving and elimination (RULES.md 7, 8, 9, 11)."""

from __future__ import annotations

from collections import Counter

import pytest

from gamesvc.games.kernel.game import Refused
from gamesvc.games.stratastar import GAME
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.state import Orders
from tests.games.stratastar.table import Table

P, Q, R, S = 0, 1, 2, 3


def blocking_table(seats: int = 2, **options) -> Table:
    table = Table(seats, **options).hand(P, "1M").hand(Q, "2T").phase("movement", free_move=False)
    return table.put(P, "A3", fleets=1).put(Q, "A4", colonies=1)


# --- asked seats ---


def test_seats_that_could_not_pay_are_not_asked():
    table = blocking_table().hand(Q, "1T")
    table.do(P, "move", start="A3", to="A4", fleets=1)
    assert table.awaited() == [(P, "movement")]


def test_with_power_cards_half_as_many_cards_may_pay():
    table = blocking_table(power_cards=True).hand(Q, "1A")
    table.do(P, "move", start="A3", to="A4", fleets=1)
    assert table.awaited() == [(Q, "window")]
    assert [form.name for form in GAME.legal_commands(table.state, Q) if not form.aside] == ["pass"]
    assert table.refused(Q, "diplomacy_block") == "cannot_pay"


def test_when_unable_pass_saves_time_but_reveals_something():
    table = blocking_table().hand(Q, "2A")
    table.do(P, "move", start="A3", to="A4", fleets=1)
    assert table.awaited() == [(Q, "window")]
    table.order(Q, when_unable="pass").start()
    table.do(P, "move", start="A3", to="A4", fleets=1)
    assert table.awaited() == [(P, "movement")]


def test_the_pace_of_a_match_gives_when_unable_its_default():
    for pace, waits in (("fast", [(P, "movement")]), ("secret", [(Q, "window")])):
        table = blocking_table(pace=pace).hand(Q, "2A")
        table.do(P, "move", start="A3", to="A4", fleets=1)
        assert table.awaited() == waits, pace
        assert GAME.view(table.state, Q)["orders"]["when_unable"] == ("pass" if pace == "fast" else "ask")
        assert GAME.view(table.state, P)["options"]["pace"] == pace


def test_fast_asks_a_seat_that_can_block():
    table = blocking_table(pace="fast")
    table.do(P, "move", start="A3", to="A4", fleets=1)
    assert table.awaited() == [(Q, "window")]


def battle_table(pace: str) -> Table:
    table = Table(pace=pace).hand(P, "2A").hand(Q, "2M").phase("battle")
    return table.put(P, "D5", fleets=2).put(Q, "D5", fleets=1)


def test_fast_does_not_ask_a_seat_without_attack_cards_to_commit():
    for pace, waits in (("fast", [(P, "commit")]), ("secret", [(P, "commit"), (Q, "commit")])):
        table = battle_table(pace)
        table.do(P, "declare_battle", space="D5")
        assert table.awaited() == waits, pace


@pytest.mark.parametrize(
    ("fleets", "hands", "asked"),
    [
        (2, ("2A", "1A 1M"), [(P, "commit"), (Q, "commit")]),  # 1 and 1 Attack reach 2
        (3, ("2A", "1A 1M"), [(P, "commit")]),  # but not 3; P must expect two cards of any kind
        (5, ("2A", "2M"), [(Q, "retool")]),  # no card in any hand can change it
    ],
)
def test_fast_does_not_ask_a_seat_to_commit_whose_cards_cannot_matter(fleets, hands, asked):
    for pace in ("fast", "secret"):
        table = Table(pace=pace).hand(P, hands[0]).hand(Q, hands[1]).phase("battle")
        table.put(P, "D5", fleets=fleets).put(Q, "D5", fleets=1)
        table.do(P, "declare_battle", space="D5")
        assert table.awaited() == (asked if pace == "fast" else [(P, "commit"), (Q, "commit")]), pace
    table.do(Q, "commit_attack", cards=[])


def test_power_cards_in_a_hidden_hand_count_as_two():
    for power, asked in ((False, [(Q, "retool")]), (True, [(P, "commit")])):
        table = Table(pace="fast", power_cards=power).hand(P, "2A").hand(Q, "2M").phase("battle")
        table.put(P, "D5", fleets=5).put(Q, "D5", fleets=1)
        table.do(P, "declare_battle", space="D5")
        assert table.awaited() == asked


@pytest.mark.parametrize(("hand", "asked"), [("1A", (Q, "retool")), ("2A", (Q, "battle_call")), ("1R 1A", (Q, "battle_call"))])
def test_fast_does_not_ask_a_seat_to_call_a_hopeless_battle(hand, asked):
    for pace in ("fast", "secret"):
        table = Table(pace=pace).hand(Q, hand).phase("battle").put(P, "D5", fleets=3).put(Q, "D5", fleets=1)
        table.do(P, "end_phase")
        assert table.awaited() == [asked if pace == "fast" else (Q, "battle_call")], pace


def test_fast_ends_the_turn_of_a_seat_that_has_fought_and_can_do_nothing_more():
    for pace, active in (("fast", Q), ("secret", P)):
        table = battle_table(pace)
        table.do(P, "declare_battle", space="D5")
        table.do(P, "commit_attack", cards=["attack"])
        if pace == "secret":
            table.do(Q, "commit_attack", cards=[])
        assert table.state.turn.active == active, pace


def meeting_table(**options) -> Table:
    """Return a table where P can enter D5. Q has a Fleet there and cards for diplomacy and for a retreat."""
    table = Table(**options).hand(P, "1M").hand(Q, "2T 1M").phase("movement", free_move=False)
    return table.put(P, "D4", fleets=2).put(Q, "D5", fleets=1)


def test_diplomacy_and_retreat_are_one_decision():
    for pace in ("fast", "secret"):
        table = meeting_table(pace=pace)
        table.do(P, "move", start="D4", to="D5", fleets=2)
        offered = [form.name for form in GAME.legal_commands(table.state, Q) if not form.aside]
        assert list(dict.fromkeys(offered)) == ["diplomacy_block", "retreat", "pass"]
        events = table.events(table.do(Q, "retreat", to="D6", fleets=1))
        assert events[:3] == ["passed", "window_closed", "fleets_moved"]
        assert table.state.players[P].fleets["D5"] == 2
        assert table.state.players[Q].fleets == {"D6": 1}
        assert table.state.players[Q].hand == ("trade", "trade")
        assert table.awaited() == [(P, "movement")]


def test_letting_a_movement_happen_means_staying():
    table = meeting_table(pace="secret")
    table.do(P, "move", start="D4", to="D5", fleets=2)
    table.do(Q, "pass")
    assert table.awaited() == [(P, "movement")]
    assert table.state.players[Q].fleets == {"D5": 1}


def test_a_standing_order_to_retreat_holds_after_letting_the_movement_happen():
    table = meeting_table(pace="fast").order(Q, retreat="auto")
    table.do(P, "move", start="D4", to="D5", fleets=2)
    table.do(Q, "pass")
    assert "D5" not in table.state.players[Q].fleets


def test_a_prepared_retreat_that_is_no_longer_affordable_does_not_happen():
    table = Table(3, pace="fast").hand(P, "1M").hand(Q, "2T 1M").hand(R, "2T 1A").phase("movement", free_move=False)
    table.put(P, "D4", fleets=2).put(Q, "D5", fleets=1).put(R, "D5", colonies=1)
    table.do(P, "move", start="D4", to="D5", fleets=2)
    table.do(Q, "retreat", to="D6", fleets=1)
    assert table.awaited() == [(R, "window")]
    assert GAME.view(table.state, Q)["actions"][-1]["later"]["1"]["to"] == "D6"
    position = table.ask(op="position")["position"]
    position["state"]["players"][Q]["hand"].remove("move")
    position["state"]["deck"].append("move")
    table.ask(op="new", position=position)
    table.do(R, "pass")
    assert table.awaited() == [(P, "movement")], "nothing else can be done either"
    assert table.state.players[Q].fleets == {"D5": 1}


def test_matches_without_a_pace_ask_as_before():
    table = meeting_table()
    del table.raw["options"]["pace"]
    table.do(P, "move", start="D4", to="D5", fleets=2)
    assert "retreat" not in {form.name for form in GAME.legal_commands(table.state, Q)}
    table.do(Q, "pass")
    assert table.awaited() == [(Q, "window")]
    assert "pace" not in GAME.view(table.state, None)["options"]


def test_diplomacy_by_standing_order():
    table = blocking_table().order(Q, diplomacy="auto", diplomacy_spaces=["A4"])
    answer = table.do(P, "move", start="A3", to="A4", fleets=1)
    assert "move_blocked" in table.events(answer)
    assert table.state.turn.blocked == ("A4",)
    assert table.awaited() == [(P, "movement")]


def test_diplomacy_orders_for_other_spaces_do_not_count():
    table = blocking_table().order(Q, diplomacy="auto", diplomacy_spaces=["homeworld"])
    answer = table.do(P, "move", start="A3", to="A4", fleets=1)
    assert "move_blocked" not in table.events(answer)


def test_sabotage_orders_name_kinds():
    table = Table().hand(P, "2B").hand(Q, "3A").phase("build").ability(Q, "sabotage")
    table.do(P, "build_fleet")
    assert table.awaited() == [(P, "build")]
    table.do(Q, "set_orders", orders={"sabotage": {"kinds": ["build_fleet"]}})
    table.do(P, "build_fleet")
    assert table.awaited() == [(Q, "window")]
    table.do(Q, "set_orders", orders={"sabotage": {"mode": "never"}})
    assert table.awaited() == [(P, "build")], "the new order answers the open question"


# --- reactions to reactions ---


def test_a_sabotaged_block_leaves_the_window_open_for_others():
    table = blocking_table(3).hand(R, "2T").put(R, "A4", fleets=1).ability(P, "sabotage").hand(P, "1M 3A")
    table.order(P, sabotage_kinds=["all"])
    table.do(P, "move", start="A3", to="A4", fleets=1)
    assert table.awaited() == [(Q, "window"), (R, "window")]
    table.do(Q, "diplomacy_block")
    assert table.awaited() == [(P, "window")]
    table.do(P, "sabotage")
    assert table.awaited() == [(R, "window")]
    assert table.refused(Q, "pass") == "wrong_phase"
    table.do(R, "pass")
    assert "A4" in table.state.players[P].fleets


def test_an_unsabotaged_block_holds():
    table = blocking_table().ability(P, "sabotage").hand(P, "1M 3A").order(P, sabotage_kinds=["all"])
    table.do(P, "move", start="A3", to="A4", fleets=1)
    table.do(Q, "diplomacy_block")
    table.do(P, "pass")
    assert table.held(P).count("move") == 1
    assert table.state.players[P].fleets == {"A3": 1}


def test_a_block_gives_back_credit_and_free_move():
    table = Table(power_cards=True).hand(P, "1M+").hand(Q, "2T").phase("movement", free_move=False)
    table.put(P, "A2", fleets=1).put(Q, "A4", fleets=1)
    table.do(P, "move", start="A2", to="A3", fleets=1)
    assert table.state.turn.credit == {"move": 1}
    table.do(P, "move", start="A3", to="A4", fleets=1)
    table.do(Q, "diplomacy_block")
    assert table.state.turn.credit == {"move": 1}
    assert list(table.state.discard) == ["move2", "trade", "trade"]


def test_a_block_returns_the_card_and_removes_its_credit():
    table = Table(power_cards=True).hand(P, "1M+").hand(Q, "2T").phase("movement", free_move=False)
    table.put(P, "A3", fleets=1).put(Q, "A4", fleets=1)
    table.do(P, "move", start="A3", to="A4", fleets=1)
    table.do(Q, "diplomacy_block")
    assert table.state.turn.credit == {}
    assert table.held(P) == ["move2"]
    assert list(table.state.discard) == ["trade", "trade"]


def test_a_sabotaged_free_move_is_used_up():
    table = Table(diplomacy=False).hand(Q, "3A").phase("movement").put(P, "A3", fleets=1).put(Q, "A4", fleets=1)
    table.ability(Q, "sabotage")
    table.do(P, "move", start="A3", to="A4", fleets=1, free=True)
    table.do(Q, "sabotage")
    assert not table.state.turn.free_move
    assert table.state.players[P].fleets == {"A3": 1}


def test_sabotage_of_a_retreat():
    table = Table(diplomacy=False).hand(P, "3A").hand(Q, "2M").phase("movement").ability(P, "sabotage")
    table.order(P, sabotage_kinds=["retreat"]).put(P, "D4", fleets=1).put(Q, "D5", fleets=1)
    table.do(P, "move", start="D4", to="D5", fleets=1, free=True)
    table.do(Q, "retreat", to="D6", fleets=1)
    assert table.awaited() == [(P, "window")]
    table.do(P, "sabotage")
    assert table.state.players[Q].fleets == {"D5": 1}
    assert table.awaited() == [(Q, "window")]
    table.do(Q, "retreat", to="E5", fleets=1)
    assert table.awaited() == [(P, "movement")]


def test_retreat_by_standing_order():
    table = Table(diplomacy=False).hand(Q, "1M").phase("movement").put(P, "D4", fleets=3).put(Q, "D5", fleets=2)
    table.order(Q, retreat="auto")
    table.do(P, "move", start="D4", to="D5", fleets=2, free=True)
    assert table.state.players[Q].fleets == {"D5": 2}, "not against an equal force"
    table.start()
    table.do(P, "move", start="D4", to="D5", fleets=3, free=True)
    assert table.state.players[Q].fleets == {"E5": 2}, "towards J10, the first of equals"


def test_defence_by_standing_order():
    table = Table(diplomacy=False, retreat=False).hand(Q, "5M").phase("movement").put(P, "I9", fleets=1)
    table.put(Q, "C3", fleets=2).put(Q, "D3", warfleets=1).ability(Q, "defend_homeworld").order(Q, defend_homeworld="auto")
    table.do(P, "move", start="I9", to="J9", fleets=1, free=True)
    assert table.state.players[Q].fleets == {"J10": 2}
    assert table.state.players[Q].warfleets == {"J10": 1}


# --- battle ---


@pytest.mark.parametrize(
    ("order", "committed"),
    [("none", ""), ("all", "3A 1R"), ("2", "2A"), ("9", "3A")],
)
def test_commit_by_standing_order(order, committed):
    table = Table().hand(Q, "3A 1R 1M").phase("battle").put(P, "D5", fleets=1).put(Q, "D5", fleets=1)
    table.order(Q, commit=order)
    answer = table.do(P, "declare_battle", space="D5")
    [revealed] = [one["data"] for one in answer["events"] if one["type"].endswith("attacks_revealed")]
    assert Counter(revealed["commits"]["1"]) == Counter(Table._command("x", {"cards": committed})["cards"])


def test_battle_call_by_standing_orders():
    table = Table(3).phase("battle").put(P, "D5", fleets=1).put(Q, "D5", fleets=2).put(R, "E5", fleets=1).put(P, "E5", fleets=1)
    table.order(Q, fight="fight").order(R, fight="peace")
    table.do(P, "end_phase")
    assert table.state.players[P].fleets == {"E5": 1}
    assert table.state.turn.active == Q


def test_a_space_is_fought_once_and_allies_of_the_caller_stand_aside():
    table = Table(3).phase("battle").put(P, "D5", fleets=3).put(Q, "D5", fleets=1).put(R, "D5", fleets=1)
    table.raw["treaties"] = [{"seat": P, "partner": R, "until": 2}]
    table.do(P, "declare_battle", space="D5")
    assert table.state.players[Q].fleets == {}
    assert table.state.players[R].fleets == {"D5": 1}
    assert table.refused(P, "declare_battle", space="D5") == "once_per_turn"


def test_committed_cards_cannot_be_spent():
    table = Table().hand(P, "1A").hand(Q, "1A").phase("battle").put(P, "D5", fleets=1).put(Q, "D5", fleets=1)
    table.do(P, "declare_battle", space="D5")
    table.do(P, "commit_attack", cards="1A")
    assert table.refused(P, "spy", target=Q) == "cannot_pay"
    assert table.refused(P, "commit_attack", cards=[]) == "wrong_phase"


# --- offers ---


def test_an_offer_that_cannot_be_kept_is_void():
    table = Table().hand(Q, "1M").phase("trade")
    table.do(P, "offer_trade", to=Q, give={"trade": 1}, want={"move": 1})
    [offer] = table.state.offers
    answer = table.do(Q, "accept_offer", offer=offer.id)
    assert table.events(answer) == ["offer_void"]
    assert table.held(Q) == ["move"]


def test_offers_end_with_the_phase_unless_kept():
    table = Table().phase("trade")
    table.do(P, "offer_trade", to=Q, give={"trade": 1}, want={})
    table.do(Q, "offer_trade", to=None, give={}, want={"move": 1}, keep=True)
    table.do(P, "end_phase")
    assert [offer.seat for offer in table.state.offers] == [Q]
    assert table.refused(P, "accept_offer", offer=table.state.offers[0].id) == "wrong_phase"
    assert table.refused(P, "offer_trade", to=Q, give={"trade": 1}, want={}) == "wrong_phase"
    table.do(P, "offer_trade", to=Q, give={"trade": 1}, want={}, keep=True)


def test_waiting_holds_the_active_seat():
    table = Table().phase("trade").hand(P, "1T")
    table.do(P, "offer_trade", to=Q, give={"trade": 1}, want={}, wait=True)
    assert table.refused(P, "end_phase") == "wrong_phase"
    table.do(P, "withdraw_offer", offer=table.state.offers[0].id)
    table.order(Q, offers="reject").start()
    answer = table.do(P, "offer_trade", to=Q, give={"trade": 1}, want={}, wait=True)
    assert table.events(answer) == ["offer_made", "offer_rejected"]
    assert table.awaited() == [(P, "trade")]


# --- leaving ---


def test_resigning_in_a_window_counts_as_passing():
    table = blocking_table(3)
    table.do(P, "move", start="A3", to="A4", fleets=1)
    table.do(Q, "resign")
    assert table.state.players[P].fleets == {"A4": 1}
    assert table.awaited() == [(P, "movement")]
    assert table.state.players[Q].home is None
    assert table.state.discard[-2:] == ("trade", "trade")


def test_the_active_seat_resigns_with_an_action_open():
    table = blocking_table(3)
    table.do(P, "move", start="A3", to="A4", fleets=1)
    table.do(P, "resign")
    assert table.awaited() == [(Q, "retool")]
    assert table.state.actions == ()


def test_a_blocker_resigns_while_its_block_is_open():
    table = blocking_table(3).ability(P, "sabotage").hand(P, "1M 3A").order(P, sabotage_kinds=["all"])
    table.do(P, "move", start="A3", to="A4", fleets=1)
    table.do(Q, "diplomacy_block")
    table.do(Q, "resign")
    assert table.state.players[P].fleets == {"A4": 1}


def test_a_battle_continues_without_a_player_who_resigns():
    table = Table(3).hand(Q, "1A").hand(R, "1A").phase("battle")
    table.put(P, "D5", fleets=2).put(Q, "D5", fleets=1).put(R, "D5", fleets=1)
    table.do(P, "declare_battle", space="D5")
    table.do(Q, "resign")
    table.do(R, "commit_attack", cards=[])
    assert table.state.players[P].fleets == {"D5": 2}
    assert table.state.players[R].fleets == {}


def test_the_last_seat_wins():
    table = Table().phase("trade")
    answer = table.do(Q, "resign")
    assert answer["outcome"]["reason"] == "last_seat"
    assert answer["outcome"]["ranking"] == [[P], [Q]]
    assert table.refused(P, "end_phase") == "wrong_phase"


def test_resigning_while_homeworlds_are_placed_and_abilities_drafted():
    session = Table(3, homeworld_choice="choose", uneven_start="draft").session
    session.answer({"op": "new", "seats": 3, "options": {"uneven_start": "draft"}, "seed": "leave"})
    first = GAME.awaited(session.match.state)[0].seat
    assert session.answer({"op": "command", "seat": first, "command": {"name": "resign"}})["ok"]
    for _ in range(2):
        seat = GAME.awaited(session.match.state)[0].seat
        command = session.answer({"op": "default", "seat": seat})["command"]
        assert session.answer({"op": "command", "seat": seat, "command": command})["ok"]
    assert session.match.state.turn.phase == "ability_draft"
    assert len(session.match.state.order) == 2
    assert facts.alive(session.match.state) == session.match.state.order


def test_to_the_death_captures_eliminate():
    table = Table(3, to_the_death=True).hand(Q, "2M").phase("battle").put(P, "J10", fleets=5).put(Q, "C3", colonies=1)
    table.do(P, "declare_battle", space="J10")
    table.do(Q, "commit_attack", cards=[])
    assert not table.state.players[Q].alive
    assert table.state.players[Q].colonies == {}
    assert table.state.players[P].colonies == {"J10": 1}
    assert table.state.chart.chits["J10"] == "world"
    assert Counter(table.state.discard) == {"move": 2}
    assert table.state.ended is None
    table.do(P, "end_phase")
    assert table.state.turn.active == R


def test_an_eliminated_active_seat_ends_its_turn():
    table = Table(3, to_the_death=True).phase("battle").put(Q, "A1", fleets=5).order(Q, fight="fight")
    table.do(P, "end_phase")
    assert not table.state.players[P].alive
    assert table.awaited() == [(Q, "retool")]
    assert table.state.players[Q].colonies == {"A1": 1}


# --- timeouts and views ---


def test_default_of_support_disbands_the_farthest():
    table = Table().phase("support").put(P, "B2", fleets=2).put(P, "E5", fleets=1, warfleets=2).ability(P, "warfleet")
    table.start()
    command = GAME.default_command(table.state, P)
    assert command["disband"] == [{"space": "E5", "fleets": 1, "warfleets": 2}]
    table.do(P, "support", builds=[], disband=command["disband"])


def test_default_of_a_commit_defends_the_homeworld():
    table = Table().hand(Q, "2A 1R 1M").phase("battle").put(P, "J10", fleets=4)
    table.do(P, "declare_battle", space="J10")
    assert Counter(GAME.default_command(table.state, Q)["cards"]) == {"attack": 2, "research": 1}


def test_orders_are_shown_to_their_owner_alone():
    table = Table().phase("trade").start()
    table.do(Q, "set_orders", orders={"commit": 3, "diplomacy": {"mode": "auto", "spaces": ["D5"]}})
    assert table.view(Q)["orders"]["commit"] == 3
    assert table.view(Q)["orders"]["diplomacy"] == {"mode": "auto", "spaces": ["D5"]}
    assert "orders" not in table.view(None)
    assert table.view(P)["orders"]["commit"] == "ask"
    assert GAME.redact(table.session.log[-1], P) is None
    assert table.state.players[P].orders == Orders()


def test_outdated_commands():
    table = blocking_table(3).put(R, "B9", fleets=1)
    answer = table.do(P, "move", start="A3", to="A4", fleets=1)
    events = table.session.log[-len(answer["events"]) :]
    assert any(GAME.stale({"name": "end_phase"}, event, Q) for event in events)
    assert not any(GAME.stale({"name": "set_orders"}, event, Q) for event in events)
    table.do(R, "set_orders", orders={"fight": "peace"})
    assert not GAME.stale({"name": "pass"}, table.session.log[-1], Q)
    table = Table().hand(P, "1T").phase("trade")
    table.do(Q, "offer_trade", to=P, give={"move": 1}, want={"trade": 1})
    [offer] = table.state.offers
    table.do(P, "offer_trade", to=None, give={"trade": 1}, want={"move": 1})
    accept = {"name": "accept_offer", "offer": offer.id}
    assert not GAME.stale(accept, table.session.log[-1], P)
    table.do(Q, "withdraw_offer", offer=offer.id)
    assert GAME.stale(accept, table.session.log[-1], P)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("turn", "active"), 7),
        (("turn", "phase"), "dreaming"),
        (("order",), []),
        (("order",), [0, 0]),
        (("players", 0, "hand"), ["attack"] * 30),
        (("players", 0, "fleets"), {"A1": 11}),
        (("players", 0, "fleets"), {"Z9": 1}),
        (("players", 0, "colonies"), {"B2": 1}),
        (("players", 1, "home"), "A1"),
        (("deck",), ["joker"]),
        (("waiting",), 5),
    ],
)
def test_impossible_positions_are_refused(path, value):
    table = Table()
    place = table.raw
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    answer = table.session.answer({"op": "new", "position": table.position})
    assert not answer["ok"]
    assert answer["refusal"]["code"] == "bad_position"


def test_only_the_fast_pace_lets_hidden_cards_determine_the_asked_seats():
    """With `secret`, questions depend on public facts only; with `fast`, also on the cards of the seats in question."""
    for pace, waits in (("fast", {((P, "movement"),), ((Q, "window"),)}), ("secret", {((Q, "window"),)})):
        found = set()
        for hand in ("2T", "1T 1A", "2A", "1R 1M", "2R"):
            table = blocking_table(pace=pace).hand(Q, hand)
            table.do(P, "move", start="A3", to="A4", fleets=1)
            found.add(tuple(table.awaited()))
        assert found == waits, pace


# --- the follow-up of a movement that nobody answers ---


def test_a_movement_leads_to_its_battle_once_the_others_let_it_happen():
    for pace in ("fast", "secret"):
        table = meeting_table(pace=pace).hand(P, "1M 2A").hand(Q, "2T 1M 1A")
        table.do(P, "move", start="D4", to="D5", fleets=2, then="battle")
        assert table.awaited() == [(Q, "window")], pace
        events = table.events(table.do(Q, "pass"))
        assert "battle_declared" in events
        assert table.awaited() == [(P, "commit"), (Q, "commit")], pace


def test_a_movement_can_be_the_end_of_the_turn():
    table = meeting_table(pace="secret")
    table.do(P, "move", start="D4", to="D5", fleets=2, then="end_turn")
    table.do(Q, "pass")
    assert table.awaited() == [(Q, "battle_call")]
    table = Table(pace="secret").phase("movement").put(P, "D4", fleets=1)
    table.do(P, "move", start="D4", to="D5", fleets=1, free=True, then="end_turn")
    assert table.awaited() == [(Q, "retool")], "nobody is asked: it is done at once"


@pytest.mark.parametrize(
    ("answer", "parameters"),
    [("diplomacy_block", {}), ("retreat", {"to": "D6", "fleets": 1})],
)
@pytest.mark.parametrize("then", ["battle", "end_turn"])
def test_an_answer_to_a_movement_drops_the_follow_up(answer, parameters, then):
    table = meeting_table(pace="fast")
    table.do(P, "move", start="D4", to="D5", fleets=2, then=then)
    table.do(Q, answer, **parameters)
    assert table.awaited() == [(P, "movement")]


def test_without_an_enemy_no_battle_follows():
    table = Table(pace="fast").phase("movement").put(P, "D4", fleets=1)
    table.do(P, "move", start="D4", to="D5", fleets=1, free=True, then="battle")
    assert table.awaited() == [(P, "movement")]


def test_a_hazard_drops_the_follow_up():
    table = Table(exploration=True, pace="fast").phase("movement").put(P, "A1", fleets=1)
    chart = table.raw["chart"]
    chart["scouted"], chart["scouts"] = {"A2": "supernova"}, {"A2": [Q]}
    chart["pile"]["supernova"] -= 1
    table.do(P, "move", start="A1", to="A2", fleets=1, free=True, then="end_turn")
    assert table.state.players[P].fleets == {"A1": 1}
    assert table.awaited() == [(P, "movement")]


def test_a_follow_up_round_trips_as_text():
    view = GAME.view(meeting_table().start().state, P)
    for then, words in (("battle", "then battle"), ("end_turn", "then end")):
        command = {"name": "move", "from": "D4", "to": "D5", "fleets": 2, "then": then, "pay": ["move"]}
        text = GAME.render(command)
        assert words in text
        assert GAME.parse(text, view) == command
    assert GAME.parse("jump D4 E9 2F then end turn", view)["then"] == "end_turn"
    with pytest.raises(Refused) as refused:
        GAME.parse("move D4 D5 then dance", view)
    assert refused.value.parameter == "then"
