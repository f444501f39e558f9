"""Every problem's address leads to a page with the meaning of the code and advice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from gamesvc.web.common.problems import FALLBACK, PROBLEMS

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("code", [*PROBLEMS, "cannot_pay"])
def test_each_code_has_its_page(code):
    entry = PROBLEMS.get(code, FALLBACK)
    page = Client().get(f"/problems/{code}")
    assert page.status_code == 200
    text = page.content.decode()
    assert code in text
    assert entry.title.replace("'", "&#x27;") in text
    for sentence in (entry.meaning, entry.advice):
        assert sentence.endswith(".")


@pytest.mark.parametrize("code", ["A", "a", "<script>", "x" * 80, "no-such"])
def test_what_is_no_code_has_none(code):
    assert Client().get(f"/problems/{code}").status_code == 404


def test_the_address_of_a_real_problem_leads_there(anna, program):
    answer = program(anna).get("/matches/4711/")
    path = answer.json()["type"].removeprefix("http://localhost:8000")
    assert "Not found" in Client().get(path).content.decode()


def test_the_codes_of_http_are_all_explained():
    text = (ROOT / "gamesvc" / "api" / "problems.py").read_text()
    codes = set(re.findall(r'^    \d+: \("([a-z_]+)"', text, re.MULTILINE)) | set(
        re.findall(r'problem\(\s*\d+, "([a-z_]+)"', text)
    )
    assert len(codes) > 8
    assert codes <= set(PROBLEMS)
