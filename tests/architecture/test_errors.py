"""All errors have one base, and every door tells of them what they say themselves."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.exceptions import MultipleObjectsReturned, ObjectDoesNotExist
from django.test import Client
from django.utils.html import escape

from gamesvc.api.error_responses import details
from gamesvc.errors import GamesvcError, Refusal
from gamesvc.games.catalog import OFFERED
from gamesvc.refusal_codes import MEANINGS
from gamesvc.web.common import markdown
from tests.architecture.trees import walk

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("gamesvc", "accounts", "events", "notifications")
# No errors but signals, which no `except Exception` on their way may swallow.
SIGNALS = {
    "gamesvc.time_limits.TimeIsUp": "the soft limit of a task ends the task, not the item that it works on",
    "gamesvc.ops.management.commands.up.Stopped": "Ctrl-C ends the service, whatever it was doing",
    "notifications.parsing.limits._Spent": "the CPU limit of a mail ends its reading, inside any library",
}
# Codes that several classes share, and why.
SHARED = {
    "fault": "seen by us and by operators alone; a door that ever meets one answers with the base",
    "refused": "each instance brings a code of its own",
    "too_many": "limits on requests and on what a user has are one thing to a program",
}
# What the problem details of each class are; programs rely on it.
PUBLIC = {
    "bad_query": (400, "The query does not fit"),
    "bad_request": (400, "The request cannot be read"),
    "key_missing": (400, "The Idempotency-Key is missing"),
    "not_signed_in": (401, "Not authenticated"),
    "bad_ticket": (401, "This ticket is not valid"),
    "forbidden": (403, "Not allowed"),
    "not_found": (404, "Not found"),
    "method_not_allowed": (405, "Method not allowed"),
    "not_acceptable": (406, "Not available in this form"),
    "stale": (412, "The match has moved on"),
    "version_unknown": (412, "This is not a version of your view"),
    "too_large": (413, "The body is too large"),
    "unsupported_media_type": (415, "The body has a type that is not read here"),
    "key_reused": (422, "This key was already used"),
    "not_confirmed": (422, "Nothing was erased"),
    "refused": (422, "The rules do not allow this"),
    "version_missing": (428, "If-Match is missing"),
    "too_many": (429, "Too many requests"),
    "fault": (500, "Something broke here"),
    "busy": (503, "Too many simultaneous changes"),
    "unavailable": (503, "Temporarily unavailable"),
    "too_many_streams": (429, "Too many open streams"),
    "no_streams": (404, "There are no live streams here"),
}
# The view that asks gives these their title: what was not done.
TITLED_BY_DOOR = {"password_needed": 403, "wrong_password": 422, "too_many_passwords": 429}
# On pages and in mails alone.
NO_PROBLEM = {"outdated", "unreadable", "bad_address", "bad_chat_address", "bad_authorization_request"}
BRING_CODES = {"AppRefused", "BotRefused", "Refused", "TokenRefused", "WishRefused", "AbsenceRefused", "BlockRefused", "Fault"}
BRINGS = re.compile(rf"\b({'|'.join(sorted(BRING_CODES))}|BadRequest|BadQuery|Unknown|_?number)\b")


def modules() -> Iterator[str]:
    for package in PACKAGES:
        for found in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
            # `wsgi` starts the service at once; it and the settings hold no class.
            if not {"migrations", "settings", "wsgi"} & set(found.name.split(".")):
                yield found.name


def below(kind: type[BaseException]) -> Iterator[type[BaseException]]:
    for derived in kind.__subclasses__():
        yield derived
        yield from below(derived)


@pytest.fixture(scope="module")
def kinds() -> list[type[GamesvcError]]:
    for name in modules():
        importlib.import_module(name)
    return [kind for kind in GamesvcError.kinds() if kind.__module__.partition(".")[0] in PACKAGES]


def test_every_exception_class_has_the_one_base(kinds: list[type[GamesvcError]]) -> None:
    ours = {kind for kind in below(BaseException) if kind.__module__.partition(".")[0] in PACKAGES}
    # Django makes these for each model.
    ours = {kind for kind in ours if not issubclass(kind, (ObjectDoesNotExist, MultipleObjectsReturned))}
    # A client is a file that other programs take with them: it brings its own.
    ours = {kind for kind in ours if not kind.__module__.startswith("gamesvc.clients.")}
    assert len(kinds) > 50
    assert {f"{kind.__module__}.{kind.__qualname__}" for kind in ours - set(kinds)} == set(SIGNALS)


def test_every_error_says_what_a_door_needs(kinds: list[type[GamesvcError]]) -> None:
    for kind in kinds:
        assert re.fullmatch(r"[a-z][a-z0-9_]{1,59}", kind.code), kind
        assert 400 <= kind.status <= 599, kind
        assert kind.title[-1] not in ".!", kind
        assert kind.detail.endswith("."), kind
        assert kind.advice.endswith("."), kind
        if kind.code not in SHARED:
            assert {"code", "title", "detail", "advice"} <= set(vars(kind)), f"{kind} borrows what is its own to say"


def test_a_code_belongs_to_one_class_unless_it_is_shared_on_purpose(kinds: list[type[GamesvcError]]) -> None:
    by_code = defaultdict(list)
    for kind in kinds:
        by_code[kind.code].append(kind)
    assert {code for code, having in by_code.items() if len(having) > 1} == set(SHARED)


def test_the_problem_details_are_what_programs_rely_on(kinds: list[type[GamesvcError]]) -> None:
    first = {kind.code: kind for kind in reversed(kinds)}
    assert {code: (first[code].status, first[code].title) for code in PUBLIC} == PUBLIC
    assert {code: first[code].status for code in TITLED_BY_DOOR} == TITLED_BY_DOOR
    assert set(first) == PUBLIC.keys() | TITLED_BY_DOOR.keys() | NO_PROBLEM


def test_the_problem_details_hold_what_the_error_says() -> None:
    body = details(Refusal("bad_seats", "Take two seats.", "seats.0"), instance="/api/v1/matches/")
    assert body == {
        "type": "http://localhost:8000/problems/bad_seats",
        "title": "The rules do not allow this",
        "status": 422,
        "detail": "Take two seats.",
        "code": "bad_seats",
        "parameter": "seats.0",
        "errors": [{"pointer": "#/seats/0", "detail": "Take two seats."}],
        "instance": "/api/v1/matches/",
    }


def brought() -> dict[str, set[str]]:
    """The codes that instances bring, as they are written in the sources, with the first folders of their places."""
    found = defaultdict(set)
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            place, source = "/".join(path.relative_to(ROOT).parts[:3]), path.read_text(encoding="utf-8")
            if not BRINGS.search(source):
                continue
            for node in walk(ast.parse(source)):
                if isinstance(node, ast.Call) and (code := _code(node, place)):
                    found[code].add(place)
    return found


def _code(call: ast.Call, place: str) -> str:
    name = call.func.id if isinstance(call.func, ast.Name) else call.func.attr if isinstance(call.func, ast.Attribute) else ""
    given = call.args[0] if name in BRING_CODES and call.args else None
    if name in ("BadRequest", "BadQuery", "Unknown", "_count"):
        given = next((keyword.value for keyword in call.keywords if keyword.arg == "code"), None)
    if name in ("number", "_number") and place == "gamesvc/api/v1":  # of the query: the code is made of its name
        names = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
        return f"bad_{names[0]}" if names else ""
    return given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else ""


def test_every_code_that_an_instance_brings_is_explained(kinds: list[type[GamesvcError]]) -> None:
    used = brought()
    explained = MEANINGS.keys() | {kind.code for kind in kinds}
    engines = {f"gamesvc/games/{game}" for game in OFFERED}
    assert len(used) > 100
    assert {code: places for code, places in used.items() if code not in explained and not places <= engines} == {}
    assert MEANINGS.keys() - used.keys() == set(), "nobody brings these any more"


@pytest.mark.django_db
def test_every_code_has_its_page(kinds: list[type[GamesvcError]]) -> None:
    meanings = {kind.code: kind.meaning() for kind in reversed(kinds)} | MEANINGS
    meanings |= {"cannot_pay": Refusal.meaning()}  # of a game
    for code, meaning in meanings.items():
        page = Client().get(f"/problems/{code}")
        assert page.status_code == 200
        shown = page.content.decode()
        assert f"<code>{code}</code>" in shown
        assert escape(meaning.title) in shown
        for said in (meaning.detail, meaning.advice):
            assert f"<p>{markdown.render_line(said)}</p>" in shown
        assert meaning.detail.endswith(".")
        assert meaning.advice.endswith(".")


def test_errors_stand_on_the_standard_library_alone() -> None:
    code = "import sys; import gamesvc.errors; print(*{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) - sys.stdlib_module_names - {"__main__"} == {"gamesvc"}
