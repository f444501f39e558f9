"""The rulings RULES.md 19.24 to 19.47, through the engine protocol: questions, cards, the ends of a match."""

from __future__ import annotations

import pytest

from tests.games.star_commander import test_rulings_board
from tests.games.star_commander.table import Table, shots


def test_ruling_24_being_asked_does_not_tell_the_hand() -> None:
    def asked(*hand: str) -> tuple[str, int]:
        table = Table().system("1,1", "trade_world")
        ours, theirs = table.vessel(0, "corvette", "1,1"), table.vessel(1, "destroyer", "1,1")
        [barrage] = table.hand(0, "barrage")
        table.hand(1, *hand)
        table.do(0, "play_command", uid=barrage, targets={"a": ours, "b": theirs})
        return table.waits()

    assert asked("evasion") == asked("trade_envoy") == asked("refinery") == ("window", 1)
    assert asked() == ("command", 0), "an empty hand can be seen by all"


def test_ruling_25_effects_on_ships_in_a_system_fix_their_ships() -> None:
    table = Table().system("1,1", "trade_world").system("1,2", "core_world").system("2,1", "black_hole")
    there, later = table.vessel(0, "corvette", "1,1"), table.vessel(0, "corvette", "1,2")
    [firepower] = table.hand(0, "maximum_firepower")
    table.done(0, "play_command", uid=firepower, targets={"a": "1,1"})
    table.done(0, "move_ships", ships=[later], to="1,1")
    vessels = table.view(0)["vessels"]
    assert (vessels[there]["attack"], vessels[later]["attack"]) == (4, 2)


def test_ruling_26_moving_is_not_jumping_revised() -> None:
    table = Table().system("1,1", "trade_world", 1, 1).system("0,1", "asteroid_field", 1, 1)
    cruiser, theirs = table.vessel(0, "cruiser", "1,1"), table.vessel(1, "cruiser", "1,1")
    [bribery] = table.hand(0, "bribery")
    table.refuse(0, "move_ships", "cannot_jump", ships=[cruiser], to="0,1")
    table.done(0, "play_command", uid=bribery, targets={"a": theirs, "b": "0,1"})
    assert table.state["vessels"][theirs]["cell"] == "0,1"
    assert table.state["vessels"][theirs]["jumps"] == 0
    held = Table().system("1,1", "trade_world").system("0,1", "core_world")
    theirs = held.vessel(1, "cruiser", "1,1")
    [lock, bribery] = held.hand(0, "interdiction", "bribery")
    held.done(0, "play_command", uid=lock, targets={"a": "1,1"})
    held.done(0, "play_command", uid=bribery, targets={"a": theirs, "b": "0,1"})
    assert held.state["vessels"][theirs]["cell"] == "1,1"


def test_ruling_26_classic_asteroid_field_bars_all_entry() -> None:
    table = Table("classic").system("2,1", "drummond", 0, 1).system("0,1", "asteroid_field").system("1,1", "trade_world")
    cruiser, corvette = table.vessel(0, "cruiser", "2,2"), table.vessel(0, "corvette", "2,2")
    [one, two, lock] = table.hand(0, "barrage", "ram", "interdiction")
    table.refuse(0, "activate", "illegal_target", source="2,1", targets={"a": cruiser, "b": "0,1"}, discard=one)
    table.done(0, "play_command", uid=lock, targets={"a": "2,2"})
    table.refuse(0, "move_ships", "cannot_jump", ships=[corvette], to="2,1")
    table.done(0, "activate", source="2,1", targets={"a": corvette, "b": "0,1"}, discard=two)
    assert table.state["vessels"][corvette]["cell"] == "0,1", "a lock stops jumps only"


def test_ruling_27_split_divides_the_damage() -> None:
    table = Table("classic").system("1,1", "trade_world")
    corvette = table.vessel(0, "corvette", "1,1")
    first, second = table.vessel(1, "strike_fighter", "1,1"), table.vessel(1, "scout", "1,1")
    table.fight("1,1")
    table.refuse(0, "assign_damage", "limit", assignments=shots(**{corvette: [(first, 2), (second, 2)]}))
    table.do(0, "assign_damage", assignments=shots(**{corvette: [(first, 1), (second, 1)]}))
    table.do(1, "assign_damage", assignments={})
    assert not table.has(first)
    assert table.has(second)


def test_ruling_28_guard_per_command_and_per_seat() -> None:
    table = Table(seats=3).system("1,1", "trade_world")
    frigate, behind = table.vessel(1, "frigate", "1,1"), table.vessel(1, "corvette", "1,1")
    other = table.vessel(2, "corvette", "1,1")
    destroyer, small = table.vessel(0, "destroyer", "1,1"), table.vessel(0, "corvette", "1,1")
    table.fight("1,1")
    table.refuse(0, "assign_damage", "guarded", assignments=shots(**{small: (behind, 2)}))
    table.do(0, "assign_damage", assignments=shots(**{destroyer: (frigate, 4)}), more=True)
    assert table.waits() == ("combat_assign", 0)
    table.do(0, "assign_damage", assignments=shots(**{small: (behind, 2)}))
    table.do(1, "assign_damage", assignments=shots(**{behind: (other, 2)}))
    table.do(2, "assign_damage", assignments={})
    assert [table.has(at) for at in (frigate, behind, other)] == [False, False, False]


def test_ruling_28_guards_of_one_seat_do_not_protect_another() -> None:
    table = Table(seats=3).system("1,1", "trade_world")
    table.vessel(1, "frigate", "1,1")
    other, destroyer = table.vessel(2, "corvette", "1,1"), table.vessel(0, "destroyer", "1,1")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{destroyer: (other, 4)}))
    table.end_turn()
    assert not table.has(other)


def test_ruling_29_cruiser_under_siege_counts_once() -> None:
    table = Table().system("1,1", "trade_world", 1, 4)
    table.vessel(0, "cruiser", "1,1")
    table.end_turn()
    assert table.cell("1,1")["devs"] == 3


def test_ruling_30_mass_production_and_military_base_are_free() -> None:
    table = Table().home(0, 2).credits(0, 1).system("2,1", "military_base")
    table.vessel(0, "scout", "2,1")
    [mass] = table.hand(0, "mass_production")
    table.done(0, "develop", cell="2,1")
    assert table.ever("vessel_built")[0] == {
        "seat": 0, "vessel": table.ever("vessel_built")[0]["vessel"], "card": "defense_station", "cell": "2,1", "paid": 0,
        "uid": None, "turn": 11,
    }  # fmt: skip
    table.done(0, "play_command", uid=mass, targets={"a": "2,1"})
    built = [one["card"] for one in table.ever("vessel_built")]
    assert built == ["defense_station", "corvette", "corvette"], "three developments, one Scout: two more ships"
    assert table.seat(0)["credits"] == 0


def test_ruling_30_number_limits_and_bars_hold() -> None:
    table = Table().home(0, 1).system("2,1", "trade_world", 0, 1, last_combat=11)
    table.vessel(1, "corvette", "2,1")
    [one, two] = table.hand(0, "mass_production", "mass_production")
    table.done(0, "play_command", uid=one, targets={"a": "2,1"})
    assert not table.ever("vessel_built"), "besieged and contested"
    table.done(0, "play_command", uid=two, targets={"a": "2,2"})
    assert len(table.ever("vessel_built")) == 2


def test_ruling_31_filibuster_on_another_seats_turn() -> None:
    table = Table(seats=4)
    [envoy] = table.hand(0, "trade_envoy")
    [card] = table.hand(3, "filibuster")
    table.orders(3, commands="ask")
    table.do(0, "play_command", uid=envoy, targets={"a": "4,4"})
    table.do(3, "play_command", uid=card)
    table.passes()
    order = []
    for _ in range(3):
        table.end_turn()
        order.append(table.state["active"])
    assert order == [3, 1, 2]


@pytest.mark.parametrize("edition", ["classic", "revised"])
def test_ruling_32_spy_network_into_a_full_hand(edition: str) -> None:
    table = Table(edition, seats=3)
    others = ["ram", "barrage", "sabotage", "evasion", "evasion", "bribery", "ram"] if edition == "classic" else ["ram"] * 3
    [spy, *_] = table.hand(0, "spy_network", *others[:4])
    theirs = table.hand(1, "interdiction", "interdiction")
    table.hand(2, "filibuster")
    table.orders(2, commands="ask")
    table.do(0, "play_command", uid=spy, targets={"p": "1"})
    table.passes()
    assert table.waits() == ("choice", 0), "playing it made room"
    table.do(0, "choose", value=theirs[1])
    assert theirs[1] in table.seat(0)["hand"]
    shown = table.session.answer({"op": "events", "since": 0, "seat": 2})["events"]
    seen = [event["data"] for event in shown if event["type"].endswith("hand_shown")]
    assert ("cards" in seen[0]) is (edition == "classic")


def test_ruling_32_with_a_full_hand_at_resolution() -> None:
    for edition, size in (("classic", 8), ("revised", 5)):
        table = Table(edition)
        cards = ["ram", "barrage", "sabotage", "evasion", "evasion", "bribery", "ram", "sabotage"][:size]
        hand = table.hand(0, *cards)
        theirs = table.hand(1, "interdiction")
        item = {"do": "take_card", "seat": 0, "victim": 1, "reveal": "all"}
        table.state["work"] = [{"do": "command"}, item]
        table.state["prompt"] = {"kind": "choice", "seat": 0, "number": 901, "what": "discard"}
        if edition == "classic":
            table.do(0, "choose", value=hand[0])
            table.do(0, "choose", value=theirs[0])
            assert len(table.seat(0)["hand"]) == 8
        else:
            table.state["prompt"]["what"] = "take_card"
            table.start()
            table.do(1, "resign")
            assert len(table.seat(0)["hand"]) == 5


def test_ruling_33_interdiction_ends_on_an_extra_turn_too() -> None:
    table = Table().system("1,1", "trade_world")
    ship = table.vessel(1, "corvette", "1,1")
    [lock, again] = table.hand(0, "interdiction", "filibuster")
    table.done(0, "play_command", uid=lock, targets={"a": "1,1"})
    table.done(0, "play_command", uid=again)
    assert table.view(0)["vessels"][ship]["locked"]
    table.end_turn()
    assert (table.state["active"], table.state["modifiers"]) == (0, [])


def test_ruling_34_empty_classic_deck_is_reshuffled() -> None:
    table = Table("classic").system("1,1", "trade_world", 0, 1).credits(0, 9).leave("industry", 0)
    before = set(table.state["discards"]["industry"])
    assert len(before) == 30
    table.do(0, "trade_draw", domain="industry")
    [shuffled] = table.ever("deck_reshuffled")
    assert len(shuffled["deck"]) == 30
    assert not before & {uid for uid, _ in shuffled["deck"]}, "new uids"
    assert len(table.state["decks"]["industry"]) == 29


def test_ruling_35_a_deck_emptied_by_a_discard_ends_the_match() -> None:
    table = Table().system("1,1", "trade_world", 0, 1).credits(0, 9).leave("industry", 1)
    table.tech(0, "research_initiative")
    table.done(0, "trade_draw", domain="industry")
    assert table.waits() == ("choice", 0)
    table.do(0, "choose", value="discard")
    assert table.state["result"]["reason"] == "deck_empty"


def test_ruling_36_railgun_may_be_used_again() -> None:
    table = Table().system("1,1", "trade_world").credits(0, 6)
    ship = table.vessel(0, "corvette", "1,1")
    [gun] = table.tech(0, "railgun_turrets")
    table.done(0, "activate", source=gun, targets={"a": ship})
    assert (table.view(0)["vessels"][ship]["attack"], table.seat(0)["credits"]) == (4, 4)
    table.done(0, "activate", source=gun, targets={"a": ship})
    assert (table.view(0)["vessels"][ship]["attack"], table.seat(0)["credits"]) == (8, 0)


@pytest.mark.parametrize("edition", ["classic", "revised"])
def test_ruling_37_new_ships_may_retreat(edition: str) -> None:
    table = Table(edition).system("2,1", "trade_world", 0, 1).home(0, 6).credits(0, 9)
    table.vessel(1, "corvette", "2,2")
    table.done(0, "build_ship", card="corvette", cell="2,2")
    new = table.ever("vessel_built")[0]["vessel"]
    table.fight("2,2")
    table.do(0, "assign_damage", assignments={})
    table.do(1, "assign_damage", assignments={})
    table.do(0, "retreat", moves=[{"ship": new, "to": "2,1"}])
    assert table.state["vessels"][new]["cell"] == "2,1"


def test_ruling_38_homeworld_conquest_ends_at_cleanup() -> None:
    table = Table().home(1, 1).system("0,1", "trade_world", 1, 1).system("1,1", "core_world", 1, 1)
    for cell in ("0,0", "0,1"):
        table.vessel(0, "corvette", cell)
    table.end_turn()
    assert table.state["result"]["reason"] == "homeworld_captured"
    assert [data["cell"] for data in table.ever("control_changed")] == ["0,0", "0,1"], "all conquests of the turn are done"


@pytest.mark.parametrize(("edition", "systems"), [("classic", 25), ("revised", 24)])
def test_ruling_39_published_sizes(edition: str, systems: int) -> None:
    cards = Table(edition).cards
    assert len(cards.system_deck()) == systems
    for domain in ("industry", "statecraft", "science"):
        deck = cards.domain_deck(domain)
        assert (len(deck), len(set(deck))) == (30, 10)


def test_ruling_40_hand_limit_binds_trades() -> None:
    table = Table()
    table.hand(0, "ram", "ram", "barrage", "barrage", "evasion")
    [card] = table.hand(1, "sabotage")
    table.do(1, "offer_trade", to=0, give={"hand": [card]}, want={})
    table.refuse(0, "accept_trade", "hand_full", offer=1)
    assert (len(table.seat(0)["hand"]), table.seat(1)["hand"]) == (5, [card])


def test_ruling_41_geography_works_under_siege() -> None:
    table = Table().system("1,1", "asteroid_field", 0, 1).system("1,2", "pulsar_system", 0, 1).system("2,1", "black_hole", 0, 1)
    for cell in ("1,1", "1,2", "2,1"):
        table.vessel(1, "scout", cell)
    cruiser, scout = table.vessel(0, "cruiser", "2,2"), table.vessel(0, "corvette", "2,2")
    shielded = table.vessel(0, "scout", "1,2")
    [evasion] = table.hand(0, "evasion")
    assert table.view(0)["cells"]["1,1"]["besieged"]
    table.refuse(0, "play_command", "illegal_target", uid=evasion, targets={"a": shielded})
    table.done(0, "move_ships", ships=[scout], to="2,1")
    assert table.view(0)["vessels"][scout]["disarmed"]
    assert cruiser


def test_ruling_42_developing_under_guns_loses_the_effect() -> None:
    for armed, drawn in ((False, 0), (True, 2)):
        table = Table().system("1,1", "alien_system").credits(0, 3)
        table.vessel(0, "corvette" if armed else "scout", "1,1")
        table.vessel(1, "corvette", "1,1")
        table.done(0, "develop", cell="1,1")
        assert table.cell("1,1")["controller"] == 0
        assert len(table.ever("card_drawn")) == drawn


def test_ruling_43_chosen_is_not_targeted() -> None:
    table = Table().system("1,1", "pulsar_system", 1, 2)
    ours = table.vessel(0, "corvette", "1,1")
    theirs = table.vessel(1, "scout", "1,1")
    [bombard, sabotage, detonation] = table.hand(0, "orbital_bombardment", "sabotage", "jump_drive_detonation")
    table.refuse(0, "play_command", "illegal_target", uid=sabotage, targets={"a": theirs})
    table.done(0, "play_command", uid=bombard, targets={"a": ours})
    assert table.cell("1,1")["devs"] == 1
    table.done(0, "play_command", uid=detonation, targets={"a": "1,1"})
    assert not table.has(ours)
    assert not table.has(theirs)


def test_ruling_44_raise_shields_redirects_within_one_seat() -> None:
    table = Table("classic").system("1,1", "trade_world")
    cruiser = table.vessel(0, "cruiser", "1,1")
    corvette, frigate = table.vessel(1, "corvette", "1,1"), table.vessel(1, "battleship", "1,1")
    [shields] = table.hand(1, "raise_shields")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{cruiser: (corvette, 5)}))
    table.do(1, "assign_damage", assignments={})
    table.refuse(1, "play_command", "illegal_target", uid=shields, targets={"a": cruiser, "b": corvette})
    table.do(1, "play_command", uid=shields, targets={"a": frigate, "b": corvette})
    table.passes()
    assert table.has(corvette)
    assert table.ever("damage_redirected")[0]["amount"] == 5


def test_ruling_45_tie_break_in_revised() -> None:
    table = Table().home(0, 2).home(1, 1).system("1,1", "trade_world", 1, 1).leave("industry", 1).credits(0, 50)
    table.do(0, "end_command")
    assert table.state["result"]["ranking"] == [[1], [0]], "as many developments, more systems"
    shared = Table().leave("industry", 1).system("1,1", "trade_world", 1, 1).system("2,1", "core_world", 0, 1).credits(0, 4)
    shared.credits(1, 0).do(0, "end_command")
    assert shared.state["result"]["ranking"] == [[0, 1]], "seat 1 gained 4 credits in its ready phase"


def test_ruling_46_forsei_builds_in_the_combat_phase() -> None:
    table = Table().system("2,1", "forsei", 0, 3).credits(0, 3)
    table.do(0, "end_command")
    assert table.waits() == ("combat_choose", 0)
    table.done(0, "build_ship", card="corvette", cell="2,1")
    assert table.state["active"] == 1, "no credits left: the phase is over"
    plain = Table().credits(0, 3)
    plain.do(0, "end_command")
    assert plain.state["active"] == 1


def test_ruling_47_the_winner_may_retreat() -> None:
    for word, asked in (("pressed", False), ("ask", True)):
        table = Table().system("1,1", "trade_world").system("0,1", "core_world", 1, 1).orders(1, retreat=word)
        ours, theirs = table.vessel(0, "scout", "1,1"), table.vessel(1, "corvette", "1,1")
        table.fight("1,1")
        table.do(1, "assign_damage", assignments=shots(**{theirs: (ours, 2)}))
        assert (table.waits() == ("combat_retreat", 1)) is asked


def test_every_ruling_has_its_test() -> None:
    found = set()
    for name in (*globals(), *vars(test_rulings_board)):
        if name.startswith("test_ruling_"):
            found.add(int(name.split("_")[2]))
    assert found == set(range(1, 48))
