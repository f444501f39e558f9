"""Long answers: who reads one slowly, or not at all, keeps no thread from others. Short ones are written at once."""

from __future__ import annotations

import gc

import pytest
from django.test import Client

from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.request_limits import long_answers

pytestmark = pytest.mark.django_db

LONG = 100


@pytest.fixture(autouse=True)
def short(monkeypatch):
    """The export of any match counts as long."""
    monkeypatch.setattr(long_answers, "SHORT", LONG)
    monkeypatch.setattr(long_answers, "_reading", set())


@pytest.fixture
def export(toy, anna, ben):
    """Return a function that asks for the export of a match from an address, as a guest."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    Match.objects.filter(pk=match.pk).update(watch="all")

    def ask(address, caller=None):
        return (caller or Client(REMOTE_ADDR=address)).get(f"/api/v1/matches/{match.number}/export/", REMOTE_ADDR=address)

    return ask


def test_each_reader_has_one_long_answer_at_a_time_and_a_process_two(export):
    first, second = export("192.0.2.1"), export("198.51.100.1")
    assert (first.status_code, second.status_code) == (200, 200)
    again, third = export("192.0.2.1"), export("203.0.113.1")
    for refused in (again, third):
        assert (refused.status_code, refused.json()["code"], refused["Retry-After"]) == (429, "too_many", "2")
    assert len(b"".join(first.streaming_content)) > LONG
    assert export("203.0.113.1").status_code == 200
    read = iter(second.streaming_content)
    assert next(read)
    assert export("198.51.100.1").status_code == 429
    del second, read
    gc.collect()  # as the server does by closing it, when its client is gone
    assert export("198.51.100.1").status_code == 200


def test_a_short_answer_is_written_before_it_is_sent_and_holds_nothing(export, monkeypatch):
    monkeypatch.setattr(long_answers, "SHORT", 1_000_000)
    unread = [export("192.0.2.1") for _ in range(4)]
    assert [answer.status_code for answer in unread] == [200] * 4
    parts = list(unread[0].streaming_content)
    assert len(parts) == 1
    assert len(parts[0].splitlines()) > 2


def test_an_answer_that_breaks_off_leaves_its_place(export, monkeypatch):
    def breaking(*_args):
        yield "x" * (LONG + 1)
        raise RuntimeError("gone")

    with monkeypatch.context() as patched:
        patched.setattr("gamesvc.matches.proof.export.lines", breaking)
        broken = export("192.0.2.1")
        assert broken.status_code == 200
        with pytest.raises(RuntimeError, match="gone"):
            b"".join(broken.streaming_content)
    assert export("192.0.2.1").status_code == 200
