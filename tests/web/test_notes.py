"""Private notes about a match, on its page and through the API."""

from __future__ import annotations

import pytest

from accounts.erasure import erase
from gamesvc.matches.lobby.notes import LONGEST
from gamesvc.matches.models import Note
from tests.conftest import Program
from tests.matches.playing import duel
from tests.web.page import form_to

pytestmark = pytest.mark.django_db
PLAN = "Take C4 first.\nThen wait."


@pytest.fixture
def match(toy, people):
    return duel(people[0], people[1])


def page(client, match):
    return client.get(f"/matches/{match.number}/").content.decode()


def save(client, match, text):
    form = form_to(page(client, match), "/notes")
    return client.post(form.action, {**form.fields, "text": text}, follow=True).content.decode()


def test_only_their_writer_reads_them(match, clients, people):
    assert "Your notes are saved." in save(clients[0], match, PLAN)
    assert PLAN in page(clients[0], match)
    assert "Take C4 first" not in page(clients[1], match)
    assert "Take C4 first" not in page(clients[2], match)
    people[2].is_staff = True
    people[2].save()
    assert "Take C4 first" not in page(clients[2], match)
    assert Program(people[1]).get(f"/matches/{match.number}/notes/").json() == {"text": ""}
    assert Program(people[2]).get(f"/matches/{match.number}/notes/").status_code == 404


def test_a_program_reads_and_replaces_them(match, people, clients):
    program = Program(people[0])
    assert program.call("PUT", f"/matches/{match.number}/notes/", {"text": f"  {PLAN}\n\n\n\n"}).json() == {"text": PLAN}
    assert PLAN in page(clients[0], match)
    assert program.call("PUT", f"/matches/{match.number}/notes/", {"text": ""}).json() == {"text": ""}
    assert not Note.objects.exists()


def test_notes_that_are_too_long_change_nothing(match, people, clients):
    program = Program(people[0])
    program.call("PUT", f"/matches/{match.number}/notes/", {"text": PLAN})
    refused = program.call("PUT", f"/matches/{match.number}/notes/", {"text": "x" * (LONGEST + 1)})
    assert (refused.status_code, refused.json()["code"]) == (422, "note_too_long")
    assert f"at most {LONGEST} characters" in save(clients[0], match, "x" * (LONGEST + 1))
    assert Note.objects.get().text == PLAN


def test_who_does_not_play_has_none(match, clients):
    assert "/notes" not in page(clients[2], match)
    clients[2].post(f"/matches/{match.number}/notes", {"text": PLAN})
    assert not Note.objects.exists()


def test_they_are_erased_with_their_writer(match, clients, people):
    for client in clients[:2]:
        save(client, match, PLAN)
    erase(people[0])
    assert [note.user for note in Note.objects.all()] == [people[1]]
