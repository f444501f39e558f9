"""The rulings of RULES.md 15, by number. P, Q, R are the seats 0, 1, 2."""

from __future__ import annotations

from collections import Counter

from gamesvc.games.protocol import Session
from gamesvc.games.stratastar import GAME
from gamesvc.games.stratastar.rules import facts
from tests.games.stratastar.table import Table

P, Q, R = 0, 1, 2


def group(space: str, fleets: int, warfleets: int = 0) -> dict[str, object]:
    return {"space": space, "fleets": fleets, "warfleets": warfleets}


def test_ruling_1_starting_fleets():
    for fleets in (2, 4):
        session = Session(GAME)
        session.answer(
            {"op": "new", "seats": 2, "options": {"starting_fleets": fleets, "homeworld_choice": "random"}, "seed": "1"}
        )
        seat = session.match.state.turn.active
        assert facts.fleets_in_play(session.match.state.players[seat]) == fleets
        session.answer({"op": "command", "seat": seat, "command": {"name": "retool", "cards": []}})
        session.answer({"op": "command", "seat": seat, "command": {"name": "end_phase"}})
        assert session.match.state.turn.phase == ("build" if fleets == 2 else "support")


def test_ruling_2_closed_in():
    removed = 0
    for seed in range(60):
        session = Session(GAME)
        answer = session.answer({"op": "new", "seats": 2, "options": {"homeworld_choice": "random"}, "seed": f"closed {seed}"})
        removed += sum(event["type"].endswith("hazard_removed") for event in answer["events"])
        assert facts.joined(session.match.state)
    assert removed


def test_ruling_3_reverse_order():
    session = Session(GAME)
    answer = session.answer({"op": "new", "seats": 4, "options": {"homeworld_choice": "random"}, "seed": "reverse"})
    state = session.match.state
    assert state.order == state.placement[::-1]
    assert answer["awaited"][0]["seat"] == state.placement[-1]


def test_ruling_4_draw_to_maximum_never_discards():
    table = Table().hand(P, "9A").hand(Q, "8T")
    table.do(P, "retool", cards="1A")
    assert [len(player.hand) for player in table.state.players] == [8, 8]


def test_ruling_5_external_trade_takes_research():
    table = Table().hand(P, "1T").hand(Q, "1R").phase("trade")
    table.do(P, "external_trade", target=Q)
    assert table.held(P) == ["research"]
    assert table.state.discard == ("trade",)


def test_ruling_6_internal_trade_one_for_one():
    table = Table().hand(P, "1T").phase("trade")
    table.do(P, "internal_trade", others=[])
    assert len(table.held(P)) == 1


def test_ruling_7_support_rounds_down():
    table = Table().put(P, "B2", colonies=1).put(P, "B3", colonies=1).put(P, "B4", colonies=1)
    player = table.start().state.players[P]
    assert facts.capacity(player) == 3
    assert facts.capacity(player, 1) == 4


def test_ruling_8_world_without_colonies():
    table = Table().hand(P, "2B").phase("build").chit("C4", "world").put(P, "C4", fleets=1).put(Q, "C4", fleets=3)
    table.put(Q, "C5", colonies=1).put(P, "C5", fleets=1)
    assert table.refused(P, "colonize", space="C5") == "blocked"
    table.do(P, "colonize", space="C4")


def test_ruling_9_terraform_once():
    table = Table().hand(P, "5B").phase("build").put(P, "C4", colonies=2)
    assert table.refused(P, "terraform", space="C4") == "blocked"


def test_ruling_10_passing_through():
    table = Table(diplomacy=False, retreat=False).hand(P, "1M").phase("movement").put(P, "D4", fleets=1).put(Q, "D5", fleets=5)
    table.do(P, "move", start="D4", to="D5", fleets=1, free=True)
    table.do(P, "move", start="D5", to="D6", fleets=1)
    assert table.state.players[P].fleets == {"D6": 1}


def test_ruling_11_stargates_survive_and_can_be_attacked():
    table = Table().hand(P, "5A").phase("trade").put(Q, "D5", colonies=1, stargate=True).put(P, "D5", fleets=1)
    table.do(P, "disaster", seat=Q, piece="colony", space="D5")
    assert table.state.players[Q].stargates == ("D5",)
    table.do(P, "end_phase")
    table.do(P, "end_phase")
    table.do(P, "end_phase")
    table.do(P, "declare_battle", space="D5")
    assert table.state.players[Q].stargates == ()
    assert table.state.players[P].fleets == {"D5": 1}


def test_ruling_12_homeworld_stays_in_a_tie():
    table = Table().phase("battle").put(P, "J10", fleets=4)
    table.do(P, "declare_battle", space="J10")
    assert table.state.players[Q].home == "J10"
    assert table.state.players[P].fleets == {}


def test_ruling_13_three_owners_fight_one_battle():
    table = Table(3).phase("battle")
    table.put(P, "D5", fleets=2).put(Q, "D5", fleets=2).put(R, "D5", fleets=1)
    table.do(P, "declare_battle", space="D5")
    assert all(not facts.has_unit(player, "D5") for player in table.state.players)


def test_ruling_14_others_may_call():
    table = Table().hand(P, "1A").phase("battle").put(P, "D5", fleets=1).put(Q, "D5", fleets=3)
    table.do(P, "end_phase")
    assert table.awaited() == [(Q, "battle_call")]
    table.do(Q, "call_battle", space="D5")
    table.do(P, "commit_attack", cards="1A")
    assert table.state.players[P].fleets == {}
    assert table.state.turn.active == Q


def test_ruling_15_diplomacy_gives_back_and_lasts():
    table = Table().hand(Q, "2T").phase("movement").put(P, "A1", fleets=2, stargate=True).put(P, "F6", stargate=True)
    table.put(Q, "F6", fleets=1)
    table.do(P, "gate", start="A1", to="F6", fleets=2, free=True)
    table.do(Q, "diplomacy_block")
    assert table.state.turn.free_move
    assert table.refused(P, "gate", start="A1", to="F6", fleets=1, free=True) == "blocked"


def test_ruling_15_diplomacy_stops_jumps_and_the_way_home():
    table = Table().hand(P, "5M").hand(Q, "2T").phase("movement").put(P, "C3", fleets=1).put(Q, "G5", fleets=1)
    table.ability(P, "hyper_jump")
    table.do(P, "hyper_jump", start="C3", to="G5", fleets=1)
    table.do(Q, "diplomacy_block")
    assert Counter(table.held(P)) == {"move": 5}
    table = Table().hand(P, "5M").hand(Q, "2T").phase("movement").put(P, "C3", fleets=1).put(Q, "A1", fleets=1)
    table.ability(P, "defend_homeworld")
    table.do(P, "defend_homeworld", groups=[{"from": "C3", "fleets": 1, "warfleets": 0}])
    assert table.awaited() == [(Q, "window")]
    table.do(Q, "diplomacy_block")
    assert table.state.players[P].fleets == {"C3": 1}
    assert table.refused(P, "defend_homeworld", groups=[{"from": "C3", "fleets": 1, "warfleets": 0}]) == "blocked"


def test_ruling_16_pursuit_by_the_free_move():
    table = Table(diplomacy=False).hand(P, "1M").hand(Q, "2M").phase("movement").put(P, "D4", fleets=1).put(Q, "D5", fleets=1)
    table.do(P, "move", start="D4", to="D5", fleets=1)
    table.do(Q, "retreat", to="D6", fleets=1)
    table.do(P, "move", start="D5", to="D6", fleets=1, free=True)
    assert table.awaited() == [(Q, "window")]


def test_ruling_17_where_retreat_leads():
    table = Table(3, diplomacy=False).hand(Q, "1M").phase("movement").put(P, "A9", fleets=1).put(Q, "B9", fleets=1)
    table.chit("C9", "nebula").put(R, "B8", fleets=1).ability(Q, "nebulous_navigation")
    table.do(P, "move", start="A9", to="B9", fleets=1, free=True)
    assert table.refused(Q, "retreat", to="C9", fleets=1) == "blocked"
    assert table.refused(Q, "retreat", to="B8", fleets=1) == "blocked"
    table.do(Q, "retreat", to="B10", fleets=1)


def test_ruling_18_sabotage_before_the_effect():
    table = Table().hand(P, "1T").hand(Q, "3A 2M").phase("trade").ability(Q, "sabotage")
    table.order(Q, sabotage_kinds=["all"])
    table.do(P, "external_trade", target=Q)
    table.do(Q, "sabotage")
    assert table.held(P) == []
    assert len(table.held(Q)) == 2


def test_ruling_18_sabotaged_target_spends_its_hand():
    table = Table().hand(P, "1T").hand(Q, "3A").phase("trade").ability(Q, "sabotage")
    table.order(Q, sabotage_kinds=["all"])
    table.start()
    table.do(P, "external_trade", target=Q)
    for _ in range(3):
        table.do(Q, "spy", target="deck")
        assert table.awaited() == [(Q, "window")]
    answer = table.do(Q, "pass")
    assert "action_failed" in table.events(answer)
    assert table.awaited() == [(P, "trade")]


def test_ruling_19_sabotage_by_a_roll_of_ten():
    table = Table(breakthrough=True).hand(P, "1R 4B").phase("build").start(10)
    table.do(P, "breakthrough")
    assert "sabotage" in table.state.turn.choice
    assert "stargates" not in table.state.turn.choice
    table.do(P, "pick_ability", ability="sabotage")


def test_ruling_20_spying_any_time():
    table = Table().hand(P, "1A").hand(Q, "2A 1M").phase("battle").put(P, "D5", fleets=1).put(Q, "D5", fleets=1)
    table.do(P, "declare_battle", space="D5")
    table.do(Q, "commit_attack", cards="2A")
    table.do(P, "spy", target=Q)
    assert table.view(P)["records"][-1]["cards"] == ["attack", "attack", "move"]
    assert "own" not in table.view(P)["battle"]
    assert table.view(Q)["records"] == []


def test_ruling_21_own_time():
    table = Table().hand(P, "5A").put(Q, "D5", fleets=1)
    assert table.refused(P, "disaster", seat=Q, piece="fleet", space="D5") == "wrong_phase"
    for phase in ("trade", "build", "movement", "battle"):
        table.phase(phase).start()
        table.do(P, "disaster", seat=Q, piece="fleet", space="D5")


def test_ruling_22_planning_before_payment():
    table = Table().hand(P, "2B").phase("battle").ability(P, "planning")
    assert table.refused(P, "planning") == "no_target"
    table.discard("1A").start()
    table.do(P, "planning")
    assert table.held(P) == ["attack"]


def test_ruling_23_treaty_forbids_and_allows():
    table = Table().hand(P, "5T 5A 2T").phase("trade").ability(P, "treaty", "piracy", "border_raids", "treason").hand(Q, "1M")
    table.put(Q, "D5", fleets=1).put(Q, "E5", colonies=1).put(P, "E6", fleets=1)
    table.hand(P, "10T 5A")
    table.do(P, "treaty", target=Q)
    assert table.state.treaties[0].until == table.state.players[P].turns + 2
    assert table.refused(P, "piracy", target=Q) == "treaty"
    assert table.refused(P, "border_raids", seat=Q, space="E5") == "treaty"
    assert table.refused(P, "disaster", seat=Q, piece="fleet", space="D5") == "treaty"
    table.do(P, "spy", target=Q)
    table.do(P, "treason", seat=Q, piece="fleet", space="D5")


def test_ruling_24_border_raid():
    table = Table().hand(P, "2A").phase("movement").ability(P, "border_raids").put(P, "D4", fleets=1)
    for space in ("D5", "E5", "F5"):
        table.put(Q, space, colonies=1)
    table.do(P, "border_raids", seat=Q, space="D5")
    assert table.refused(P, "border_raids", seat=Q, space="D5") == "no_target"
    assert facts.hand_limit(table.state, Q) == 6
    table.do(P, "end_turn")
    assert facts.hand_limit(table.state, Q) == 5
    table.do(Q, "retool", cards=[])
    table.do(Q, "end_phase")
    assert table.state.players[Q].raided == {}


def test_ruling_25_wild_research_in_battle():
    table = Table().hand(P, "1R").phase("battle").put(P, "D5", fleets=1).put(Q, "D5", fleets=1)
    table.do(P, "declare_battle", space="D5")
    table.do(P, "commit_attack", cards="1R")
    assert table.state.players[P].fleets == {"D5": 1}


def test_ruling_26_power_cards():
    table = Table(power_cards=True).hand(P, "4A+ 3M")
    table.do(P, "retool", cards="3A+")
    assert len(table.held(P)) == 5
    table = Table(power_cards=True).hand(P, "1T 2A+").phase("trade")
    table.do(P, "internal_trade", others="2A+")
    assert len(table.held(P)) == 5


def test_ruling_27_warfleets():
    table = Table().hand(P, "5T").phase("trade").ability(P, "treason", "warfleet").put(Q, "D5", warfleets=1)
    table.put(P, "A1", fleets=9)
    table.do(P, "treason", seat=Q, piece="warfleet", space="D5")
    player = table.state.players[P]
    assert player.warfleets == {"D5": 1}
    assert facts.fleets_in_play(player) == 10
    assert facts.excess(player) == 8
    table.put(P, "A1", fleets=10).start()
    assert table.refused(P, "treason", seat=Q, piece="warfleet", space="D5") == "no_supply"
    table = Table().hand(P, "1B").phase("build").chit("C4", "world").put(P, "C4", warfleets=1)
    assert table.refused(P, "colonize", space="C4") == "no_units"


def test_ruling_28_uneven_start():
    for way in ("deal", "draft"):
        session = Session(GAME)
        options = {"uneven_start": way, "homeworld_choice": "random", "abilities_all": ["treaty"]}
        session.answer({"op": "new", "seats": 4, "options": options, "seed": way})
        picked = []
        while (waiting := GAME.awaited(session.match.state)) and waiting[0].prompt == "ability_draft":
            command = session.answer({"op": "default", "seat": waiting[0].seat})["command"]
            picked.append(waiting[0].seat)
            assert session.answer({"op": "command", "seat": waiting[0].seat, "command": command})["ok"]
        state = session.match.state
        owned = [ability for player in state.players for ability in player.abilities if ability != "treaty"]
        assert len(owned) == len(set(owned)) == 4
        assert "stargates" not in owned
        assert picked == ([] if way == "deal" else list(state.order)[::-1])


def test_ruling_29_defend_the_homeworld():
    table = Table(diplomacy=False, retreat=False).hand(Q, "5M").phase("movement").put(P, "H10", fleets=2)
    table.put(Q, "C3", fleets=2).put(Q, "D3", warfleets=1).ability(Q, "defend_homeworld")
    table.do(P, "move", start="H10", to="I10", fleets=2, free=True)
    assert table.awaited() == [(Q, "window")]
    table.do(Q, "defend_homeworld", groups=[{"from": "C3", "fleets": 2, "warfleets": 0}])
    assert table.state.players[Q].fleets == {"J10": 2}
    assert table.awaited() == [(P, "movement")]


def test_ruling_30_unrevealed_hazard():
    table = Table(exploration=True).hand(P, "1T 1M").phase("movement").put(P, "A1", fleets=2).start(28, 0)
    table.do(P, "scout", start="A1", to="B1")
    assert table.view(P)["scouted"] == {"B1": "nebula"}
    assert table.view(Q)["scouted"] == {}
    table.do(P, "move", start="A1", to="B1", fleets=2)
    assert table.state.players[P].fleets == {"A1": 2}
    assert table.state.chart.chits == {"B1": "nebula"}
    assert table.held(P) == []


def test_ruling_31_undefended_homeworld():
    table = Table().phase("battle").put(P, "J10", fleets=3)
    answer = table.do(P, "declare_battle", space="J10")
    [resolved] = [one["data"] for one in answer["events"] if one["type"].endswith("battle_resolved")]
    assert resolved["forces"] == {"0": 3, "1": 4}
    assert resolved["winner"] == Q


def test_ruling_32_mixed_worlds():
    table = Table().hand(P, "5T").phase("trade").ability(P, "treason").put(Q, "D5", colonies=2)
    table.do(P, "treason", seat=Q, piece="colony", space="D5")
    assert [facts.worlds(player) for player in table.state.players] == [1, 1]
