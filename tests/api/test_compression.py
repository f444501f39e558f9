"""Answers in gzip: for programs that ask, with ETags of their own, and never beside a session or a secret."""

from __future__ import annotations

import gzip
import json

import pytest
from django.conf import settings

from gamesvc.matches.lobby import opening

pytestmark = pytest.mark.django_db

GZIP = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture
def duel(toy, anna, ben):
    match = opening.create_match(by=anna, game="stratastar")
    return opening.join_match(by=ben, match=match)


def test_a_program_that_asks_gets_the_same_answer_in_less(duel, anna, program):
    speaker = program(anna)
    path = f"/matches/{duel.id}/view/"
    plain, packed = speaker.get(path), speaker.get(path, **GZIP)
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == "gzip"
    assert packed["Content-Length"] == str(len(packed.content))
    assert json.loads(gzip.decompress(packed.content)) == plain.json()
    assert len(packed.content) < len(plain.content) / 2
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer["Vary"]
    for header in ("identity", "gzip;q=0", "gzip;q=0.0", "br"):
        assert "Content-Encoding" not in speaker.get(path, **{"Accept-Encoding": header})


def test_each_form_has_a_strong_etag_and_both_name_the_version(duel, anna, ben, program):
    speaker = program(anna)
    path = f"/matches/{duel.id}/view/"
    plain, packed = speaker.get(path)["ETag"], speaker.get(path, **GZIP)["ETag"]
    assert packed == f'{plain[:-1]};gzip"'
    for known in (packed, f'"other", {packed}', plain):
        again = speaker.get(path, **GZIP, **{"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again["ETag"] in known
    mover = [speaker, program(ben)][speaker.get(path).json()["awaited"][0]["seat"]]
    sent = mover.post(f"/matches/{duel.id}/commands/", {"name": "resign"}, etag=mover.get(path, **GZIP)["ETag"])
    assert sent.status_code == 200


def test_nothing_is_compressed_for_a_session_or_beside_a_secret(duel, anna, program, client):
    client.force_login(anna)
    assert settings.SESSION_COOKIE_NAME in client.cookies
    shown = client.get(f"/api/v1/matches/{duel.id}/view/", headers=GZIP)
    assert shown.status_code == 200
    assert "Content-Encoding" not in shown
    made = program(anna, "account").post("/tokens/", {"name": "x" * 60, "scopes": ["read"]}, **GZIP)
    assert made.status_code == 201
    assert "Content-Encoding" not in made


def test_short_answers_and_problems_stay_as_they_are(anna, program):
    speaker = program(anna)
    assert "Content-Encoding" not in speaker.get("/me/absences/", **GZIP)
    assert "Content-Encoding" not in speaker.get("/matches/999999/", **GZIP)


def test_a_stream_of_lines_is_compressed_as_it_goes(duel, anna, program):
    speaker = program(anna)
    packed = speaker.get(f"/matches/{duel.id}/export/", **GZIP)
    assert packed["Content-Encoding"] == "gzip"
    lines = gzip.decompress(b"".join(packed) if packed.streaming else packed.content).splitlines()
    assert json.loads(lines[0])["version"] == 1
