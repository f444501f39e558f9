"""The running service under races and failures: real processes, real HTTP, real SMTP, failing servers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.conf import settings

from gamesvc.ops.client import Answer, Client
from tests.api.raw_http import chunked, head, send
from tests.racing import at_once

pytestmark = [pytest.mark.timeout(240), pytest.mark.long]

# Long enough that no clock of these matches runs out (an hour is two seconds here).
CALM = {"hours": 700, "options": {"homeworld_choice": "random"}}


def wait_for(true: Callable[[], Any], seconds: float = 60.0) -> Any:
    until = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.1)
    return found


def queued(running: Any, match: str) -> list[str]:
    """Return the error of each notice of a match that is still to be sent; empty for one that was not tried yet."""
    with psycopg.connect(running.servers.owner_url) as owner:
        rows = owner.execute("SELECT error FROM notifications_outbox WHERE status = 'queued' AND topic = %s", [match])
        return [error for (error,) in rows]


def mover(match: str, players: list[Client]) -> tuple[Client, str]:
    seen = players[0].view(match)
    client = players[seen["awaited"][0]["seat"]]
    return client, client.get(f"/api/v1/matches/{match}/view/").headers["ETag"]


def post(client: Client, match: str, command: Any, etag: str, key: str) -> Answer:
    fresh = Client(f"http://{client.base.netloc}", client.token)
    return fresh.call("POST", f"/api/v1/matches/{match}/commands/", command, If_Match=etag, Idempotency_Key=key)


def versions(client: Client, match: str) -> int:
    return int(client.view(match)["version"])


def test_of_32_keys_at_one_version_exactly_one_is_applied(running):
    match, players = running.duel(**CALM)
    client, etag = mover(match, players)
    answers = at_once(*[lambda: post(client, match, {"name": "retool", "cards": []}, etag, str(uuid.uuid4()))] * 32)
    assert sorted(answer.status for answer in answers) == [200] + [412] * 31
    assert {answer.body["code"] for answer in answers if answer.status == 412} == {"stale"}
    [applied] = [answer.body for answer in answers if answer.status == 200]
    assert versions(client, match) == applied["version"]


def test_the_same_key_32_times_is_applied_once_and_answered_alike(running):
    match, players = running.duel(**CALM)
    client, etag = mover(match, players)
    answers = at_once(*[lambda: post(client, match, {"name": "retool", "cards": []}, etag, "one")] * 32)
    assert {answer.status for answer in answers} <= {200, 409}
    assert len({answer.raw for answer in answers if answer.status == 200}) == 1
    assert post(client, match, {"name": "retool", "cards": []}, etag, "one").status == 200


def test_all_seats_act_at_once_on_their_own_sheets(running):
    """In a race every seat is awaited at once, and no act outdates another player's."""
    players = [running.player() for _ in range(4)]
    match = (
        players[0]
        .post("/api/v1/matches/", {"game": "space_fleet_commander", "seats": 4, "options": {"mode": "race"}, "hours": 700})
        .body["id"]
    )
    for player in players[1:]:
        player.post(f"/api/v1/matches/{match}/join/")
    tags = [player.get(f"/api/v1/matches/{match}/view/").headers["ETag"] for player in players]
    commands = []
    for player in players:
        _seen, forms, _etag = player.turn(match)
        form = next(form for form in forms if form.name == "place_ship")
        values = {name: schema.get("const", schema.get("enum", [None])[0]) for name, schema in form.parameters.items()}
        commands.append({"name": "place_ship", **values})
    answers = at_once(
        *[
            lambda player=player, tag=tag, command=command: post(player, match, command, tag, "k")
            for player, tag, command in zip(players, tags, commands, strict=True)
        ]
    )
    assert [answer.status for answer in answers] == [200] * 4, [answer.raw for answer in answers]


def test_a_deadline_runs_out_and_the_clock_answers(running):
    match, players = running.duel(hours=1)
    client = players[0]

    def by_clock() -> list[str]:
        events = client.get(f"/api/v1/matches/{match}/events/").body["events"]
        return [event["type"] for event in events if event.get("meta", {}).get("actor", {}).get("kind") == "clock"]

    assert "match.timed_out" in wait_for(by_clock)


def test_bots_play_by_themselves(running):
    player = running.player()
    match = player.post(
        "/api/v1/matches/",
        {
            "game": "stratastar",
            "take_seat": False,
            "watch": "all",
            "hours": 700,
            "bots": {"0": "greedy", "1": "greedy"},
            "options": {"max_rounds": 2},
        },
    ).body["id"]
    wait_for(lambda: player.view(match)["status"] == "finished")
    outcome = player.get(f"/api/v1/matches/{match}/").body["outcome"]
    assert sorted(seat for group in outcome["ranking"] for seat in group) == [0, 1]


def test_turn_mails_go_out_and_a_mail_server_that_refuses_only_delays(running):
    running.sink.refuse_mail = lambda raw: "451 4.3.0 come again"
    match, players = running.duel(**CALM)
    number = players[0].get(f"/api/v1/matches/{match}/").body["number"]
    wait_for(lambda: (errors := queued(running, match)) and all(errors))
    running.sink.refuse_mail = lambda raw: None
    with psycopg.connect(running.servers.owner_url, autocommit=True) as owner:
        owner.execute("UPDATE notifications_outbox SET claimed_until = NULL WHERE status = 'queued'")
    mails = wait_for(lambda: [mail for mail in running.sink.messages if mail.is_about(number) and mail.reason == "your-turn"])
    assert len(mails) == 1
    assert "Due " in mails[0].text
    assert [part.get_content_type() for part in mails[0].message.iter_parts()] == ["multipart/alternative", "text/calendar"]
    assert any(part.get_content_type() == "image/png" for part in mails[0].message.walk())


def test_a_turn_is_taken_while_the_broker_is_down_and_its_mail_comes_later(running):
    match, players = running.duel(**CALM)
    number = players[0].get(f"/api/v1/matches/{match}/").body["number"]
    running.valkey.stop()
    try:
        client, etag = mover(match, players)
        assert post(client, match, {"name": "retool", "cards": []}, etag, "k1").status == 200
        etag = client.get(f"/api/v1/matches/{match}/view/").headers["ETag"]
        assert post(client, match, {"name": "end_turn"}, etag, "k2").status == 200
    finally:
        running.valkey.ensure()
    other = next(player for player in players if player is not client)
    wait_for(
        lambda: [
            mail
            for mail in running.sink.messages
            if mail.is_about(number) and mail.reason == "your-turn" and mail.recipients == (f"{other.name}@players.example",)
        ],
        90,
    )


def test_postgresql_restarts_in_the_middle(running):
    match, players = running.duel(**CALM)
    client, etag = mover(match, players)
    stop = threading.Event()
    answered: list[int] = []

    def ask() -> None:
        while not stop.is_set():
            answered.append(Client(running.service.url, client.token).call("GET", f"/api/v1/matches/{match}/view/").status)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        running.postgres.stop()
        running.postgres.ensure()
    finally:
        stop.set()
        asking.join()
    key = str(uuid.uuid4())
    answer = wait_for(lambda: (one := post(client, match, {"name": "retool", "cards": []}, etag, key)).status < 500 and one)
    assert answer.status == 200, answer.raw
    assert set(answered) <= {200, 503}


def test_a_worker_killed_between_events_and_mail_loses_nothing(running):
    running.sink.refuse_mail = lambda raw: "451 4.3.0 come again"
    match, players = running.duel(**CALM)
    running.service.kill("mailer")
    number = players[0].get(f"/api/v1/matches/{match}/").body["number"]
    running.sink.refuse_mail = lambda raw: None
    with psycopg.connect(running.servers.owner_url, autocommit=True) as owner:
        owner.execute("UPDATE notifications_outbox SET claimed_until = NULL WHERE status = 'queued'")
    wait_for(lambda: len({mail.recipients for mail in running.sink.messages if mail.is_about(number)}) == 2)
    wait_for(lambda: not queued(running, match))
    ids = [mail.message["Message-ID"] for mail in running.sink.messages if mail.is_about(number)]
    assert len(ids) == len(set(ids)) > 1


def test_a_client_that_hangs_up_in_the_middle_changes_nothing(running):
    match, players = running.duel(**CALM)
    client, etag = mover(match, players)
    before = versions(client, match)
    with socket.create_connection((client.base.hostname, client.base.port)) as raw:
        head = f"POST /api/v1/matches/{match}/commands/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {client.token}\r\n"
        raw.sendall(f"{head}If-Match: {etag}\r\nIdempotency-Key: x\r\nContent-Length: 1000\r\n\r\n{{".encode())
    time.sleep(0.5)
    assert versions(client, match) == before


def test_the_log_cannot_be_changed_by_the_service_or_its_owner(running):
    match, players = running.duel(**CALM)
    for url, error in (
        (running.servers.database_url, psycopg.errors.InsufficientPrivilege),
        (running.servers.owner_url, psycopg.Error),
    ):
        with psycopg.connect(url, autocommit=True) as connection:
            for statement in (
                "UPDATE events_event SET payload = '{}'",
                "DELETE FROM events_event",
                "TRUNCATE events_event",
            ):
                with pytest.raises(error):
                    connection.execute(statement)
    assert versions(players[0], match) > 0


def test_a_start_with_another_key_is_refused_with_a_clear_sentence(running):
    running.duel(**CALM)
    wrong = {**running.service.environment, "MATCH_KEYS": "t1:" + "B" * 43 + "="}
    for command in (["manage.py", "prepare"], ["-c", "import gamesvc.wsgi"]):
        done = subprocess.run(
            [sys.executable, *command], env={**os.environ, **wrong}, capture_output=True, text=True, check=False
        )
        assert done.returncode != 0
        assert "'t1' in MATCH_KEYS does not open the secret of match" in done.stderr
    other = {**running.service.environment, "MATCH_KEYS": "t2:" + "A" * 43 + "="}
    done = subprocess.run(
        [sys.executable, "-c", "import gamesvc.wsgi"], env={**os.environ, **other}, capture_output=True, text=True, check=False
    )
    assert "MATCH_KEYS has no key 't1'" in done.stderr


# --- chunked bodies, addresses without their last slash ---


def test_a_body_in_chunks_is_read(running):
    player, body = running.player(), json.dumps({"game": "stratastar", "contribution": "tea " * 200}).encode()
    for size in (7, 4096):
        request = head(player, "/api/v1/matches/", "Transfer-Encoding: chunked", f"X-Size: {size}")
        status, text = send(running.service.port, request, chunked(body, size))
        assert (status, json.loads(text)["game"]) == (201, "stratastar")


def test_a_body_in_chunks_that_is_too_long_is_refused(running):
    request = head(running.player(), "/api/v1/matches/", "Transfer-Encoding: chunked")
    body = b'{"game": "' + b"x" * settings.API_BODY_BYTES + b'"}'
    status, text = send(running.service.port, request, chunked(body, 65536))
    assert (status, json.loads(text)["code"]) == (413, "too_large")


def test_a_post_without_the_last_slash_is_not_taken_for_a_get(running):
    player, body = running.player(), b'{"game": "stratastar"}'
    status, _ = send(running.service.port, head(player, "/api/v1/matches", f"Content-Length: {len(body)}"), body)
    assert status == 308
    status, _ = send(running.service.port, head(player, "/api/v1/matches", "Transfer-Encoding: chunked"), chunked(body, 5))
    assert status == 308
