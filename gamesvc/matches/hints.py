"""Hints to the workers that there is something to do. Losing one costs one sweep, nothing else."""

from __future__ import annotations

import logging
import threading
import time
from uuid import UUID

from kombu.exceptions import OperationalError

from gamesvc.celery import app

logger = logging.getLogger(__name__)

# After a broker failure no hint is tried for this long, so that a broker that is down does not slow down turns.
PAUSE_SECONDS = 10.0
# One hint is enough for all that is written within this time; the sweep finds what comes after it was taken.
TOGETHER_SECONDS = 0.5

_lock = threading.Lock()
_silent_until = 0.0
_published_at: dict[str, float] = {}


def _publish(name: str, *args: str) -> None:
    global _silent_until
    if time.monotonic() < _silent_until:
        return
    try:
        app.send_task(name, args=args, ignore_result=True, retry=False)
    except (OperationalError, OSError) as error:
        _silent_until = time.monotonic() + PAUSE_SECONDS
        logger.warning("The broker does not answer (%s); the sweeps go on without hints.", error)


def bots(match_id: UUID) -> None:
    """A bot is awaited in this match."""
    _publish("gamesvc.matches.tasks.play_bots", str(match_id))


def ended(match_id: UUID) -> None:
    """A match is over: its head belongs into a checkpoint."""
    _publish("gamesvc.matches.tasks.checkpoint_ended", str(match_id))


def conditional_orders() -> None:
    """A command was given, which may be what conditional orders wait for."""
    _publish_once("gamesvc.matches.tasks.give_conditional_orders")


def notices() -> None:
    """There are notices to send."""
    _publish_once("notifications.tasks.send_due")


def _publish_once(name: str) -> None:
    """Publish a hint that speaks for all matches, unless one has just been published."""
    with _lock:
        now = time.monotonic()
        if now - _published_at.get(name, -TOGETHER_SECONDS) < TOGETHER_SECONDS:
            return
        _published_at[name] = now
    _publish(name)
