"""Hints that a match has moved: they come through in whatever threads the server runs, and after whatever outage."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import redis
from django.conf import settings

from gamesvc.matches import hints
from gamesvc.request_limits import valkey
from gamesvc.sent_tasks import client_url

MANY = 120
"""More than the connections that a pool of Valkey's client counts at most."""


@contextmanager
def hearing() -> Iterator[set[uuid.UUID]]:
    """Yield the matches whose hints were heard, complete once the block has ended and `LAST` was heard."""
    heard: set[uuid.UUID] = set()
    last = uuid.uuid4()
    with redis.Redis.from_url(client_url(settings.REDIS_URL), protocol=2) as client, client.pubsub() as channel:
        channel.subscribe(hints.MOVED)
        assert channel.get_message(timeout=30) is not None
        yield heard
        client.publish(hints.MOVED, last.bytes)
        while last not in heard:
            message = channel.get_message(ignore_subscribe_messages=True, timeout=30)
            if message is not None:
                heard.add(uuid.UUID(bytes=message["data"]))


def in_a_thread_of_its_own(match_id: uuid.UUID) -> None:
    thread = threading.Thread(target=hints.moved, args=(match_id,))
    thread.start()
    thread.join()


@pytest.fixture(autouse=True)
def _not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(hints, "_silent_until", 0.0)


def test_each_thread_of_a_server_gives_hints_however_many_have_ended_before() -> None:
    ids = {uuid.uuid4() for _ in range(MANY)}
    with hearing() as heard:
        for match_id in ids:
            in_a_thread_of_its_own(match_id)
    assert ids <= heard


def test_hints_come_again_after_an_outage_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = valkey(settings.REDIS_URL).connection_pool.connection_class

    def away(*_args: object, **_more: object) -> None:
        raise redis.ConnectionError("away")

    with monkeypatch.context() as outage:
        outage.setattr(kind, "connect", away)
        for _ in range(MANY):
            in_a_thread_of_its_own(uuid.uuid4())
    back = uuid.uuid4()
    with hearing() as heard:
        in_a_thread_of_its_own(back)
    assert back in heard
