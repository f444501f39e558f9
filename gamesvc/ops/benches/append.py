"""Appends measured beside the bare insert, in one run, on tables of the same shape in a temporary schema.

Ours: `PostgresStore.append` with every guarantee, and in the same statement the update of a row per stream (the match row) and
the insert of a row (the outbox). Raw: the fastest single-row autocommit INSERT of the same JSON possible with this driver and
connection settings: psycopg's own cursor, kept open, prepared. For information: the same INSERT inside Django's `atomic()`.
Writers are processes with a connection and a stream each. The three take short turns, and the ratio is the median over the rounds
of a turn's figure by the raw one beside it, so that a temporarily slow disk or machine affects both.
"""

from __future__ import annotations

import functools
import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from statistics import median
from threading import Barrier
from typing import Any
from uuid import uuid4

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from psycopg import sql

from events import canonical, schema
from events.roles import runtime_role
from events.store import Head, NewEvent, PostgresStore, Statement
from gamesvc.json_types import JsonObject
from gamesvc.ops.benches import owner

SCHEMA = "bench_append"
ALIAS = "bench_append"
ROUNDS = 10
PATIENCE = 120.0
# More than one writer can do.
MOST_A_SECOND = 50_000

TABLES = """
CREATE TABLE bench_raw (
    stream uuid NOT NULL, version int NOT NULL, type text NOT NULL, type_version smallint NOT NULL,
    payload text NOT NULL, meta text NOT NULL, occurred_at timestamptz NOT NULL, PRIMARY KEY (stream, version));
CREATE TABLE bench_match (
    id uuid PRIMARY KEY, version int NOT NULL, hash bytea NOT NULL, status text NOT NULL)
    WITH (fillfactor = 70);
CREATE TABLE bench_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, stream uuid NOT NULL, version int NOT NULL, kind text NOT NULL,
    due_at timestamptz NOT NULL DEFAULT clock_timestamp());
"""
DATA = {"colony": {"at": "C4", "seat": 1, "size": 3}, "from": "D7", "ships": ["scout", "miner", "cruiser"], "turn": 12}
META = {"actor": {"kind": "seat", "seat": 1}, "channel": "api", "rules": "stratastar/1.0.0"}
RAW = """
INSERT INTO bench_raw (stream, version, type, type_version, payload, meta, occurred_at) VALUES (%s, %s, %s, %s, %s, %s, %s)
"""
UPDATE_MATCH = """
UPDATE bench_match SET version = %s::int WHERE id = %s::uuid AND EXISTS (SELECT FROM appended)
"""
INSERT_OUTBOX = """
INSERT INTO bench_outbox (stream, version, kind) SELECT %s::uuid, a.version, %s::text FROM appended a
"""

_barrier: Barrier


def append_rows(seconds: float = 5.0, writers: Sequence[int] = (1, 8)) -> list[JsonObject]:
    """Measure with each number of writers, `seconds` for each of the three, in ten turns after a warm-up."""
    _make()
    try:
        return [_measure(seconds, count) for count in writers]
    finally:
        with owner.connect() as connection:
            connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(SCHEMA)))


def _make() -> None:
    name = sql.Identifier(SCHEMA)
    with owner.connect() as connection:
        connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(name))
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(name))
        connection.execute(sql.SQL("SET search_path TO {}").format(name))
        for script in (*schema.CREATE, TABLES):
            connection.execute(script.encode())
        role = sql.Identifier(runtime_role())
        connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(name, role))
        connection.execute(sql.SQL("GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA {} TO {}").format(name, role))


def _measure(seconds: float, writers: int) -> JsonObject:
    # Forked children must not share the parent's connections.
    connections.close_all()
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(writers)
    found: dict[str, list[float]] = {name: [] for name in LOOPS}
    with ProcessPoolExecutor(writers, context, _begin, (barrier,)) as pool:
        for turn in range(ROUNDS + 1):
            for name in LOOPS:
                # All wait for each other, so every process takes exactly one of the tasks.
                rates = list(pool.map(_run, [name] * writers, [seconds / ROUNDS] * writers))
                if turn:
                    found[name].append(sum(rates))
    ratios = {name: [rate / raw for rate, raw in zip(found[name], found["raw"], strict=True)] for name in LOOPS}
    return {
        "name": f"append_{writers}",
        "value": round(median(found["ours"])),
        "unit": "events/s",
        "raw": round(median(found["raw"])),
        "ratio": round(median(ratios["ours"]), 3),
        "ratio_range": [round(min(ratios["ours"]), 3), round(max(ratios["ours"]), 3)],
        "begin_insert_commit": round(median(found["atomic"])),
        "begin_insert_commit_ratio": round(median(ratios["atomic"]), 3),
        "writers": f"{writers} processes",
    }


def _begin(barrier: Barrier) -> None:
    global _barrier
    _barrier = barrier
    default = connections.databases[DEFAULT_DB_ALIAS]
    options = {**default["OPTIONS"], "options": f"-c search_path={SCHEMA}"}
    connections.databases[ALIAS] = {**default, "OPTIONS": options}


def _run(name: str, seconds: float) -> float:
    loop = LOOPS[name]
    connections[ALIAS].ensure_connection()
    _barrier.wait(PATIENCE)
    return loop(seconds)


def _ours(seconds: float) -> float:
    store, stream = PostgresStore(ALIAS), uuid4()
    text = str(stream)
    head = Head.empty(stream)
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("INSERT INTO bench_match VALUES (%s::uuid, 0, %s::bytea, 'active')", [text, head.hash])
    # The sender's part, prepared in advance like the texts of the raw loop.
    commands = [uuid4() for _ in range(round(seconds * MOST_A_SECOND))]
    until, count, began = time.perf_counter() + seconds, 0, time.perf_counter()
    while time.perf_counter() < until:
        event = NewEvent("stratastar.colony_placed", 1, DATA, META, datetime.now(UTC))
        also = (Statement(UPDATE_MATCH, (head.version + 1, text)), Statement(INSERT_OUTBOX, (text, "your_turn")))
        [stored] = store.append(stream, [event], expected=head, command_id=commands[count], also=also)
        head = stored.head
        count += 1
    return count / (time.perf_counter() - began)


def _raw(seconds: float) -> float:
    connection = connections[ALIAS].connection
    assert connection is not None
    cursor = connection.cursor()
    insert = _raw_insert(functools.partial(cursor.execute, prepare=True))
    until, began, version = time.perf_counter() + seconds, time.perf_counter(), 0
    while time.perf_counter() < until:
        version += 1
        insert(version)
    return version / (time.perf_counter() - began)


def _atomic(seconds: float) -> float:
    with connections[ALIAS].cursor() as cursor:
        # Prepared too: the wrapper of Django passes no such wish on.
        insert = _raw_insert(functools.partial(cursor.cursor.execute, prepare=True))
        until, began, version = time.perf_counter() + seconds, time.perf_counter(), 0
        while time.perf_counter() < until:
            version += 1
            with transaction.atomic(ALIAS):
                insert(version)
        return version / (time.perf_counter() - began)


def _raw_insert(execute: Callable[[str, Sequence[Any]], object]) -> Callable[[int], None]:
    stream = uuid4()
    data, meta = canonical.encode(DATA).decode(), canonical.encode(META).decode()

    def insert(version: int) -> None:
        execute(RAW, (stream, version, "stratastar.colony_placed", 1, data, meta, datetime.now(UTC)))

    return insert


LOOPS: dict[str, Callable[[float], float]] = {"ours": _ours, "raw": _raw, "atomic": _atomic}
