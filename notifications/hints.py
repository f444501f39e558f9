"""Hints that wake the workers. A lost hint delays the work until the next sweep, and does nothing worse."""

from __future__ import annotations

import functools
import logging
import time
from typing import Any

from celery import current_app
from kombu import pools
from kombu.exceptions import LimitExceeded, OperationalError

log = logging.getLogger(__name__)

# After a broker failure no hint is sent for this long, so that a missing broker does not slow down requests.
PAUSE_SECONDS = 10.0
# Longest wait for a broker that hangs. A worker waits longer for its tasks, but behind a hint a request waits.
LONGEST_WAIT_SECONDS = 2.0

_silent_until = 0.0


def publish(task: str, *args: object) -> None:
    """Start a task by its name if the broker answers. Call it after the commit."""
    global _silent_until
    if time.monotonic() < _silent_until:
        return
    try:
        producers = pools.producers[_broker(current_app.conf.broker_write_url)]
        with producers.acquire(block=True, timeout=LONGEST_WAIT_SECONDS) as producer:
            current_app.send_task(task, args=args, ignore_result=True, retry=False, producer=producer)
    except (OperationalError, LimitExceeded, OSError) as error:
        _silent_until = time.monotonic() + PAUSE_SECONDS
        log.warning("The broker does not answer (%s); the sweeps go on without hints.", error)


@functools.cache
def _broker(url: str) -> Any:
    """Return what names the connections of hints to kombu, which do not wait long. It closes those of a parent after a fork."""
    return current_app.connection_for_write(url, transport_options={"socket_timeout": LONGEST_WAIT_SECONDS})
