"""Durations in views: how long locks, preventions, disarms and changed values last, and their descriptions."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from gamesvc.games.kernel.game import Caption, see_event
from gamesvc.games.kernel.wording import Speaker
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.data import CATALOGS
from gamesvc.games.star_commander.rules.effects.lasting import lasting
from gamesvc.games.star_commander.state import MARKS as KINDS
from gamesvc.games.star_commander.state import Modifier
from gamesvc.games.star_commander.text.lasting import MARKS, lasting_words
from tests.games.star_commander.table import Table

VIEWERS = (None, 0, 1)
NAMES = ("Ann", "Ben")


def everybody_reads(table: Table, vessel: str, *words: str) -> None:
    """Assert that all viewers read the words on the board and in the picture. `{whose}` is seat 0's name."""
    for viewer in VIEWERS:
        seen = json.loads(json.dumps(table.view(viewer)))
        text = " ".join(GAME.board_text(seen, Caption("1", NAMES)).split())
        drawn = " ".join(of_picture(seen, "text"))
        for part in words:
            told = part.format(whose="your" if viewer == 0 else "Ann's")
            assert told in text, text
            assert f"{vessel} {told}" in drawn, drawn


def of_picture(seen: dict[str, Any], element: str) -> list[str]:
    """Return the texts or titles in the picture of a view."""
    root = ET.fromstring(GAME.picture(seen, Caption("1", NAMES)))
    return [found.text or "" for found in root.iter("{http://www.w3.org/2000/svg}" + element)]


def everybody_is_told(table: Table, *sentences: str) -> None:
    """Assert that each viewer reads these sentences for all `modifier_added` events so far."""
    for viewer in VIEWERS:
        events = [event for event in table.session.log if event.type == "modifier_added"]
        told = [GAME.tell(seen, viewer, NAMES) for event in events if (seen := see_event(GAME, event, viewer))]
        assert told == [one.format(whose="your" if viewer == 0 else "Ann's") for one in sentences]


def lasts(table: Table, vessel: str) -> list[dict[str, Any]]:
    """Return the lasting effects on a vessel, which must be the same for every viewer."""
    [first, *others] = [table.view(viewer)["vessels"][vessel]["lasting"] for viewer in VIEWERS]
    assert all(other == first for other in others)
    return first


def test_a_lock_lasts_until_its_casters_next_turn():
    table = Table().system("1,1", "trade_world")
    ship, free = table.vessel(1, "corvette", "1,1"), table.vessel(1, "corvette", "0,0")
    [lock] = table.hand(0, "interdiction")
    table.done(0, "play_command", uid=lock, targets={"a": "1,1"})
    assert lasts(table, ship) == [{"mark": "lock", "until": "turn_of", "seat": 0, "source": "interdiction"}]
    assert lasts(table, free) == []
    everybody_reads(table, ship, "held in place until {whose} next turn starts")
    everybody_is_told(table, f"Vessel {ship}: held in place until {{whose}} next turn starts.")
    table.end_turn()
    everybody_reads(table, ship, "held in place until {whose} next turn starts")
    table.end_turn()
    assert lasts(table, ship) == []


def test_a_prevention_lasts_until_the_end_of_the_turn():
    table = Table("classic").system("1,1", "trade_world")
    ship = table.vessel(0, "corvette", "1,1")
    [shields] = table.tech(0, "experimental_shields")
    [cost] = table.hand(0, "ram")
    table.done(0, "activate", source=shields, targets={"a": ship}, discard=cost)
    end = {"until": "end_of_turn", "seat": None, "source": "experimental_shields"}
    assert lasts(table, ship) == [{"mark": "prevent", **end}, {"mark": "untargetable", **end}]
    everybody_reads(table, ship, "takes no damage and cannot be targeted until this turn ends")
    everybody_is_told(table, f"Vessel {ship}: takes no damage and cannot be targeted until this turn ends.")
    table.end_turn()
    assert lasts(table, ship) == []


@pytest.mark.parametrize("edition", ["classic", "revised"])
def test_a_disarm_lasts_until_the_next_turn_of_its_controller(edition: str):
    table = Table(edition).system("2,1", "black_hole")
    ship = table.vessel(0, "corvette", "2,2")
    table.done(0, "move_ships", ships=[ship], to="2,1")
    assert lasts(table, ship) == [{"mark": "deny_attack", "until": "turn_of", "seat": 0, "source": "black_hole"}]
    everybody_reads(table, ship, "cannot attack until {whose} next turn starts")
    everybody_is_told(table, f"Vessel {ship}: cannot attack until {{whose}} next turn starts.")


def test_changed_values_last_until_the_end_of_the_turn():
    table = Table("classic").credits(0, 3).system("1,1", "trade_world")
    ship = table.vessel(0, "corvette", "1,1")
    [railgun] = table.tech(0, "railgun_turrets")
    [fire, shields] = table.hand(0, "maximum_firepower", "raise_shields")
    table.done(0, "play_command", uid=fire, targets={"a": ship})
    table.done(0, "activate", source=railgun, targets={"a": ship}, x=3)
    table.done(0, "play_command", uid=shields, targets={"a": ship})
    end = {"until": "end_of_turn", "seat": None}
    assert lasts(table, ship) == [
        {"mark": "attack", "amount": 2, "source": "maximum_firepower", **end},
        {"mark": "extra_targets", "amount": 1, "source": "maximum_firepower", **end},
        {"mark": "attack", "amount": 3, "source": "railgun_turrets", **end},
        {"mark": "hp", "amount": 2, "source": "raise_shields", **end},
    ]
    everybody_reads(table, ship, "+5 attack and more targets and +2 hit points until this turn ends")


def test_jumps_that_last_until_the_end_of_the_turn():
    table = Table().system("2,1", "trade_world", 0, 1)
    one, two = table.vessel(0, "corvette", "2,1"), table.vessel(0, "corvette", "2,1")
    table.vessel(0, "jump_nexus", "2,1")
    [card] = table.hand(0, "jump_stabilization")
    table.done(0, "play_command", uid=card, targets={"a": "2,1"})
    end = {"until": "end_of_turn", "seat": None}
    assert lasts(table, one) == [
        {"mark": "long_jump", "cell": "2,1", "source": "jump_stabilization", **end},
        {"mark": "speed", "amount": 1, "source": "jump_nexus", **end},
    ]
    words = "may make a long jump from 2,1 and +1 speed until this turn ends"
    everybody_reads(table, f"Corvette {one}, Corvette {two}", words)
    everybody_is_told(
        table,
        f"Vessels {one} and {two}: may make a long jump from 2,1 until this turn ends.",
        f"Vessels {one} and {two}: +1 speed until this turn ends.",
    )


def test_vessels_locked_for_different_times_are_shown_separately():
    table = Table().system("1,1", "trade_world")
    ship, other = table.vessel(1, "corvette", "1,1"), table.vessel(1, "corvette", "1,1")
    base = {"kind": "lock", "amount": 0, "source": "interdiction", "until": "turn_of", "cell": "", "untargetable": False}
    locks = [{**base, "id": 1, "vessel": ship, "seat": 0, "until_seat": 0}]
    locks.append({**base, "id": 2, "vessel": other, "seat": 1, "until_seat": 1})
    table.state.update(modifiers=locks, modifiers_made=2)
    titles = of_picture(table.view(1), "title")[1:]
    assert titles == [f"held in place until {whose} next turn starts" for whose in ("Ann's", "your")]
    everybody_reads(table, ship, "held in place until {whose} next turn starts")


def test_every_mark_and_end_has_words():
    assert set(MARKS) == {*KINDS, "untargetable"}
    durations = {
        effect.duration
        for catalog in CATALOGS.values()
        for card in catalog.cards.values()
        for effect in card.effects
        if effect.op in ("modify", "extra_targets", "lock_movement", "long_jump", "prevent_damage", "deny_attack")
    }
    assert durations - {""} == {"end_of_turn", "my_next_ready", "controller_next_turn"}
    for kind in KINDS:
        for until in ("end_of_turn", "turn_of"):
            seat = 0 if until == "turn_of" else -1
            modifier = Modifier(1, kind, "v1", 2, "interdiction", 0, until, seat, "1,1", kind == "prevent")
            [words] = lasting_words(lasting([modifier]), Speaker(None, ("Ann",)))
            assert words.endswith(("until this turn ends", "until Ann's next turn starts"))


def test_players_and_items_that_a_command_aims_at_are_targets():
    table = Table(seats=3)
    [network] = table.hand(0, "spy_network")
    table.hand(1, "intercept_orders")
    table.credits(0, 20).credits(1, 20).start()
    assert aims(table, 0) == {"p": {"1": "seat:1", "2": "seat:2"}}
    answer = table.send(0, "play_command", uid=network, targets={"p": "1"})
    assert answer["ok"], answer
    [item] = table.state["stack"]
    assert aims(table, 1) == {"c": {f"s{item['id']}": f"stack:{item['id']}"}}


def aims(table: Table, seat: int) -> dict[str, Any]:
    """Return the targets in the picture that a seat's only command card may be aimed at, by name of the aim and by value."""
    forms = table.session.answer({"op": "legal", "seat": seat})["forms"]
    [form] = [one for one in forms if one["name"] == "play_command"]
    return {name: schema.get("at") for name, schema in form["parameters"]["properties"]["targets"]["properties"].items()}


def test_vessels_without_room_for_a_plate_are_targets_in_the_list_below_the_map() -> None:
    table = Table()
    ships = [table.vessel(0, card, "2,2") for card in ("scout", "corvette", "frigate", "destroyer", "cruiser", "battleship")]
    seen = json.loads(json.dumps(table.start().view(0)))
    find, drawn = GAME.finder(seen), GAME.picture(seen, Caption("1", NAMES)).boxes
    places = [find("move_ships", "ships", ship) for ship in ships]
    assert None not in places
    assert set(places) <= set(drawn)
    assert len(set(places)) == len(ships)
