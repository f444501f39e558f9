"""Several acts at the same moment, each in its own thread and connection."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

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
