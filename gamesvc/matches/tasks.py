"""Tasks: each takes ids, calls one service and holds no rules."""

from __future__ import annotations

import itertools
import logging
import time
from functools import partial
from uuid import UUID

from celery import shared_task
from django.conf import settings

from events.proofs import checkpoints
from gamesvc.games import catalog
from gamesvc.matches import backoff, retention
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.mail_orders import held_orders
from gamesvc.matches.notices import reminding
from gamesvc.matches.play import bots, conditional_orders
from gamesvc.matches.record import loading, snapshot_renewal
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.sharing import Spent
from gamesvc.matches.statistics import ratings, totals
from gamesvc.matches.timekeeping import outages, pauses, timeout_sweep
from gamesvc.matches.undo import undoing

logger = logging.getLogger(__name__)

# Most matches with a result in one sweep, and most waiting matches to look at.
BOTS_AT_ONCE, BOTS_WAITING, SNAPSHOTS_WAITING = 100, 10_000, 10_000
# Longest run of a sweep for bots: it holds one of the few places of its worker.
BOTS_SWEEP_LASTS = 5.0
# Longest time in which batches of the feed are begun, well below the time limit of their task.
FOLLOWING_LASTS = 30.0


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def play_bots(match_id: str, given: int = 0) -> int:
    return bots.take_turns(UUID(match_id), before=given)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def play_bots_on(match_id: str) -> int:
    return bots.take_turns(UUID(match_id), before=bots.MOST_IN_FRONT)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_bots() -> int:
    """Play the bots whose turn was forgotten for some seconds, in turns between the users who opened the matches.

    Of each user, the match that waits longest comes first.
    """
    end = time.monotonic() + BOTS_SWEEP_LASTS
    waiting = itertools.takewhile(lambda _match: time.monotonic() < end, Spent().in_turn(bots.forgotten(BOTS_WAITING)))
    return backoff.each("the bots of match", waiting, partial(bots.take_turns, queue=False), limit=BOTS_AT_ONCE)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def watch_outages() -> int:
    """Record a heartbeat of the service, and settle outages."""
    return outages.watch()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_deadlines() -> int:
    return timeout_sweep.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_reminders() -> int:
    """Queue the reminders that are due."""
    return reminding.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def give_conditional_orders() -> int:
    """Submit the conditional orders that are due."""
    return conditional_orders.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_held_orders() -> int:
    """Continue orders of mails that waited for the reactions of others."""
    return held_orders.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_lobby() -> int:
    return opening.lapse_matches()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def renew_snapshots(limit: int = 50) -> int:
    """Make snapshots with new rules code for running matches after a release, before a player waits for them."""
    games = dict(snapshot_renewal.wanted(SNAPSHOTS_WAITING))

    def save(match_id: UUID) -> int:
        loading.save_snapshot(loading.load_at(catalog.game(games[match_id]), match_id, 2**31 - 1))
        return 1

    return backoff.each("the snapshot of match", games, save, limit=limit)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def make_checkpoint() -> int:
    """Sign the heads of all matches. Return how many checkpoints were written to the file."""
    if not settings.CHECKPOINT_KEY:
        logger.warning("No CHECKPOINT_KEY is set: no checkpoint is signed.")
        return 0
    checkpoints.make()
    return checkpoints.append_file()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def checkpoint_ended(match_id: str) -> int:
    """Sign a checkpoint for a finished match unless one covers its end: matches that end at once share one.

    Returns how many checkpoints were written to the file.
    """
    if not settings.CHECKPOINT_KEY:
        return 0
    head = STORE.head(UUID(match_id))
    if head is None:
        return 0
    checkpoints.make(unless=(UUID(match_id), head.version))
    return checkpoints.append_file()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def follow_statistics(batches: int = 20) -> int:
    """Process new events for the statistics and the ratings in turns, in at most `batches` batches each. The next sweep does the
    rest.
    """
    taken, end = 0, time.monotonic() + FOLLOWING_LASTS
    following = [totals.follow, ratings.follow]
    for _ in range(batches):
        if time.monotonic() > end:
            break
        for follow in [*following]:
            if more := follow():
                taken += more
            else:
                following.remove(follow)
    return taken


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_substitutes() -> int:
    """Let bots take seats without a substitute, and settle pauses that the remaining players have agreed to."""
    return pauses.sweep() + substitutes.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_undo() -> int:
    """Settle undo requests that have lapsed."""
    return undoing.lapse_requests()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def forget() -> int:
    """Delete rows past their retention, in all apps."""
    return retention.forget()
