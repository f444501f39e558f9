"""Hints that wake the workers. A lost hint delays the work until the next sweep, and does nothing worse."""

from __future__ import annotations

import logging
import time

from celery import current_app
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)

# After a broker failure no hint is sent for this long, so that a missing broker does not slow down requests.
PAUSE_SECONDS = 10.0

_silent_until = 0.0


def publish(task: str, *args: object) -> None:
    """Start a task by its name if the broker answers. Call it after the commit."""
    global _silent_until
    if time.monotonic() < _silent_until:
        return
    try:
        current_app.send_task(task, args=args, ignore_result=True, retry=False)
    except (OperationalError, OSError) as error:
        _silent_until = time.monotonic() + PAUSE_SECONDS
        log.warning("The broker does not answer (%s); the sweeps go on without hints.", error)
