"""The sender as Celery tasks. Each may run any number of times, at once and in any order."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from celery import shared_task

from notifications.other_channels import handovers, subscriptions
from notifications.sending import digests
from notifications.sending.claims import CHANNELS_LOCK, only_sweeper
from notifications.sending.delivery import send_claimed, sweep


@shared_task(name="notifications.tasks.send_due", ignore_result=True)  # type: ignore[untyped-decorator]
def send_due() -> int:
    """Send due notices until none are left or half a minute is over. Beat calls it often, and only one runs at a time."""
    with only_sweeper() as alone:
        return sweep() if alone else 0


@shared_task(name="notifications.tasks.send_soon", ignore_result=True)  # type: ignore[untyped-decorator]
def send_soon(ids: Sequence[str]) -> int:
    """Send these now: a hint given after a commit. Losing it costs one sweep."""
    return send_claimed([UUID(identity) for identity in ids])


@shared_task(name="notifications.tasks.sweep_digests", ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_digests() -> int:
    """Queue the digests that are due."""
    return digests.sweep()


@shared_task(name="notifications.tasks.sweep_channels", ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_channels() -> int:
    """Hand due notices over to the channels beside mail if nothing has happened, and to subscribed webhooks at once."""
    with only_sweeper(CHANNELS_LOCK) as alone:
        return handovers.sweep(subscriptions.source()) if alone else 0
