"""Each game's RULES.md names everything that its engine knows by a name: a rule that is added to the code is added there, too."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from gamesvc.games import catalog
from gamesvc.games.space_fleet_commander import data as fleet
from gamesvc.games.stratastar import data as stratastar
from tests.games.golden.record import GAMES, written_today


def named(game_id: str) -> set[str]:
    """The words of a game's rules that could be a name."""
    return set(re.findall(r"[a-z][a-z0-9_]*", (GAMES / game_id / "RULES.md").read_text(encoding="utf-8")))


def missing(game_id: str, names: set[str]) -> list[str]:
    return sorted(names - named(game_id))


def refusal_codes(folder: Path) -> Iterator[str]:
    """The codes that the rules refuse with: of `Refused` and of the helpers that make one of a code and a sentence."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Refused", "_wrong"):
                parts: list[Any] = node.args
            elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
                parts = node.value.elts
            else:
                continue
            strings = [part.value for part in parts[:2] if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            if len(parts) > 1 and strings and strings[0] == getattr(parts[0], "value", None):
                yield strings[0]


def parameters(schema: Any) -> Iterator[str]:
    """The names of all parameters in a schema, also of those within others; a deprecated one has nothing that fits it."""
    if isinstance(schema, Mapping) and not schema.get("deprecated"):
        for name, parameter in schema.get("properties", {}).items():
            if not parameter.get("deprecated"):
                yield name
                yield from parameters(parameter)
        yield from parameters(schema.get("items"))
        for choice in schema.get("oneOf", ()):
            yield from parameters(choice)


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_rules_tell_their_version_and_the_designer(game_id: str) -> None:
    """A new version of the rules is a reason to read them through."""
    manifest = catalog.game(game_id).manifest
    text = " ".join((GAMES / game_id / "RULES.md").read_text(encoding="utf-8").split())
    assert f"(rules version {manifest.version})" in text
    assert manifest.designer in text
    assert manifest.rules_link in text


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_rules_name_every_command_and_parameter(game_id: str) -> None:
    commands = catalog.game(game_id).commands
    assert missing(game_id, {*commands, *(name for schema in commands.values() for name in parameters(schema))}) == []


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_rules_name_every_option_and_its_values(game_id: str) -> None:
    options = catalog.game(game_id).manifest.options["properties"]
    values = {value for option in options.values() for value in option.get("enum", ()) if isinstance(value, str)}
    assert missing(game_id, {*options, *values}) == []


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_rules_name_every_event(game_id: str) -> None:
    assert missing(game_id, {event for event, _version in written_today(catalog.game(game_id))}) == []


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_rules_name_every_refusal(game_id: str) -> None:
    codes = {code for part in ("rules", "manifest.py", "data/decks.py") for code in _codes_of(GAMES / game_id / part)}
    assert len(codes) > 10
    assert missing(game_id, codes) == []


def _codes_of(path: Path) -> Iterator[str]:
    if path.is_dir():
        yield from refusal_codes(path)
    elif path.exists():
        yield from re.findall(r'Refused\(\s*"([a-z_]+)"', path.read_text(encoding="utf-8"))


# --- tables of the rules against the data ---


def rows(game_id: str) -> list[list[str]]:
    """The rows of all tables in a game's rules."""
    lines = (GAMES / game_id / "RULES.md").read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]


def test_the_ships_of_the_rules_are_those_of_the_data() -> None:
    ships = [row[:5] for row in rows("space_fleet_commander") if len(row) == 6 and row[0].isdigit()]
    dice = [[ship.dice.count(colour) for colour in fleet.COLOURS] for ship in fleet.SHIPS.values()]
    assert ships == [
        [str(ship.face), ship.name, " ".join(ship.slots), str(ship.hull), "/".join(map(str, counts)) if sum(counts) else "–"]
        for ship, counts in zip(fleet.SHIPS.values(), dice, strict=True)
    ]


@pytest.mark.parametrize("board", fleet.BOARDS.values(), ids=lambda board: board.id)
def test_the_hex_kinds_of_the_rules_are_those_of_the_data(board: fleet.Board) -> None:
    told = {row[0]: row[1:4] + row[5:] for row in rows("space_fleet_commander") if len(row) == 6 and row[3] in ("yes", "no")}
    assert told == {
        kind.name: [str(kind.stars), " ".join(kind.hazards) or "–", "yes" if kind.combat else "no", str(kind.min_dice)]
        for kind in board.kinds.values()
    }


def test_the_costs_of_the_rules_are_those_of_the_data() -> None:
    told = {row[0]: row[1] for row in rows("stratastar") if len(row) == 4 and row[0] in stratastar.COSTS and row[1]}
    assert set(stratastar.ABILITIES) & stratastar.COSTS.keys() <= told.keys()
    assert told == {
        name: " + ".join(f"{count} {stratastar.CARD_NAMES[kind]}" for kind, count in stratastar.COSTS[name]) for name in told
    }


def test_help_on_an_ability_says_what_the_rules_say() -> None:
    help_page = catalog.game("stratastar").rules_help()
    for ability, name in stratastar.ABILITY_NAMES.items():
        # Its row of the table refers to the sentence above it.
        if ability != "sabotage":
            assert f"| {stratastar.ABILITY_TEXTS[ability]} |" in help_page, name
