"""Hostile text in each field of every form is never a fault of ours.

The forms are those that the pages show, so new fields are tested automatically.
"""

from __future__ import annotations

import itertools
import re
from urllib.parse import urlencode

import pytest
from django.core.cache import cache
from django.test import Client

from tests.architecture.hostile_pages import SENT, reader, send, world  # noqa: F401
from tests.hostile import UNTAKEN
from tests.web.page import forms

pytestmark = [pytest.mark.django_db, pytest.mark.long]
ALWAYS = ("nul", "many digits", "large number")
"""Texts for every field of every form. The other texts take turns."""


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


def test_no_text_in_a_form_that_a_page_shows_is_a_fault_of_ours(reader):  # noqa: F811
    """Each field in turn; the others keep the form's values."""
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


def test_what_could_not_be_taken_is_said_kindly(reader):  # noqa: F811
    client, _values, matches = reader
    answer = client.post(f"/matches/{matches[0]}/orders", {"orders": "end\x00", "_version": "8"})
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "U+0000" in page
    assert "Nothing was changed" in page
