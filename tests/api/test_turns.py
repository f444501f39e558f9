"""What waits for a user in one request, and receipts that make a second one needless."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest

from gamesvc import paging

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(anna, ben, program):
    return program(anna), program(ben)


@pytest.fixture
def duels(toy, two, many_matches):
    made = []
    for _ in range(3):
        match = two[0].post("/matches/", {"game": toy}).json()["id"]
        two[1].post(f"/matches/{match}/join/", {"seat": 1})
        made.append(match)
    return made


def turns(program, query=""):
    return program.get(f"/me/turns/{query}").json()["results"]


def test_what_waits_is_listed_with_all_that_a_command_needs(duels, two):
    assert turns(two[1]) == []
    waiting = turns(two[0], "?forms=true")
    assert {turn["match"] for turn in waiting} == set(duels)
    for turn in waiting:
        match = turn["match"]
        view = two[0].get(f"/matches/{match}/view/")
        assert (turn["etag"], turn["version"]) == (view.headers["ETag"], view.json()["version"])
        [asked] = view.json()["awaited"]
        assert {name: turn[name] for name in asked} == asked
        assert turn["forms"] == two[0].get(f"/matches/{match}/forms/").json()["forms"]
        assert two[0].post(f"/matches/{match}/commands/", {"name": "draw"}, etag=turn["etag"]).status_code == 200
    assert [set(turn) & {"forms"} for turn in turns(two[1])] == [set()] * 3
    assert turns(two[0]) == []


def test_the_list_comes_in_pages(duels, two, monkeypatch):
    monkeypatch.setattr(paging, "MATCHES", 2)
    first = two[0].get("/me/turns/").json()
    second = two[0].get(f"/me/turns/?{urlencode({'cursor': first['next']})}").json()
    assert [len(first["results"]), len(second["results"]), second["next"]] == [2, 1, None]
    assert {turn["match"] for turn in [*first["results"], *second["results"]]} == set(duels)
    for cursor in ("x", "2026-11-20T20:00:00Z.7", "2026-11-20T20:00:00." + duels[0]):
        assert two[0].get(f"/me/turns/?{urlencode({'cursor': cursor})}").json()["code"] == "bad_cursor"


def test_a_page_ends_where_its_forms_are_large(duels, two, monkeypatch):
    """Those of a strange position may have 11 MB: three of them took a process 3 s and 260 MB, and a user may have fifty."""
    alone = len(json.dumps(turns(two[0], "?forms=true")[0]["forms"], separators=(",", ":")))
    monkeypatch.setattr(paging, "FORMS_BYTES", alone + 1)
    first = two[0].get("/me/turns/?forms=true").json()
    second = two[0].get(f"/me/turns/?{urlencode({'forms': 'true', 'cursor': first['next']})}").json()
    assert [len(first["results"]), len(second["results"]), second["next"]] == [2, 1, None]
    assert {turn["match"] for turn in [*first["results"], *second["results"]]} == set(duels)
    monkeypatch.setattr(paging, "FORMS_BYTES", 0)
    assert len(turns(two[0], "?forms=true")) == 1
    assert len(turns(two[0])) == 3


def test_a_receipt_says_whether_it_is_your_turn_again_and_what_you_can_do(toy, two):
    match = two[0].post("/matches/", {"game": toy}).json()["id"]
    two[1].post(f"/matches/{match}/join/", {"seat": 1})
    tag = two[0].get(f"/matches/{match}/view/").headers["ETag"]
    order = two[1].get(f"/matches/{match}/view/").headers["ETag"]
    # An act aside: it is still the other's turn.
    aside = two[1].post(f"/matches/{match}/commands/", {"name": "set_orders", "text": "x"}, etag=order).json()
    assert (aside["awaited"], "forms" in aside) == (False, False)
    answer = two[0].post(f"/matches/{match}/commands/?forms=true", {"name": "draw"}, etag=tag, key="k")
    assert answer.json()["awaited"] is False
    assert answer.json()["forms"] == two[0].get(f"/matches/{match}/forms/").json()["forms"]
    their_tag = two[1].get(f"/matches/{match}/view/").headers["ETag"]
    assert two[1].post(f"/matches/{match}/orders/?forms=true", {"text": "draw"}, etag=their_tag).json()["awaited"] is False
    again = two[0].post(f"/matches/{match}/commands/", {"name": "draw"}, etag=tag, key="k").json()
    assert again["awaited"] is True, "it is as the match is now"
    assert again["events"] == answer.json()["events"]
