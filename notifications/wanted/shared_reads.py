"""Reads that the notices of a batch share: one statement serves them all, for a second at most.

What decides right before the sending (the lease, mutes, suppressions) is looked at again by `sending.claims.begin`. A sender that
changes what it has read calls `forget`. Outside a batch nothing is shared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from notifications.models import Outbox

LASTS = 1.0

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class _Batch:
    def __init__(self, rows: Sequence[Outbox]) -> None:
        self.rows = list(rows)
        self.ends = 0.0
        self.read: dict[Hashable, Any] = {}

    def value(self, key: Hashable, read: Callable[[], V]) -> V:
        now = time.monotonic()
        if now >= self.ends:
            self.read.clear()
            self.ends = now + LASTS
        if key not in self.read:
            self.read[key] = read()
        value: V = self.read[key]
        return value


_current: ContextVar[_Batch | None] = ContextVar("batch", default=None)


@contextmanager
def shared(rows: Sequence[Outbox]) -> Iterator[None]:
    """Let the notices of a batch share their reads while the block runs."""
    before = _current.set(_Batch(rows))
    try:
        yield
    finally:
        _current.reset(before)


def only_for(rows: Sequence[Outbox]) -> None:
    """Read for these notices of the batch from now on: the others are done."""
    batch = _current.get()
    if batch is not None:
        batch.rows = list(rows)


def once(key: Hashable, read: Callable[[], V]) -> V:
    """Return what `read` returns, or what it returned for another notice of the batch."""
    batch = _current.get()
    return read() if batch is None else batch.value(key, read)


def for_all(read: Callable[[Sequence[Outbox]], dict[K, V]], key: K, alone: Callable[[], V]) -> V:
    """Return the value of `key` among what `read` returns for all notices of the batch; what `alone` returns if it is missing."""
    batch = _current.get()
    if batch is None:
        return alone()
    found: dict[K, V] = batch.value(read, lambda: read(batch.rows))
    return found[key] if key in found else batch.value((read, key), alone)


def known(read: Callable[[Sequence[Outbox]], dict[K, V]]) -> dict[K, V] | None:
    """Return what `read` returned for the batch, for a sender that changes it; None if it is to be read again anyway."""
    batch = _current.get()
    found: dict[K, V] | None = batch.read.get(read) if batch is not None else None
    return found


def forget(*reads: Hashable) -> None:
    """Read these again, after they have been changed; all, if none is named."""
    batch = _current.get()
    if batch is not None:
        kept = {} if not reads else {key: value for key, value in batch.read.items() if _about(key) not in reads}
        batch.read = kept


def _about(key: Hashable) -> Hashable:
    return key[0] if isinstance(key, tuple) else key
