"""Orders as people type them: tolerant reading, suggestions, help, and texts for mail."""

from __future__ import annotations

from typing import Any

import pytest

from gamesvc.games.kernel.game import Caption, Refused
from gamesvc.games.star_commander import GAME
from tests.games.star_commander.table import Table


@pytest.fixture
def table() -> Table:
    """Return a table with Red's Scout (v3), Carrier (v4) and Fighters (v5, v6) at home, and Blue's Corvette (v7) in 1,1."""
    found = Table().home(0, 6).credits(0, 20).system("2,1", "trade_world", 0, 1).system("1,1", "core_world", 1, 1)
    for card in ("scout", "carrier", "strike_fighter", "strike_fighter"):
        found.vessel(0, card, "2,2")
    found.vessel(1, "corvette", "1,1")
    found.hand(0, "barrage", "refinery", "evasion", "orbital_bombardment", "jump_drive_detonation")
    found.tech(0, "railgun_turrets")
    return found.start()


def uid_of(table: Table, card: str) -> str:
    found: str = next(uid for uid, at in table.view(0)["hand"] if at == card)
    return found


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("move v3 to 2,1", {"name": "move_ships", "ships": ["v3"], "to": "2,1"}),
        ("MOVE 3, to (2,1)", {"name": "move_ships", "ships": ["v3"], "to": "2,1"}),
        ("jump scout 21", {"name": "move_ships", "ships": ["v3"], "to": "2,1"}),
        ("move carrier trade_world carry v4 = v5+v6", None),
        ("build corvette at 2, 2", {"name": "build_ship", "card": "corvette", "cell": "2,2"}),
        ("build defense station 2,1", {"name": "build_station", "card": "defense_station", "cell": "2,1"}),
        ("dev 2,1", {"name": "develop", "cell": "2,1"}),
        ("buy ind", {"name": "trade_draw", "domain": "industry"}),
        ("end", {"name": "end_command"}),
        ("done", {"name": "end_command"}),
        ("pass", {"name": "pass"}),
        ("keep", {"name": "choose", "value": "keep"}),
        ("fire nothing", {"name": "assign_damage", "assignments": {}}),
        ("fire v4 at v7", {"name": "assign_damage", "assignments": {"v4": [{"target": "v7", "amount": 2}]}}),
        (
            "fire v4 -> v7 = 1 more",
            {"name": "assign_damage", "assignments": {"v4": [{"target": "v7", "amount": 1}]}, "more": True},
        ),
        ("retreat v3 v4 2,1", {"name": "retreat", "moves": [{"ship": "v3", "to": "2,1"}, {"ship": "v4", "to": "2,1"}]}),
        ("stay", {"name": "retreat", "moves": []}),
        ("fight 1,1", {"name": "open_combat", "cell": "1,1"}),
        (
            "offer blue give credits=4 want systems=1,1 hand=1",
            {"name": "offer_trade", "to": 1, "give": {"credits": 4}, "want": {"systems": ["1,1"], "hand": 1}},
        ),
        ("fire nothing no-pass", {"name": "assign_damage", "assignments": {}, "pass": False}),
        (
            "orders commands=ask draw=science+ind",
            {"name": "set_standing_orders", "orders": {"commands": "ask", "draw": ["science", "industry"]}},
        ),
        (
            "orders auto=evasion/on:barrage/by:blue/concerned after_assign=ask",
            {
                "name": "set_standing_orders",
                "orders": {
                    "auto": [{"play": "evasion", "on": ["barrage"], "by": 1, "only_concerned": True}],
                    "combat": {"after_assign": "ask"},
                },
            },
        ),
    ],
)
def test_forgiving_orders(table: Table, text: str, command: dict[str, Any] | None) -> None:
    if command is None:
        command = {"name": "move_ships", "ships": ["v4"], "to": "2,1", "carried": {"v4": ["v5", "v6"]}}
    assert GAME.parse(text, table.view(0)) == command


def test_cards_by_name(table: Table) -> None:
    view = table.view(0)
    barrage = uid_of(table, "barrage")
    assert GAME.parse("play barrage v4 v7", view) == {"name": "play_command", "uid": barrage, "targets": {"a": "v4", "b": "v7"}}
    detonation = uid_of(table, "jump_drive_detonation")
    assert GAME.parse("play jump drive detonation 2,2 hold", view) == {
        "name": "play_command",
        "uid": detonation,
        "targets": {"a": "2,2"},
        "hold": True,
    }
    assert GAME.parse("build refinery 2,1", view) == {"name": "build_station", "uid": uid_of(table, "refinery"), "cell": "2,1"}
    gun = view["seats"][0]["technologies"][0][0]
    assert GAME.parse("use railgun v4", view) == {"name": "activate", "source": gun, "targets": {"a": "v4"}}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("build corvete 2,2", "corvette"),
        ("moove v3 2,1", "move"),
        ("buy scence", "science"),
        ("move v3", "Write"),
        ("develop 9,9", "from 0 to 2"),
        ("move strike 2,1", "v5"),
        ("", "begins with"),
    ],
)
def test_suggestions(table: Table, text: str, hint: str) -> None:
    with pytest.raises(Refused, match=hint) as found:
        GAME.parse(text, table.view(0))
    assert found.value.code == "unreadable"


def test_orders_through_the_protocol(table: Table) -> None:
    answer = table.session.answer({"op": "order", "seat": 0, "text": "move v3 2,1"})
    assert answer["ok"], answer
    assert answer["command"] == {"name": "move_ships", "ships": ["v3"], "to": "2,1"}


def test_help_is_short_and_true(table: Table) -> None:
    for prompt in ("ready_draw", "choice", "command", "window", "combat_choose", "combat_assign", "combat_retreat"):
        lines = GAME.order_help(prompt).splitlines()
        assert 1 <= len(lines) <= 8
        assert all(len(line) <= 72 for line in lines)
    assert "move" in GAME.order_help(None)
    assert "Lindsay Wardell" in GAME.rules_help()
    assert "unofficial" in GAME.rules_help()


def test_board_text(table: Table) -> None:
    text = GAME.board_text(table.view(0), Caption())
    assert "2,1  Trade World, industry, 1/4 Red" in text
    assert "Blue Corvette 2/2/1: v7" in text
    assert "YOUR HAND" in text
    assert "YOUR HAND" not in GAME.board_text(table.view(None), Caption())


def test_the_text_names_the_decks_that_a_player_may_draw_from() -> None:
    table = Table().home(0, 6).system("2,1", "trade_world", 0, 1).system("1,1", "core_world", 1, 1).start()
    assert "You can draw from" not in GAME.board_text(table.view(0), Caption())
    drawing = {**table.view(0), "prompt": {"kind": "ready_draw", "what": ""}, "awaited": [{"seat": 0, "prompt": "ready_draw"}]}
    for held in ([], ["industry"]):
        view = {**drawing, "decks": {**drawing["decks"], **dict.fromkeys(held, 0)}}
        told = [line for line in GAME.board_text(view, Caption()).splitlines() if line.startswith("You can draw from")]
        assert told == ([] if held else ["You can draw from: industry."])


def test_picture_has_every_system_and_no_secret(table: Table) -> None:
    svg = GAME.picture(table.view(1), Caption("88", ("Ines", "Marek")))
    for cell in table.view(1)["cells"]:
        assert f"cell:{cell}" in svg.boxes
    assert "Orbital" not in svg
    assert "Ines" in svg
