"""Responses while the database is away: 503 with Retry-After for API and pages, and one log line a minute."""

from __future__ import annotations

import logging
import logging.config

import psycopg
import pytest
from django.conf import settings
from django.db import DatabaseError, OperationalError, ProgrammingError, connection
from django.test import Client

from gamesvc.away import SAID_EVERY_SECONDS, is_away

ADDRESSES = ["/", "/lobby/", "/health/", "/matches/1/", "/api/v1/matches/", "/api/v1/me/", "/api/v1/matches/1/view/"]


def refused(sqlstate: str = "", kind: type[DatabaseError] = OperationalError) -> DatabaseError:
    """Return an error as Django raises it for one of psycopg's."""
    cause = psycopg.errors.lookup(sqlstate)("no") if sqlstate else psycopg.OperationalError("connection refused")
    error = kind(str(cause))
    error.__cause__ = cause
    return error


@pytest.fixture
def away(db, monkeypatch):
    def fails(*_, **__):
        raise refused()

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", fails)
        yield


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("path", ADDRESSES)
def test_every_door_says_when_to_come_back(away, path, method):
    headers = {"Authorization": "Bearer gsk_x", "Cookie": f"{settings.SESSION_COOKIE_NAME}={'x' * 32}", "Idempotency-Key": "k"}
    answer = Client(raise_request_exception=False).generic(method, path, "{}", "application/json", headers=headers)
    assert answer.status_code == 503 or (path, method) in [("/", "POST"), ("/lobby/", "POST")], answer.content
    if answer.status_code == 503:
        assert int(answer["Retry-After"]) > 0
        assert "Traceback" not in answer.content.decode()
    if answer.status_code == 503 and path.startswith("/api/"):
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json()["code"] == "unavailable"


@pytest.mark.parametrize("sqlstate", ["55P03", "40P01", "57014"])
@pytest.mark.parametrize("path", [one for one in ADDRESSES if one != "/health/"])
def test_a_request_that_waited_too_long_for_another_is_to_be_sent_again(db, monkeypatch, path, sqlstate):
    def fails(*_, **__):
        raise refused(sqlstate)

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", fails)
        headers = {"Authorization": "Bearer gsk_x", "Cookie": f"{settings.SESSION_COOKIE_NAME}={'x' * 32}"}
        answer = Client(raise_request_exception=False).get(path, headers=headers)
    assert (answer.status_code, answer["Retry-After"]) == (503, "1"), answer.content
    if path.startswith("/api/"):
        assert (answer["Content-Type"], answer.json()["code"]) == ("application/problem+json", "busy")


@pytest.mark.parametrize("sqlstate", ["42703", "42P01", "42501"])
@pytest.mark.parametrize("path", [one for one in ADDRESSES if one != "/health/"])
def test_a_request_in_the_middle_of_an_update_is_to_be_sent_later(db, monkeypatch, path, sqlstate):
    """The tables are those of another version: the code is newer, or a process of the earlier version still runs."""

    def fails(*_, **__):
        raise refused(sqlstate, ProgrammingError)

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", fails)
        headers = {"Authorization": "Bearer gsk_x", "Cookie": f"{settings.SESSION_COOKIE_NAME}={'x' * 32}"}
        answer = Client(raise_request_exception=False).get(path, headers=headers)
    assert answer.status_code == 503, answer.content
    assert int(answer["Retry-After"]) > 1
    if path.startswith("/api/"):
        assert (answer["Content-Type"], answer.json()["code"]) == ("application/problem+json", "unavailable")


@pytest.mark.parametrize(
    ("sqlstate", "away"),
    [*((one, True) for one in ("", "08006", "57P01", "53200", "53300", "58030", "25006")), ("55P03", False), ("40P01", False)],
)
def test_a_lock_or_a_deadlock_is_not_away(sqlstate, away):
    assert is_away(refused(sqlstate)) is away
    wrapped = RuntimeError("a sweep failed")
    wrapped.__context__ = refused(sqlstate)
    assert is_away(wrapped) is away


def test_the_log_says_it_once_a_minute_and_everything_else_each_time(monkeypatch, capsys):
    moments = iter([0.0, 1.0, SAID_EVERY_SECONDS - 1, SAID_EVERY_SECONDS + 1])
    monkeypatch.setattr("gamesvc.away.time.monotonic", lambda: next(moments))
    logging.config.dictConfig(settings.LOGGING)
    for name in ("django.request", "gamesvc.matches.backoff", "celery.app.trace", "notifications.inbound.doors.receiver"):
        try:
            raise refused()
        except OperationalError:
            logging.getLogger(name).exception("it failed")
    try:
        raise ValueError("a fault of ours")
    except ValueError:
        logging.getLogger("django.request").exception("it failed, too")
    said = capsys.readouterr().err
    assert said.count("The database does not answer: requests get 503 and sweeps wait.") == 2
    assert said.count("connection refused") == 2
    assert said.count("Traceback") == 1
    assert "a fault of ours" in said
