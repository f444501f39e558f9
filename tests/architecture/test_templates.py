"""Every text of a page is marked for translation: nothing of English stands bare in a template."""

from __future__ import annotations

import re

from tests.architecture.test_layout import ROOT, tracked

PAGES = "gamesvc/web/templates/"
ENGLISH = ("web/docs/", "web/problem.html", "web/problems.html")
"""The documentation of the API and of its codes, which programmers read."""
NAMES = {"gamesvc", "JSON", "https"}
_MARKED = re.compile(r"{%\s*blocktrans.*?{%\s*endblocktrans\s*%}|{%.*?%}|{{.*?}}|{#.*?#}", re.DOTALL)
_CODE = re.compile(r"<(script|style)\b.*?</\1>|<!doctype html>|<[a-zA-Z/][^>]*>", re.DOTALL)
_SHOWN = re.compile(r'\b(?:title|aria-label|placeholder|alt)="([^"]*)"')
_WORD = re.compile(r"[A-Za-z]{2,}")
_BLOCKS_OF_CODE = re.compile(r"{% block (?:body_class|skip|main_class) %}.*?{% endblock %}", re.DOTALL)


_FIELD = re.compile(r'<(?:input|select|textarea|button)\b[^>]*?\bname="(\w+)"')
_HIDES = {"append", "children", "closest", "contains", "elements", "matches", "remove", "reset", "submit"}
"""Members of a form that scripts use, and that a field of this name would hide from them."""


def test_no_field_hides_a_member_of_its_form_from_scripts() -> None:
    pages = [path for path in tracked() if path.endswith(".html")]
    named = {(path, name) for path in pages for name in _FIELD.findall((ROOT / path).read_text(encoding="utf-8"))}
    assert ("gamesvc/web/templates/web/bots.html", "at_once") in named
    assert not [one for one in named if one[1] in _HIDES]


def test_no_english_stands_bare_in_a_template() -> None:
    found = []
    for path in tracked():
        if (
            not path.startswith(PAGES)
            or not path.endswith(".html")
            or path.removeprefix(PAGES).startswith(("allauth/elements/", *ENGLISH))
        ):
            continue
        text = _MARKED.sub(" ", _BLOCKS_OF_CODE.sub(" ", (ROOT / path).read_text(encoding="utf-8")))
        bare = " ".join([*_SHOWN.findall(text), _CODE.sub(" ", text)])
        found += [f"{path}: {word}" for word in _WORD.findall(bare) if word not in NAMES]
    assert not found
