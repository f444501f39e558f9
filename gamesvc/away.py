"""Detection of an unreachable database, one of another version, and waits for locks that it has ended.

An unreachable database is one log line a minute instead of one per request.
"""

from __future__ import annotations

import logging
import threading
import time

import psycopg

SAID_EVERY_SECONDS = 60.0
# SQLSTATE: a table or column is missing, or what may be done with it is not granted yet.
_UNPREPARED = ("42P01", "42703", "42501")
# SQLSTATE: connection lost, server shutting down or starting up, out of a resource (disk, memory, connections), a fault of its
# machine (a block cannot be read). Without a code the server was not reached.
_AWAY = ("08", "53", "57P", "58")
# SQLSTATE of which psycopg makes an InternalError: a transaction that took too long because its process was stopped, a server
# that only reads, as one that is no longer the primary.
_AWAY_BY_STATE = ("25P03", "25P04", "25006")
# SQLSTATE: waited for a lock for too long, deadlock, a statement that took too long or was cancelled, a transaction that has to
# be repeated (`database.direct`). Nothing was done, and the same request may succeed at once.
_CONTENDED = ("55P03", "40P01", "57014", "40001")


def is_away(error: BaseException | None) -> bool:
    """Return True if an error, or one of its causes, says that the database cannot be reached."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, psycopg.InternalError) and error.sqlstate in _AWAY_BY_STATE:
            return True
        if isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
            return error.sqlstate is None or error.sqlstate.startswith(_AWAY)
        error = error.__cause__ or error.__context__
    return False


def is_contended(error: BaseException | None) -> bool:
    """Return True if an error, or one of its causes, says that another transaction kept a lock for too long."""
    return _sqlstate(error) in _CONTENDED


def _sqlstate(error: BaseException | None) -> str | None:
    """Return the code of the first error of the database among an error and its causes."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, psycopg.Error):
            return error.sqlstate
        error = error.__cause__ or error.__context__
    return None


def is_unprepared(error: BaseException | None) -> bool:
    """Return True if an error, or one of its causes, says that the tables are not those that this process knows.

    The database waits for its migrations, or a process of the earlier version still runs.
    """
    return _sqlstate(error) in _UNPREPARED


def is_at_fault(error: BaseException | None) -> bool:
    """Return True if the database is at fault, and not what was asked of it: the same may succeed later."""
    return is_away(error) or is_contended(error) or is_unprepared(error)


class SaidOnceAMinute(logging.Filter):
    """Logging filter: replaces the tracebacks of an unreachable database by one line a minute and process."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._said_at = -SAID_EVERY_SECONDS

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not is_away(error):
            return True
        with self._lock:
            now = time.monotonic()
            if now - self._said_at < SAID_EVERY_SECONDS:
                return False
            self._said_at = now
        record.levelno, record.levelname = logging.ERROR, "ERROR"
        record.msg = "The database does not answer: requests get 503 and sweeps wait. Said once a minute. %s"
        record.args = (" ".join(str(error).split()),)
        record.exc_info = record.exc_text = None
        return True
