"""Tasks: each takes ids, calls one service and holds no rules."""

from __future__ import annotations

import logging
from uuid import UUID

from celery import shared_task
from django.conf import settings

from events import checkpoints
from gamesvc.matches import clocks, lobby, robots
from gamesvc.matches.loading import STORE

logger = logging.getLogger(__name__)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def play_bots(match_id: str) -> int:
    return robots.play(UUID(match_id))


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_bots() -> int:
    """Find bots whose turn was forgotten."""
    return sum(robots.play(match_id) for match_id in robots.forgotten())


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_deadlines() -> int:
    return clocks.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_lobby() -> int:
    return lobby.lapse_matches()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def make_checkpoint() -> int:
    """Sign the heads of all matches; returns how many checkpoints were written to the file."""
    if not settings.CHECKPOINT_KEY:
        logger.warning("No CHECKPOINT_KEY is set: no checkpoint is signed.")
        return 0
    checkpoints.make()
    return checkpoints.append_file()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def checkpoint_ended(match_id: str) -> int:
    """The same for a match that is over, unless a checkpoint covers its end already: many that end at once share one."""
    if not settings.CHECKPOINT_KEY:
        return 0
    head = STORE.head(UUID(match_id))
    if head is None:
        return 0
    checkpoints.make(unless=(UUID(match_id), head.version))
    return checkpoints.append_file()
