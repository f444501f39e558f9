"""The first 23 rulings of RULES.md 19: the board, building, movement, combat, conquest. Through the engine protocol."""

from __future__ import annotations

import pytest

from gamesvc.games.star_commander.state import near
from tests.games.star_commander.table import Table, shots


def test_ruling_1_links_join_edge_neighbours() -> None:
    table = Table().system("1,1", "trade_world").system("1,2", "core_world")
    ship = table.vessel(0, "scout", "2,2")
    assert near("2,2", 3) == ("1,2", "2,1")
    table.refuse(0, "move_ships", "cannot_jump", ships=[ship], to="1,1")
    table.done(0, "move_ships", ships=[ship], to="1,2")


@pytest.mark.parametrize(("lethal", "dies"), [("at_least", True), ("more_than", False)])
def test_ruling_2_lethal_is_at_least_hp_unless_chosen(lethal: str, dies: bool) -> None:
    table = Table("classic", lethal=lethal).system("1,1", "trade_world")
    fighters = [table.vessel(0, "strike_fighter", "1,1") for _ in range(10)]
    battleship = table.vessel(1, "battleship", "1,1")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**dict.fromkeys(fighters, (battleship, 1))))
    table.do(1, "assign_damage", assignments={})
    assert table.has(battleship) is not dies


def test_ruling_2_revised_knows_no_other_reading() -> None:
    table = Table()
    answer = table.session.answer({"op": "new", "seats": 2, "options": {"edition": "revised", "lethal": "more_than"}})
    assert answer["refusal"]["code"] == "bad_options"


def test_ruling_3_no_ready_phase_on_each_seats_first_turn() -> None:
    table = Table().at("command", 0)
    for seat in table.state["seats"]:
        seat["turns_taken"] = 0
    credits = table.seat(1)["credits"]
    events = table.end_turn()
    assert not table.sent_of(events, "credits_gained")
    assert table.seat(1)["credits"] == credits
    assert table.sent_of(table.end_turn(), "credits_gained"), "seat 0 has its ready phase on its second turn"


def test_ruling_4_damage_and_bonus_go_together() -> None:
    table = Table().system("1,1", "trade_world")
    corvette, destroyer = table.vessel(1, "corvette", "1,1"), table.vessel(0, "destroyer", "1,1")
    [shields] = table.hand(1, "raise_shields")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{destroyer: (corvette, 3)}))
    table.do(1, "assign_damage", assignments={})
    table.do(1, "play_command", uid=shields, targets={"a": "1,1"})
    table.passes()
    assert [hit["amount"] for hit in table.ever("damage_dealt")[0]["hits"]] == [3]
    table.end_turn()
    assert table.has(corvette), "3 damage on 2 + 2 hit points: both end at once"
    assert table.state["vessels"][corvette]["damage"] == 0


def test_ruling_5_ship_limit_counts_scouts_and_fighters() -> None:
    table = Table().home(0, 2).credits(0, 9)
    table.vessel(0, "scout", "2,2")
    table.vessel(0, "strike_fighter", "2,2")
    table.refuse(0, "build_ship", "limit", card="corvette", cell="2,2")
    assert sorted(one["card"] for one in table.state["vessels"].values()) == ["scout", "strike_fighter"]
    assert table.seat(0)["credits"] == 9


def test_ruling_6_limits_bind_when_building_only() -> None:
    table = Table("classic").home(0, 2).credits(0, 9).system("2,1", "trade_world", 0, 1)
    carrier = table.vessel(0, "carrier", "2,1")
    fighters = [table.vessel(0, "strike_fighter", "2,1") for _ in range(3)]
    table.do(0, "move_ships", ships=[carrier], to="2,2", carried={carrier: fighters})
    assert [table.state["vessels"][at]["cell"] for at in fighters] == ["2,2"] * 3, "entering has no limit"
    table.refuse(0, "build_ship", "limit", card="strike_fighter", cell="2,2")


def test_ruling_6_bribery_finds_no_fighter_at_the_limit() -> None:
    table = Table("classic").home(0, 1).system("1,1", "trade_world")
    table.vessel(0, "strike_fighter", "1,1")
    fighter, scout = table.vessel(1, "strike_fighter", "1,1"), table.vessel(1, "scout", "1,1")
    [bribery] = table.hand(0, "bribery")
    table.refuse(0, "play_command", "illegal_target", uid=bribery, targets={"a": fighter})
    table.done(0, "play_command", uid=bribery, targets={"a": scout})
    assert table.state["vessels"][scout]["controller"] == 0


@pytest.mark.parametrize("edition", ["classic", "revised"])
def test_ruling_7_maximum_development(edition: str) -> None:
    table = Table(edition).system("1,1", "black_hole", 0, 2).credits(0, 9)
    table.refuse(0, "develop", "limit", cell="1,1")
    assert (table.cell("1,1")["devs"], table.seat(0)["credits"]) == (2, 9)


@pytest.mark.parametrize("edition", ["classic", "revised"])
def test_ruling_8_developing_under_siege_and_contested(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world", 0, 1, last_combat=11).credits(0, 9)
    table.vessel(1, "corvette", "1,1")
    table.done(0, "develop", cell="1,1")
    assert table.cell("1,1")["devs"] == 2
    assert table.view(0)["cells"]["1,1"]["besieged"]
    assert table.view(0)["cells"]["1,1"]["contested"]


def test_ruling_9_copies_of_a_technology_add_up() -> None:
    table = Table("classic").system("1,1", "trade_world")
    ship = table.vessel(0, "corvette", "1,1")
    table.tech(0, "advanced_weapons", "advanced_weapons")
    assert table.view(0)["vessels"][ship]["attack"] == 4


@pytest.mark.parametrize(("edition", "may"), [("classic", True), ("revised", False)])
def test_ruling_10_long_jump_and_fighters(edition: str, may: bool) -> None:
    table = Table(edition).system("2,1", "trade_world", 0, 1).system("1,1", "core_world")
    fighter, scout = table.vessel(0, "strike_fighter", "2,2"), table.vessel(0, "scout", "2,2")
    [card] = table.hand(0, "jump_stabilization")
    table.done(0, "play_command", uid=card, targets={"a": "2,2"})
    if may:
        table.done(0, "move_ships", ships=[fighter, scout], to="1,1")
        assert table.state["vessels"][fighter]["cell"] == "1,1"
    else:
        table.refuse(0, "move_ships", "cannot_jump", ships=[fighter], to="1,1")
        table.done(0, "move_ships", ships=[scout], to="1,1")
    assert table.state["vessels"][scout]["jumps"] == 1
    table.refuse(0, "move_ships", "cannot_jump", ships=[scout], to="1,0")


@pytest.mark.parametrize("edition", ["classic", "revised"])
def test_ruling_11_draw_only_from_controlled_domains(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world", 0, 1).credits(0, 9)
    table.refuse(0, "trade_draw", "no_domain", domain="science")
    table.done(0, "trade_draw", domain="industry")
    bare = Table(edition).at("command", 1)
    assert bare.sent_of(bare.end_turn(), "draw_skipped")[0]["reason"] == "no_domain"


def test_ruling_12_who_besieges_and_who_prevents_it() -> None:
    def besieged(besieger: str, *defenders: str) -> bool:
        table = Table().system("1,1", "trade_world", 1, 2)
        table.vessel(0, besieger, "1,1")
        for card in defenders:
            table.vessel(1, card, "1,1")
        found: bool = table.view(0)["cells"]["1,1"]["besieged"]
        return found

    assert besieged("scout")
    assert not besieged("strike_fighter")
    assert besieged("scout", "scout")
    assert besieged("scout", "refinery")
    assert not besieged("battleship", "strike_fighter")
    assert not besieged("battleship", "refinery", "missile_platform")


def test_ruling_13_siege_switches_off_the_system_card_only() -> None:
    table = Table().system("1,1", "trade_world", 1, 3).credits(1, 0)
    table.vessel(1, "refinery", "1,1")
    table.vessel(0, "scout", "1,1")
    table.end_turn()
    assert table.seat(1)["credits"] == 1 + 2, "the Homeworld and the Refinery, nothing from the system"


def test_ruling_14_trade_needs_the_active_seat() -> None:
    table = Table(seats=3)
    table.refuse(1, "offer_trade", "illegal_target", to=2, give={"credits": 1}, want={})
    table.do(1, "offer_trade", to=0, give={"credits": 1}, want={})
    table.do(0, "offer_trade", to=2, give={"credits": 1}, want={})
    assert len(table.state["offers"]) == 2
    table.do(0, "end_command")
    assert table.state["offers"] == []
    table.refuse(1, "accept_trade", "no_target", offer=1)


def test_ruling_15_homeworlds_cannot_be_traded() -> None:
    table = Table()
    table.refuse(0, "offer_trade", "not_owned", to=1, give={"systems": ["2,2"]}, want={"credits": 1})
    assert table.ever("trade_offered") == []


def test_ruling_16_the_whole_stack_resolves_without_new_windows() -> None:
    table = Table()
    [one, two] = table.hand(0, "trade_envoy", "trade_envoy")
    table.hand(1, "evasion")
    table.orders(1, commands="ask")
    credits = table.seat(0)["credits"]
    table.do(0, "play_command", uid=one, targets={"a": "2,2"}, hold=True)
    assert table.waits() == ("window", 0)
    table.do(0, "play_command", uid=two, targets={"a": "2,2"})
    assert table.waits() == ("window", 1)
    table.do(1, "pass")
    assert table.waits() == ("command", 0), "both have resolved at once"
    assert table.seat(0)["credits"] == credits + 2


@pytest.mark.parametrize("edition", ["classic", "revised"])
def test_ruling_17_combat_needs_the_active_seat(edition: str) -> None:
    table = Table(edition, seats=3).system("1,1", "trade_world").system("2,1", "core_world")
    table.vessel(1, "corvette", "1,1")
    table.vessel(2, "corvette", "1,1")
    table.vessel(0, "corvette", "2,1")
    table.vessel(1, "scout", "2,1")
    table.do(0, "end_command")
    table.refuse(0, "open_combat", "no_target", cell="1,1")
    if edition == "revised":
        table.refuse(0, "end_combat", "combat_left")
        table.do(0, "open_combat", cell="2,1")
        table.do(0, "assign_damage", assignments={})
    else:
        table.do(0, "end_combat")
    assert table.state["turn"] == 12, "nobody must deal damage"


@pytest.mark.parametrize("edition", ["classic", "revised"])
def test_ruling_18_destroyed_before_damage_deals_none(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world")
    ours, theirs = table.vessel(0, "corvette", "1,1"), table.vessel(1, "corvette", "1,1")
    [sabotage] = table.hand(1, "sabotage")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{ours: (theirs, 2)}))
    table.do(1, "assign_damage", assignments={})
    assert table.waits() == ("window", 1)
    table.do(1, "play_command", uid=sabotage, targets={"a": ours})
    table.passes()
    assert table.has(theirs)
    assert not table.has(ours)
    assert not table.ever("damage_dealt")


def test_ruling_19_more_attack_after_assigning_counts() -> None:
    table = Table().system("1,1", "trade_world")
    ours, theirs = table.vessel(0, "corvette", "1,1"), table.vessel(1, "destroyer", "1,1")
    [firepower] = table.hand(0, "maximum_firepower")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{ours: (theirs, 1)}))
    table.do(1, "assign_damage", assignments={})
    table.do(0, "play_command", uid=firepower, targets={"a": "1,1"})
    table.passes()
    assert table.ever("damage_dealt")[0]["hits"][0]["amount"] == 3


def test_ruling_19_less_attack_cuts_the_last_assignments() -> None:
    table = Table().system("1,1", "trade_world", 1, 2)
    station, platform = table.vessel(1, "defense_station", "1,1"), table.vessel(1, "missile_platform", "1,1")
    ours, scout = table.vessel(0, "battleship", "1,1"), table.vessel(0, "scout", "1,1")
    [sabotage] = table.hand(0, "sabotage")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments={})
    table.do(1, "assign_damage", assignments=shots(**{station: (scout, 2), platform: (ours, 3)}))
    table.do(0, "play_command", uid=sabotage, targets={"a": platform})
    table.passes()
    hits = {hit["source"]: hit["amount"] for hit in table.ever("damage_dealt")[0]["hits"]}
    assert hits == {station: 1}
    assert table.has(scout)


@pytest.mark.parametrize("edition", ["classic", "revised"])
def test_ruling_20_scouts_cannot_be_built(edition: str) -> None:
    table = Table(edition).home(0, 6).credits(0, 9)
    table.refuse(0, "build_ship", "wrong_card", card="scout", cell="2,2")
    assert table.state["vessels"] == {}
    assert table.seat(0)["credits"] == 9


def test_ruling_21_carrier_in_revised() -> None:
    table = Table().home(0, 6).credits(0, 10).system("2,1", "trade_world")
    table.done(0, "build_ship", card="carrier", cell="2,2")
    [carrier] = table.state["vessels"]
    assert table.seat(0)["credits"] == 0
    assert table.view(0)["vessels"][carrier]["hp"] == 8
    moved = Table().home(0, 6).system("2,1", "trade_world")
    carrier = moved.vessel(0, "carrier", "2,2")
    fighters = [moved.vessel(0, "strike_fighter", "2,2", since=11) for _ in range(6)]
    moved.refuse(0, "move_ships", "limit", ships=[carrier], to="2,1", carried={carrier: fighters})
    moved.done(0, "move_ships", ships=[carrier], to="2,1", carried={carrier: fighters[:5]})
    assert sum(vessel["cell"] == "2,1" for vessel in moved.state["vessels"].values()) == 6


def test_ruling_22_conquest_only_by_the_active_seats_ships() -> None:
    table = Table(seats=3).system("1,1", "trade_world", 2, 4)
    table.vessel(0, "scout", "1,1")
    table.vessel(1, "scout", "1,1")
    table.end_turn()
    assert table.cell("1,1")["devs"] == 3
    table.end_turn()
    assert table.cell("1,1")["devs"] == 2


@pytest.mark.parametrize("edition", ["classic", "revised"])
def test_ruling_23_all_stations_change_hands_on_conquest(edition: str) -> None:
    table = Table(edition, seats=3).system("1,1", "trade_world", 1, 1)
    stations = [table.vessel(1, "refinery", "1,1"), table.vessel(2, "shipyard", "1,1")]
    table.vessel(0, "corvette", "1,1")
    events = table.end_turn()
    assert {table.state["vessels"][at]["controller"] for at in stations} == {0}
    assert table.cell("1,1")["devs"] == 1
    assert not table.sent_of(events, "development_placed")
