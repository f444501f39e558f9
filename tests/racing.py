"""Several acts at the same moment, each in its own thread and connection."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection, connections

T = TypeVar("T")


def at_once(*acts: Callable[[], T]) -> list[T]:
    """Run functions at the same time. Return their results in order, or raise the first exception."""
    barrier = threading.Barrier(len(acts))

    def run(act: Callable[[], T]) -> T:
        try:
            barrier.wait()
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def impatient(act: Callable[[], T]) -> Callable[[], T]:
    """Return a function that does the same, and fails if it has to wait long for a lock."""

    def run() -> T:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        return act()

    return run


def is_waited_for() -> bool:
    """Return True if another connection waits for a lock that this one holds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))")
        return bool(cursor.fetchone() != (0,))
