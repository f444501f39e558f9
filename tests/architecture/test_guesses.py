"""The service asks the games what it needs to know, and guesses at no key of a view and no word of a text or picture."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gamesvc.games import catalog
from tests.architecture.guesses import guesses

ROOT = Path(__file__).resolve().parents[2]
SERVICE = ("gamesvc/matches/", "gamesvc/web/", "gamesvc/api/", "gamesvc/ops/", "gamesvc/embedded/", "notifications/")


def sources() -> dict[str, str]:
    """Return the code of the service, by module."""
    paths = subprocess.run(
        ["git", "ls-files", *SERVICE], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    code = [path for path in paths if path.endswith(".py") and "/migrations/" not in path]
    return {path.removesuffix(".py").replace("/", "."): (ROOT / path).read_text(encoding="utf-8") for path in code}


def test_the_service_guesses_at_nothing_that_games_keep_to_themselves() -> None:
    """Give `Game` a member that says it, with a promise, instead of an exception here."""
    read = sources()
    assert len(read) > 250
    assert guesses(read) == []


def test_no_template_looks_into_a_view() -> None:
    found = {}
    for path in ROOT.glob("gamesvc/*/templates/**/*.*"):
        inside = re.findall(r"{[{%][^%}]*\bview\.\w+", path.read_text(encoding="utf-8"))
        found |= {str(path): inside} if inside else {}
    assert len([*ROOT.glob("gamesvc/*/templates/**/*.*")]) > 60
    assert found == {}


def named_commands(source: str) -> Iterator[str]:
    """Yield the names of games' commands that a module writes or compares with."""
    games = {name for game in catalog.OFFERED for name in catalog.game(game).commands}
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Dict([ast.Constant("name"), *_], [ast.Constant(name), *_]) if name in games:
                yield name
            case ast.Compare(ast.Subscript(slice=ast.Constant("name")), [ast.Eq() | ast.NotEq()], [ast.Constant(name)]) if (
                name in games
            ):
                yield name


def test_the_service_names_no_command_of_a_game() -> None:
    """Two commands mean the same in every game and have a constant each in `gamesvc.games.kernel.game`. Benches play one game."""
    found = {
        module: names
        for module, source in sources().items()
        if not module.startswith("gamesvc.ops.benches.") and (names := [*named_commands(source)])
    }
    assert found == {}


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('turn = loaded.game.view(state, seat).get("turn")', 1),
        ('view = game.view(state, seat)\n    return view["orders"] if "orders" in view else view.get("sides", ())', 2),
        ("svg = loaded.game.picture(view, caption)\n    return described(svg)", 1),
        (
            "text = game.board_text(view, caption)\n    return text.split() if 'your hand' in text.lower() else ''",
            2,
        ),
        ("return loaded.timeline.state.players", 1),
        ('return getattr(game, "pace", None)', 1),
        ('return "resign" in loaded.game.commands or engine.commands["pass"]', 2),
        ('for event in events:\n        seen = see_event(game, event, seat)\n        seen.data["space"]', 1),
        ('name, view = match.name, catalog.game("toy").view(state, 0)\n    return dict(view)["turn"]', 1),
        ("return conditions.find(loaded.game.view(state, seat), path)", 0),
        ('return {"view": game.view(state, seat), "text": game.board_text(view, caption)}["view"]', 0),
        ('return client.view(match)["awaited"]', 0),
        ("return game.glance(game.view(state, seat), caption).headline.lower()", 0),
        ("return loaded.game.commands[own.command], loaded.timeline.state", 0),
    ],
)
def test_the_reader_finds_guesses(source: str, count: int) -> None:
    same_name = "class Other:\n    def guess(self):\n        return 0\n"
    helper = "def described(svg):\n    return re.search('<desc>(.*)</desc>', svg)\n"
    module = f"import re\n\n\ndef guess():\n    {source}\n\n\n{same_name}\n\n{helper}"
    assert len(guesses({"service": module})) == count, guesses({"service": module})


def test_the_reader_follows_values_to_other_modules() -> None:
    asks = "from service import reader\n\n\ndef ask(game, state):\n    return reader.turn_of(seen=whole(game, state))\n\n\n"
    asks += "def whole(game, state):\n    return game.view(state, None)\n"
    reads = 'def turn_of(seen):\n    return seen["turn"]\n'
    assert guesses({"service.asks": asks, "service.reader": reads}) == ["service.reader:2 turn_of looks for 'turn'"]
    assert guesses({"service.reader": reads}) == []


@pytest.mark.parametrize("source", ['command = {"name": "end_turn"}', 'if command["name"] == "retool":\n    pass'])
def test_names_of_commands_are_found(source: str) -> None:
    assert len(list(named_commands(source))) == 1
