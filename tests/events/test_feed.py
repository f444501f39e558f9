"""The feed under overlapping writers. One is killed, and one leaves its transaction open."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from uuid import UUID, uuid4

import psycopg
import pytest
from django.db import connections, transaction

from events.feeds import FeedReader
from events.store import Cursor, Head, PostgresStore, StoredEvent
from tests.events.conftest import event

SECONDS = 1.5

# A separate process, so that it can be killed in the middle of a statement.
WRITER = """
import sys, uuid
from datetime import UTC, datetime
import django
from django.conf import settings
settings.configure(DATABASES={"default": eval(sys.argv[1])}, USE_TZ=True)
django.setup()
from events.store import Head, NewEvent, PostgresStore
store = PostgresStore()
print("ready", flush=True)
while True:
    stream = uuid.uuid4()
    head = Head.empty(stream)
    for number in range(50):
        made = NewEvent("toy.taken", 1, {"stones": number}, {}, datetime.now(UTC))
        head = store.append(stream, [made, made], expected=head, command_id=uuid.uuid4())[-1].head
"""


def whole(log: PostgresStore) -> Counter[tuple[UUID, int]]:
    with connections[log.using].cursor() as cursor:
        cursor.execute("SELECT stream, version FROM events_event")
        return Counter(cursor.fetchall())


@pytest.mark.timeout(60)
def test_no_event_is_missed_or_doubled(database: str) -> None:
    log = PostgresStore(database)
    base, cursor = whole(log), Cursor(0, 0, 0)
    stop, failures = threading.Event(), []

    def write(number: int) -> None:
        try:
            while not stop.is_set():
                stream = uuid4()
                head = Head.empty(stream)
                for size in range(1, 12):
                    # Every second writer works like a service in a longer transaction.
                    if number % 2:
                        with transaction.atomic(database):
                            head = log.append(stream, [event()] * (size % 3 + 1), expected=head, command_id=uuid4())[-1].head
                            time.sleep(0.001)
                    else:
                        head = log.append(stream, [event()] * (size % 3 + 1), expected=head, command_id=uuid4())[-1].head
        except Exception as error:
            failures.append(error)
        finally:
            connections[database].close()

    settings = connections[database].settings_dict
    options = {name: settings[name] for name in ("ENGINE", "NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")}
    doomed = subprocess.Popen([sys.executable, "-c", WRITER, repr(options)], stdout=subprocess.PIPE)
    assert doomed.stdout is not None
    assert doomed.stdout.readline() == b"ready\n"
    where = {"host": settings["HOST"], "port": settings["PORT"] or None, "dbname": settings["NAME"], "user": settings["USER"]}
    idle = psycopg.connect(**where, password=settings["PASSWORD"] or None)
    writers = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for writer in writers:
        writer.start()

    seen: list[StoredEvent] = []

    def drain() -> None:
        nonlocal cursor
        while True:
            found, cursor = log.feed(cursor, 200)
            if not found:
                return
            seen.extend(found)

    began = time.monotonic()
    held = None
    while (passed := time.monotonic() - began) < SECONDS:
        if held is None and passed > SECONDS / 4:
            idle.execute("SELECT pg_current_xact_id()")
            held = len(seen)
        if doomed.poll() is None and passed > SECONDS / 2:
            os.kill(doomed.pid, signal.SIGKILL)
            doomed.wait()
        drain()
    stop.set()
    for writer in writers:
        writer.join()
    drain()
    assert not failures
    waiting = sum((whole(log) - Counter((one.stream, one.version) for one in seen)).values())
    assert waiting > 0, "the open transaction must hold the feed back"
    idle.rollback()
    idle.close()
    until = time.monotonic() + 60
    while waiting and time.monotonic() < until:
        drain()
        waiting = sum((whole(log) - Counter((one.stream, one.version) for one in seen)).values())
    assert Counter((one.stream, one.version) for one in seen) == whole(log)
    assert len(seen) - sum(base.values()) > 200

    # The same again through the reader: each stream's versions without a gap, in order.
    last: dict[UUID, int] = {}
    reader = FeedReader(log, lambda stream: 0)
    while taken := reader.take(150):
        for one in taken:
            assert one.version == last.get(one.stream, 0) + 1
            last[one.stream] = one.version
    assert sum(last.values()) == len(seen)


def test_a_transaction_that_took_its_id_early_is_put_in_order(database: str) -> None:
    log, stream = PostgresStore(database), uuid4()
    cursor = Cursor(0, 0, 0)
    while (found := log.feed(cursor, 500))[0]:
        cursor = found[1]
    first: list[StoredEvent] = []

    def begin() -> None:
        first.extend(log.append(stream, [event(1)], expected=Head.empty(stream), command_id=uuid4()))
        connections[database].close()

    with transaction.atomic(database), connections[database].cursor() as early:
        early.execute("SELECT pg_current_xact_id()")
        other = threading.Thread(target=begin)
        other.start()
        other.join()
        second = log.append(stream, [event(2)], expected=first[-1].head, command_id=uuid4())
    until = time.monotonic() + 60
    while len(raw := log.feed(cursor, 500)[0]) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    assert raw == [*second, *first]
    assert FeedReader(log, lambda stream: 0, cursor).take() == [*first, *second]
    assert FeedReader(log, lambda stream: 1, cursor).take() == [*second]
