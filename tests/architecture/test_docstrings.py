"""Docstrings and comments of the shipped code are plain English: no headless clauses, no "he" for a player."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from tests.architecture.test_layout import ROOT, tracked
from tests.architecture.trees import statements

# Packages that still break these rules. Remove a package once it is clean; a clean one in the list fails.
UNFINISHED: set[str] = set()
HEADLESS = re.compile(r"\s*(what|whether|who|whom|whose|how|where|when|which|why|whoever|whatever|wherever|whenever)\b", re.I)
MASCULINE = re.compile(r"\b(he|him|his|himself|whoever|whomever|somebody)\b", re.I)


def package_of(path: str) -> str:
    return "/".join(path.split("/")[: 2 if path.startswith("gamesvc/") else 1])


SHIPPED = [path for path in tracked() if path.endswith(".py") and not path.startswith("tests/") and (ROOT / path).exists()]
PACKAGES = sorted({package_of(path) for path in SHIPPED})


def docstrings(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of every docstring, including those below attributes and constants."""
    for node in statements(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value


def comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of every comment."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def faults(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and fault of every docstring and comment that breaks a rule."""
    documented = list(docstrings(source))
    for line, text in documented:
        if found := HEADLESS.match(text):
            yield line, f"opens with {found[1]!r}; open with an imperative verb or a noun"
    if not MASCULINE.search(source):
        return
    for line, text in (*documented, *comments(source)):
        if found := MASCULINE.search(text):
            yield line, f"says {found[1]!r}; write player, user, opponent, or they"


@pytest.mark.parametrize("package", PACKAGES)
def test_docstrings_and_comments_are_plain_english(package: str) -> None:
    found = [
        f"{path}:{line} {fault}"
        for path in SHIPPED
        if package_of(path) == package
        for line, fault in faults((ROOT / path).read_text(encoding="utf-8"))
    ]
    if package in UNFINISHED:
        assert found, f"{package} is clean now: remove it from UNFINISHED"
    else:
        assert found == []


def test_every_unfinished_package_exists() -> None:
    assert set(PACKAGES) >= UNFINISHED


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ('def f():\n    """Return the seats."""', 0),
        ('def f():\n    """Whether the seat may act."""', 1),
        ('class C:\n    x = 1\n    """How many there are."""', 1),
        ('"""The seats whose turn it is, and when."""', 0),
        ("x = 1  # his turn", 1),
        ('x = "What he said"', 0),
    ],
)
def test_the_check_finds_faults(source: str, count: int) -> None:
    assert len(list(faults(source))) == count
