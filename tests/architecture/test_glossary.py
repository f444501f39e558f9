"""Texts use the words of the field: no word-for-word translations, no "he" for a player.

Strings, templates, help texts and documents are held to the whole glossary, docstrings to its plain cases.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps

from tests.architecture.test_docstrings import MASCULINE, docstrings
from tests.architecture.test_layout import ROOT, tracked
from tests.architecture.trees import walk

# The word to use instead, by a pattern of the words that are not used in this sense.
INSTEAD = {
    "they, player, user or anyone": MASCULINE,
    "anyone, or the player who is meant": re.compile(r"\b(anybody|everybody|befall\w*|thereof|shall)\b", re.I),
    "undo": re.compile(
        r"\b(take|takes|taken|taking|took)( (it|that|this|a move|your move|something|nothing|the undo))? back\b", re.I
    ),
    "rewind": re.compile(r"\b(set|sets|setting) (the match |it )?back\b", re.I),
    "conditional order": re.compile(r"\b(premoves?|laid by|lay by|lays? (nothing|an order) by|orders? for a case)\b", re.I),
    "pending decision": re.compile(r"\bwhat (is|was|you are) asked\b", re.I),
    "analysis board": re.compile(r"\b(what-if boards?|boards? to try things out)\b", re.I),
    "fork, or resume": re.compile(r"\b(go(es)? on from (here|it|this|version)|lets? it go on)\b", re.I),
    "time control": re.compile(r"\b(clock in parts|parts? of (a|the) clock)\b", re.I),
    "timeout": re.compile(r"\b(the time of [^ ]+ ran out|so often)\b", re.I),
    "reliability, player requirements": re.compile(r"\b(have shown|has shown|players must have)\b", re.I),
    "messages": re.compile(r"\bone writes\b", re.I),
    "reply address": re.compile(r"\bletter-?box(es)?\b", re.I),
    "setting, request": re.compile(r"\bwish(es)?\b", re.I),
    "seat tenure": re.compile(r"\b(holdings?|what came of|what became of)\b", re.I),
    "erase, erasure": re.compile(r"\b(erasers?|farewells?)\b", re.I),
    "subscriber": re.compile(r"\bfollowers?\b", re.I),
    "again, redealt, rewritten": re.compile(r"\banew\b", re.I),
    "notified, shown or included": re.compile(r"\b(is|are|was|were|be) told\b", re.I),
    "is not a": re.compile(r"\b(?<!there )(?<!this )is no (?!longer|more|such|other|limit|need)([a-z]|\{\})", re.I),
    "no longer": re.compile(r"\b(any more)\b", re.I),
}

# Places where the word is meant otherwise, with the reason.
ALLOWED = {
    ("gamesvc/matches/mail_orders/remarks.py", "their, his"): "words that players write of orders that are not theirs",
    ("notifications/parsing/quotes.py", "best|kind"): "closing words of mails",
    ("accounts/erasure.py", "an eraser named"): "a programming error, about a function of this name",
}

# Words that are read by programs, and strings that no person is shown.
CODE = re.compile(r"[\w.:/%{}()\[\]*+-]*\Z")
SQL = re.compile(r"\s*(SELECT|UPDATE|INSERT|DELETE|WITH|FROM|CASE|EXISTS|GRANT|REVOKE|CREATE|ALTER)\b")
SHIPPED = [
    path
    for path in tracked()
    if path.endswith((".py", ".html", ".txt", ".md", ".toml"))
    and not path.startswith(("tests/", "pyproject"))
    and not path.endswith("RULES.md")
    and "/migrations/" not in path
    and not path.endswith("/OFL.txt")
    and (ROOT / path).exists()
]


PLAIN = {name: INSTEAD[name] for name in ("analysis board", "again, redealt, rewritten", "no longer")}
"""Words that docstrings must not use either: each has a better word in every sense."""


def strings(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of every string of a module that a person may read: no docstrings, single words or SQL."""
    nodes = list(walk(ast.parse(source)))
    docs = {node.value for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    parts = {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, text
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docs | parts and _shown(node.value):
            yield node.lineno, node.value


def _shown(text: str) -> bool:
    return not CODE.match(text) and not SQL.match(text)


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of a template or document, without tags, comments and the names of variables and classes."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])  # noqa: E731
    shown = re.sub(
        r"\{#.*?#\}|\{\{.*?\}\}|\{% (?!(?:block)?trans).*?%\}|<style.*?</style>|<[^>]*>|`[^`\n]*`", blank, source, flags=re.S
    )
    for match in re.finditer(r"[^\n]+(?:\n[^\n]+)*", shown):
        yield shown[: match.start()].count("\n") + 1, " ".join(match[0].split())


def faults(path: str, source: str) -> Iterator[str]:
    """Yield the place, the word and the word to use instead of each word of the glossary that is not used here."""
    shown = [(INSTEAD, *place) for place in (strings(source) if path.endswith(".py") else texts(source))]
    documented = [(PLAIN, line, " ".join(text.split())) for line, text in docstrings(source)] if path.endswith(".py") else []
    for glossary, line, text in (*shown, *documented):
        for instead, words in glossary.items():
            for found in words.finditer(text):
                if not any(path == place and part in text for place, part in ALLOWED):
                    context = text[max(0, found.start() - 40) : found.end() + 40]
                    yield f"{path}:{line} {found[0]!r} in {context!r}; write: {instead}"


def packages() -> list[str]:
    return sorted({"/".join(path.split("/")[:2]) for path in SHIPPED})


@pytest.mark.parametrize("package", packages())
def test_strings_and_templates_use_the_words_of_the_field(package: str) -> None:
    inside = [path for path in SHIPPED if "/".join(path.split("/")[:2]) == package]
    assert [fault for path in inside for fault in faults(path, (ROOT / path).read_text(encoding="utf-8"))] == []


def test_every_allowed_place_exists() -> None:
    for path, part in ALLOWED:
        assert part in (ROOT / path).read_text(encoding="utf-8"), f"{path} no longer says {part!r}: remove it from ALLOWED"


@pytest.mark.parametrize(
    ("path", "source", "write"),
    [
        ("a.py", 'x = "The order is laid by."', ["conditional order"]),
        ("a.py", 'x = f"Only {name} may take it back."', ["undo"]),
        ("a.py", 'x = "Leave it to " "somebody else."', ["they, player, user or anyone"]),
        ("a.py", '"""A premove of his."""', []),
        ("a.py", '"""A what-if board, which\nnobody has any more."""', ["analysis board", "no longer"]),
        ("README.md", "The cards are dealt anew.", ["again, redealt, rewritten"]),
        ("a.py", 'x = {"wish": "wishes"}', []),
        ("a.py", 'x = "SELECT * FROM a WHERE he = 1"', []),
        ("a.py", 'x = "There is no seat 4."', []),
        ("a.py", 'x = f"{word!r} is no seat."', ["is not a"]),
        ("a.html", '<p class="wish">{% if told %}{{ he.wish }}{% endif %} Undo</p>', []),
        ("a.html", "<p>Your move\nis taken\nback</p>", ["undo"]),
        ("a.html", '{% translate "Somebody asks" %}', ["they, player, user or anyone"]),
        ("help.md", "Write `premove` to him.", ["they, player, user or anyone"]),
    ],
)
def test_the_check_finds_faults(path: str, source: str, write: list[str]) -> None:
    assert [fault.rpartition("; write: ")[2] for fault in faults(path, source)] == write


def test_plurals_of_models_are_english() -> None:
    """The admin and its audit trail name them."""
    ours = [
        model
        for model in apps.get_models()
        if model.__module__.split(".")[0] in ("accounts", "events", "gamesvc", "notifications")
    ]
    plurals = [str(model._meta.verbose_name_plural) for model in ours]
    assert "matches" in plurals
    assert [plural for plural in plurals if re.search(r"(ch|sh|ss|x|[^aeiou]y|[^e]ed)s$", plural)] == []


def test_the_shipped_texts_are_found() -> None:
    kinds = {Path(path).suffix for path in SHIPPED}
    assert kinds == {".py", ".html", ".txt", ".md", ".toml"}
