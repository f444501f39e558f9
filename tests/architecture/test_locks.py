"""Rows of matches and users are locked without their keys.

`FOR UPDATE` keeps back every new row that refers to the locked one. Who has locked the seats of a match and then stores such a
row, a message, would wait for a player who joins, has locked the match and waits for the seats. Nothing changes the key of a
match, and who changes a user's name waits then for as long as a commit takes.
"""

from __future__ import annotations

import ast
from pathlib import Path

from tests.architecture.trees import walk

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("accounts", "events", "gamesvc", "notifications")


LOCKS = {"Match.objects.select_for_update", "User.objects.select_for_update", "cls.objects.select_for_update"}


def test_matches_and_users_are_locked_without_their_keys():
    locks = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if "select_for_update" in text:
                calls = (node for node in walk(ast.parse(text)) if isinstance(node, ast.Call))
                found = [one for one in calls if ast.unparse(one.func) in LOCKS]
                locks += [(f"{path.relative_to(ROOT)}:{one.lineno}", [word.arg for word in one.keywords]) for one in found]
    assert len(locks) > 5
    assert [place for place, words in locks if "no_key" not in words] == []
