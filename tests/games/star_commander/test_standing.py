"""The stack over days (RULES.md 10, 14): asked seats, standing orders, early passes, automatic answers."""

from __future__ import annotations

from typing import Any

import pytest

from gamesvc.games.kernel.game import see_event
from gamesvc.games.star_commander import GAME
from tests.games.star_commander.exchanges import report
from tests.games.star_commander.table import Table, shots


def duel(edition: str = "revised", **orders: Any) -> tuple[Table, str, str, str]:
    """Return a table where seat 0 holds a Barrage for a ship of seat 1. Seat 1 holds a card as well."""
    table = Table(edition, seats=3).system("1,1", "trade_world")
    ours, theirs = table.vessel(0, "corvette", "1,1"), table.vessel(1, "destroyer", "1,1")
    [uid] = table.hand(0, "barrage")
    table.hand(1, "trade_envoy")
    table.hand(2, "trade_envoy")
    table.orders(1, **orders)
    return table, uid, ours, theirs


def fire(table: Table, uid: str, ours: str, theirs: str) -> None:
    table.do(0, "play_command", uid=uid, targets={"a": ours, "b": theirs})


@pytest.mark.parametrize(("word", "asked"), [("ask", True), ("concerned", True), ("pass", False)])
def test_commands_order(word: str, asked: bool) -> None:
    table, *rest = duel(commands=word)
    fire(table, *rest)
    assert (table.waits() == ("window", 1)) is asked


def test_only_the_concerned_are_asked_by_default() -> None:
    table, *rest = duel()
    fire(table, *rest)
    assert table.waits() == ("window", 1)
    table.do(1, "pass")
    assert table.waits() == ("command", 0), "seat 2 is not concerned"
    passes = table.ever("priority_passed")
    assert [(one["seats"], one["auto"]) for one in passes if one["seats"]] == [([0], True), ([1], False), ([2], True)]


def test_always_ask_overrides_pass() -> None:
    table, *rest = duel(commands="pass", always_ask=["barrage"])
    fire(table, *rest)
    assert table.waits() == ("window", 1)


def test_actions_pass_by_default_and_can_be_asked_for() -> None:
    for orders, asked in (({}, False), ({"actions": "concerned"}, True), ({"always_ask": ["move_ships"]}, True)):
        table = Table().system("2,1", "trade_world", 1, 1)
        ship = table.vessel(0, "scout", "2,2")
        table.hand(1, "interdiction")
        table.orders(1, **orders)
        table.do(0, "move_ships", ships=[ship], to="2,1")
        assert (table.waits() == ("window", 1)) is asked


def test_the_player_of_the_top_item_passes_unless_they_hold_priority() -> None:
    table, uid, ours, theirs = duel()
    table.do(0, "play_command", uid=uid, targets={"a": ours, "b": theirs}, hold=True)
    assert table.waits() == ("window", 1), "an empty hand has nothing to hold for"
    other, uid, ours, theirs = duel()
    other.hand(0, "evasion")
    other.do(0, "play_command", uid=uid, targets={"a": ours, "b": theirs}, hold=True)
    assert other.waits() == ("window", 0)


def test_an_early_pass_holds_until_a_new_item() -> None:
    table, *rest = duel()
    table.orders(2, commands="ask")
    fire(table, *rest)
    table.do(2, "pass")
    table.refuse(2, "pass", "already_passed")
    table.do(1, "pass")
    assert table.waits() == ("command", 0)

    again, *rest = duel()
    again.hand(1, "evasion")
    again.orders(2, commands="ask")
    fire(again, *rest)
    again.do(2, "pass")
    evasion = next(uid for uid in again.seat(1)["hand"] if again.state["faces"][uid] == "evasion")
    again.do(1, "play_command", uid=evasion, targets={"a": rest[2]})
    assert again.waits() == ("window", 2), "something new was played"


def test_an_ability_alone_is_enough_to_be_asked() -> None:
    table = Table().system("1,1", "trade_world").credits(1, 5)
    ours, theirs = table.vessel(0, "corvette", "1,1"), table.vessel(1, "destroyer", "1,1")
    [uid] = table.hand(0, "barrage")
    table.tech(1, "railgun_turrets")
    fire(table, uid, ours, theirs)
    assert table.waits() == ("window", 1)
    poor = Table().system("1,1", "trade_world").credits(1, 0)
    ours, theirs = poor.vessel(0, "corvette", "1,1"), poor.vessel(1, "destroyer", "1,1")
    [uid] = poor.hand(0, "barrage")
    poor.tech(1, "railgun_turrets")
    fire(poor, uid, ours, theirs)
    assert poor.waits() == ("command", 0), "it cannot pay"


def test_auto_answers_with_the_obvious_target() -> None:
    auto = {"on": ["barrage"], "by": None, "only_concerned": True, "play": "evasion"}
    table, uid, ours, theirs = duel(auto=[auto])
    table.hand(1, "evasion")
    fire(table, uid, ours, theirs)
    assert table.waits() == ("command", 0), "nobody had to be asked"
    assert [played["auto"] for played in table.ever("card_played")] == [False, True]
    assert table.ever("damage_dealt")[0]["hits"][0]["prevented"] == 2


def test_auto_without_the_card_passes() -> None:
    auto: dict[str, Any] = {"on": [], "by": 0, "only_concerned": False, "play": "evasion"}
    table, *rest = duel(auto=[auto], commands="ask")
    fire(table, *rest)
    assert table.waits() == ("command", 0)


def test_auto_uses_experimental_shields() -> None:
    auto: dict[str, Any] = {"on": [], "by": None, "only_concerned": True, "play": "experimental_shields"}
    table, uid, ours, theirs = duel(auto=[auto])
    table.tech(1, "experimental_shields")
    fire(table, uid, ours, theirs)
    assert table.ever("ability_activated")[0]["auto"] is True
    assert table.seat(1)["hand"] == []


def test_two_autos_answering_each_other_come_to_an_end() -> None:
    auto: dict[str, Any] = {"on": [], "by": None, "only_concerned": False, "play": "intercept_orders"}
    table = Table(seats=2)
    [uid] = table.hand(0, "trade_envoy")
    table.hand(0, "intercept_orders")
    table.hand(1, "intercept_orders")
    for seat in (0, 1):
        table.orders(seat, auto=[auto])
    table.do(0, "play_command", uid=uid, targets={"a": "2,2"})
    assert table.waits() == ("command", 0)
    assert [played["item"]["name"] for played in table.ever("card_played")] == ["trade_envoy"] + ["intercept_orders"] * 2
    assert table.ever("credits_gained"), "the answer to the answer lets the first card through"


@pytest.mark.parametrize(("word", "fired"), [("hold_fire", 0), ("return_fire", 2)])
def test_assign_order(word: str, fired: int) -> None:
    table = Table().system("1,1", "trade_world").orders(1, assign=word)
    ours, theirs = table.vessel(0, "destroyer", "1,1"), table.vessel(1, "corvette", "1,1")
    table.vessel(0, "scout", "1,1")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{ours: (theirs, 1)}))
    assigned = [one for one in table.ever("damage_assigned") if one["seat"] == 1]
    assert assigned[0]["auto"] is True
    assert sum(shot["amount"] for shot in assigned[0]["shots"]) == fired


def test_return_fire_aims_at_attackers_only() -> None:
    table = Table().system("1,1", "trade_world").orders(1, assign="return_fire")
    table.vessel(0, "destroyer", "1,1")
    table.vessel(1, "corvette", "1,1")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments={})
    assert table.ever("damage_assigned")[1]["shots"] == []


@pytest.mark.parametrize(("word", "asked"), [("ask", True), ("pressed", True), ("stay", False)])
def test_retreat_order(word: str, asked: bool) -> None:
    table = Table().system("1,1", "trade_world").system("0,1", "core_world", 1, 1).orders(1, retreat=word)
    table.vessel(0, "scout", "1,1")
    table.vessel(1, "scout", "1,1")
    table.do(0, "end_command")
    table.do(0, "open_combat", cell="1,1")
    assert (table.waits() == ("combat_retreat", 1)) is asked


def test_draw_order() -> None:
    table = (
        Table().system("1,1", "trade_world", 0, 1).system("2,1", "alien_system", 0, 1).orders(0, draw=["statecraft", "science"])
    )
    table.at("command", 1)
    table.do(1, "end_command")
    assert table.waits() == ("command", 0)
    assert table.ever("card_drawn")[0]["domain"] == "science"


def test_combat_windows_ask_the_involved_after_assigning() -> None:
    table = Table(seats=3).system("1,1", "trade_world")
    ours = table.vessel(0, "corvette", "1,1")
    theirs = table.vessel(1, "corvette", "1,1")
    table.hand(1, "trade_envoy")
    table.hand(2, "trade_envoy")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{ours: (theirs, 2)}))
    table.do(1, "assign_damage", assignments={})
    assert table.waits() == ("window", 1)
    assert table.prompt["what"] == "after_assign"


def clash(ships: int = 1, **orders: Any) -> Table:
    """Return a table where seat 0 must assign damage against seat 1.

    Both have armed ships that survive, hold cards, and may retreat.
    """
    table = Table(seats=3).system("1,1", "trade_world").system("0,1", "core_world", 1, 1).system("1,0", "alien_system", 0, 1)
    for seat in (0, 1):
        for _ in range(ships):
            table.vessel(seat, "destroyer", "1,1")
        table.hand(seat, "trade_envoy")
    table.orders(0, **orders)
    table.fight("1,1")
    return table


def answer(table: Table, seat: int, **parameters: Any) -> None:
    """Assign no damage, with `parameters`."""
    answered = table.session.answer(
        {"op": "command", "seat": seat, "command": {"name": "assign_damage", "assignments": {}, **parameters}}
    )
    assert answered["ok"], answered
    table.state = table.session.answer({"op": "position"})["position"]["state"]


def test_an_assigning_seat_passes_unless_something_is_played() -> None:
    table = clash()
    answer(table, 0)
    assert table.waits() == ("combat_assign", 1)
    answer(table, 1)
    assert table.waits()[0] == "combat_retreat", "nobody is asked between assigning and the damage"


def test_an_assigning_seat_may_wait_for_the_others() -> None:
    table = clash()
    answer(table, 0, **{"pass": False})
    answer(table, 1)
    assert table.waits() == ("window", 0)
    table.do(0, "pass")
    assert table.waits()[0] == "combat_retreat", "seat 1 has passed already"


def test_a_play_asks_seats_again_that_passed_with_their_assignment() -> None:
    table = Table(seats=2).system("1,1", "trade_world")
    ours, theirs = table.vessel(0, "destroyer", "1,1"), table.vessel(1, "destroyer", "1,1")
    [uid] = table.hand(0, "evasion")
    table.hand(1, "intercept_orders")
    table.fight("1,1")
    answer(table, 0, **{"pass": False})
    answer(table, 1, assignments=shots(**{theirs: (ours, 4)}))
    assert table.waits() == ("window", 0)
    table.do(0, "play_command", uid=uid, targets={"a": ours})
    assert table.waits() == ("window", 1), "seat 1 passed before this was played"


def ship_of(table: Table, seat: int) -> str:
    return next(at for at, vessel in table.state["vessels"].items() if vessel["controller"] == seat)


def test_the_last_assignment_of_a_seat_determines_its_pass() -> None:
    table = clash(ships=2)
    answer(table, 0, more=True, assignments=shots(**{ship_of(table, 0): (ship_of(table, 1), 1)}))
    answer(table, 0, **{"pass": False})
    answer(table, 1)
    assert table.waits() == ("window", 0)


def test_a_seat_that_always_wants_to_be_asked_does_not_pass_with_its_assignment() -> None:
    table = clash(combat={"after_initiate": "pass", "after_assign": "ask", "after_resolve": "pass", "after_retreat": "pass"})
    [form] = table.forms(0, "assign_damage")
    assert form["parameters"]["properties"]["pass"]["default"] is False
    answer(table, 0)
    answer(table, 1)
    assert table.waits() == ("window", 0)


def test_the_winner_is_asked_to_retreat_only_if_its_orders_say_so() -> None:
    for word, asked in (("pressed", False), ("ask", True)):
        table = Table("classic").system("1,1", "trade_world").system("1,0", "alien_system", 0, 1).orders(0, retreat=word)
        ours, theirs = table.vessel(0, "battleship", "1,1"), table.vessel(1, "scout", "1,1")
        table.fight("1,1")
        answer(table, 0, assignments=shots(**{ours: (theirs, 3)}))
        assert not table.has(theirs)
        assert (table.waits() == ("combat_retreat", 0)) is asked


def test_empty_standing_orders_change_nothing() -> None:
    table = Table().start()
    before = len(table.session.log)
    for empty in ({}, {"combat": {}}):
        table.refuse(0, "set_standing_orders", "bad_parameter", orders=empty)
    refused = table.session.answer({"op": "order", "seat": 0, "text": "orders"})
    assert refused["refusal"]["code"] == "unreadable"
    assert "orders commands=ask" in refused["refusal"]["detail"]
    assert len(table.session.log) == before


def test_standing_orders_are_private_and_merge() -> None:
    table = Table()
    table.do(1, "set_standing_orders", orders={"commands": "ask", "combat": {"after_resolve": "ask"}})
    table.do(1, "set_standing_orders", orders={"draw": ["science"]})
    orders = table.view(1)["orders"]
    assert (orders["commands"], orders["draw"], orders["combat"]["after_resolve"]) == ("ask", ["science"], "ask")
    assert orders["combat"]["after_assign"] == "involved"
    assert table.view(None)["orders"] is None
    event = table.session.log[-1]
    assert see_event(GAME, event, 0) is None
    assert see_event(GAME, event, 1) is not None
    table.refuse(0, "set_standing_orders", "no_target", orders={"auto": [{"play": "evasion", "by": 3}]})


def test_a_turn_is_one_decision_and_windows_are_others() -> None:
    table, *rest = duel()
    own = GAME.awaited(table.start().session.match.state)[0]
    assert (own.id, own.kind) == ("turn11", "turn")
    fire(table, *rest)
    asked = GAME.awaited(table.session.match.state)[0]
    assert asked.kind == "reaction"
    table.do(1, "pass")
    again = GAME.awaited(table.session.match.state)[0]
    assert (again.id, again.seat) == ("turn11", 0)
    table.do(0, "end_command")
    ended = GAME.awaited(table.session.match.state)[0]
    assert ended.kind == "turn" or ended.id != asked.id


def test_resigning_while_asked_counts_as_passing() -> None:
    table, *rest = duel()
    fire(table, *rest)
    table.do(1, "resign")
    assert table.waits() == ("command", 0)
    assert not table.ever("damage_dealt"), "its ships are gone"


def test_the_active_seat_resigns() -> None:
    table, *rest = duel()
    fire(table, *rest)
    table.do(0, "resign")
    assert (table.state["stack"], table.state["window"], table.state["combat"]) == ([], None, None)
    assert table.state["active"] == 1
    assert not table.state["seats"][0]["alive"]


def test_hand_overs_are_counted() -> None:
    lines = report(1, turns=8).splitlines()
    heads = [line for line in lines if not line.startswith(" ")]
    assert heads == [f"{edition}, {seats} seats: matches 1, turns 7" for edition in ("classic", "revised") for seats in (2, 4)], (
        "the last turn of each match is not played to its end"
    )
    assert all("median 1" in line for line in lines if "hand-overs, all turns" in line)


def test_outdated_commands() -> None:
    table, *rest = duel()
    before = len(table.start().session.log)
    fire(table, *rest)
    played = table.session.log[before:]
    assert any(GAME.stale({"name": "pass"}, event, 2) for event in played)
    assert any(GAME.stale({"name": "end_command"}, event, 0) for event in played)
    assert not any(GAME.stale({"name": "set_standing_orders", "orders": {}}, event, 2) for event in played)
    at = len(table.session.log)
    table.do(2, "pass")
    early = table.session.log[at:]
    assert not any(GAME.stale({"name": "pass"}, event, 1) for event in early)
    assert not any(GAME.stale({"name": "play_command", "uid": "c01"}, event, 1) for event in early)


def test_return_fire_continues_from_earlier_assignments() -> None:
    table = Table("classic").system("1,1", "trade_world")
    ours, theirs = table.vessel(0, "corvette", "1,1"), table.vessel(0, "scout", "1,1")
    battleship, frigate = table.vessel(1, "battleship", "1,1"), table.vessel(1, "frigate", "1,1")
    table.fight("1,1")
    table.do(0, "assign_damage", assignments=shots(**{ours: (frigate, 2)}))
    table.do(1, "assign_damage", assignments=shots(**{battleship: (ours, 1)}), more=True)
    table.do(1, "set_standing_orders", orders={"assign": "return_fire"})
    assert [(one["vessel"], one["target"], one["amount"]) for one in table.ever("damage_assigned")[-1]["shots"]] == [
        (battleship, theirs, 5),
        (frigate, ours, 3),
    ]


# --- seats asked together, passing for a turn, declining to retreat ---


def everybody() -> tuple[Table, list[str]]:
    """Return a table with a card of seat 0 that seats 1, 2 and 3 want to be asked about, and the uids of their cards."""
    table = Table("revised", seats=4)
    [filibuster] = table.hand(0, "filibuster")
    held = [table.hand(seat, card)[0] for seat, card in ((1, "intercept_orders"), (2, "trade_envoy"), (3, "intercept_orders"))]
    table.do(0, "play_command", uid=filibuster)
    return table, held


def asked(table: Table) -> list[int]:
    return [one.seat for one in GAME.awaited(table.session.match.state)]


def test_a_seat_that_joins_a_window_later_leaves_the_question_of_the_other_as_it_is() -> None:
    """Else the standing orders of a third player would end a question, with its clock and the orders held for it."""
    table, *rest = duel()
    fire(table, *rest)
    [before] = GAME.awaited(table.session.match.state)
    assert before.seat == 1
    for word in ("ask", "pass", "ask"):
        table.do(2, "set_standing_orders", orders={"commands": word})
        after = GAME.awaited(table.session.match.state)
        assert [(one.seat, one.id) for one in after] == [(1, before.id), (2, before.id)][: 2 if word == "ask" else 1]
    table.do(2, "pass")
    table.do(1, "pass")
    assert table.waits() == ("command", 0)


def test_all_seats_that_a_window_will_ask_are_asked_at_once() -> None:
    table, _ = everybody()
    assert asked(table) == [1, 2, 3]
    ids = {one.id for one in GAME.awaited(table.session.match.state)}
    assert len(ids) == 1
    table.do(3, "pass")
    assert asked(table) == [1, 2]
    table.do(1, "pass")
    assert asked(table) == [2]
    assert {one.id for one in GAME.awaited(table.session.match.state)} == ids, "the clock of the second runs on"
    table.do(2, "pass")
    assert table.waits() == ("command", 0)


def test_an_answer_given_before_priority_waits_for_it() -> None:
    table, held = everybody()
    target = f"s{table.session.match.state.stack[0].id}"
    table.do(3, "play_command", uid=held[2], targets={"c": target})
    assert asked(table) == [1, 2]
    assert len(table.session.match.state.stack) == 1
    assert held[2] in table.seat(3)["hand"]
    table.refuse(3, "play_command", "not_your_turn", uid=held[2], targets={"c": target})
    table.do(1, "pass")
    table.do(2, "pass")
    assert [item.name for item in table.session.match.state.stack] == ["filibuster", "intercept_orders"]
    assert asked(table) == [1, 2], "the new item goes round anew; seat 0 has nothing left to answer with"


def test_a_play_drops_the_answers_of_later_seats() -> None:
    table, held = everybody()
    target = f"s{table.session.match.state.stack[0].id}"
    table.do(3, "play_command", uid=held[2], targets={"c": target})
    table.do(2, "pass")
    table.orders(0, commands="pass")
    table.do(1, "play_command", uid=held[0], targets={"c": target})
    assert 3 not in table.session.match.state.window.ready
    assert table.session.match.state.window.early == ()
    assert held[2] in table.seat(3)["hand"]


def test_an_illegal_answer_is_refused_before_priority() -> None:
    table, held = everybody()
    table.refuse(3, "play_command", "illegal_target", uid=held[2], targets={"c": "s99"})
    assert asked(table) == [1, 2, 3]


@pytest.mark.parametrize("missing", ["card", "target", "ability"])
def test_a_described_position_with_an_impossible_play_continues(missing: str) -> None:
    table, held = everybody()
    table.position = table.session.answer({"op": "position"})["position"]
    window, target = table.position["state"]["window"], f"s{table.session.match.state.stack[0].id}"
    window["asked"] = [2]
    window["ready"] = {
        "3": {
            "card": {"name": "play_command", "uid": "c00", "targets": {"c": target}},
            "target": {"name": "play_command", "uid": held[2], "targets": {"c": "s99"}},
            "ability": {"name": "activate", "source": "v99"},
        }[missing]
    }
    table.start()
    table.do(1, "pass")
    table.do(2, "pass")
    assert asked(table) == [3]
    table.do(3, "pass")
    assert table.waits() == ("command", 0)


@pytest.mark.parametrize("answer", ["play", "pass", "rest"])
def test_a_resignation_drops_every_prepared_answer(answer: str) -> None:
    table, held = everybody()
    target = f"s{table.session.match.state.stack[0].id}"
    if answer == "play":
        table.do(3, "play_command", uid=held[2], targets={"c": target})
    else:
        table.do(3, "pass", rest=answer == "rest")
    table.do(2, "resign")
    assert asked(table) == [1, 3]
    assert table.session.match.state.resting == ()


def test_a_pass_for_the_rest_of_the_turn() -> None:
    table, _ = everybody()
    for seat in (1, 2, 3):
        table.do(seat, "pass", rest=True)
    again = table.seat(0)["hand"]
    assert again == []
    assert table.session.match.state.resting == (1, 2, 3)
    table.do(1, "set_standing_orders", orders={"commands": "ask"})
    assert table.session.match.state.resting == (2, 3), "who gives orders is asked by them"
    table.do(0, "end_command")
    assert table.session.match.state.turn > 11
    assert table.session.match.state.resting == ()


def test_a_seat_that_passes_for_the_rest_of_the_turn_is_not_asked_again() -> None:
    for rest in (False, True):
        table = Table("revised", seats=2)
        cards = table.hand(0, "filibuster", "filibuster")
        table.hand(1, "intercept_orders")
        table.do(0, "play_command", uid=cards[0])
        table.do(1, "pass", rest=rest)
        table.do(0, "play_command", uid=cards[1])
        assert table.waits() == (("command", 0) if rest else ("window", 1))


def test_trade_envoy_only_looks_at_the_system() -> None:
    for word, waits in (("concerned", ("command", 0)), ("ask", ("window", 1))):
        table = Table("revised", seats=2)
        [envoy] = table.hand(0, "trade_envoy")
        table.hand(1, "intercept_orders")
        table.orders(1, commands=word)
        table.do(0, "play_command", uid=envoy, targets={"a": table.homes[1]})
        assert table.waits() == waits


def test_declining_to_retreat_is_part_of_the_assignment() -> None:
    for stay, waits in ((False, "combat_retreat"), (True, "command")):
        table = Table("revised", seats=2).system("1,1", "trade_world").system("2,1", "trade_world", 0, 1)
        for seat in (0, 1):
            table.vessel(seat, "destroyer", "1,1")
        table.fight("1,1")
        table.do(0, "assign_damage", assignments={}, stay=stay)
        table.do(1, "assign_damage", assignments={}, stay=stay)
        assert (table.waits()[0] == "combat_retreat") is not stay, waits
        assert bool(table.ever("retreat_declined")) is stay


def test_rest_and_stay_round_trip_as_text() -> None:
    view = Table().view(0)
    for text, command in (
        ("pass rest", {"name": "pass", "rest": True}),
        ("fire nothing stay", {"name": "assign_damage", "assignments": {}, "stay": True}),
    ):
        assert GAME.parse(text, view) == command
        assert GAME.render(command) == text
