"""Tasks: each takes ids, calls one service and holds no rules."""

from __future__ import annotations

import logging
from uuid import UUID

from celery import shared_task
from django.conf import settings

from events.proofs import checkpoints
from gamesvc.games import catalog
from gamesvc.matches import retention, sweeping
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.mail_orders import held_orders
from gamesvc.matches.notices import reminding
from gamesvc.matches.play import bots, conditional_orders
from gamesvc.matches.record import loading
from gamesvc.matches.record.loading import STORE
from gamesvc.matches.statistics import totals
from gamesvc.matches.timekeeping import expiry, outages, pauses
from gamesvc.matches.undo import taking_back

logger = logging.getLogger(__name__)

# A sweep takes so many matches at most that came to something, out of so many that wait.
BOTS_AT_ONCE, BOTS_WAITING, SNAPSHOTS_WAITING = 100, 10_000, 10_000


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def play_bots(match_id: str) -> int:
    return bots.take_turns(UUID(match_id))


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_bots() -> int:
    """Find bots whose turn was forgotten."""
    return sweeping.each("the bots of match", bots.forgotten(BOTS_WAITING), bots.take_turns, limit=BOTS_AT_ONCE)


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def watch_outages() -> int:
    """The heartbeat of the service, and what follows when it has stood still."""
    return outages.watch()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_deadlines() -> int:
    return expiry.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_reminders() -> int:
    """Queue the reminders whose moment has come."""
    return reminding.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def give_conditional_orders() -> int:
    """Give what conditional orders have waited for."""
    return conditional_orders.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_held_orders() -> int:
    """Go on with orders of mails that waited for others to react."""
    return held_orders.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_lobby() -> int:
    return opening.lapse_matches()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def renew_snapshots(limit: int = 50) -> int:
    """After a release: snapshots of the new rules code for running matches, before somebody waits for them."""
    games = dict(loading.snapshots_wanted(SNAPSHOTS_WAITING))

    def save(match_id: UUID) -> int:
        loading.save_snapshot(loading.load_at(catalog.game(games[match_id]), match_id, 2**31 - 1))
        return 1

    return sweeping.each("the snapshot of match", games, save, limit=limit)


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


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def follow_statistics(batches: int = 20) -> int:
    """Take what has happened into the players' statistics, so many batches at most: the next sweep takes the rest."""
    taken = 0
    for _ in range(batches):
        if not (more := totals.follow()):
            break
        taken += more
    return taken


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_substitutes() -> int:
    """Let bots play on from seats that nobody took over; settle the pause that those who are left have agreed to."""
    return pauses.sweep() + substitutes.sweep()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_undo() -> int:
    """Settle requests to take back whose time is over."""
    return taking_back.lapse_requests()


@shared_task(ignore_result=True)  # type: ignore[untyped-decorator]
def forget() -> int:
    """Delete what was kept long enough, of all apps."""
    return retention.forget()
