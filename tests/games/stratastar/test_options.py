"""Payment, exploration and the abilities beyond the worked examples (RULES.md 3, 10)."""

from __future__ import annotations

from collections import Counter

import pytest

from gamesvc.games.kernel import forms
from gamesvc.games.protocol import Session
from gamesvc.games.stratastar import GAME
from gamesvc.games.stratastar.rules import facts
from gamesvc.games.stratastar.rules.actions.payment import pick
from tests.games.stratastar.table import Table, cards

P, Q, R = 0, 1, 2


# --- payment ---


@pytest.mark.parametrize(
    ("hand", "need", "chosen"),
    [
        ("3B 1R", 2, "2B"),
        ("3B 1B+ 1R", 2, "1B+"),
        ("3B 2B+ 1R", 3, "1B+ 1B"),
        ("2B+ 1R", 3, "2B+"),
        ("1B 1R", 2, "1B 1R"),
        ("1B+ 1R", 1, "1B+"),
        ("1R", 1, "1R"),
        ("1B", 2, None),
    ],
)
def test_cards_are_chosen_in_the_order_of_the_rules(hand, need, chosen):
    assert pick(cards(hand), "build", need) == (None if chosen is None else tuple(cards(chosen)))


@pytest.mark.parametrize(
    ("pay", "code"),
    [("2B", "bad_pay"), ("5A", "bad_pay"), ("4B 2B+", "bad_pay"), ("6B", "bad_pay"), ("9B", "cannot_pay"), ("", "bad_pay")],
)
def test_wrong_payments_are_refused(pay, code):
    table = Table(power_cards=True).hand(P, "6B 2B+ 5A 1R").phase("build").put(P, "B2", colonies=1)
    assert table.refused(P, "terraform", space="B2", pay=pay) == code


@pytest.mark.parametrize("pay", ["5B", "3B 1B+", "1B 2B+", "4B 1R", "2B+ 1R"])
def test_accepted_payments(pay):
    table = Table(power_cards=True).hand(P, "6B 2B+ 5A 1R").phase("build").put(P, "B2", colonies=1)
    table.do(P, "terraform", space="B2", pay=pay)
    assert list(table.state.discard) == cards(pay), "in the order paid"


def test_overpaying_makes_credit_for_the_phase():
    table = Table(power_cards=True).hand(P, "3B+").phase("build").put(P, "B2", colonies=1)
    table.do(P, "terraform", space="B2")
    assert table.state.turn.credit == {"build": 1}
    table.do(P, "build_fleet")
    assert table.state.turn.credit == {}
    assert table.held(P) == []


@pytest.mark.parametrize(("pay", "fits"), [("1R 4B", True), ("1R 2B+", True), ("2R 3B", True), ("4B", False), ("2R 4B", False)])
def test_payments_of_a_breakthrough(pay, fits):
    table = Table(power_cards=True, breakthrough=True).hand(P, "2R 4B 2B+").phase("build").start()
    command = {"name": "breakthrough", "pay": cards(pay)}
    assert forms.offered(GAME.legal_commands(table.state, P), command) == fits
    if fits:
        table.do(P, "breakthrough", pay=pay)
    else:
        assert table.refused(P, "breakthrough", pay=pay) == "bad_pay"


def test_surplus_in_a_reaction_is_lost():
    table = Table(power_cards=True).hand(P, "1M").hand(Q, "1T 1T+").phase("movement", free_move=False)
    table.put(P, "A3", fleets=1).put(Q, "A4", colonies=1)
    table.do(P, "move", start="A3", to="A4", fleets=1)
    table.do(Q, "diplomacy_block", pay="1T+")
    assert table.state.turn.credit == {}
    assert table.held(Q) == ["trade"]


# --- exploration ---


def test_contact_opens_trade_for_good():
    table = Table(exploration=True).hand(P, "2T").hand(Q, "2B").phase("movement").put(P, "H10", fleets=1)
    table.raw["chart"]["unknown"].remove("I10")
    table.raw["chart"]["unknown"].remove("H10")
    table.raw["chart"]["pile"]["blank"] -= 2
    answer = table.do(P, "move", start="H10", to="I10", fleets=1, free=True)
    assert "contact_made" in table.events(answer)
    assert table.state.chart.contacts == ((P, Q),)
    table.do(P, "end_turn")
    assert table.state.turn.active == Q


def test_offers_need_contact():
    table = Table(exploration=True).hand(P, "1T").phase("trade")
    assert table.refused(P, "offer_trade", to=Q, give={"trade": 1}, want={}) == "no_contact"
    assert table.refused(P, "offer_trade", to=None, give={"trade": 1}, want={}) == "no_contact"


def test_no_chit_disconnects_the_homeworlds():
    table = Table(exploration=True).phase("movement").put(P, "A1", fleets=1)
    pile = table.raw["chart"]["pile"]
    pile["supernova"] -= 1
    table.raw["chart"]["unknown"].remove("A2")
    table.raw["chart"]["chits"] = {"A2": "supernova"}
    answer = table.start(0).do(P, "move", start="A1", to="B1", fleets=1, free=True)
    assert "move_bounced" not in table.events(answer), "worlds come first where no hazard may be drawn"
    assert facts.joined(table.state)
    pile |= {"world": 0, "blank": 0, "nebula": 8 + 20 + 60}
    table.start(3).do(P, "move", start="A1", to="B1", fleets=1, free=True)
    assert table.state.players[P].fleets == {"B1": 1}
    assert "B1" not in table.state.chart.chits


def test_a_scouted_chit_is_fixed_and_known_to_the_scout_alone():
    table = Table(exploration=True).hand(P, "2T").hand(Q, "1T").phase("trade").put(P, "A1", fleets=1).start(0)
    table.do(P, "scout", start="A1", to="B1")
    [scouted] = [event for event in table.session.log if event.type == "space_scouted"]
    assert "kind" not in (GAME.redact(scouted, Q) or {})
    assert (GAME.redact(scouted, P) or {})["kind"] == "world"
    assert table.refused(P, "scout", start="A1", to="B1") == "no_target"
    assert table.view(Q)["scouts"] == {"B1": [P]}
    table.do(P, "end_phase")
    table.do(P, "end_phase")
    table.do(P, "move", start="A1", to="B1", fleets=1, free=True)
    assert table.state.chart.chits == {"B1": "world"}
    assert table.state.chart.scouted == {}


# --- abilities ---


def test_wormholes_lead_from_black_holes_to_supernovas():
    table = Table().hand(P, "2M").phase("movement").ability(P, "wormholes").put(P, "C3", fleets=1)
    table.chit("C4", "black_hole").chit("H8", "supernova").chit("C2", "nebula")
    assert table.refused(P, "move", start="C3", to="C2", fleets=1) == "hazard"
    table.do(P, "move", start="C3", to="C4", fleets=1)
    table.do(P, "move", start="C4", to="H8", fleets=1, free=True)
    assert table.state.players[P].fleets == {"H8": 1}
    assert table.refused(P, "move", start="H8", to="C4", fleets=1) == "not_adjacent"


def test_hyper_jump_avoids_hazards_also_for_owners_of_wormholes():
    table = Table().hand(P, "5M").phase("movement").ability(P, "wormholes", "hyper_jump").put(P, "C3", fleets=2)
    table.chit("H8", "supernova")
    assert table.refused(P, "hyper_jump", start="C3", to="H8", fleets=1) == "hazard"
    table.do(P, "hyper_jump", start="C3", to="H7", fleets=1)
    assert table.state.players[P].fleets == {"C3": 1, "H7": 1}


def test_allied_minor_race_reaches_two_spaces():
    table = Table().hand(P, "4T").phase("build").ability(P, "allied_minor_race").put(P, "C3", fleets=1)
    table.chit("C5", "world").chit("C6", "world").chit("D4", "world").put(Q, "D4", fleets=1)
    assert table.refused(P, "allied_minor_race", space="C6") == "not_adjacent"
    assert table.refused(P, "allied_minor_race", space="D4") == "blocked"
    table.do(P, "allied_minor_race", space="C5")
    assert table.state.players[P].colonies == {"C5": 1}


def test_expansion_builds_at_colonies():
    table = Table().hand(P, "3B").phase("build").put(P, "C3", colonies=1)
    assert table.refused(P, "build_fleet", space="C3") == "not_owned"
    table.ability(P, "expansion").start()
    table.do(P, "build_fleet", space="C3")
    table.do(P, "build_fleet")
    assert table.state.players[P].fleets == {"C3": 1, "A1": 1}
    assert table.held(P) == []


def test_warfleets_cannot_exceed_the_supply():
    table = Table().hand(P, "3B").phase("build").ability(P, "warfleet").put(P, "A1", fleets=9)
    table.do(P, "build_warfleet")
    table.put(P, "A1", fleets=10).start()
    assert table.refused(P, "build_warfleet") == "no_supply"


def test_low_technology_needs_the_ability():
    table = Table(low_technology=True).hand(P, "3B").phase("build").put(P, "C3", colonies=1)
    assert table.refused(P, "build_stargate", space="C3") == "not_owned"
    table.ability(P, "stargates").start()
    table.do(P, "build_stargate", space="C3")


def test_piracy_discards_a_random_card():
    table = Table().hand(P, "2A").hand(Q, "1M 1T").phase("battle").ability(P, "piracy").start(1)
    table.do(P, "piracy", target=Q)
    assert table.held(Q) == ["move"]
    assert Counter(table.state.discard) == {"attack": 2, "trade": 1}


def test_the_deck_is_renewed_from_the_discard_pile():
    table = Table().phase("retool").hand(P, "0A")
    table.raw["discard"], table.raw["deck"] = table.raw["deck"][:83], table.raw["deck"][83:]
    answer = table.do(P, "retool", cards=[])
    assert table.events(answer).count("deck_reshuffled") == 1
    assert [len(player.hand) for player in table.state.players] == [5, 5]


def test_rounds_are_counted_out():
    table = Table(max_rounds=1).phase("battle", active=1).put(P, "B2", colonies=1).put(Q, "C2", colonies=1)
    answer = table.do(Q, "end_phase")
    assert answer["outcome"]["reason"] == "max_rounds"
    assert answer["outcome"]["ranking"] == [[P, Q]]
    assert answer["outcome"]["scores"] == [1, 1]


@pytest.mark.parametrize(
    "options",
    [
        {"abilities_all": ["stargates"]},
        {"abilities_by_seat": {"5": ["treaty"]}},
        {"abilities_by_seat": {"0": ["flying"]}},
        {"starting_fleets": 3},
        {"max_rounds": -1},
    ],
)
def test_conflicting_options_are_refused(options):
    answer = Session(GAME).answer({"op": "new", "seats": 2, "options": options, "seed": "options"})
    assert answer["refusal"]["code"] == "bad_options"
