"""Notes in Valkey of the tasks of beat that wait for a worker: none is sent again before it has begun, or for some seconds.

Celery could let a task expire when the next one comes, by the clocks of two machines. If that of beat is a second behind, the
workers discard the tasks of each second unseen. So tasks expire much later (`queues.CLOCKS_APART_SECONDS`), and these notes keep
them from piling up. Nothing here knows Django: beat stays small.
"""

from __future__ import annotations

import functools

import redis

WAITS_SECONDS = 30
"""After so long a task is sent again: the message may be lost, and the note still there."""
ANSWER_SECONDS = 0.25


def may_be_sent(url: str, task: str) -> bool:
    """Note that a task is being sent. Return False if one waits still."""
    try:
        return bool(_valkey(url).set(_note(task), 1, nx=True, ex=WAITS_SECONDS))
    except (redis.RedisError, OSError):
        return True


def begun(url: str, task: str) -> None:
    """Note that a task has begun."""
    try:
        _valkey(url).delete(_note(task))
    except (redis.RedisError, OSError):
        return  # it is sent again a little later


def client_url(url: str) -> str:
    """Return the address of Valkey as its client writes it. Celery has another notation for a socket file."""
    return url.replace("redis+socket://", "unix://", 1).replace("virtual_host=", "db=", 1)


def _note(task: str) -> str:
    return f"gamesvc.sent.{task}"


@functools.cache
def _valkey(url: str) -> redis.Redis:
    return redis.Redis.from_url(client_url(url), protocol=2, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS)
