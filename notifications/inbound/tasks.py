"""Inbound mail as Celery tasks. All may run any number of times, at once and in any order."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from celery import shared_task

from notifications.inbound.doors import imap
from notifications.inbound.pipeline import work

log = logging.getLogger(__name__)


@shared_task(name="notifications.inbound.tasks.work_soon", ignore_result=True)  # type: ignore[untyped-decorator]
def work_soon(ids: Sequence[str]) -> int:
    """Work on as many mails as a hint names: whose turn it is, so that one writer's thousand hints hold up nobody else.

    Losing the hint costs one sweep.
    """
    return work(most=len(ids))


@shared_task(name="notifications.inbound.tasks.sweep_mail", ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_mail() -> int:
    """Work on all mail that waits; beat calls it often."""
    return work()


@shared_task(name="notifications.inbound.tasks.poll_mailbox", ignore_result=True)  # type: ignore[untyped-decorator]
def poll_mailbox() -> int:
    """Read the mailbox that `IMAP_URL` names; nothing without one. Beat calls it often: deadlines wait for a look after them."""
    try:
        return imap.poll()
    except imap.Unreachable as fault:
        log.warning("the mailbox could not be read, the next look tries again: %s", fault)
        return 0
