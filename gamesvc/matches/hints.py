"""Hints that wake the workers and the live streams. A lost hint delays them until the next sweep, and does nothing worse."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any
from uuid import UUID

import redis
from django.conf import settings

from gamesvc.request_limits import valkey
from notifications.hints import PAUSE_SECONDS, publish

log = logging.getLogger(__name__)

# The channel of Valkey on which the ids of matches come that have new events.
MOVED = "gamesvc.moved"

# One hint covers everything written within this time; the sweep finds the rest.
TOGETHER_SECONDS = 0.5

_lock = threading.Lock()
_published_at: dict[str, float] = {}
_silent_until = 0.0
_mute = threading.local()


def moved(match_id: UUID) -> None:
    """Announce that a match has new events. Those who follow it look whether they may know of them."""
    global _silent_until
    if time.monotonic() < _silent_until:
        return
    try:
        try:
            _announce(match_id)
        except (redis.RedisError, OSError):
            # Valkey was started again since the last hint.
            _announce(match_id)
    except (redis.RedisError, OSError) as error:
        _silent_until = time.monotonic() + PAUSE_SECONDS
        log.warning("Valkey does not answer (%s); live streams go on by their sweep.", error)


def _announce(match_id: UUID) -> None:
    """Publish on a connection of this thread whose commands get no answer: waiting for it would cost each turn a round trip.

    The first hint after Valkey has gone may be lost unnoticed.
    """
    connection: Any = getattr(_mute, "connection", None)
    if connection is None or not connection.is_connected:
        pool = valkey(settings.REDIS_URL).connection_pool
        # The pool would count it for ever, although the thread ends or nothing answers; beyond a limit it makes no more, and the
        # rate limits use it too.
        connection = pool.connection_class(**pool.connection_kwargs)
        connection.connect()
        connection.send_command("CLIENT", "REPLY", "OFF")
        _mute.connection = connection
    connection.send_command("PUBLISH", MOVED, match_id.bytes)


def bots(match_id: UUID, *given: int) -> None:
    """Announce that a bot is awaited in this match: now, or still after this many turns of bots."""
    publish("gamesvc.matches.tasks.play_bots", str(match_id), *given)


def bots_on(match_id: UUID) -> None:
    """Announce that the bots of this match have played for a while and are not done."""
    publish("gamesvc.matches.tasks.play_bots_on", str(match_id))


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
