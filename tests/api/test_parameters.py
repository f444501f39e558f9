"""No number, moment or name in an address causes a fault: every address, every parameter, with invalid values."""

from __future__ import annotations

import copy
import importlib
import inspect
import json
import re
import uuid
from urllib.parse import quote

import pytest
from django.test import Client
from django.urls import is_valid_path

from accounts.tokens import SCOPES, create_token
from gamesvc.api.v1 import base
from gamesvc.api.v1.lobby import filters
from gamesvc.games import catalog
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.reading import board
from gamesvc.matches.record import loading, stream
from gamesvc.web.common import access
from tests.conftest import make_anna, make_ben, offer_toy
from tests.walking import doors

pytestmark = pytest.mark.long

NUMBERS = ["", "0", "1", "2", "5", "-1", "1.5", "1_0", "x", "²", "٣", "\x00"]
HUGE = ["2147483648", "9" * 17, "9" * 18, "9223372036854775808", "9" * 40]
MOMENTS = [
    "2026-11-20T20:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "2026-02-30T00:00:00Z",
    "2026-11-20T20:00:00+99:99",
    "2026-11-20",
    "2026-11-20T20:00",
    "0001-01-01T00:00",
    "9999-12-31T23:59",
]
TIMED = {"at", "moment", "before", "after", "cursor"}
OWN = ("gamesvc.", "notifications.", "accounts.")


def own_module(door) -> str:
    """Return the module of an address's view if it is one of ours."""
    view = inspect.unwrap(getattr(door.view, "cls", door.view))
    owner = getattr(view, "__self__", None)
    return type(owner).__module__ if owner is not None else view.__module__


DOORS = [door for door in doors() if own_module(door).startswith(OWN) or door.route.startswith("admin/matches/match")]
READ = re.compile(
    r"""(?:GET|query_params|query)\.get\("(\w+)"|number\("(\w+)"|"(\w+)" in request\.GET|_number\(query, "(\w+)"\)"""
)


def named_in(*modules) -> set[str]:
    """Return the query parameters that these modules read."""
    return {name for module in modules for names in READ.findall(inspect.getsource(module)) for name in names if name}


def queries(door) -> list[tuple[str, str]]:
    """Return invalid values for every query parameter of an address's module, and for some common ones."""
    module = importlib.import_module(own_module(door))
    own = named_in(module, filters) if own_module(door).endswith("v1.matches") else named_in(module)
    shared = named_in(base if door.route.startswith("api/") else access) - own if "ident" in door.parameters else set()
    found = [(name, value) for name in sorted(own) for value in [*NUMBERS, *HUGE]]
    found += [(name, value) for name in sorted(own & TIMED) for value in MOMENTS]
    return found + [(name, value) for name in sorted(shared) for value in ("-1", "²", "9" * 40, "\x00")]


@pytest.fixture(scope="module")
def world(shared):
    """The players anna (an operator) and ben, a running match of theirs, and a fork of it."""
    with shared() as patch:
        toy = offer_toy(patch)
        anna, ben = make_anna(), make_ben()
        opened = opening.create_match(by=anna, game=toy, watch="all")
        running = opening.join_match(by=ben, match=opened)
        version = loading.load(running.id, toy).version
        forks.fork(access=access_match(user=anna, ident=str(running.pk)), version=version, board=True)
        anna.is_staff = True
        anna.save()
        return anna, ben, running


@pytest.fixture
def anna(world, db):
    return copy.deepcopy(world[0])


@pytest.fixture
def ben(world, db):
    return copy.deepcopy(world[1])


@pytest.fixture
def match(world, toy, db):
    return copy.deepcopy(world[2])


@pytest.fixture
def asks(anna):
    """Return a function that requests a path, with a token for the API, with a session elsewhere. It fails on a fault."""
    token = create_token(user=anna, name="test", scopes=SCOPES)[1]
    browser = Client(raise_request_exception=False)
    browser.force_login(anna)

    def ask(path: str, method: str = "GET"):
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": uuid.uuid4().hex} if path.startswith("/api/") else {}
        answer = browser.generic(method, path, b"{}" if method != "GET" else b"", "application/json", headers=headers)
        if answer.streaming:
            b"".join(answer.streaming_content)
        assert answer.status_code < 500, f"{method} {path[:200]}: {answer.status_code}"
        if path.startswith("/api/v1/") and answer.status_code >= 400:
            assert {"type", "title", "status", "detail", "code"} <= set(json.loads(answer.content)), path[:200]
        return answer

    return ask


def values(match, **more) -> dict[str, object]:
    return {
        "ident": match.number,
        "object_id": match.pk,
        "kind": "svg",
        "seat": 0,
        "version": 1,
        "number": 1,
        "name": "anna",
        "game": "stratastar",
        "game_id": "stratastar",
        "token": "x",
        "secret": "x",
        "code": "stale",
        "token_id": uuid.uuid4(),
        "absence_id": 1,
        "follow_id": 1,
        **more,
    }


def fitting(door, match, **more) -> str:
    known = values(match, **more)
    return door.path(**{name: known.get(name, 1) for name in door.parameters})


@pytest.mark.parametrize("door", [door for door in DOORS if "GET" in door.methods], ids=lambda door: door.route or "home")
def test_no_parameter_of_a_query_makes_a_fault(asks, match, door):
    path = fitting(door, match)
    answers = {f"{name}={value}"[:80]: asks(f"{path}?{name}={quote(value)}").status_code for name, value in queries(door)}
    assert {what: status for what, status in answers.items() if status >= 500} == {}


@pytest.mark.parametrize("door", [door for door in DOORS if door.parameters], ids=lambda door: door.route)
def test_no_parameter_of_a_path_makes_a_fault(asks, match, door):
    answers = {}
    for name, kind in door.parameters.items():
        fit = ["-1", "²", "٣", "\x00", *HUGE] if kind == "str" else ["0", *HUGE] if kind == "int" else ["x"]
        for value in fit:
            path = fitting(door, match, **{name: quote(value, safe="")})
            for method in door.methods if door.route.startswith("api/") and value in ("\x00", "9" * 18) else ["GET"]:
                answers[f"{method} {name}={value}"[:80]] = asks(path, method).status_code
    assert answers
    assert {what: status for what, status in answers.items() if status >= 500} == {}


# --- versions ---


def every_version(ask, match, last):
    """Return the responses of each way to look at each version."""
    for version in range(last + 2):
        good = 200 if 1 <= version <= last else 422
        for path in (f"view/?version={version}", f"board.svg?version={version}"):
            assert ask(f"/api/v1/matches/{match.number}/{path}").status_code == good, path
        assert ask(f"/api/v1/matches/{match.number}/steps/{version}/").status_code == (200 if version < last else 422)
        assert ask(f"/matches/{match.number}/?at={version}").status_code == 200
        assert ask(f"/admin/matches/match/{match.pk}/change/?version={version}").status_code == 200
        for path in ("forms", "events", "export", "position"):
            ask(f"/api/v1/matches/{match.number}/{path}/?version={version}")
    drawn = ask(f"/api/v1/matches/{match.number}/board.png?version=1")
    assert drawn.content.startswith(b"\x89PNG")


@pytest.mark.parametrize("game", ["toy", *catalog.OFFERED])
def test_every_version_of_a_match_is_seen(toy, anna, ben, asks, game):
    match = opening.create_match(by=anna, game=game)
    if match.status == "open":
        match = opening.join_match(by=ben, match=match)
    begun = next(one.version for one in stream.STORE.read(match.id) if one.type == "match.started")
    every_version(asks, match, loading.load(match.id, game).viewer_version(0))
    for version in range(1, begun + 1):
        shown = asks(f"/api/v1/matches/{match.number}/view/?version={version}").json()
        assert (shown["version"], shown["view"], shown["awaited"]) == (version, None, [])
        picture = asks(f"/api/v1/matches/{match.number}/board.svg?version={version}").content.decode()
        assert board.NOT_BEGUN in picture
    assert asks(f"/api/v1/matches/{match.number}/view/").json()["view"] is not None


def test_a_match_that_has_not_begun_is_seen(toy, anna, asks):
    match = opening.create_match(by=anna, game="stratastar")
    assert asks(f"/api/v1/matches/{match.number}/view/").json()["view"] is None
    for path in (f"/api/v1/matches/{match.number}/board.svg", f"/matches/{match.number}/board.svg"):
        assert board.NOT_BEGUN in asks(path).content.decode()
    every_version(asks, match, 2)


def test_snapshots_are_not_made_between_the_start_and_the_first_position(toy, anna, ben, monkeypatch):
    monkeypatch.setattr("gamesvc.matches.record.snapshots.TAIL", 0)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    begun = next(one.version for one in stream.STORE.read(match.id) if one.type == "match.started")
    loaded = loading.load_at(loading.load(match.id, toy).game, match.id, begun)
    loading.save_snapshot(loaded)
    assert (loaded.started, loaded.timeline.started, loaded.snapshot_version, list(loaded.awaited())) == (True, False, 0, [])


# --- slashes ---


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.route or "home")
def test_an_address_with_the_other_ending_keeps_method_and_body(door):
    ids = {name: 1 if kind == "int" else uuid.uuid4() if kind == "uuid" else "x" for name, kind in door.parameters.items()}
    path = door.path(**ids)
    other = path[:-1] if path.endswith("/") else path + "/"
    if not other or is_valid_path(other):
        return
    answer = Client().post(f"{other}?a=%2F", b"{}", "application/json")
    assert (answer.status_code, answer["Location"]) == (308, f"{path}?a=%2F")


def test_the_other_ending_leads_to_no_other_host():
    for path in ("//evil.example", "//evil.example/", "/\\evil.example", "//evil.example/api/v1"):
        answer = Client().get("/", PATH_INFO=path)
        assert answer.status_code == 404 or not answer["Location"].startswith(("//", "/\\", "http")), path


def test_a_match_is_opened_without_the_last_slash(anna, program, toy):
    caller = program(anna)
    headers = {"Authorization": f"Bearer {caller.token}", "Idempotency-Key": "k"}
    answer = caller.client.post("/api/v1/matches", {"game": toy}, "application/json", headers=headers, follow=True)
    assert (answer.status_code, answer.json()["game"]) == (201, toy)
