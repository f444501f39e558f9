"""Answers in Brotli and gzip: for programs that ask, with ETags of their own, and never beside a session or a secret."""

from __future__ import annotations

import json

import pytest
from django.conf import settings

from gamesvc.matches.lobby import opening
from tests.answers import UNPACK

pytestmark = pytest.mark.django_db

GZIP = {"Accept-Encoding": "gzip, deflate"}
BROTLI = {"Accept-Encoding": "gzip, deflate, br"}
both = pytest.mark.parametrize(("asked", "coding"), [(GZIP, "gzip"), (BROTLI, "br")], ids=["gzip", "br"])


@pytest.fixture
def duel(toy, anna, ben):
    match = opening.create_match(by=anna, game="stratastar")
    return opening.join_match(by=ben, match=match)


@both
def test_a_program_that_asks_gets_the_same_answer_in_less(duel, anna, program, asked, coding):
    speaker = program(anna)
    path = f"/matches/{duel.id}/view/"
    plain, packed = speaker.get(path), speaker.get(path, **asked)
    assert "Content-Encoding" not in plain
    assert packed["Content-Encoding"] == coding
    assert packed["Content-Length"] == str(len(packed.content))
    assert json.loads(UNPACK[coding](packed.content)) == plain.json()
    assert len(packed.content) < len(plain.content) / 2
    for answer in (plain, packed):
        assert "Accept-Encoding" in answer["Vary"]


@pytest.mark.parametrize(
    ("header", "coding"),
    [
        *((header, None) for header in ("identity", "gzip;q=0", "gzip;q=0.0", "br;q=0", "deflate", "gzip;q=much")),
        *((header, "gzip") for header in ("gzip", "GZIP", "br;q=0, gzip;q=0.1", "br;q=0.5, gzip;q=0.8")),
        *((header, "br") for header in ("br", "gzip, br", "gzip;q=0.2, br;q=0.2", "br; q=0.9, gzip;q=0.8")),
    ],
)
def test_the_coding_is_the_one_that_the_program_likes_best(duel, anna, program, header, coding):
    answer = program(anna).get(f"/matches/{duel.id}/view/", **{"Accept-Encoding": header})
    assert answer.headers.get("Content-Encoding") == coding


@both
def test_each_form_has_a_strong_etag_and_both_name_the_version(duel, anna, ben, program, asked, coding):
    speaker = program(anna)
    path = f"/matches/{duel.id}/view/"
    plain, packed = speaker.get(path)["ETag"], speaker.get(path, **asked)["ETag"]
    assert packed == f'{plain[:-1]};{coding}"'
    for known in (packed, f'"other", {packed}', plain):
        again = speaker.get(path, **asked, **{"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
        assert again["ETag"] in known
    mover = [speaker, program(ben)][speaker.get(path).json()["awaited"][0]["seat"]]
    sent = mover.post(f"/matches/{duel.id}/commands/", {"name": "resign"}, etag=mover.get(path, **asked)["ETag"])
    assert sent.status_code == 200


@both
def test_nothing_is_compressed_for_a_session_or_beside_a_secret(duel, anna, program, client, asked, coding):
    client.force_login(anna)
    assert settings.SESSION_COOKIE_NAME in client.cookies
    shown = client.get(f"/api/v1/matches/{duel.id}/view/", headers=asked)
    assert shown.status_code == 200
    assert "Content-Encoding" not in shown
    made = program(anna, "account").post("/tokens/", {"name": "x" * 60, "scopes": ["read"]}, **asked)
    assert made.status_code == 201
    assert "Content-Encoding" not in made


@both
def test_short_answers_and_problems_stay_as_they_are(anna, program, asked, coding):
    speaker = program(anna)
    assert "Content-Encoding" not in speaker.get("/me/absences/", **asked)
    assert "Content-Encoding" not in speaker.get("/matches/999999/", **asked)


@both
def test_a_stream_of_lines_is_compressed_as_it_goes(duel, anna, program, asked, coding):
    speaker = program(anna)
    packed = speaker.get(f"/matches/{duel.id}/export/", **asked)
    assert packed["Content-Encoding"] == coding
    lines = UNPACK[coding](b"".join(packed) if packed.streaming else packed.content).splitlines()
    assert json.loads(lines[0])["version"] == 1
