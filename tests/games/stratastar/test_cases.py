"""The worked examples of RULES.md 16. P, Q, R are the seats 0, 1, 2."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from gamesvc.games.protocol import Session
from gamesvc.games.stratastar import GAME, data
from gamesvc.games.stratastar.rules import facts
from tests.games.stratastar.table import Table, cards

P, Q, R = 0, 1, 2


def test_case_1_deck():
    plain, power = Counter(data.deck(False)), Counter(data.deck(True))
    assert plain == {"attack": 20, "move": 20, "build": 20, "trade": 20, "research": 5}
    assert power.total() == plain.total() == 85
    assert all(power[kind] == 16 and power[f"{kind}2"] == 4 for kind in ("attack", "move", "build", "trade"))


def test_case_2_order():
    session = Session(GAME)
    started = session.answer({"op": "new", "seats": 3, "seed": "order"})
    placement = started["events"][0]["data"]["placement"]
    for seat, corner in zip(placement, ("A1", "J1", "A10")):
        assert [one["seat"] for one in started["awaited"]] == [seat]
        started = session.answer({"op": "command", "seat": seat, "command": {"name": "place_homeworld", "corner": corner}})
        assert started["ok"]
    state = session.match.state
    assert list(state.order) == placement[::-1]
    assert state.turn.active == placement[2]
    for player in state.players:
        assert len(player.hand) == 5
        assert player.fleets == {player.home: 2}
        assert player.stargates == (player.home,)


def test_case_3_hand_maximum():
    table = Table()
    for column in "BCDE":
        table.put(P, f"{column}2", colonies=2)
    assert facts.hand_limit(table.start().state, P) == 7
    table.ability(P, "hand_size")
    assert facts.hand_limit(table.start().state, P) == 8
    table.raw["players"][P]["raided"] = {"B2": 2, "C2": 1}
    assert facts.hand_limit(table.start().state, P) == 7
    table.phase("retool", active=Q)
    assert facts.hand_limit(table.start().state, P) == 8


def test_case_4_production():
    table = Table(3).hand(P, "1A 1M 1B").hand(Q, "5T").hand(R, "7A")
    for space in ("C2", "C3", "C4"):
        table.put(Q, space, colonies=1)
    answer = table.do(P, "retool", cards=[])
    drawn = [(one["data"]["seat"], len(one["data"]["cards"])) for one in answer["events"] if one["type"].endswith("cards_drawn")]
    assert drawn == [(P, 2), (Q, 1)]
    assert [len(player.hand) for player in table.state.players] == [5, 6, 7]


@pytest.mark.parametrize(("held", "left", "pile"), [("1B", "1T 1B", "1T"), ("1T", "1T", "2T")])
def test_case_5_external_trade(held, left, pile):
    table = Table().hand(P, "2T").hand(Q, held).phase("trade")
    table.do(P, "external_trade", target=Q)
    assert sorted(table.held(P)) == sorted(cards(left))
    assert table.held(Q) == []
    assert list(table.state.discard) == cards(pile)


def test_case_6_internal_trade():
    table = Table().hand(P, "1T 2A 1M").phase("trade")
    table.do(P, "internal_trade", others="2A")
    assert len(table.held(P)) == 4
    assert "move" in table.held(P)
    assert table.refused(P, "internal_trade", others=[]) == "once_per_turn"


def test_case_6_internal_trade_with_a_power_card():
    table = Table(power_cards=True).hand(P, "1T+ 1A").phase("trade")
    table.do(P, "internal_trade", others="1A")
    assert len(table.held(P)) == 3
    assert table.state.turn.credit == {}


def support_table(fleets: int, colonies: int, hand: str) -> Table:
    table = Table().hand(P, hand).phase("support").put(P, "A1", fleets=fleets)
    for row in range(colonies):
        table.put(P, f"B{row + 1}", colonies=1)
    return table


@pytest.mark.parametrize(("builds", "disbanded"), [(0, 2), (1, 1), (3, 0)])
def test_case_7_support(builds, disbanded):
    table = support_table(6, 5, "3B")
    groups = [{"space": "A1", "fleets": disbanded, "warfleets": 0}] if disbanded else []
    more = [{"space": "A1", "fleets": disbanded + 1, "warfleets": 0}]
    assert table.refused(P, "support", builds=builds, disband=more) == "bad_excess"
    table.do(P, "support", builds=builds, disband=groups)
    assert table.state.players[P].fleets == {"A1": 6 - disbanded}
    assert table.state.turn.phase == "build"


def test_case_7_support_without_builds():
    table = support_table(4, 0, "2A")
    table.do(P, "support", builds=[], disband=[{"space": "A1", "fleets": 2, "warfleets": 0}])
    assert facts.fleets_in_play(table.state.players[P]) == 2


def test_case_8_colonize_and_terraform():
    table = Table().hand(P, "1R 11B").phase("build").chit("C4", "world").put(P, "C4", fleets=1)
    table.do(P, "colonize", space="C4", pay="1R")
    assert table.state.players[P].fleets == {"C4": 1}
    assert table.refused(P, "colonize", space="C4") == "blocked"
    table.do(P, "terraform", space="C4")
    assert table.state.players[P].colonies == {"C4": 2}
    assert facts.worlds(table.state.players[P]) == 1
    assert table.refused(P, "terraform", space="C4") == "blocked"


def test_case_9_moves():
    table = Table().hand(P, "2M").phase("movement").put(P, "A1", fleets=1).chit("C3", "nebula")
    table.do(P, "move", start="A1", to="A2", fleets=1, warfleets=0, free=True)
    table.do(P, "move", start="A2", to="A3", fleets=1)
    table.do(P, "move", start="A3", to="B3", fleets=1, free=False)
    assert table.state.players[P].fleets == {"B3": 1}
    assert table.refused(P, "move", start="B3", to="B4", fleets=1) == "cannot_pay"
    assert table.refused(P, "move", start="B3", to="B4", fleets=1, free=True) == "once_per_turn"


def test_case_9_nebula():
    table = Table().hand(P, "2M").phase("movement").put(P, "A3", fleets=1).chit("B3", "nebula")
    assert table.refused(P, "move", start="A3", to="B3", fleets=1) == "hazard"
    table = Table().hand(P, "2M").phase("movement").put(P, "A3", fleets=1).chit("B3", "nebula")
    table.ability(P, "nebulous_navigation")
    assert table.refused(P, "move", start="A3", to="B3", fleets=1, free=True) == "hazard"
    table.do(P, "move", start="A3", to="B3", fleets=1)
    assert table.held(P) == []
    assert table.state.players[P].fleets == {"B3": 1}


def test_case_10_gate():
    table = Table().phase("movement").put(P, "A1", fleets=3, stargate=True).put(P, "F6", colonies=1, stargate=True)
    table.put(Q, "E5", colonies=1, stargate=True)
    assert table.refused(P, "gate", start="A1", to="E5", fleets=3, free=True) == "no_target"
    table.do(P, "gate", start="A1", to="F6", fleets=3, free=True)
    assert table.state.players[P].fleets == {"F6": 3}
    assert not table.state.turn.free_move


def battle_table(**options) -> Table:
    table = Table(**options).hand(P, "2A").hand(Q, "2A").phase("battle")
    return table.put(P, "D5", fleets=3).put(Q, "D5", fleets=1, colonies=1, stargate=True)


def test_case_11_battle_tie():
    table = battle_table()
    table.do(P, "declare_battle", space="D5")
    table.do(P, "commit_attack", cards="1A")
    table.do(Q, "commit_attack", cards="2A")
    p, q = table.state.players[P], table.state.players[Q]
    assert not facts.has_unit(p, "D5")
    assert not facts.stands(q, "D5")
    assert table.state.discard == ("attack",) * 3


def test_case_11_battle_won():
    table = battle_table()
    table.do(P, "declare_battle", space="D5")
    table.do(Q, "commit_attack", cards="2A")
    answer = table.do(P, "commit_attack", cards="2A")
    [resolved] = [one["data"] for one in answer["events"] if one["type"].endswith("battle_resolved")]
    assert resolved["forces"] == {"0": 5, "1": 4}
    assert resolved["winner"] == P
    assert table.state.players[P].fleets == {"D5": 3}
    assert not facts.stands(table.state.players[Q], "D5")


def home_table() -> Table:
    return Table().hand(P, "1A").hand(Q, "1M").phase("battle").put(P, "J10", fleets=4).put(Q, "J10", stargate=True)


def test_case_12_homeworld_captured():
    table = home_table()
    table.do(P, "declare_battle", space="J10")
    table.do(P, "commit_attack", cards="1A")
    answer = table.do(Q, "commit_attack", cards=[])
    assert "homeworld_captured" in table.events(answer)
    assert answer["outcome"]["reason"] == "capture"
    assert answer["outcome"]["ranking"][0] == [P]


def test_case_12_homeworld_tie():
    table = home_table()
    table.do(P, "declare_battle", space="J10")
    table.do(P, "commit_attack", cards=[])
    table.do(Q, "commit_attack", cards=[])
    assert table.state.players[P].fleets == {}
    assert table.state.players[Q].stargates == ()
    assert table.state.players[Q].home == "J10"
    assert table.state.ended is None


def test_case_13_secrecy():
    table = battle_table()
    table.do(P, "declare_battle", space="D5")
    answer = table.do(P, "commit_attack", cards="2A")
    [committed] = [one for one in table.session.log if one.type == "attack_committed"]
    assert GAME.redact(committed, Q) == {"seat": P}
    seen = table.view(Q)
    assert seen["battle"]["committed"] == [P]
    assert "own" not in seen["battle"]
    assert seen["players"][P]["hand"] == 2
    assert table.view(P)["battle"]["own"] == ["attack", "attack"]
    answer = table.do(Q, "commit_attack", cards=[])
    [revealed] = [one["data"] for one in answer["events"] if one["type"].endswith("attacks_revealed")]
    assert revealed["commits"] == {"0": ["attack", "attack"], "1": []}


def test_case_14_diplomacy():
    table = Table().hand(P, "1M").hand(Q, "2T").phase("movement", free_move=False)
    table.put(P, "A3", fleets=1).put(Q, "A4", colonies=1)
    table.do(P, "move", start="A3", to="A4", fleets=1)
    assert table.awaited() == [(Q, "window")]
    table.do(Q, "diplomacy_block")
    assert table.state.players[P].fleets == {"A3": 1}
    assert table.held(P) == ["move"]
    assert table.held(Q) == []
    assert list(table.state.discard) == ["trade", "trade"]
    assert table.refused(P, "move", start="A3", to="A4", fleets=1) == "blocked"
    table.do(P, "end_turn")
    table.do(Q, "retool", cards=[])
    table.do(Q, "end_turn")
    table.do(P, "retool", cards=[])
    table.do(P, "go_to_movement")
    table.do(P, "move", start="A3", to="A4", fleets=1, free=True)


def test_going_to_movement_ends_trade_and_build():
    """RULES.md 5: one command for both phases, from the trade phase alone, and never past the support that is due."""
    table = Table().phase("retool")
    assert table.refused(P, "go_to_movement") == "wrong_phase"
    table.do(P, "retool", cards=[])
    answer = table.do(P, "go_to_movement")
    ended = [event["data"]["phase"] for event in answer["events"] if event["type"].endswith("phase_ended")]
    assert ended == ["trade", "build"]
    assert table.awaited() == [(P, "movement")]
    assert table.refused(P, "go_to_movement") == "wrong_phase"
    due = Table().phase("trade").put(P, "A2", fleets=4)
    assert "go_to_movement" not in {form.name for form in GAME.legal_commands(due.start().state, P)}
    assert due.refused(P, "go_to_movement") == "wrong_phase"


def test_case_15_retreat_and_pursuit():
    table = Table(3, diplomacy=False).hand(P, "1M").hand(Q, "2M").phase("movement")
    table.put(P, "D4", fleets=2).put(Q, "D5", fleets=1).put(R, "C5", fleets=1)
    table.do(P, "move", start="D4", to="D5", fleets=2, free=True)
    assert table.awaited() == [(Q, "window")]
    assert table.refused(Q, "retreat", to="C5", fleets=1) == "blocked"
    table.do(Q, "retreat", to="D6", fleets=1)
    assert table.state.players[Q].fleets == {"D6": 1}
    assert table.awaited() == [(P, "movement")]
    table.do(P, "move", start="D5", to="D6", fleets=2)
    assert table.awaited() == [(Q, "window")]
    table.do(Q, "pass")
    assert table.awaited() == [(P, "movement")]


def test_case_16_orders():
    table = Table().hand(Q, "2T 2M").phase("movement").put(P, "D4", fleets=2).put(Q, "D5", fleets=1)
    table.start()
    table.do(Q, "set_orders", orders={"retreat": {"mode": "never"}, "diplomacy": {"mode": "never"}})
    table.do(P, "move", start="D4", to="D5", fleets=2, free=True)
    assert table.state.players[P].fleets == {"D5": 2}
    assert table.awaited() == [(P, "movement")]


def test_case_17_sabotage():
    table = Table().hand(P, "6B").hand(Q, "3A").phase("build").put(P, "B2", colonies=1).ability(Q, "sabotage")
    table.do(P, "terraform", space="B2")
    assert table.awaited() == [(Q, "window")]
    table.do(Q, "sabotage")
    assert table.state.players[P].colonies == {"B2": 1}
    assert Counter(table.state.discard) == {"build": 5, "attack": 3}
    assert table.awaited() == [(P, "build")]
    table.do(P, "build_fleet")


def test_case_18_disaster():
    table = Table().hand(P, "4A 1R").phase("trade").put(Q, "D5", fleets=3)
    table.raw["treaties"] = [{"seat": Q, "partner": P, "until": 3}]
    assert table.refused(P, "disaster", seat=Q, piece="fleet", space="D5") == "treaty"
    table.raw["treaties"] = []
    table.start()
    offered = [form for form in table.ask(op="legal", seat=P)["forms"] if form["name"] == "disaster"]
    assert [form["parameters"]["properties"]["seat"]["at"] for form in offered] == [{str(Q): f"seat:{Q}"}]
    table.do(P, "disaster", seat=Q, piece="fleet", space="D5")
    assert table.state.players[Q].fleets == {"D5": 2}
    assert table.held(P) == []


def test_case_19_breakthrough():
    table = Table(breakthrough=True).hand(P, "1R 4B").phase("build").ability(P, "warfleet").start(1, 1, 5)
    answer = table.do(P, "breakthrough")
    assert table.events(answer).count("ability_rolled") == 3
    assert table.awaited() == [(P, "pick_ability")]
    assert table.held(P) == []
    assert table.state.turn.choice == ("wormholes", "expansion")
    assert table.refused(P, "end_phase") == "wrong_phase"
    table.do(P, "pick_ability", ability="expansion")
    assert table.state.players[P].abilities == ("warfleet", "expansion")
    assert table.awaited() == [(P, "build")]


def test_case_20_planning():
    table = Table().hand(P, "2B").phase("trade").discard("1T 1M").ability(P, "planning")
    table.do(P, "planning")
    assert table.held(P) == ["move"]
    assert table.state.discard == ("trade", "build", "build")


def pass_turn(table: Table, seat: int) -> None:
    table.do(seat, "retool", cards=[])
    table.do(seat, "end_turn")


def test_case_21_treaty():
    table = Table(diplomacy=False, retreat=False).hand(P, "5T").phase("trade").ability(P, "treaty")
    table.put(P, "D5", fleets=1).put(Q, "D5", fleets=1)
    table.raw["players"][P]["turns"], table.raw["players"][Q]["turns"] = 4, 3
    table.do(P, "treaty", target=Q)
    for _ in range(3):
        while table.state.turn.phase != "battle":
            table.do(P, "retool", cards=[]) if table.state.turn.phase == "retool" else table.do(P, "end_phase")
        assert table.refused(P, "declare_battle", space="D5") == "treaty"
        table.do(P, "end_phase")
        assert table.state.turn.active == Q, "nobody was asked for a battle"
        if table.state.treaties:
            table.do(Q, "retool", cards=[])
            for _ in range(3):
                table.do(Q, "end_phase")
            assert table.refused(Q, "declare_battle", space="D5") == "treaty"
            table.do(Q, "end_phase")
    assert table.state.players[P].turns == 6
    assert table.state.treaties == ()
    table.do(Q, "retool", cards=[])
    for _ in range(3):
        table.do(Q, "end_phase")
    table.do(Q, "declare_battle", space="D5")


def test_case_22_power_move():
    table = Table(power_cards=True).hand(P, "1M+").phase("movement", free_move=False).put(P, "A1", fleets=1)
    table.do(P, "move", start="A1", to="A2", fleets=1)
    assert table.state.turn.credit == {"move": 1}
    table.do(P, "move", start="A2", to="A3", fleets=1)
    assert table.state.turn.credit == {}
    table.start()
    table.do(P, "move", start="A1", to="A2", fleets=1)
    table.do(P, "end_phase")
    assert table.state.turn.credit == {}


def test_case_23_trade_offer():
    table = Table(3).hand(P, "1T").phase("trade")
    offer = {"to": Q, "give": {"trade": 1}, "want": {"move": 1}, "wait": True}
    table.do(P, "offer_trade", **offer)
    assert table.awaited() == [(Q, "trade_reply")]
    [made] = table.state.offers
    assert table.refused(Q, "accept_offer", offer=made.id) == "cannot_pay"
    table.hand(Q, "1M").start()
    table.do(P, "offer_trade", **offer)
    [made] = table.state.offers
    table.do(Q, "accept_offer", offer=made.id)
    assert table.held(P) == ["move"]
    assert table.held(Q) == ["trade"]
    swapped = table.session.log[-1]
    seen = GAME.redact(swapped, R)
    assert swapped.type == "cards_swapped"
    assert seen is not None
    assert (seen["given"], seen["wanted"]) == (1, 1)
    assert "give" not in seen
    assert "1 for 1" in GAME.tell(replace(swapped, data=seen), R, ("P", "Q", "R"))


def test_case_24_victory():
    table = Table().hand(P, "1B").phase("build").chit("J5", "world").put(P, "J5", fleets=1)
    for at in range(11):
        table.put(P, f"{'BCDEFGHIJBC'[at]}{2 + at // 9}", colonies=2 if at < 2 else 1)
    assert facts.worlds(table.start().state.players[P]) == 11
    answer = table.do(P, "colonize", space="J5")
    assert answer["outcome"]["reason"] == "worlds"
    assert answer["outcome"]["ranking"] == [[P], [Q]]
    assert answer["awaited"] == []


def test_case_25_exploration():
    table = Table(exploration=True).hand(P, "1T").hand(Q, "1M").phase("movement").put(P, "A1", fleets=1)
    table.start(20)
    answer = table.do(P, "move", start="A1", to="B1", fleets=1, free=True)
    assert "move_bounced" in table.events(answer)
    assert table.state.chart.chits == {"B1": "supernova"}
    assert table.state.players[P].fleets == {"A1": 1}
    assert not table.state.turn.free_move
    table.phase("trade").start()
    assert table.refused(P, "external_trade", target=Q) == "no_contact"
