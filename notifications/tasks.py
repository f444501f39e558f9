"""The sender as Celery tasks. Both may run any number of times, at once and in any order."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from celery import shared_task

from notifications.delivery import send_claimed, sweep


@shared_task(name="notifications.tasks.send_due", ignore_result=True)
def send_due() -> int:
    """Send all that is due, until nothing is or half a minute is over; beat calls it often."""
    return sweep()


@shared_task(name="notifications.tasks.send_soon", ignore_result=True)
def send_soon(ids: Sequence[str]) -> int:
    """Send these now: a hint given after a commit. Losing it costs one sweep."""
    return send_claimed([UUID(identity) for identity in ids])
