"""Whatever shows a match to a reader loads it by their access (`Access.load`, `selectors.loads`), which knows of a delay."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2] / "gamesvc"
READERS = ("web", "api", "matches/reading")
LOADS = {"load", "load_many", "load_at", "load_near"}
# They load a match for its players, its host or the owner of a board, or a version found by the access of the reader.
OTHERWISE = {
    "api/v1/lobby/lines.py",
    "api/v1/play/standing_orders.py",
    "matches/reading/board.py",
    "matches/reading/following.py",
    "matches/reading/pending.py",
    "web/lobby/dashboard.py",
    "web/lobby/inbox.py",
    "web/lobby/lines.py",
    "web/play/acts.py",
    "web/play/resigning.py",
}


def loads(path):
    """Return True if a module calls a function of `record.loading` that loads a match."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in LOADS:
                return True
            named = isinstance(called, ast.Attribute) and called.attr in LOADS
            if named and isinstance(called.value, ast.Name) and called.value.id == "loading":
                return True
    return False


def test_only_these_modules_load_a_match_past_the_access_of_their_reader():
    found = [path for below in READERS for path in sorted((ROOT / below).rglob("*.py")) if loads(path)]
    assert {path.relative_to(ROOT).as_posix() for path in found} == OTHERWISE
