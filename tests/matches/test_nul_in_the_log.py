"""Old events that contain U+0000 keep their bytes: no reader of the log may fail on them."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone

from gamesvc.games.kernel import intake
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Question
from gamesvc.matches.notices.acted import acted
from gamesvc.matches.proof import audit
from gamesvc.matches.record import loading, snapshots, stream
from gamesvc.matches.statistics import totals
from gamesvc.matches.timekeeping import timeout_sweep
from notifications.models import Outbox, Status
from notifications.sending import delivery
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def match(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    """A toy match in which ben's standing orders contain U+0000, as if they were older than the check."""
    verify(anna, ben)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, watch="all"))
    # Earlier notices, which a later act may have answered.
    delivery.sweep()
    with monkeypatch.context() as before:
        before.setattr(intake, "_UNTAKEN", re.compile("(?!)"))
        act(match, 1, {"name": "set_orders", "text": "a\x00b"})
    act(match, 0)
    match.refresh_from_db()
    return match


def test_the_log_holds_it(match):
    commands = [stored.meta.get("command", {}) for stored in stream.STORE.read(match.id)]
    assert {"name": "set_orders", "text": "a\x00b"} in commands


def test_a_notice_is_acted_upon_in_spite_of_it(match):
    asked = Outbox.objects.filter(kind="your_turn").order_by("created_at").first()
    assert acted([asked], {asked.pk: asked.sent_at}).keys() == {asked.pk}


def test_notices_of_both_players_are_read(match, anna, ben, program):
    for user in (anna, ben):
        answer = program(user).get("/me/notices/")
        assert answer.status_code == 200, answer.content
        assert Outbox.objects.filter(user=user).exists()


@pytest.mark.parametrize("path", ["", "view/", "forms/", "board.svg", "events/", "export/", "standing/", "undo/", "clock/"])
def test_every_reader_of_the_api_goes_on(match, anna, ben, program, path):
    for user in (anna, ben):
        assert program(user).get(f"/matches/{match.number}/{path}").status_code in (200, 404, 422)


def test_pages_and_pictures_go_on(match, anna, ben):
    for user in (anna, ben):
        client = Client()
        client.force_login(user)
        for path in ("", "board.svg", "clock", "press"):
            answer = client.get(f"/matches/{match.number}/{path}")
            assert answer.status_code == 200
            if path == "board.svg":
                ElementTree.fromstring(answer.content)


def test_mails_statistics_snapshots_and_audit_go_on(match, mailing, monkeypatch):  # noqa: F811
    monkeypatch.setattr(snapshots, "TAIL", 0)
    delivery.sweep()
    assert mailing.sink.to("ben@players.example")
    assert not Outbox.objects.filter(status=Status.FAILED).exists()
    assert totals.rebuild(match.id) == []
    loading.save_snapshot(loading.load(match.id, match.game))
    loading.forget_all()
    assert loading.load(match.id, match.game).version == match.version
    assert audit.check_match(match.id) == []


def test_the_game_goes_on_to_its_time_out_and_end(match):
    Question.objects.filter(match=match).update(due_at=timezone.now() - timedelta(seconds=1))
    assert timeout_sweep.sweep() >= 1
    assert loading.load(match.id, match.game).version > match.version


def test_no_statement_casts_the_log():
    """PostgreSQL's `json` and `jsonb` refuse U+0000: we parse the log's texts ourselves."""
    casts = re.compile(r"\b(?:payload|meta|data)::jsonb?\b")
    sources = [path for app in ("gamesvc", "events", "accounts", "notifications") for path in (ROOT / app).rglob("*.py")]
    found = {path.name for path in sources if casts.search(path.read_text())}
    assert found <= {"outbox.py"}, "the outbox casts its own payload, which holds ids and numbers only"
