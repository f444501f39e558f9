"""Reading without sign-in: guests see of a match what a signed-in spectator sees, and nothing of any other match."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from tests.matches.playing import act, play_out

pytestmark = pytest.mark.django_db

READABLE = ("", "view/", "view/?version=3", "events/", "steps/7/", "board.svg", "board.png", "export/")
CLOSED = ("forms/", "press/", "clock/", "notes/", "standing/", "refusals/", "tenures/", "looks/", "undo/", "forks/", "line/")
WATCHED = "/matches/?public=true"


@pytest.fixture
def match(toy, anna, ben):
    """A running match that everyone may watch, with hidden cards and a hidden standing order."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, watch="all"))
    act(match, 0)
    act(match, 1, {"name": "set_orders", "text": "what seat 1 keeps"})
    return match


@pytest.fixture
def spectator(player, program):
    return program(player("eve"))


def guest(path, **headers):
    return Client(raise_request_exception=False).get(f"/api/v1{path}", headers=headers)


def content(answer):
    return b"".join(answer) if answer.streaming else answer.content


@pytest.mark.parametrize("over", [False, True], ids=["running", "over"])
def test_a_guest_reads_what_a_spectator_reads(match, spectator, over):
    if over:
        play_out(match)
    for below in READABLE:
        path = f"/matches/{match.number}/{below}"
        mine, theirs = guest(path), spectator.get(path)
        assert (mine.status_code, theirs.status_code) == (200, 200), below
        assert content(mine) == content(theirs), below
        assert mine.get("ETag") == theirs.get("ETag"), below
        if not over:
            assert b"what seat 1 keeps" not in content(mine), below


def test_everything_else_asks_for_a_token(match):
    for below in CLOSED:
        assert guest(f"/matches/{match.number}/{below}").status_code == 401, below
    for path in ("/matches/", "/matches/?mine=true", "/matches/?mine=false&suitable=true", "/me/", "/players/anna/"):
        assert guest(path).status_code == 401, path


def test_a_match_that_guests_may_not_watch_is_like_none(match):
    for watch in ("link", "nobody"):
        Match.objects.update(watch=watch)
        for below in READABLE:
            answers = [guest(f"/matches/{number}/{below}") for number in (match.number, 999_999_999)]
            problems = [{**answer.json(), "instance": ""} for answer in answers]
            assert problems[0] == problems[1], below
            assert problems[0]["status"] == 401, below
            assert answers[0]["WWW-Authenticate"].startswith("Bearer")
        assert guest(WATCHED).json()["results"] == []
    Match.objects.update(watch="link")
    assert guest(f"/matches/{match.number}/view/?link={match.link_token}").status_code == 200


def test_the_matches_to_watch_are_listed_for_everyone(match, spectator, anna):
    open_one = opening.create_match(by=anna, game="toy", watch="all")

    def listed(query):
        mine, theirs = (ask(f"/matches/?{query}").json() for ask in (guest, spectator.get))
        assert mine == theirs
        return [one["number"] for one in mine["results"]]

    assert listed("public=true") == listed("public=true&status=running&game=toy") == [match.number]
    assert listed("public=true&game=stratastar") == listed("public=true&status=finished") == []
    assert listed("mine=false") == [open_one.number]
    play_out(match)
    assert listed("public=true") == []
    assert listed("public=true&status=finished") == [match.number]
    assert listed("public=true&status=open") == []


def test_shared_caches_may_keep_what_guests_get_and_nothing_else(match, spectator):
    path = f"/matches/{match.number}/view/"
    for answer, kept in ((guest(path), "public, no-cache"), (spectator.get(path), "private, no-cache")):
        assert answer["Cache-Control"] == kept
        assert {"Authorization", "Cookie"} <= {one.strip() for one in answer["Vary"].split(",")}
    again = guest(path, **{"If-None-Match": guest(path)["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    by_link = guest(f"{path}?link={match.link_token}")
    assert by_link["Cache-Control"] == "private, no-cache"
    assert guest(f"/matches/{match.number}/export/")["Cache-Control"] == "private, no-store"


def test_what_guests_read_counts_for_their_network(match, settings):
    settings.RATE_LIMIT_HISTORY = 2
    path = f"/matches/{match.number}/board.svg"
    assert [Client(REMOTE_ADDR="192.0.2.77").get(f"/api/v1{path}").status_code for _ in range(3)] == [200, 200, 429]


def test_the_document_says_what_needs_no_token():
    paths = json.loads(guest("/openapi.json").content)["paths"]
    assert {} in paths["/api/v1/matches/{ident}/view/"]["get"]["security"]
    assert "what a spectator sees" in paths["/api/v1/matches/{ident}/view/"]["get"]["description"]
    assert {} not in paths["/api/v1/matches/{ident}/forms/"]["get"]["security"]
