"""Hints that wake the workers. A lost hint delays the work until the next sweep, and does nothing worse."""

from __future__ import annotations

import threading
import time
from uuid import UUID

from notifications.hints import publish

# One hint covers everything written within this time; the sweep finds the rest.
TOGETHER_SECONDS = 0.5

_lock = threading.Lock()
_published_at: dict[str, float] = {}


def bots(match_id: UUID) -> None:
    """Announce that a bot is awaited in this match."""
    publish("gamesvc.matches.tasks.play_bots", str(match_id))


def ended(match_id: UUID) -> None:
    """Announce that a match is over, so that a checkpoint can include its head."""
    publish("gamesvc.matches.tasks.checkpoint_ended", str(match_id))


def conditional_orders() -> None:
    """Announce a command, which may meet the condition of conditional orders."""
    _publish_once("gamesvc.matches.tasks.give_conditional_orders")


def notices() -> None:
    """Announce notices to send."""
    _publish_once("notifications.tasks.send_due")


def _publish_once(name: str) -> None:
    """Publish a hint that covers all matches, unless one was published just now."""
    with _lock:
        now = time.monotonic()
        if now - _published_at.get(name, -TOGETHER_SECONDS) < TOGETHER_SECONDS:
            return
        _published_at[name] = now
    publish(name)
