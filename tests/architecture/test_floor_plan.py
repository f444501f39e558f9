"""The layout of packages: all engines have the same rooms, no folder is a heap, and every package describes itself."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gamesvc.games.catalog import OFFERED

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("gamesvc", "accounts", "events", "notifications")
# A folder with more modules needs rooms.
MOST_MODULES = 15
ROOMS = {
    "RULES.md",
    "manifest.py",
    "commands.py",
    "state.py",
    "rules/setup.py",
    "rules/decide.py",
    "rules/evolve.py",
    "rules/legal.py",
    "rules/outcome.py",
    "rules/invariants.py",
    "rules/defaults.py",
    "secrecy/view.py",
    "secrecy/redact.py",
    "secrecy/redeal.py",
    "text/parse.py",
    "text/render.py",
    "text/narrate.py",
    "text/board.py",
    "text/explain.py",
    "text/help.py",
    "text/help.md",
    "picture/board.py",
    "picture/glance.py",
    "picture/targets.py",
    "bots/greedy.py",
    "data/__init__.py",
}
FOLDERS = {"events", "rules", "secrecy", "text", "picture", "bots", "data"}


def folders() -> list[Path]:
    found = {path.parent for name in PACKAGES for path in (ROOT / name).rglob("*.py")}
    return sorted(folder for folder in found if "migrations" not in folder.parts)


def modules(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.py") if path.name != "__init__.py"]


@pytest.mark.parametrize("game", OFFERED)
def test_every_engine_has_the_same_floor_plan(game: str) -> None:
    home = ROOT / "gamesvc" / "games" / game
    assert [room for room in sorted(ROOMS) if not (home / room).exists()] == []
    assert {path.name for path in home.iterdir() if path.is_dir() and path.name != "__pycache__"} == FOLDERS
    beside = {path.stem for path in modules(home)} - {Path(room).stem for room in ROOMS if "/" not in room}
    assert beside <= {"positions"}, "an engine keeps its other modules in its rooms"


def test_no_folder_is_a_heap() -> None:
    counts = {str(folder.relative_to(ROOT)): len(modules(folder)) for folder in folders()}
    assert {name: count for name, count in counts.items() if count > MOST_MODULES} == {}


def test_every_package_says_what_lives_in_it() -> None:
    silent = []
    for folder in folders():
        start = folder / "__init__.py"
        if (
            "management" in folder.parts
            or folder.name == "templatetags"
            or folder in (ROOT / "gamesvc", ROOT / "gamesvc/settings")
        ):
            continue  # named by Django, or the root that must load nothing
        if not start.exists() or not ast.get_docstring(ast.parse(start.read_text(encoding="utf-8"))):
            silent.append(str(folder.relative_to(ROOT)))
    assert silent == []
