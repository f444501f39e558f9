"""The worked examples of RULES.md 20, played through the engine protocol."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from gamesvc.games.kernel import codec
from gamesvc.games.kernel.game import Caption, Refused, see_event
from gamesvc.games.protocol import Session
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.state import distance, near
from tests.games.star_commander.table import Table, shots


@pytest.mark.parametrize(("edition", "undealt"), [("revised", 17), ("classic", 18)])
def test_case_1_setup(edition: str, undealt: int) -> None:
    session = Session(GAME)
    assert session.answer({"op": "new", "seats": 2, "seed": "a", "options": {"edition": edition, "grid": 3}})["ok"]
    view = session.answer({"op": "view", "seat": None})["view"]
    assert len(view["cells"]) == 9
    assert sum(cell["card"] is None for cell in view["cells"].values()) == 7
    assert view["undealt"] == undealt
    assert view["decks"] == {"industry": 30, "statecraft": 30, "science": 30}
    for seat in view["seats"]:
        assert (seat["credits"], seat["devs"], seat["hand"]) == (3, 1, 0)
    assert sorted((v["name"], v["cell"]) for v in view["vessels"].values()) == [("Scout", "0,0"), ("Scout", "2,2")]
    assert near("1,1", 3) == ("0,1", "1,0", "1,2", "2,1")
    assert distance("2,2", "0,0") == 4


def test_case_2_first_turn() -> None:
    session = Session(GAME)
    session.answer({"op": "new", "seats": 2, "seed": "a", "options": {"grid": 3}})
    position = session.answer({"op": "position"})["position"]
    table = Table()
    table.position = position
    state = table.state = position["state"]
    state.update(active=0, resume=0)
    state["prompt"]["seat"] = 0
    cells, deck = state["cells"], state["undealt"]
    other = next((name for name, cell in cells.items() if cell["card"] == "trade_world"), None)
    if other is None:
        deck.remove("trade_world")
        deck.append(cells["2,1"]["card"])
    else:
        cells[other]["card"] = cells["2,1"]["card"]
    cells["2,1"]["card"] = "trade_world"
    assert table.start().prompt["kind"] == "command"
    assert table.seat(0)["credits"] == 3
    scout = next(at for at, vessel in state["vessels"].items() if vessel["controller"] == 0)
    table.do(0, "move_ships", ships=[scout], to="2,1")
    assert table.of("system_explored") == [{"seat": 0, "cell": "2,1", "card": "trade_world"}]
    table.do(0, "develop", cell="2,1")
    assert (table.seat(0)["credits"], table.cell("2,1")["devs"], table.cell("2,1")["controller"]) == (2, 1, 0)
    table.do(0, "develop", cell="2,1")
    assert (table.seat(0)["credits"], table.cell("2,1")["devs"]) == (0, 2)
    table.refuse(0, "develop", "cannot_pay", cell="2,1")


def test_case_3_ready_credits() -> None:
    table = Table().home(0, 2).system("2,1", "trade_world", 0, 2).credits(0, 0).at("command", 1)
    table.vessel(0, "refinery", "2,1")
    table.vessel(0, "defense_station", "2,1")
    table.tech(0, "trade_routes")
    events = table.end_turn()
    [gained] = table.sent_of(events, "credits_gained")
    assert gained["amount"] == 10
    assert table.seat(0)["credits"] == 10


@pytest.mark.parametrize("defended", [False, True])
def test_case_4_siege(defended: bool) -> None:
    table = Table().system("1,1", "research_world", 1, 3).credits(1, 0)
    table.vessel(0, "scout", "1,1")
    if defended:
        table.vessel(1, "strike_fighter", "1,1")
        table.orders(1, draw=["science"])
    events = table.end_turn()
    draws = len(table.sent_of(events, "card_drawn"))
    assert table.seat(1)["credits"] == 1 + (3 if defended else 0)
    assert draws == (2 if defended else 1)
    assert table.view(1)["cells"]["1,1"]["besieged"] is not defended
    assert table.sent_of(events, "card_drawn")[0]["domain"] == "science"


def test_case_5_ship_limit() -> None:
    table = Table().home(0, 3).credits(0, 5)
    for card in ("scout", "corvette", "strike_fighter"):
        table.vessel(0, card, "2,2")
    table.refuse(0, "build_ship", "limit", card="strike_fighter", cell="2,2")
    table.do(0, "develop", cell="2,2")
    assert table.seat(0)["credits"] == 1
    table.done(0, "build_ship", card="strike_fighter", cell="2,2")
    assert table.seat(0)["credits"] == 0

    classic = Table("classic").home(0, 3).credits(0, 5)
    for card in ("scout", "corvette"):
        classic.vessel(0, card, "2,2")
    classic.vessel(0, "strike_fighter", "2,1")
    classic.do(0, "build_ship", card="strike_fighter", cell="2,2")
    assert classic.seat(0)["credits"] == 4


@pytest.mark.parametrize(
    ("lethal", "attackers", "dies"),
    [
        ("at_least", ["corvette"], True),
        ("at_least", ["strike_fighter"], False),
        ("more_than", ["corvette"], False),
        ("more_than", ["corvette", "strike_fighter"], True),
    ],
)
def test_case_6_equal_damage_kills(lethal: str, attackers: list[str], dies: bool) -> None:
    table = Table("classic", lethal=lethal).system("1,1", "trade_world")
    scout = table.vessel(1, "scout", "1,1")
    ours = [table.vessel(0, card, "1,1") for card in attackers]
    table.fight("1,1")
    power = {"corvette": 2, "strike_fighter": 1}
    assigned = shots(**{at: (scout, power[card]) for at, card in zip(ours, attackers, strict=True)})
    table.do(0, "assign_damage", assignments=assigned)
    assert table.has(scout) is not dies
    if not dies:
        table.end_turn()
        assert table.state["vessels"][scout]["damage"] == 0


@pytest.mark.parametrize("named", [True, False])
def test_who_assigns_nothing_is_done(named: bool) -> None:
    """With `more` each such command asked the seat again, with the whole time of a question: the others waited for ever."""
    table = Table().system("1,1", "trade_world")
    ours, theirs = table.vessel(0, "destroyer", "1,1"), table.vessel(1, "cruiser", "1,1")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{ours: (theirs, 1)}))
    table.do(1, "assign_damage", assignments={theirs: []} if named else {}, more=True)
    assert table.prompt["kind"] != "combat_assign"


def test_who_assigns_more_is_asked_the_same_question_with_the_same_clock() -> None:
    table = Table().system("1,1", "trade_world")
    enemies = [table.vessel(0, "corvette", "1,1") for _ in range(3)]
    ours = [table.vessel(1, "corvette", "1,1") for _ in range(3)]
    table.fight("1,1")
    table.do(0, "assign_damage", assignments={})
    [asked] = GAME.awaited(table.session.match.state)
    assert (asked.seat, asked.prompt) == (1, "combat_assign")
    for ship in ours[:2]:
        table.do(1, "assign_damage", assignments=shots(**{ship: (enemies[0], 1)}), more=True)
        assert GAME.awaited(table.session.match.state) == (asked,)
    table.do(1, "assign_damage", assignments=shots(**{ours[2]: (enemies[0], 1)}))
    assert table.prompt["kind"] != "combat_assign"


def test_a_stack_is_no_higher_than_a_position_holds() -> None:
    """Whoever had 61 credits piled up 61 uses that they held: nobody could fork the match until they passed."""
    table = Table("classic").credits(0, 100).system("1,1", "trade_world")
    ship, [gun] = table.vessel(0, "corvette", "1,1"), table.tech(0, "railgun_turrets")
    heights = []
    for _ in range(65):
        table.do(0, "activate", source=gun, targets={"a": ship}, x=1, hold=True)
        heights.append(len(table.state["stack"]))
        if heights[-1] == 29:
            position = table.session.answer({"op": "position"})["position"]
            assert Session(GAME).answer({"op": "new", "position": position})["ok"]
    assert max(heights) == 29, "with 30 nothing can be added, so that all of them resolve"


def test_case_7_simultaneous() -> None:
    table = Table().system("1,1", "trade_world")
    destroyer, cruiser = table.vessel(0, "destroyer", "1,1"), table.vessel(1, "cruiser", "1,1")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{destroyer: (cruiser, 4)}))
    table.do(1, "assign_damage", assignments=shots(**{cruiser: (destroyer, 5)}))
    assert not table.has(destroyer)
    assert table.of("damage_dealt")[0]["damage"][cruiser] == 4
    assert table.state["vessels"][cruiser]["damage"] == 0


def test_case_8_guard() -> None:
    table = Table().system("1,1", "trade_world")
    frigate, corvette = table.vessel(1, "frigate", "1,1"), table.vessel(1, "corvette", "1,1")
    destroyer, small = table.vessel(0, "destroyer", "1,1"), table.vessel(0, "corvette", "1,1")
    table.fight("1,1")
    table.refuse(0, "assign_damage", "guarded", assignments=shots(**{destroyer: (corvette, 4)}))
    table.refuse(0, "assign_damage", "guarded", assignments=shots(**{small: (frigate, 2), destroyer: (corvette, 4)}))
    table.do(0, "assign_damage", assignments=shots(**{destroyer: (frigate, 4), small: (corvette, 2)}))
    table.do(1, "assign_damage", assignments={})
    assert not table.has(frigate)
    assert not table.has(corvette)


def test_case_9_split() -> None:
    table = Table().system("1,1", "trade_world")
    frigate, corvette = table.vessel(1, "frigate", "1,1"), table.vessel(1, "corvette", "1,1")
    scout, battleship = table.vessel(1, "scout", "1,1"), table.vessel(0, "battleship", "1,1")
    table.fight("1,1")
    table.refuse(0, "assign_damage", "guarded", assignments=shots(**{battleship: [(frigate, 2), (corvette, 4)]}))
    three = shots(**{battleship: [(frigate, 3), (corvette, 2), (scout, 1)]})
    table.refuse(0, "assign_damage", "limit", assignments=three)
    table.do(0, "assign_damage", assignments=shots(**{battleship: [(frigate, 3), (corvette, 3)]}))
    table.do(1, "assign_damage", assignments={})
    assert not table.has(frigate)
    assert not table.has(corvette)


def test_case_10_stack() -> None:
    table = Table().system("1,1", "trade_world")
    destroyer, corvette = table.vessel(0, "destroyer", "1,1"), table.vessel(0, "corvette", "1,1")
    table.vessel(1, "scout", "1,1")
    [firepower, _] = table.hand(0, "maximum_firepower", "barrage")
    [intercept, _] = table.hand(1, "intercept_orders", "evasion")
    table.do(0, "play_command", uid=firepower, targets={"a": "1,1"})
    assert table.waits() == ("window", 1)
    table.do(1, "play_command", uid=intercept, targets={"c": f"s{table.state['stack'][0]['id']}"})
    table.passes()
    vessels = table.view(0)["vessels"]
    assert (vessels[destroyer]["attack"], vessels[corvette]["attack"]) == (4, 2)
    assert firepower in table.state["discards"]["industry"]
    assert intercept in table.state["discards"]["statecraft"]
    assert [len(table.seat(at)["hand"]) for at in (0, 1)] == [1, 1]


def test_case_11_last_on_first_off() -> None:
    table = Table().system("1,1", "trade_world")
    corvette, fighter = table.vessel(0, "corvette", "1,1"), table.vessel(1, "strike_fighter", "1,1")
    [barrage] = table.hand(0, "barrage")
    [evasion] = table.hand(1, "evasion")
    table.do(0, "play_command", uid=barrage, targets={"a": corvette, "b": fighter})
    table.do(1, "play_command", uid=evasion, targets={"a": fighter})
    table.passes()
    assert table.has(fighter)
    assert table.state["vessels"][fighter]["damage"] == 0
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{corvette: (fighter, 2)}))
    table.end_turn()
    assert table.has(fighter)


@pytest.mark.parametrize(("devs", "left", "owner"), [(2, 1, 0), (3, 1, 1)])
def test_case_12_conquest(devs: int, left: int, owner: int) -> None:
    table = Table().system("1,1", "trade_world", 1, devs)
    refinery = table.vessel(1, "refinery", "1,1")
    for card in ("corvette", "scout", "strike_fighter", "strike_fighter"):
        table.vessel(0, card, "1,1")
    table.do(0, "end_command")
    table.do(0, "open_combat", cell="1,1")
    table.do(0, "assign_damage", assignments={})
    table.end_turn()
    assert (table.cell("1,1")["devs"], table.cell("1,1")["controller"]) == (left, owner)
    assert table.state["vessels"][refinery]["controller"] == owner


@pytest.mark.parametrize(("station", "left"), [(True, 2), (False, 1)])
def test_case_13_cruiser(station: bool, left: int) -> None:
    table = Table("classic").system("1,1", "trade_world", 1, 3)
    if station:
        table.vessel(1, "defense_station", "1,1")
    for card in ("cruiser", "corvette"):
        table.vessel(0, card, "1,1")
    table.do(0, "end_command")
    table.end_turn()
    assert table.cell("1,1")["devs"] == left


@pytest.mark.parametrize("edition", ["classic", "revised"])
@pytest.mark.parametrize("stayed", [True, False])
def test_case_14_contested(edition: str, stayed: bool) -> None:
    table = Table(edition).system("1,1", "core_world", 1, 3).system("2,1", "trade_world", 0, 1).credits(1, 20).home(1, 6)
    cruiser, theirs = table.vessel(0, "cruiser", "1,1"), table.vessel(1, "cruiser", "1,1")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{cruiser: (theirs, 5)}))
    table.do(1, "assign_damage", assignments={})
    moves = [] if stayed else [{"ship": cruiser, "to": "2,1"}]
    if table.prompt["kind"] == "combat_retreat":
        table.do(0, "retreat", moves=moves)
    while table.prompt["kind"] != "command" or table.prompt["seat"] != 1:
        seat = table.prompt["seat"]
        command = dict(GAME.default_command(table.session.match.state, seat))
        table.do(seat, command.pop("name"), **command)
    contested = edition == "classic" or stayed
    assert table.view(1)["cells"]["1,1"]["contested"] is contested
    if contested:
        table.refuse(1, "build_station", "cannot_build_here", card="defense_station", cell="1,1")
    else:
        table.done(1, "build_station", card="defense_station", cell="1,1")
    if not stayed:
        table.end_turn()
        assert table.view(1)["cells"]["1,1"]["contested"] is False


@pytest.mark.parametrize("lethal", ["at_least", "more_than"])
def test_case_15_redirect(lethal: str) -> None:
    table = Table("classic", lethal=lethal).system("1,1", "trade_world")
    cruiser = table.vessel(0, "cruiser", "1,1")
    corvette, destroyer = table.vessel(1, "corvette", "1,1"), table.vessel(1, "destroyer", "1,1")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{cruiser: (corvette, 5)}))
    table.do(1, "assign_damage", assignments={})
    assert table.waits() == ("window", 1)
    table.do(1, "activate", source=destroyer, targets={"a": corvette})
    table.passes()
    assert table.has(corvette)
    assert table.has(destroyer) is (lethal == "more_than")


def test_case_16_hand_limit_revised() -> None:
    table = Table().system("1,1", "research_world", 0, 1).credits(0, 9).at("command", 1)
    hand = table.hand(0, "evasion", "evasion", "barrage", "ram", "sabotage")
    events = table.end_turn()
    assert [skipped["reason"] for skipped in table.sent_of(events, "draw_skipped")] == ["hand_full", "hand_full"]
    table.refuse(0, "trade_draw", "hand_full", domain="science")
    credits = table.seat(0)["credits"]
    table.done(0, "trade_discard", uids=hand[:2])
    assert (len(table.seat(0)["hand"]), table.seat(0)["credits"]) == (3, credits + 3)


def test_case_16_hand_limit_classic() -> None:
    table = Table("classic").system("1,1", "alien_system", 0, 1).at("command", 1)
    hand = table.hand(0, "evasion", "evasion", "barrage", "ram", "sabotage", "sabotage", "bribery", "ram")
    table.do(1, "end_command")
    assert table.waits() == ("ready_draw", 0)
    table.refuse(0, "draw_card", "hand_full", domain="science")
    table.do(0, "draw_card", domain="science", discard=hand[3])
    assert len(table.seat(0)["hand"]) == 8
    assert hand[3] not in table.seat(0)["hand"]


@pytest.mark.parametrize(("ship", "left"), [("battlecruiser", 1), ("corvette", 2)])
def test_case_17_bombardment(ship: str, left: int) -> None:
    table = Table().system("1,1", "trade_world", 1, 4)
    at = table.vessel(0, ship, "1,1")
    [card] = table.hand(0, "orbital_bombardment")
    table.done(0, "play_command", uid=card, targets={"a": at})
    assert table.cell("1,1")["devs"] == left


@pytest.mark.parametrize(
    ("edition", "escorted", "alive"), [("classic", False, False), ("classic", True, True), ("revised", False, True)]
)
def test_case_18_abandoned(edition: str, escorted: bool, alive: bool) -> None:
    table = Table(edition).system("1,1", "trade_world").system("2,1", "core_world", 0, 1).at("command", 1)
    fighters = [table.vessel(0, "strike_fighter", "1,1") for _ in range(2)]
    scout = table.vessel(0, "scout", "2,1")
    table.start()
    while table.waits() != ("command", 0):
        seat = table.prompt["seat"]
        command = dict(GAME.default_command(table.session.match.state, seat))
        table.do(seat, command.pop("name"), **command)
    if escorted:
        table.done(0, "move_ships", ships=[scout], to="1,1")
    table.end_turn()
    assert [table.has(at) for at in fighters] == [alive, alive]


@pytest.mark.parametrize(("edition", "drives", "speeds"), [("revised", 0, (2, 1)), ("classic", 1, (3, 2))])
def test_case_19_nexus(edition: str, drives: int, speeds: tuple[int, int]) -> None:
    table = Table(edition).system("2,1", "trade_world").system("1,1", "core_world").system("0,1", "black_hole").at("command", 1)
    table.vessel(0, "jump_nexus", "2,2")
    corvette, fighter = table.vessel(0, "corvette", "2,2"), table.vessel(0, "strike_fighter", "2,2")
    if drives:
        table.tech(0, "enhanced_jump_drive")
    table.end_turn()
    vessels = table.view(0)["vessels"]
    assert (vessels[corvette]["speed"], vessels[fighter]["speed"]) == speeds
    table.done(0, "move_ships", ships=[corvette], to="2,1")
    table.done(0, "move_ships", ships=[corvette], to="1,1")
    if drives:
        table.done(0, "move_ships", ships=[corvette], to="0,1")
    else:
        table.refuse(0, "move_ships", "cannot_jump", ships=[corvette], to="0,1")


@pytest.mark.parametrize(("card", "refund"), [("frigate", 2), ("strike_fighter", 1), ("scout", 1), ("battleship", 8)])
def test_case_20_scrap(card: str, refund: int) -> None:
    table = Table("classic").credits(0, 0).system("1,1", "trade_world", 0, 1)
    ship, fought = table.vessel(0, card, "2,2"), table.vessel(0, card, "1,1")
    table.cell("1,1")["last_combat"] = 11
    table.do(0, "scrap", ship=ship)
    assert table.seat(0)["credits"] == refund
    table.refuse(0, "scrap", "contested", ship=fought)


def turns(table: Table, count: int) -> list[int]:
    order = [table.state["active"]]
    for _ in range(count):
        table.end_turn()
        order.append(table.state["active"])
    return order


def test_case_21_filibuster() -> None:
    own = Table(seats=3)
    [card] = own.hand(0, "filibuster")
    own.done(0, "play_command", uid=card)
    assert turns(own, 3) == [0, 0, 1, 2]

    other = Table(seats=3)
    [envoy] = other.hand(0, "trade_envoy")
    [card] = other.hand(2, "filibuster")
    other.orders(2, commands="ask")
    other.do(0, "play_command", uid=envoy, targets={"a": "3,3"})
    assert other.waits() == ("window", 2)
    other.do(2, "play_command", uid=card)
    other.passes()
    assert turns(other, 3) == [0, 2, 1, 2]


def test_case_22_last_card() -> None:
    table = Table().home(0, 6).home(1, 4).system("1,1", "trade_world", 1, 4).system("2,1", "core_world", 0, 3)
    table.leave("industry", 1)
    table.do(0, "end_command")
    assert table.state["result"]["reason"] == "deck_empty"
    assert table.state["result"]["ranking"] == [[0], [1]]
    assert table.state["result"]["scores"] == [9, 8]


@pytest.mark.parametrize(("edition", "owner"), [("revised", 0), ("classic", 1)])
def test_case_23_trade(edition: str, owner: int) -> None:
    table = Table(edition).system("1,1", "alien_system", 1, 2).credits(0, 5).credits(1, 0)
    refinery = table.vessel(1, "refinery", "1,1")
    table.do(0, "offer_trade", to=1, give={"credits": 4}, want={"systems": ["1,1"]})
    events = table.do(1, "accept_trade", offer=1)
    assert (table.seat(0)["credits"], table.seat(1)["credits"]) == (1, 4)
    assert (table.cell("1,1")["controller"], table.cell("1,1")["devs"]) == (0, 2)
    assert table.state["vessels"][refinery]["controller"] == owner
    assert not table.sent_of(events, "card_drawn")


def test_an_offer_takes_no_note() -> None:
    """Texts by players stay out of the log, which cannot be erased."""
    table = Table().credits(0, 5).start()
    sides: dict[str, Any] = {"give": {"credits": 1}, "want": {}}
    for note in ("I keep out of 1,1.", ""):
        answer = table.send(0, "offer_trade", to=1, note=note, **sides)
        assert (answer["refusal"]["code"], answer["refusal"]["parameter"]) == ("bad_parameter", "note")
        assert answer["refusal"]["detail"] == ("offer_trade: note must be left out; write promises to the players in a message.")
    order = {"op": "order", "seat": 0, "text": "offer blue give credits=1 want hand=1 Note: I keep out of 1,1."}
    refused = table.session.answer(order)["refusal"]
    assert refused["code"] == "unreadable"
    assert refused["detail"] == "Leave the note out. Write promises to the players in a message."
    [form] = table.forms(0, "offer_trade")
    assert "note" not in form["parameters"]["properties"]
    table.do(0, "offer_trade", to=1, **sides)
    assert "note" not in table.ever("trade_offered")[0]


def test_the_note_of_an_offer_of_earlier_rules_is_for_its_two_seats() -> None:
    table = Table(seats=3).credits(0, 5)
    table.do(0, "offer_trade", to=1, give={"credits": 1}, want={})
    promise = "I keep out of 1,1 \u2013 \U0001f91d for three turns."
    event = table.session.log[-1]
    event = replace(event, data={**event.data, "note": promise})
    state = GAME.evolve(table.session.match.at(event.version - 1), event)
    for viewer, seen in ((0, promise), (1, promise), (2, None), (None, None)):
        view = GAME.view(state, viewer)
        assert view["offers"][0].get("note") == seen
        told = see_event(GAME, event, viewer)
        assert told is not None
        assert told.data.get("note") == seen
        assert (promise in GAME.tell(told, viewer, ("R", "B", "Y"))) is (seen is not None)
        assert (promise in GAME.board_text(view, Caption()).replace("\n    ", " ")) is (seen is not None)
    position = json.loads(json.dumps(codec.write_position(GAME, state, event.version, {})))
    assert codec.read_position(GAME, position, event.version, judge=False)[0] == state
    with pytest.raises(Refused, match="/offers/0/note"):
        codec.read_position(GAME, position, event.version)


def test_case_24_retreat() -> None:
    table = Table().system("1,1", "core_world", 0, 1).system("1,2", "trade_world", 1, 1)
    ours = table.vessel(0, "corvette", "1,1")
    table.system("0,1", "black_hole")
    theirs, fighter = table.vessel(1, "corvette", "0,1"), table.vessel(1, "strike_fighter", "0,1")
    table.orders(0, retreat="ask")
    table.done(0, "move_ships", ships=[ours], to="0,1")
    table.do(0, "end_command")
    table.do(0, "open_combat", cell="0,1")
    table.do(1, "assign_damage", assignments={})
    assert table.waits() == ("combat_retreat", 1), "the active seat's Corvette has no jump left"
    table.refuse(1, "retreat", "cannot_jump", moves=[{"ship": fighter, "to": "0,0"}])
    table.do(1, "retreat", moves=[{"ship": theirs, "to": "0,0"}])
    assert table.state["vessels"][theirs]["cell"] == "0,0"


def test_every_worked_example_has_its_test() -> None:
    names: dict[str, Any] = globals()
    assert {int(name.split("_")[2]) for name in names if name.startswith("test_case_")} == set(range(1, 25))
