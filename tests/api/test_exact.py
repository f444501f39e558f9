"""Requests are what the OpenAPI document says: types, members, blank text, whole numbers, and what an address names."""

from __future__ import annotations

import uuid

import pytest

from gamesvc.api.openapi.document import operations
from tests.answers import document
from tests.api.test_api import expect_problem

pytestmark = pytest.mark.django_db

OF_ANOTHER_TYPE = [
    ("PATCH", "/me/", {"plays_bots": 0}, "#/plays_bots"),
    ("PATCH", "/me/preferences/", {"subject_per_turn": "yes"}, "#/subject_per_turn"),
    ("PATCH", "/me/preferences/", {"channels": [7]}, "#/channels"),
    ("POST", "/me/bots/", {"name": "deep-bot", "matches": "8"}, "#/matches"),
    ("POST", "/me/bots/", {"name": "deep-bot", "matches": True}, "#/matches"),
    ("POST", "/me/bots/", {"name": "deep-bot", "matches": 8.5}, "#/matches"),
    ("POST", "/tokens/", {"name": 0, "scopes": ["read"]}, "#/name"),
    ("POST", "/matches/", {"game": "toy", "bots": {"first": "random"}}, "#/bots"),
    ("POST", "/matches/", {"game": "toy", "bots": {"1": 1}}, "#/bots"),
]
PADDED = [
    ("/tokens/", {"name": "bot" + " " * 78, "scopes": ["read"]}, "#/name"),
    ("/reports/", {"kind": "other", "words": "\n" * 10_001, "player": "ben"}, "#/words"),
    ("/me/webhooks/", {"url": " " * 500 + "https://a.example"}, "#/url"),
    ("/me/webhooks/", {"url": "https://a.example", "kinds": ["your_turn" + " " * 60]}, "#/kinds"),
]
NOT_THERE = [
    ("GET", f"/challenges/{uuid.UUID(int=1)}/", "bad_challenge"),
    ("POST", f"/challenges/{uuid.UUID(int=1)}/accept/", "bad_challenge"),
    ("DELETE", f"/challenges/{uuid.UUID(int=1)}/", "bad_challenge"),
    ("PATCH", "/me/bots/deep-bot/", "unknown_bot"),
    ("DELETE", "/me/bots/deep-bot/tokens/", "unknown_bot"),
    ("PUT", "/me/blocks/nobody/", "unknown_user"),
    ("DELETE", "/me/blocks/ben/", "not_blocked"),
    ("DELETE", "/me/chats/irc/", "unknown_service"),
    ("DELETE", "/me/follows/1/", "unknown_follow"),
]


@pytest.mark.parametrize(("method", "path", "body", "pointer"), OF_ANOTHER_TYPE)
def test_a_value_of_another_type_of_json_is_refused(two, method: str, path: str, body: object, pointer: str) -> None:
    problem = expect_problem(two[0].call(method, path, body), 400, "bad_request")
    assert [error["pointer"] for error in problem["errors"]] == [pointer]


LONG = [
    ("POST", "/tokens/", {"name": "bot", "scopes": ["x"] * 40_000}, "#/scopes"),
    ("PATCH", "/me/preferences/", {"reminders": [""] * 50_000}, "#/reminders"),
    ("PATCH", "/me/preferences/", {"channels": [""] * 50_000}, "#/channels"),
    ("POST", "/me/webhooks/", {"url": "https://a.example", "kinds": [""] * 50_000}, "#/kinds"),
    ("POST", "/matches/", {"game": "toy", "bots": {f"{seat}": "" for seat in range(15_000)}}, "#/bots"),
]


@pytest.mark.parametrize(("method", "path", "body", "pointer"), LONG)
def test_a_long_list_is_refused_before_its_items_are_looked_at(two, method: str, path: str, body: object, pointer: str) -> None:
    """The framework writes a sentence of its own for each: 14 MB for one request."""
    problem = expect_problem(two[0].call(method, path, body), 400, "bad_request")
    assert [error["pointer"] for error in problem["errors"]] == [pointer]
    assert len(problem["detail"]) < 200


def test_a_refusal_names_a_few_of_many_unknown_members(two) -> None:
    problem = expect_problem(two[0].call("PATCH", "/me/", {f"x{number}": 0 for number in range(15_000)}), 400, "bad_request")
    assert len(problem["errors"]) == 10
    assert all("Not known here" in error["detail"] for error in problem["errors"])


@pytest.mark.parametrize(("path", "body", "pointer"), PADDED)
def test_blanks_around_a_text_count_for_its_length(two, path: str, body: object, pointer: str) -> None:
    """JSON Schema counts them, although what is stored has none."""
    problem = expect_problem(two[0].call("POST", path, body), 400, "bad_request")
    assert [error["pointer"] for error in problem["errors"]] == [pointer]


def test_notes_that_are_too_long_by_blanks_alone_are_refused(two, toy) -> None:
    anna = two[0]
    number = anna.post("/matches/", {"game": toy}).json()["number"]
    expect_problem(anna.call("PUT", f"/matches/{number}/notes/", {"text": "a" + "\n" * 16_000}), 400, "bad_request")
    assert anna.call("PUT", f"/matches/{number}/notes/", {"text": "a" + "\n" * 15_999}).json() == {"text": "a"}


def test_a_number_without_a_fraction_is_whole(two) -> None:
    assert two[0].call("POST", "/me/bots/", {"name": "deep-bot", "matches": 3.0}).json()["matches"] == 3


@pytest.mark.parametrize(("method", "path", "code"), NOT_THERE)
def test_what_an_address_names_and_is_not_there_is_404(two, method: str, path: str, code: str) -> None:
    assert expect_problem(two[0].call(method, path, {}), 404, code)["title"] == "Not found"


def test_a_change_of_nothing_changes_nothing(two) -> None:
    anna = two[0]
    anna.call("POST", "/me/bots/", {"name": "deep-bot", "matches": 3})
    assert anna.call("PATCH", "/me/", {}).json() == anna.get("/me/").json()
    assert anna.call("PATCH", "/me/bots/deep-bot/", {}).json()["matches"] == 3


def test_a_method_that_an_address_lacks_is_refused_before_its_query(two) -> None:
    expect_problem(two[0].call("PUT", "/me/turns/?forms=true", {}), 405, "method_not_allowed")


@pytest.mark.parametrize("key", [" ", "ß", "a" * 256, "a\x7f", '""'])
def test_a_key_is_printable_ascii(two, key: str) -> None:
    answer = two[0].call("POST", "/matches/", {"game": "toy"}, key=key)
    expect_problem(answer, 400, "key_missing")


@pytest.mark.parametrize("given", ["after", "1-2", f"1-{uuid.UUID(int=1)}x", f"{'9' * 19}-{uuid.UUID(int=1)}"])
def test_a_cursor_fits_its_pattern_or_is_refused(two, given: str) -> None:
    for path in ("/me/turns/", "/me/notices/"):
        assert expect_problem(two[0].get(f"{path}?cursor={given}"), 400, "bad_cursor")["parameter"] == "cursor"
        assert two[0].get(f"{path}?cursor={'9' * 18}-{uuid.UUID(int=1)}").json() == {"results": [], "next": None}


def test_every_request_names_all_its_members() -> None:
    """The commands of games do so by themselves."""
    shapes = document()["components"]["schemas"]
    asked = {
        media["schema"]["$ref"].rpartition("/")[2]
        for _path, _method, operation in operations(document())
        for media in operation.get("requestBody", {}).get("content", {}).values()
    }
    assert {name for name in asked if shapes[name].get("additionalProperties") is not False} == {"Command"}


def test_a_huge_number_is_refused_and_breaks_no_list(two) -> None:
    """PostgreSQL would keep 1e300 as a whole number of 301 digits, which no answer can hold."""
    anna, ben = two
    match = anna.post("/matches/", {"game": "stratastar"}).json()["id"]
    ben.post(f"/matches/{match}/join/")
    refused = anna.call("POST", f"/matches/{match}/commands/", {"name": "end_turn", "cards": 1e300}, etag="*")
    assert expect_problem(refused, 400, "bad_number")["errors"][0]["pointer"] == "#/cards"
    assert anna.get(f"/matches/{match}/refusals/").status_code == 200
