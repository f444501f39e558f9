"""The sender as Celery tasks. Both may run any number of times, at once and in any order."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from celery import shared_task

from notifications.claims import only_sweeper
from notifications.delivery import send_claimed, sweep


@shared_task(name="notifications.tasks.send_due", ignore_result=True)  # type: ignore[untyped-decorator]
def send_due() -> int:
    """Send all that is due, until nothing is or half a minute is over; beat calls it often, and one at a time works."""
    with only_sweeper() as alone:
        return sweep() if alone else 0


@shared_task(name="notifications.tasks.send_soon", ignore_result=True)  # type: ignore[untyped-decorator]
def send_soon(ids: Sequence[str]) -> int:
    """Send these now: a hint given after a commit. Losing it costs one sweep."""
    return send_claimed([UUID(identity) for identity in ids])
