"""The worked examples of RULES.md 13, through the engine protocol."""

from __future__ import annotations

import pytest

from gamesvc.games.space_fleet_commander.data import ROSTER
from tests.games.space_fleet_commander.table import F1, F1_SHIPS, Table, at_hex, dice_of, f1, standing, vessels

F1_FLEET = [(slot, ship) for _, ship, slot in F1_SHIPS]
# Pool order of F1: 2-3.1 B, 5.1 W, 5.2 B, 8.1 R, 8.2 R, 9.1 W, 9.2 W, 11-12.1 R.


def kinds(events):
    return [kind for kind, _ in events]


def one(events, kind):
    [data] = [data for name, data in events if name == kind]
    return data


def test_case_1_pool():
    table = Table(script=F1).place(*F1_SHIPS)
    events = table.play("confirm_fleet")
    assert one(events, "fleet_confirmed")["pool"] == [
        ["2-3.1", "black"],
        ["5.1", "white"],
        ["5.2", "black"],
        ["8.1", "red"],
        ["8.2", "red"],
        ["9.1", "white"],
        ["9.2", "white"],
        ["11-12.1", "red"],
    ]
    assert sum(vessel.hull for vessel in table.sheet.ships) == 29
    assert kinds(events) == ["fleet_confirmed", "turn_started", "dice_rolled"]


def test_case_2_requirement():
    table = Table(script=F1).place((1, "supply_barge", "6"))
    assert table.refused("place_ship", die=5, ship="dreadnaught", slot="2-3") == "requirement_not_met"
    assert table.refused("place_ship", die=5, ship="dreadnaught", slot="11-12") == "requirement_not_met"
    table.place((5, "dreadnaught", "8"), (6, "dreadnaught", "5"), (2, "supply_barge", "10"))
    table.play("remove_ship", slot="5")
    table.place((6, "dreadnaught", "11-12"))


def test_case_3_white_limit():
    table = Table(script=(1, 1, 1, 1, 1, 1, 1))
    table.place((0, "aegis_warship", "2-3"), (1, "aegis_warship", "5"), (2, "aegis_warship", "8"))
    assert table.refused("place_ship", die=3, ship="aegis_warship", slot="11-12") == "colour_limit"


def test_case_4_unplaceable_dice():
    table = Table(script=(3,) * 7)
    table.place((0, "temporal_buoy", "6"), (1, "colony_ship", "2-3"), (2, "colony_ship", "8"))
    assert table.refused("confirm_fleet") == "dice_left"
    table.place((3, "colony_ship", "11-12"))
    events = table.play("confirm_fleet")
    assert one(events, "fleet_confirmed")["pool"] == [["9.1", "white"], ["9.2", "white"]]
    assert one(events, "sheet_finished")["reason"] == "stuck"
    outcome = table.view()["outcome"]
    assert (outcome["reason"], outcome["scores"], table.sheet.time) == ("stuck", [0], 0)
    assert {row["slot"] for row in table.view()["sheet"]["roster"]} == {"2-3", "6", "8", "9", "11-12"}


def test_case_5_reroll_colours():
    table = f1(2, 3, 4, 5, 6, 2, 3, 4)
    assert table.refused("reroll", dice=["5.2"]) == "colour_not_allowed"
    table.script(6, 6).play("reroll", dice=["8.1", "9.1"])
    assert table.refused("reroll", dice=["8.2"]) == "colour_not_allowed"
    table.script(2, 2).play("reroll", dice=["9.1", "5.1"])
    assert {die.id: die.value for die in table.sheet.dice if die.colour == "white"} == {"5.1": 2, "9.1": 2, "9.2": 3}


def two_ones():
    """Return a new game with F1 before the Prison Barge acts; two dice show 1."""
    table = f1(1, 1, 4, 5, 6, 2, 3, 4)
    table.play("reroll", dice=[])
    table.play("reroll", dice=[])
    return table


def test_case_6_first_sabotage():
    events = two_ones().script(3, 4).play("tinker", adjust=[], remove=[])
    marked = [data for kind, data in events if kind == "sabotage_marked"]
    assert [(data["cell"], data["icon"]) for data in marked] == [(1, "damage"), (2, "")]
    assert "hit_missed" in kinds(events)
    assert "ship_damaged" not in kinds(events)


def test_case_6_sabotage_two_and_six_usable():
    table = two_ones()
    table.script(3, 4).play("tinker", adjust=[], remove=[])
    assert table.sheet.sabotage == 2
    assert sum(1 for die in table.sheet.dice if die.value > 1 and die.status == "live") == 6


def test_case_7_prison_barge():
    table = two_ones()
    events = table.script(3, 4).play("tinker", adjust=[], remove=[{"ship": "4", "die": "5.1"}])
    assert [data["cell"] for kind, data in events if kind == "sabotage_marked"] == [1]
    assert sum(1 for die in table.sheet.dice if die.value > 1 and die.status == "live") == 6


def test_case_8_ship_lost_mid_turn():
    table = f1(1, 4, 4, 4, 5, 5, 2, 6).edit(0, sabotage=4)
    table.play("reroll", dice=[])
    table.play("reroll", dice=[])
    events = table.script(5, 6).play("tinker", adjust=[], remove=[])
    destroyed = one(events, "ship_destroyed")
    assert (destroyed["slot"], destroyed["dice_lost"]) == ("11-12", ["11-12.1"])
    assert "11-12.1" not in {die.id for die in table.sheet.dice}
    # The usable dice 4 4 4 5 5 2 add up to 24 without the 6 that left.
    assert table.targets() == ["F7", "G6"]


def test_case_9_open_space():
    ships = vessels(("5", "aegis_warship"), ("8", "aegis_warship"), ("2-3", "aegis_warship"))
    table = standing(ships, (6, 5, 4, 4, 1))
    events = table.script(3, 4, 3, 4, 3, 4).play("reroll", dice=[])
    assert "exploration_failed" in kinds(events)
    table = standing(ships, (6, 5, 4, 4, 2))
    table.play("reroll", dice=[])
    assert table.targets() == ["F7", "G6"]


def test_case_10_defend():
    ships = vessels(("5", "dreadnaught"), ("8", "aegis_warship"), ("2-3", "medium_cruiser"))
    table = standing(ships, (3, 3, 3, 5, 5, 5))
    table.play("reroll", dice=[])
    assert "F6" in table.targets()
    events = table.script(3, 4).play("explore", hex="F6")
    assert one(events, "hex_explored")["stars"] == 2
    assert table.sheet.path[-1] == "F6"
    assert [data["source"] for kind, data in events if kind == "hit_rolled"] == ["hex"]
    table = standing(ships, (4, 4, 4, 4, 4, 4))
    table.play("reroll", dice=[])
    assert table.targets() == ["F7", "G6"]


def test_case_11_destroyer():
    ships = vessels(("2-3", "destroyer"), ("5", "aegis_warship"), ("8", "aegis_warship"))
    table = standing(ships, (4, 4, 5, 2, 6), path=("G7", "G6"))
    table.play("reroll", dice=[])
    # Pool order: 2-3.1 4, 5.1 4, 8.1 5, 9.1 2, 9.2 6.
    adjust = [{"ship": "2-3", "die": "8.1", "delta": -1}]
    events = table.play("explore", hex="G5", adjust=adjust)
    assert one(events, "hex_explored") == {"seat": 0, "hex": "G5", "kind": "skirmish", "stars": 1, "total": 2}
    dead = vessels(("2-3", "destroyer", 3), ("5", "aegis_warship"), ("8", "aegis_warship"), ("11-12", "aegis_warship"))
    table = standing(dead, (4, 4, 5, 2, 6), path=("G7", "G6"))
    assert table.view()["sheet"]["open"] == ["F5", "F6", "G5"]
    events = table.script(3, 4, 3, 4, 2, 2, 2, 2, 2).play("reroll", dice=[])
    assert kinds(events).count("hit_rolled") == 2
    assert "exploration_failed" in kinds(events)


def test_case_12_failure_with_hospital_barge():
    table = f1(2, 2, 2, 2, 2, 2, 2, 1).edit(0, time=0, sabotage=1)
    table.play("reroll", dice=[])
    table.play("reroll", dice=[])
    events = table.script(4, 4).play("tinker", adjust=[], remove=[])
    assert (table.sheet.phase, table.sheet.hit.slot) == ("hit", "8")
    events = table.script(3, 4, 6, 3).play("reroll_hit")
    assert kinds(events)[:3] == ["hospital_used", "hit_rolled", "hit_missed"]
    assert one(events, "ship_damaged")["slot"] == "9"
    assert one(events, "time_marked")["box"] == 1


def test_case_13_bulwark():
    ships = vessels(("5", "aegis_warship"), ("8", "bulwark_ship"), ("2-3", "aegis_warship"), ("11-12", "aegis_warship"))
    table = standing(ships, (2, 2, 2, 3, 3))
    table.script(4, 5, 2, 3).play("reroll", dice=[])
    assert table.sheet.phase == "hit"
    assert table.refused("redirect_hit", slot="10") == "not_live"
    events = table.play("redirect_hit", slot="8")
    damaged = {vessel.slot: vessel.damage for vessel in table.sheet.ships}
    assert (damaged["8"], damaged["9"]) == (1, 0)
    # The second hit was 2 + 3: slot 5 is not adjacent to 8, so there was no choice.
    assert damaged["5"] == 1
    assert "turn_ended" in kinds(events)


def tender_table(ships):
    path = ("G7", "G6", "G5", "G4", "G3")
    table = standing(ships, (2, 3, 4, 5, 6), path=path, stars=(2, 2, 2, 3))
    table.play("reroll", dice=[])
    return table


def test_case_14_rank_and_tender():
    ships = vessels(("2-3", "destroyer", 1), ("4", "repair_tender"), ("5", "dreadnaught"), ("8", "medium_cruiser"))
    ships[1]["dice"] = []
    table = standing(ships, (2, 3, 4, 5, 6, 6), path=("G7", "G6", "G5", "G4", "G3"), stars=(2, 2, 2, 3))
    table.play("reroll", dice=[])
    events = table.play("explore", hex="G2")
    assert one(events, "hex_explored")["total"] == 13
    assert one(events, "rank_gained")["title"] == "Commander"
    assert table.sheet.phase == "repair"
    events = table.play("repair", tender="4", target="2-3")
    assert (one(events, "hull_added")["hull"], table.sheet.ships[0].damage) == (4, 1)
    alone = vessels(("2-3", "destroyer", 3), ("4", "repair_tender"), ("5", "dreadnaught"), ("8", "medium_cruiser"))
    events = tender_table(alone).play("explore", hex="G2")
    assert one(events, "hull_added")["slot"] == "5"


@pytest.mark.parametrize(("buoy", "boxes"), [(False, 4), (True, 3)])
def test_case_15_chronorift(buoy, boxes):
    extra = [("6", "temporal_buoy")] if buoy else []
    ships = vessels(("5", "dreadnaught"), ("8", "aegis_warship"), ("2-3", "medium_cruiser"), *extra)
    path = ("G7", "G6", "G5", "G4", "G3", "G2")
    table = standing(ships, (6,) * 6, path=path, time=3)
    table.play("reroll", dice=[])
    before = table.sheet.stars
    events = table.play("explore", hex="F1")
    assert (table.sheet.stars - before, table.sheet.time) == (5, boxes)
    assert ("time_ignored" in kinds(events)) is buoy


def planetfall_table(values, extra, strict):
    ships = vessels(("2-3", "colony_ship"), ("8", "colony_ship"), ("11-12", "aegis_warship"), *extra)
    options = {"planetfall": "strict"} if strict else {}
    return standing(ships, values, path=("G7", "F6"), options=options)


def test_case_16_planetfall():
    extra = [("5", "aegis_warship")]
    table = planetfall_table((3, 3, 3, 6), extra, False)
    table.play("reroll", dice=[])
    assert table.targets() == ["E6"]
    before = table.sheet.stars
    events = table.script(3, 4).play("explore", hex="E6")
    assert table.sheet.stars - before == 6
    assert kinds(events).count("hit_rolled") == 1
    table = planetfall_table((3, 3, 3, 6), extra, True)
    assert "exploration_failed" in kinds(table.script(3, 4, 3, 4).play("reroll", dice=[]))
    table = planetfall_table((3, 3, 3, 1), extra, True)
    table.play("reroll", dice=[])
    assert table.targets() == ["E6"]


def test_case_17_last_box():
    table = f1(6, 6, 6, 6, 4, 4, 4, 1).edit(0, time=11, sabotage=28)
    table.play("reroll", dice=[])
    table.play("reroll", dice=[])
    events = table.play("tinker", adjust=[], remove=[])
    assert (one(events, "time_marked")["source"], one(events, "time_marked")["box"]) == ("sabotage", 12)
    table.play("explore", hex="G6")
    assert {form["name"] for form in table.forms()} == {"push_on", "end_turn", "resign"}
    events = table.play("end_turn")
    assert "time_marked" not in kinds(events)
    assert one(events, "sheet_finished")["reason"] == "time"


@pytest.mark.parametrize(("stars", "title", "rank"), [(43, "Baron", 3), (9, "", -1)])
def test_case_18_rank_text(stars, title, rank):
    table = standing(vessels(), (2, 2), path=("G7", "G6"), stars=(stars,))
    table.play("resign")
    detail = table.view()["outcome"]["detail"]
    assert detail == {"won": False, "stars": stars, "title": title, "rank": rank}


def test_case_18_seventy_wins():
    table = f1(6, 6, 6, 6, 4, 4, 4, 5).edit(0, **at_hex(("G7", "F7"), (69,)))
    table.play("reroll", dice=[])
    table.play("reroll", dice=[])
    if table.sheet.phase == "tinker":
        table.play("tinker", adjust=[], remove=[])
    events = table.play("explore", hex=table.targets()[0])
    assert one(events, "sheet_finished")["reason"] == "emperor"
    assert table.view()["outcome"]["detail"] == {"won": True, "stars": 70, "title": "Emperor", "rank": 6}


def test_case_19_pushing():
    table = f1(6, 6, 6, 6, 6, 6, 6, 6)
    table.play("reroll", dice=[])
    table.play("reroll", dice=[])
    table.play("explore", hex="G6")
    events = table.script(*[6] * 7).play("push_on", die="5.2")
    assert len(one(events, "dice_rolled")["dice"]) == 7
    table.play("reroll", dice=[])
    table.play("reroll", dice=[])
    table.script(3, 4).play("explore", hex=table.targets()[0])
    table.script()
    assert table.refused("push_on", die="5.2") == "not_in_attempt"
    events = table.script(*[6] * 6).play("push_on", die="2-3.1")
    assert len(one(events, "dice_rolled")["dice"]) == 6
    table.play("reroll", dice=[])
    table.play("reroll", dice=[])
    # The dice give hazards; a plot of 7 hits nothing.
    table.script(3, 4).play("explore", hex=table.targets()[0])
    events = table.play("end_turn")
    assert len(one(events, "dice_rolled")["dice"]) == 8


def test_case_20_race_stream():
    table = Table({"mode": "race"}, seats=2, script=(1, 1, 1, 3, 3, 3, 3))
    table.place((0, "aegis_warship", "5"), (1, "destroyer", "2-3"), (2, "destroyer", "4"), seat=0)
    table.place((0, "aegis_warship", "5"), (1, "aegis_warship", "2-3"), (2, "aegis_warship", "8"), seat=1)
    rest = {0: ["6", "8", "11-12"], 1: ["6", "11-12"]}
    for seat, slots in rest.items():
        for die, slot in zip((3, 4, 5, 6), slots):
            table.place((die, "colony_ship", slot), seat=seat)
    table.script(6, 2, 5, 1, 3, *[4] * 10)
    table.play("confirm_fleet", seat=0)
    assert table.view(1)["sheet"]["dice"] == []
    assert "6, 2" not in str(table.view(1)["table"])
    assert [die["value"] for die in table.view(0)["sheet"]["dice"] if die["colour"] == "white"] == [6, 2, 5]
    events = table.do({"op": "events", "since": 0, "seat": 1})["events"]
    assert not any(event["type"].endswith(("dice_rolled", "stream_dealt")) and event["data"].get("seat") == 0 for event in events)
    table.play("confirm_fleet", seat=1)
    assert [die["value"] for die in table.view(1)["sheet"]["dice"] if die["colour"] == "white"] == [6, 2, 5, 1, 3]


def test_the_roster_of_f1_is_that_of_the_rules():
    assert {slot for slot, _ in F1_FLEET} == {*ROSTER.order} - {"9"}
    assert len(dice_of(vessels(*F1_FLEET))) == 8
