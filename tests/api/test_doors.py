"""The table of doors: complete, equal to the one in the repository, and true of the running service."""

from __future__ import annotations

import io
import json
import re

import pytest
from django.core.management import call_command
from django.test import Client

from gamesvc.api import doors, permissions
from gamesvc.api.management.commands.doors import FILE

pytestmark = pytest.mark.django_db
VALUES = {"int": "1", "uuid": "00000000-0000-0000-0000-000000000001", "str": "x", "slug": "stratastar", "path": "1"}


def path_of(door):
    return re.sub(r"<(?:(\w+):)?\w+>", lambda found: VALUES[found[1] or "str"], door.name)


def table(kind):
    return doors.all_doors()[kind]


def test_the_table_in_the_repository_is_the_one_of_the_code(settings):
    # All other tests run without these limits.
    settings.RATE_LIMIT_PER_ADDRESS, settings.RATE_LIMIT_PER_USER, settings.RATE_LIMIT_PER_TOKEN = 1200, 600, 300
    settings.RATE_LIMIT_HISTORY, settings.RATE_LIMIT_SECONDS, settings.RATE_LIMIT_ACTS = 120, 6, 30_000
    settings.INBOUND_MAILS_PER_ADDRESS, settings.INBOUND_MAILS_PER_USER, settings.MAILSERVER_UNKNOWN_PER_HOUR = 60, 300, 100
    assert FILE.read_text(encoding="utf-8") == doors.as_markdown(), "run `manage.py doors --write`"


def test_the_command_lists_every_kind():
    out = io.StringIO()
    call_command("doors", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert {kind: len(rows) > 5 for kind, rows in told.items()} == dict.fromkeys(told, True)
    assert list(told) == ["API", "Pages", "Mail addresses", "Commands", "Engine protocol"]
    assert all(row[field] for rows in told.values() for row in rows for field in ("name", "use", "who", "limits"))


def test_an_address_that_nobody_decided_about_is_an_error():
    with pytest.raises(LookupError, match=r"gamesvc/api/doors\.py"):
        doors._who("somewhere/new/", "new_page")
    for decide in (permissions.of_api, permissions.of_page):
        with pytest.raises(LookupError, match=r"gamesvc/api/permissions\.py"):
            decide("POST", "new/")


def test_no_door_of_a_match_is_declared_that_is_none():
    listed = [*table("API"), *table("Pages")]
    ways = {(method, door.name) for door in listed for method in re.findall(r"[A-Z]{3,}", door.use)}
    api = {(method, f"/api/v1/matches/<str:ident>/{below}") for method, below in permissions.ACTS}
    api |= {("GET", f"/api/v1/matches/<str:ident>/{below}") for below in permissions.READS}
    assert api | {("POST", f"/matches/<str:ident>/{below}") for below in permissions.PAGE_ACTS} <= ways


def test_a_page_that_only_reads_takes_no_form():
    client = Client(raise_request_exception=False)
    for door in table("Pages"):
        if "POST" not in door.use:
            assert client.post(path_of(door)).status_code == 405, door.name


def test_what_the_table_shuts_to_strangers_is_shut():
    client = Client(raise_request_exception=False)
    for door in table("API"):
        if door.who == doors.EVERYONE:
            continue
        for method in re.findall(r"[A-Z]{3,}", door.use):
            answer = client.generic(method, path_of(door), "{}", "application/json")
            # Guests may be readers of a match, but not of this one. The live process does not ask them to sign in.
            shut = 404 if door.name.endswith("<str:ident>/stream/") else 401
            assert answer.status_code == shut, (method, door.name, answer.status_code)
    for door in table("Pages"):
        not_shut = (doors.EVERYONE, doors.HOLDER, doors.PROVIDER, doors.APP, permissions.READERS.text)
        if door.who in not_shut or door.name.startswith("/accounts/"):
            continue
        method = "POST" if "POST" in door.use else "GET"
        answer = client.generic(method, path_of(door), "", "application/x-www-form-urlencoded")
        shut = answer.status_code in (403, 404, 405) or (
            answer.status_code == 302 and ("login" in answer["Location"] or answer["Location"] == "/admin/")
        )
        assert shut, (method, door.name, answer.status_code)


def test_what_is_open_to_everyone_answers_strangers():
    client = Client(raise_request_exception=False)
    for kind in ("API", "Pages"):
        for door in table(kind):
            if door.who == doors.EVERYONE and "GET" in door.use:
                assert client.get(path_of(door)).status_code in (200, 302, 404), door.name


def test_only_operators_see_their_pages(anna, client):
    client.force_login(anna)
    for door in table("Pages"):
        if door.who == doors.OPERATORS and "(" not in door.name:
            answer = client.get(path_of(door))
            assert answer.status_code in (302, 403, 404, 405), door.name
