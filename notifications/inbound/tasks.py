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
    """Process as many mails as a hint names, in fair order, so that one sender's thousand hints delay nobody else.

    Losing the hint costs one sweep.
    """
    return work(most=len(ids))


@shared_task(name="notifications.inbound.tasks.sweep_mail", ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_mail() -> int:
    """Process all waiting mail. Beat calls it often."""
    return work()


@shared_task(name="notifications.inbound.tasks.poll_mailbox", ignore_result=True)  # type: ignore[untyped-decorator]
def poll_mailbox() -> int:
    """Read the mailbox in `IMAP_URL`, if any. Beat calls it often: deadlines wait for a poll after them."""
    try:
        return imap.poll()
    except imap.Unreachable as fault:
        log.warning("the mailbox could not be read, the next look tries again: %s", fault)
        return 0
