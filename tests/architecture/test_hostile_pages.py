"""Every page takes hostile text in every field that is sent to it, and none of it is ever a fault of ours.

The pages come from the addresses of the service; their fields from the forms they show and from the names that their
modules read. A new page is tested by being there.
"""

from __future__ import annotations

import copy
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import User
from gamesvc.matches import loading, lobby
from notifications import calendar
from tests.conftest import make_anna, make_ben
from tests.hostile import TEXTS, UNTAKEN
from tests.web.page import forms

pytestmark = pytest.mark.django_db
SENT = {label: text for label, text in TEXTS.items() if "surrogate" not in label}
"""A form cannot say half a character: bytes that are no UTF-8 are read as U+FFFD."""
ALWAYS = ("nul", "many digits", "large number")
"""Put into each field of each form; the others take turns."""
NAMED = re.compile(r"""(?:POST|GET|posted)\.get(?:list)?\(\s*f?"(\w+)"|_(?:number|version|text)\(request, "(\w+)\"""")
READ_BY_ALL = ("_link", "_as", "_once", "_form", "_version")


def walk(patterns: Any, prefix: str = "") -> Iterator[tuple[str, Callable[..., Any]]]:
    for entry in patterns:
        if isinstance(entry, URLResolver):
            yield from walk(entry.url_patterns, prefix + str(entry.pattern))
        elif isinstance(entry, URLPattern):
            yield prefix + str(entry.pattern), entry.callback


PAGES = [
    (path, view) for path, view in walk(get_resolver().url_patterns) if not path.startswith(("api/", "mail/provider/", "admin/"))
]


def address(path: str, values: dict[str, str], hostile: str = "") -> str:
    """An address of this pattern, with `hostile` in the place of what changes where it is given."""
    path = re.sub(r"\(\?P<(\w+)>[^)]*\)", r"<str:\1>", path).replace("^", "").replace("$", "").replace("\\", "")

    def value(found: re.Match[str]) -> str:
        return urlencode({"": hostile})[1:] if hostile else values.get(found[1], "1")

    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", value, path)


@pytest.fixture(scope="module")
def world(shared) -> tuple[User, dict[str, str], list[str]]:
    """A player, what fits into addresses, and the numbers of matches of theirs."""
    with shared():
        anna, ben = make_anna(), make_ben()
        running = lobby.join_match(by=ben, match=lobby.create_match(by=anna, game="space_war", watch="all"))
        opened = lobby.create_match(by=anna, game="stratastar", seats=3)
        hosted = lobby.create_match(by=anna, game="space_war", take_seat=False, bots={0: "random", 1: "random"})
        _invitation, token = lobby.invite(by=ben, match=lobby.create_match(by=ben, game="stratastar"), username="anna")
        values = {
            "ident": str(running.number),
            "game": "stratastar",
            "name": "ben",
            "code": "stale",
            "token": token,
            "secret": calendar.renew_address(anna).rsplit("/", 1)[1].removesuffix(".ics"),
        }
        return anna, values, [str(match.number) for match in (running, opened, hosted)]


@pytest.fixture
def reader(world, db) -> tuple[Client, dict[str, str], list[str]]:
    """The player, signed in, what fits into addresses, and the numbers of matches of theirs."""
    anna, values, matches = copy.deepcopy(world)
    client = Client(raise_request_exception=False)
    client.force_login(anna)
    return client, values, matches


def send(client: Client, method: str, path: str, data: Any = None) -> Any:
    """One request of which nothing stays."""
    with transaction.atomic():
        answer = client.get(path) if method == "get" else client.post(path, data)
        transaction.set_rollback(True)
    if method == "post":
        loading.forget_all()
        cache.clear()
    assert answer.status_code < 500, (method, path, {name: repr(value)[:80] for name, value in (data or {}).items()})
    return answer


def names_read(view: Callable[..., Any]) -> set[str]:
    """The fields that the module of a view reads."""
    source = inspect.getsource(sys.modules[inspect.unwrap(view).__module__])
    return {name for found in NAMED.findall(source) for name in found if name}


@pytest.mark.parametrize(("path", "view"), PAGES, ids=[path or "home" for path, _ in PAGES])
def test_no_text_in_an_address_or_a_field_is_a_fault_of_ours(reader, path, view):
    client, values, _matches = reader
    ours = inspect.unwrap(view).__module__.startswith(("gamesvc.", "notifications.", "accounts."))
    names = sorted(names_read(view)) if ours else []
    here = address(path, values)
    for label, text in SENT.items():
        if "<" in path or "(?P" in path:
            answer = send(client, "get", address(path, values, text))
            assert answer.status_code in (400, 404) if label in UNTAKEN else True, (path, label)
        answer = send(client, "get", f"{here}?{urlencode(dict.fromkeys([*names, 'page', 'link', 'as', 'next'], text))}")
        if label in UNTAKEN:
            assert answer.status_code == 400, path
        if ours:
            answer = send(client, "post", here, dict.fromkeys([*names, *READ_BY_ALL], text))
            if label in UNTAKEN:
                assert answer.status_code in (400, 405), path


def pages_with_forms(values: dict[str, str], matches: list[str]) -> list[str]:
    return [
        "/lobby/",
        "/new/space_war/",
        "/new/stratastar/",
        *(f"/matches/{number}/" for number in matches),
        f"/matches/{matches[0]}/press",
        "/substitutes/",
        "/profile/",
        f"/invitations/{values['token']}/",
        "/accounts/password/change/",
        "/accounts/email/",
        "/accounts/reauthenticate/",
    ]


def test_no_text_in_a_form_that_a_page_shows_is_a_fault_of_ours(reader):
    """Each field in turn, all the others as the form has them."""
    client, values, matches = reader
    seen, turns = set(), itertools.cycle(SENT)
    for page in pages_with_forms(values, matches):
        for form in forms(client.get(page).content.decode()):
            if form.method.lower() != "post" or "logout" in form.action:
                continue
            here = form.action or page
            key = (re.sub(r"\d+", "N", here), tuple(sorted(form.fields)), form.fields.get("act", [""])[0])
            if key in seen:
                continue
            seen.add(key)
            for name in form.fields:
                for label in (*ALWAYS, *itertools.islice(turns, 3)):
                    answer = send(client, "post", here, {**form.fields, name: SENT[label]})
                    if label in UNTAKEN:
                        assert answer.status_code == 400, (here, name)
    assert len(seen) > 20


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"])
def test_no_text_of_a_stranger_is_a_fault_of_ours(path):
    client = Client(raise_request_exception=False)
    [form] = [
        form for form in forms(client.get(path).content.decode()) if form.method.lower() == "post" and "*" in str(form.choices)
    ]
    statuses = set()
    for text in SENT.values():
        for name in form.fields:
            cache.clear()
            statuses.add(send(client, "post", form.action or path, {**form.fields, name: text}).status_code)
    assert 400 in statuses, "text that no door takes is refused"
    assert max(statuses) < 500


def test_no_search_of_an_operator_is_a_fault_of_ours(django_user_model):
    operator = django_user_model.objects.create_superuser("root", "root@players.example", "a long password")
    client = Client(raise_request_exception=False)
    client.force_login(operator)
    listed = re.findall(r'href="(/admin/\w+/\w+/)"', client.get("/admin/").content.decode())
    assert len(set(listed)) > 10
    for path in sorted(set(listed)):
        for text in SENT.values():
            send(client, "get", f"{path}?{urlencode({'q': text})}")
        for text in (SENT["many digits"], SENT["sql"], SENT["unassigned"]):
            for name in ("p", "o", "status", "status__exact", "e"):
                send(client, "get", f"{path}?{urlencode({name: text})}")
            send(client, "get", f"{path}{urlencode({'': text})[1:]}/change/")


def test_what_could_not_be_taken_is_said_kindly(reader):
    client, _values, matches = reader
    answer = client.post(f"/matches/{matches[0]}/orders", {"orders": "end\x00", "_version": "8"})
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "U+0000" in page
    assert "Nothing was changed" in page
