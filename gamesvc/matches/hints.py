"""Hints to the workers that there is something to do. Losing one costs one sweep, nothing else."""

from __future__ import annotations

import threading
import time
from uuid import UUID

from notifications.hints import publish

# One hint is enough for all that is written within this time; the sweep finds what comes after it was taken.
TOGETHER_SECONDS = 0.5

_lock = threading.Lock()
_published_at: dict[str, float] = {}


def bots(match_id: UUID) -> None:
    """A bot is awaited in this match."""
    publish("gamesvc.matches.tasks.play_bots", str(match_id))


def ended(match_id: UUID) -> None:
    """A match is over: its head belongs into a checkpoint."""
    publish("gamesvc.matches.tasks.checkpoint_ended", str(match_id))


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
    publish(name)
