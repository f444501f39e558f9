"""A running service in critical moments: a process held by a locked row, killed, or stopped."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, LiteralString

import psycopg

from tests.matches.by_mail import World, wait_for

MATCH = "SELECT id FROM matches_match WHERE id = %s FOR NO KEY UPDATE"
MAIL = "SELECT id FROM notifications_inbound_mail WHERE message_id = %s FOR NO KEY UPDATE"
# Its clock does not run out while it is held.
QUESTION = "SELECT id FROM matches_question WHERE match_id = %s AND seat = %s FOR NO KEY UPDATE"

# The channels of the acts by players and the clock since a version, from the record itself.
DEEDS = """
SELECT coalesce(array_agg(meta::jsonb ->> 'channel' ORDER BY version), '{}') FROM events_event
WHERE stream = %s AND version > %s AND command_seq = 0 AND meta::jsonb -> 'actor' ->> 'kind' IN ('seat', 'clock')
"""


class Held:
    """A row locked until `release`, or the end of the block. Sweeps skip it, others wait for it."""

    def __init__(self, world: World, row: LiteralString, *values: Any) -> None:
        self._own = psycopg.connect(world.servers.owner_url)
        self._looking = psycopg.connect(world.servers.owner_url, autocommit=True)
        assert self._own.execute(row, values).fetchone() is not None, "there is no such row"

    def awaited(self) -> bool:
        """Return True if a process waits for this row."""
        asked = "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))"
        return self._looking.execute(asked, [self._own.info.backend_pid]).fetchone() != (0,)

    def forget(self) -> None:
        """End the statements that wait for this row, as if a process that was killed had not come to send them."""
        ended = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))"
        self._looking.execute(ended, [self._own.info.backend_pid])

    def release(self) -> None:
        self._own.close()
        self._looking.close()

    def __enter__(self) -> Held:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()


def ask(world: World, query: LiteralString, *values: Any) -> Any:
    """Return the one value of a query or change, as the tables' owner."""
    with psycopg.connect(world.servers.owner_url, autocommit=True) as owner:
        row = owner.execute(query, values).fetchone()
        return row[0] if row is not None else None


def kill(world: World, name: str) -> None:
    """Kill a process. Return when it has been started again."""
    before = world.service.pid(name)
    world.service.kill(name)
    wait_for(lambda: world.service.pid(name) != before, f"another {name}")


@contextmanager
def standing_still(world: World, name: str) -> Iterator[None]:
    """Stop a process for a while, at a moment without locks, so that nothing waits for it."""
    process = world.service.pid(name)

    def stopped() -> bool:
        os.killpg(process, signal.SIGSTOP)
        if not ask(world, "SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND pid <> pg_backend_pid()"):
            return True
        os.killpg(process, signal.SIGCONT)
        return False

    try:
        wait_for(stopped, f"a quiet moment of the {name}")
        yield
    finally:
        os.killpg(process, signal.SIGCONT)
