"""Text is asked if it is a number in the way in which `int` reads it."""

from __future__ import annotations

import ast
from pathlib import Path

from django.conf import settings

from tests.architecture.trees import walk

PACKAGES = ("gamesvc", "accounts", "notifications", "events")
TOO_WIDE = ("isdigit", "isnumeric")
"""True for digits such as a raised two, at which `int` raises ValueError. `isdecimal` is not."""


def test_no_text_passes_for_a_number_that_int_cannot_read() -> None:
    found = []
    for package in PACKAGES:
        for path in sorted((Path(settings.BASE_DIR) / package).rglob("*.py")):
            source = path.read_text()
            if any(name in source for name in TOO_WIDE):
                nodes = walk(ast.parse(source))
                found += [f"{path}:{node.lineno}" for node in nodes if isinstance(node, ast.Attribute) and node.attr in TOO_WIDE]
    assert found == [], "ask isdecimal()"
