"""Every problem's address leads to a page with the meaning of the code and advice."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("code", ["A", "a", "<script>", "x" * 80, "no-such"])
def test_what_is_no_code_has_none(code):
    assert Client().get(f"/problems/{code}").status_code == 404


def test_the_address_of_a_real_problem_leads_there(anna, program):
    answer = program(anna).get("/matches/4711/")
    path = answer.json()["type"].removeprefix("http://localhost:8000")
    assert "Not found" in Client().get(path).content.decode()
