"""Every card of both editions can be obtained, can be played from its place, and has its printed effect."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from gamesvc.games.kernel import forms
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.data import CATALOGS
from tests.games.star_commander.table import Table, shots

ALL = [(edition, card.id) for edition, catalog in CATALOGS.items() for card in catalog.cards.values()]
EDITIONS = ("classic", "revised")


def of_kind(*kinds: str) -> list[tuple[str, str]]:
    return [(edition, at) for edition, at in ALL if CATALOGS[edition][at].kind in kinds]


def busy(edition: str) -> Table:
    """Return a board on which every card has a target."""
    table = Table(edition).home(0, 6).home(1, 3).credits(0, 30).credits(1, 10)
    table.system("1,1", "trade_world", 1, 3).system("2,1", "core_world", 0, 3).system("1,2", "military_base", 0, 2)
    for card in ("corvette", "cruiser", "strike_fighter"):
        table.vessel(0, card, "1,1")
    table.vessel(0, "carrier", "2,2")
    table.vessel(0, "defense_station", "2,1")
    for card in ("corvette", "scout", "defense_station"):
        table.vessel(1, card, "1,1")
    table.hand(1, "interdiction")
    return table


@pytest.mark.parametrize(("edition", "at"), ALL)
def test_card_is_reachable(edition: str, at: str) -> None:
    catalog = CATALOGS[edition]
    card = catalog[at]
    if at in catalog.core:
        assert card.supply > 0
        assert card.buildable or at == "scout"
    elif card.kind == "system":
        assert at in catalog.system_deck() or at == "homeworld"
    else:
        assert catalog.domain_deck(card.domain).count(at) == card.count > 0
    assert card.text or not card.effects


@pytest.mark.parametrize(("edition", "at"), of_kind("command"))
def test_command_is_playable(edition: str, at: str) -> None:
    table = busy(edition)
    [uid] = table.hand(0, at)
    if at == "intercept_orders":
        [envoy] = table.hand(0, "trade_envoy")
        table.do(0, "play_command", uid=envoy, targets={"a": "2,2"}, hold=True)
    if not table.started:
        table.start()
    plays = [form for form in GAME.legal_commands(table.session.match.state, 0) if form.name == "play_command"]
    offered = [form for form in plays if uid in form.parameters["uid"]["enum"]]
    assert offered
    command = forms.fill(offered[0], random.Random(at))
    command.pop("name")
    command.pop("hold", None)
    table.done(0, "play_command", **command)
    while table.prompt["kind"] == "choice":
        default = dict(GAME.default_command(table.session.match.state, table.prompt["seat"]))
        table.do(table.prompt["seat"], default.pop("name"), **default)
    assert uid in table.state["discards"][CATALOGS[edition][at].domain]
    assert any(data["name"] == at for data in table.ever("stack_item_resolved"))


@pytest.mark.parametrize(("edition", "at"), of_kind("technology"))
def test_technology_is_playable(edition: str, at: str) -> None:
    table = busy(edition)
    [uid] = table.hand(0, at)
    table.done(0, "play_technology", uid=uid)
    assert table.seat(0)["technologies"] == [uid]


@pytest.mark.parametrize(
    ("edition", "at"), [(e, at) for e, at in of_kind("ship", "station") if CATALOGS[e][at].domain != "neutral"]
)
def test_vessel_card_is_playable(edition: str, at: str) -> None:
    table = busy(edition)
    [uid] = table.hand(0, at)
    card = CATALOGS[edition][at]
    table.done(0, f"build_{card.kind}", uid=uid, cell="2,2")
    [built] = table.ever("vessel_built")
    assert (built["card"], built["paid"], built["uid"]) == (at, card.cost, uid)


@pytest.mark.parametrize(
    ("edition", "at"), [(e, at) for e, at in of_kind("ship", "station") if CATALOGS[e][at].buildable and at in CATALOGS[e].core]
)
def test_core_vessel_is_buildable(edition: str, at: str) -> None:
    table = busy(edition)
    table.done(0, f"build_{CATALOGS[edition][at].kind}", card=at, cell="2,2")
    assert table.ever("vessel_built")[0]["card"] == at
    assert table.seat(0)["credits"] == 30 - CATALOGS[edition][at].cost


@pytest.mark.parametrize(("edition", "at"), [pair for pair in of_kind("system") if pair[1] != "homeworld"])
def test_system_is_explored_and_developed(edition: str, at: str) -> None:
    table = Table(edition).credits(0, 9).system("2,1", at, explored=False)
    ship = table.vessel(0, "scout", "2,2")
    table.done(0, "move_ships", ships=[ship], to="2,1")
    assert table.ever("system_explored") == [{"seat": 0, "cell": "2,1", "card": at}]
    table.done(0, "develop", cell="2,1")
    assert table.cell("2,1")["controller"] == 0
    assert table.view(1)["cells"]["2,1"]["max"] == CATALOGS[edition][at].max_development


# --- the effect of each card: one function per card, run for every edition that has it ---


def attack(table: Table, at: str) -> int:
    return int(table.view(0)["vessels"][at]["attack"])


def hp(table: Table, at: str) -> int:
    return int(table.view(0)["vessels"][at]["hp"])


def ready(table: Table) -> Table:
    """End the turn of seat 1, so that seat 0 goes through its ready phase."""
    table.at("command", 1)
    table.end_turn()
    return table


def scout(edition: str) -> None:
    table = Table(edition)
    at = table.vessel(0, "scout", "2,2")
    assert (attack(table, at), hp(table, at)) == (0, 2)


def strike_fighter(edition: str) -> None:
    table = Table(edition).system("2,1", "trade_world")
    at = table.vessel(0, "strike_fighter", "2,2")
    table.refuse(0, "move_ships", "cannot_jump", ships=[at], to="2,1")


def corvette(edition: str) -> None:
    table = Table(edition)
    at = table.vessel(0, "corvette", "2,2")
    assert table.view(0)["vessels"][at].get("extra_targets", 0) == (1 if edition == "classic" else 0)


def jumps_when_new(edition: str, card: str) -> bool:
    table = Table(edition).home(0, 6).credits(0, 9).system("2,1", "trade_world")
    table.done(0, "build_ship", card=card, cell="2,2")
    new = table.ever("vessel_built")[0]["vessel"]
    return bool(table.send(0, "move_ships", ships=[new], to="2,1")["ok"])


def frigate(edition: str) -> None:
    assert jumps_when_new(edition, "frigate") is (edition == "classic")


def destroyer(edition: str) -> None:
    assert jumps_when_new(edition, "destroyer") is (edition == "revised")


def cruiser(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world", 1, 3)
    table.vessel(1, "corvette", "1,1")
    table.vessel(0, "cruiser", "1,1")
    table.end_turn()
    assert table.cell("1,1")["devs"] == 2


def battleship(edition: str) -> None:
    table = Table(edition)
    at = table.vessel(0, "battleship", "2,2")
    assert table.view(0)["vessels"][at]["extra_targets"] == 1


def carrier(edition: str) -> None:
    table = Table(edition).system("2,1", "trade_world")
    at, fighter = table.vessel(0, "carrier", "2,2"), table.vessel(0, "strike_fighter", "2,2")
    table.done(0, "move_ships", ships=[at], to="2,1", carried={at: [fighter]})
    assert table.state["vessels"][fighter]["cell"] == "2,1"
    assert table.state["vessels"][fighter]["jumps"] == 0


def defense_station(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world", 1, 2)
    station, ship = table.vessel(1, "defense_station", "1,1"), table.vessel(1, "scout", "1,1")
    ours = table.vessel(0, "corvette", "1,1")
    table.fight("1,1")
    if edition == "revised":
        table.refuse(0, "assign_damage", "guarded", assignments=shots(**{ours: (ship, 2)}))
        return
    table.do(0, "assign_damage", assignments=shots(**{ours: (ship, 2)}))
    table.do(1, "assign_damage", assignments={})
    table.do(1, "activate", source=station, targets={"a": ship})
    assert table.has(ship)
    assert table.ever("damage_dealt")[0]["hits"][0]["vessel"] == station


def homeworld(edition: str) -> None:
    table = Table(edition).credits(0, 9)
    table.vessel(1, "corvette", "2,2")
    table.done(0, "build_ship", card="strike_fighter", cell="2,2")
    assert table.ever("vessel_built"), "also under siege"


def research_world(edition: str) -> None:
    table = ready(Table(edition).system("1,1", "research_world", 0, 1))
    assert len(table.ever("card_drawn")) == 2


def core_world(edition: str) -> None:
    table = Table(edition).system("1,1", "core_world", 0, 1).home(0, 2).at("command", 1)
    table.do(1, "end_command")
    assert table.waits() == ("choice", 0)
    table.do(0, "choose", value="2,2")
    assert table.cell("2,2")["devs"] == 3


def trade_world(edition: str) -> None:
    table = ready(Table(edition).system("1,1", "trade_world", 0, 1).credits(0, 0))
    assert table.seat(0)["credits"] == 4


def military_base(edition: str) -> None:
    table = Table(edition).system("1,1", "military_base")
    table.vessel(0, "scout", "1,1")
    table.done(0, "develop", cell="1,1")
    assert [one["card"] for one in table.ever("vessel_built")] == ["defense_station"]


def alien_system(edition: str) -> None:
    table = Table(edition).system("1,1", "alien_system")
    table.cell("1,1")["first_developed_by"] = [1]
    table.vessel(0, "scout", "1,1")
    table.done(0, "develop", cell="1,1")
    assert len(table.ever("card_drawn")) == (2 if edition == "classic" else 0), "once per seat, or once per match"


def new_colony(edition: str) -> None:
    table = Table(edition).system("1,1", "new_colony")
    table.vessel(0, "scout", "1,1")
    table.done(0, "develop", cell="1,1")
    assert table.cell("1,1")["devs"] == 2


def asteroid_field(edition: str) -> None:
    table = Table(edition).system("2,1", "asteroid_field")
    big, small = table.vessel(0, "destroyer", "2,2"), table.vessel(0, "frigate", "2,2")
    table.refuse(0, "move_ships", "cannot_jump", ships=[big, small], to="2,1")
    table.done(0, "move_ships", ships=[small], to="2,1")


def pulsar_system(edition: str) -> None:
    table = busy(edition).system("0,1", "pulsar_system")
    ship = table.vessel(0, "corvette", "0,1")
    [evasion, envoy] = table.hand(0, "evasion", "trade_envoy")
    table.refuse(0, "play_command", "illegal_target", uid=evasion, targets={"a": ship})
    answer = table.send(0, "play_command", uid=envoy, targets={"a": "0,1"})
    assert answer["ok"] is (edition == "classic"), "the system itself is protected in revised only"


def black_hole(edition: str) -> None:
    table = Table(edition).system("2,1", "black_hole")
    ship, enemy = table.vessel(0, "corvette", "2,2"), table.vessel(1, "scout", "2,1")
    table.done(0, "move_ships", ships=[ship], to="2,1")
    assert table.view(0)["vessels"][ship]["disarmed"]
    if edition == "revised":
        table.do(0, "end_command")
        table.do(0, "open_combat", cell="2,1")
    table.end_turn()
    assert table.has(enemy)
    table.end_turn()
    assert "disarmed" not in table.view(0)["vessels"][ship], "gone at its controller's next turn"


def silis_major(edition: str) -> None:
    table = Table(edition).system("2,1", "silis_major", 0, 1)
    fighter = table.vessel(0, "strike_fighter", "2,2")
    table.done(0, "move_ships", ships=[fighter], to="2,1")
    assert table.state["vessels"][fighter]["cell"] == "2,1"


def forsei(edition: str) -> None:
    table = Table(edition).system("2,1", "forsei", 0, 2).credits(0, 1)
    table.do(0, "end_command")
    assert table.waits() == ("combat_choose", 0)
    table.done(0, "build_ship", card="strike_fighter", cell="2,1")
    assert table.ever("vessel_built")[0]["cell"] == "2,1"


def drummond(edition: str) -> None:
    table = Table(edition).system("1,1", "drummond", 0, 1).system("2,1", "trade_world").system("0,2", "core_world")
    ship = table.vessel(0, "corvette", "2,2")
    [card] = table.hand(0, "ram")
    far = table.send(0, "activate", source="1,1", targets={"a": ship, "b": "0,2"}, discard=card)
    assert far["ok"] is (edition == "classic"), "any system, or the next one"
    if edition == "revised":
        table.done(0, "activate", source="1,1", targets={"a": ship, "b": "2,1"}, discard=card)
    assert table.state["vessels"][ship]["cell"] == ("0,2" if edition == "classic" else "2,1")
    assert table.state["vessels"][ship]["jumps"] == 0


def empty_system(edition: str) -> None:
    table = Table(edition).system("1,1", "empty_system", 0, 1)
    assert table.view(0)["seats"][0]["domains"] == []


def refinery(edition: str) -> None:
    table = Table(edition).credits(0, 0)
    table.vessel(0, "refinery", "2,2")
    assert ready(table).seat(0)["credits"] == 3


def orbital_bombardment(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world", 1, 4)
    ship = table.vessel(0, "battleship", "1,1")
    [card] = table.hand(0, "orbital_bombardment")
    table.done(0, "play_command", uid=card, targets={"a": ship})
    assert table.cell("1,1")["devs"] == 1, "one is left"


def trade_envoy(edition: str) -> None:
    table = Table(edition).credits(0, 0).home(1, 4)
    [card] = table.hand(0, "trade_envoy")
    table.done(0, "play_command", uid=card, targets={"a": "0,0"})
    assert table.seat(0)["credits"] == (8 if edition == "classic" else 4)


def barrage(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world")
    ours = table.vessel(0, "corvette", "1,1")
    enemies = [table.vessel(1, "strike_fighter", "1,1"), table.vessel(1, "scout", "1,1")]
    [card] = table.hand(0, "barrage")
    targets = {"a": ours} if edition == "classic" else {"a": ours, "b": enemies[0]}
    table.done(0, "play_command", uid=card, targets=targets)
    assert [table.has(at) for at in enemies] == ([False, False] if edition == "classic" else [False, True])


def ram(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world")
    ours, theirs = table.vessel(0, "cruiser", "1,1"), table.vessel(1, "cruiser", "1,1")
    [card] = table.hand(0, "ram")
    table.done(0, "play_command", uid=card, targets={"a": ours, "b": theirs})
    assert not table.has(ours)
    assert not table.has(theirs), "7 hit points as damage on 7"


def mass_production(edition: str) -> None:
    table = Table(edition).home(0, 6)
    [card] = table.hand(0, "mass_production")
    table.done(0, "play_command", uid=card, targets={"a": "2,2"})
    assert len(table.ever("vessel_built")) == (3 if edition == "classic" else 2)


def maximum_firepower(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world")
    one, two = table.vessel(0, "frigate", "1,1"), table.vessel(0, "scout", "1,1")
    [card] = table.hand(0, "maximum_firepower")
    table.done(0, "play_command", uid=card, targets={"a": one if edition == "classic" else "1,1"})
    assert (attack(table, one), attack(table, two)) == ((5, 0) if edition == "classic" else (5, 2))
    assert table.view(0)["vessels"][one].get("extra_targets", 0) == (1 if edition == "classic" else 0)
    table.end_turn()
    assert attack(table, one) == 3


def trade_routes(edition: str) -> None:
    table = Table(edition).credits(0, 0).home(0, 2)
    table.tech(0, "trade_routes")
    table.vessel(0, "defense_station", "2,2")
    assert ready(table).seat(0)["credits"] == 3


def railgun_turrets(edition: str) -> None:
    table = Table(edition).credits(0, 5).system("1,1", "trade_world")
    ship = table.vessel(0, "corvette", "1,1")
    [gun] = table.tech(0, "railgun_turrets")
    extra: dict[str, Any] = {"x": 3} if edition == "classic" else {}
    table.done(0, "activate", source=gun, targets={"a": ship}, **extra)
    assert (attack(table, ship), table.seat(0)["credits"]) == ((5, 2) if edition == "classic" else (4, 3))


def targeting_systems(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world")
    table.tech(0, "targeting_systems")
    cruiser_ = table.vessel(0, "cruiser", "1,1")
    enemies = [table.vessel(1, "strike_fighter", "1,1") for _ in range(4)]
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{cruiser_: [(at, 1) for at in enemies]}))
    table.do(1, "assign_damage", assignments={})
    assert not any(table.has(at) for at in enemies)


def battlecruiser(edition: str) -> None:
    table = Table(edition).credits(0, 5)
    ship = table.vessel(0, "battlecruiser", "2,2")
    table.refuse(0, "activate", "cannot_pay", source=ship, x=6)
    table.done(0, "activate", source=ship, x=4)
    assert (attack(table, ship), table.seat(0)["credits"]) == (10, 1)


def missile_platform(edition: str) -> None:
    table = Table(edition).home(0, 3)
    platform, other = table.vessel(0, "missile_platform", "2,2"), table.vessel(0, "refinery", "2,2")
    assert (attack(table, platform), attack(table, other)) == (3, 1)


def orbital_habitat(edition: str) -> None:
    table = Table(edition).system("1,1", "black_hole", 0, 2)
    table.vessel(0, "orbital_habitat", "1,1")
    ready(table)
    assert table.view(0)["cells"]["1,1"]["max"] == 4
    assert table.cell("1,1")["devs"] == (2 if edition == "classic" else 3)


def shipyard(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world", 0, 2).credits(0, 3)
    table.vessel(0, "shipyard", "1,1")
    table.done(0, "build_ship", card="corvette", cell="1,1")
    assert table.ever("vessel_built")


def spy_network(edition: str) -> None:
    table = Table(edition)
    [spy] = table.hand(0, "spy_network")
    theirs = table.hand(1, "ram", "barrage")
    table.do(0, "play_command", uid=spy, targets={"p": "1"})
    table.passes()
    table.do(0, "choose", value=theirs[0])
    assert table.seat(0)["hand"] == [theirs[0]]
    assert table.seat(1)["hand"] == [theirs[1]]


def intercept_orders(edition: str) -> None:
    table = Table(edition)
    [first] = table.hand(0, "filibuster")
    [second, third] = table.hand(1, "intercept_orders", "intercept_orders")
    table.hand(0, "ram")
    table.do(0, "play_command", uid=first)
    table.do(1, "play_command", uid=second, targets={"c": f"s{table.state['stack'][0]['id']}"})
    if table.waits() == ("window", 0):
        table.do(0, "pass")
    assert third in table.seat(1)["hand"]
    table.passes()
    assert not table.ever("extra_turn_queued")


def sabotage(edition: str) -> None:
    table = busy(edition)
    [card] = table.hand(0, "sabotage")
    station = next(at for at, v in table.state["vessels"].items() if v["controller"] == 1 and v["card"] == "defense_station")
    table.done(0, "play_command", uid=card, targets={"a": station})
    assert not table.has(station)


def bribery(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world").system("2,1", "core_world", explored=False)
    table.vessel(0, "scout", "1,1")
    theirs = table.vessel(1, "cruiser", "1,1")
    [card] = table.hand(0, "bribery")
    targets = {"a": theirs} if edition == "classic" else {"a": theirs, "b": "2,1"}
    table.done(0, "play_command", uid=card, targets=targets)
    vessel = table.state["vessels"][theirs]
    if edition == "classic":
        assert vessel["controller"] == 0
        table.refuse(0, "move_ships", "cannot_jump", ships=[theirs], to="2,1")
    else:
        assert vessel["cell"] == "2,1"
        assert table.ever("system_explored")


def filibuster(edition: str) -> None:
    table = Table(edition)
    [card] = table.hand(0, "filibuster")
    table.done(0, "play_command", uid=card)
    table.end_turn()
    assert (table.state["active"], table.state["turn"]) == (0, 12)


def advanced_weapons(edition: str) -> None:
    table = Table(edition)
    ship, station = table.vessel(0, "scout", "2,2"), table.vessel(0, "refinery", "2,2")
    table.tech(0, "advanced_weapons")
    assert (attack(table, ship), attack(table, station)) == (1, 1)


def efficient_construction(edition: str) -> None:
    table = Table(edition).home(0, 3).credits(0, 4)
    table.tech(0, "efficient_construction", "efficient_construction")
    [uid] = table.hand(0, "refinery")
    table.done(0, "build_station", uid=uid, cell="2,2")
    assert table.ever("vessel_built")[0]["paid"] == 1, "2 - 2, never below 1"


def fighter_bays(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world", 0, 2).credits(0, 4)
    table.tech(0, "fighter_bays")
    table.vessel(0, "defense_station", "1,1")
    table.done(0, "build_ship", card="strike_fighter", cell="1,1")
    assert hp(table, table.ever("vessel_built")[0]["vessel"]) == 2
    table.refuse(0, "build_ship", "cannot_build_here", card="corvette", cell="1,1")


def jump_nexus(edition: str) -> None:
    table = Table(edition).system("2,1", "trade_world").system("1,1", "core_world")
    ship = table.vessel(0, "corvette", "2,2")
    table.credits(0, 4)
    [uid] = table.hand(0, "jump_nexus")
    table.done(0, "build_station", uid=uid, cell="2,2")
    table.done(0, "move_ships", ships=[ship], to="2,1")
    table.done(0, "move_ships", ships=[ship], to="1,1")
    table.end_turn()
    assert table.view(0)["vessels"][ship]["speed"] == 1


def explore_the_unknown(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world", 0, 1)
    [card] = table.hand(0, "explore_the_unknown")
    table.done(0, "play_command", uid=card)
    assert len(table.ever("card_drawn")) == 2


def jump_drive_detonation(edition: str) -> None:
    table = busy(edition)
    [card] = table.hand(0, "jump_drive_detonation")
    table.done(0, "play_command", uid=card, targets={"a": "1,1"})
    assert not [v for v in table.state["vessels"].values() if v["cell"] == "1,1"]


def jump_stabilization(edition: str) -> None:
    table = Table(edition).system("1,1", "core_world")
    ship = table.vessel(0, "cruiser", "2,2")
    [card] = table.hand(0, "jump_stabilization")
    table.done(0, "play_command", uid=card, targets={"a": "2,2"})
    table.done(0, "move_ships", ships=[ship], to="1,1")
    assert table.state["vessels"][ship]["cell"] == "1,1"


def interdiction(edition: str) -> None:
    table = Table(edition).system("2,1", "core_world")
    ship = table.vessel(0, "cruiser", "2,2")
    [card] = table.hand(0, "interdiction")
    table.done(0, "play_command", uid=card, targets={"a": "2,2"})
    table.refuse(0, "move_ships", "cannot_jump", ships=[ship], to="2,1")


def raise_shields(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world")
    one, two = table.vessel(0, "frigate", "1,1"), table.vessel(0, "scout", "1,1")
    [card] = table.hand(0, "raise_shields")
    table.done(0, "play_command", uid=card, targets={"a": one if edition == "classic" else "1,1"})
    assert (hp(table, one), hp(table, two)) == ((5, 2) if edition == "classic" else (5, 4))


def evasion(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world")
    ours, theirs = table.vessel(0, "scout", "1,1"), table.vessel(1, "cruiser", "1,1")
    [card] = table.hand(0, "evasion")
    table.done(0, "play_command", uid=card, targets={"a": ours})
    table.fight("1,1")
    table.do(1, "assign_damage", assignments=shots(**{theirs: (ours, 5)}))
    table.end_turn()
    assert table.has(ours)
    assert table.ever("damage_dealt")[0]["hits"][0]["prevented"] == 5


def experimental_shields(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world")
    ship = table.vessel(0, "corvette", "1,1")
    [tech] = table.tech(0, "experimental_shields")
    [cost, evade] = table.hand(0, "ram", "evasion")
    table.done(0, "activate", source=tech, targets={"a": ship}, discard=cost)
    assert table.view(0)["vessels"][ship]["prevented"]
    answer = table.send(0, "play_command", uid=evade, targets={"a": ship})
    assert answer["ok"] is (edition == "revised"), "untargetable in classic"


def enhanced_jump_drive(edition: str) -> None:
    table = Table(edition).system("2,1", "trade_world")
    fighter = table.vessel(0, "strike_fighter", "2,2")
    table.tech(0, "enhanced_jump_drive")
    table.do(0, "move_ships", ships=[fighter], to="2,1")
    assert table.state["vessels"][fighter]["jumps"] == 1


def research_initiative(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world", 0, 1).credits(0, 3)
    table.tech(0, "research_initiative")
    second, first = table.top("ram"), table.top("barrage")
    table.do(0, "trade_draw", domain="industry")
    assert table.view(0)["prompt"]["cards"] == [[first, "barrage"]]
    assert "cards" not in table.view(1)["prompt"]
    table.do(0, "choose", value="discard")
    assert table.seat(0)["hand"] == [second]


def advanced_shields(edition: str) -> None:
    table = Table(edition)
    ship = table.vessel(0, "corvette", "2,2")
    table.tech(0, "advanced_shields")
    assert hp(table, ship) == 3


def advanced_systems(edition: str) -> None:
    table = Table(edition)
    ship, enemy = table.vessel(0, "corvette", "2,2"), table.vessel(1, "corvette", "0,0")
    table.tech(0, "advanced_systems")
    assert (attack(table, ship), hp(table, ship), attack(table, enemy)) == (3, 3, 2)


def thrill_of_discovery(edition: str) -> None:
    table = Table(edition).system("1,1", "trade_world", 0, 1)
    table.tech(0, "thrill_of_discovery")
    assert len(ready(table).ever("card_drawn")) == 2


EFFECTS: dict[str, Callable[[str], None]] = {
    name: found for name, found in list(globals().items()) if name in {at for _, at in ALL} and callable(found)
}


@pytest.mark.parametrize(("edition", "at"), ALL)
def test_card_does_what_it_says(edition: str, at: str, tried: list[dict[str, Any]]) -> None:
    EFFECTS[at](edition)
    assert tried
    assert all(answer["ok"] or "refusal" in answer for answer in tried)
