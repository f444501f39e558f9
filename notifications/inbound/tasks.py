"""Inbound mail as Celery tasks. All may run any number of times, at once and in any order."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from celery import shared_task

from notifications.inbound import store
from notifications.inbound.pipeline import work


@shared_task(name="notifications.inbound.tasks.work_soon", ignore_result=True)  # type: ignore[untyped-decorator]
def work_soon(ids: Sequence[str]) -> int:
    """Work on these now: a hint given when they were stored. Losing it costs one sweep."""
    return work([UUID(identity) for identity in ids])


@shared_task(name="notifications.inbound.tasks.sweep_mail", ignore_result=True)  # type: ignore[untyped-decorator]
def sweep_mail() -> int:
    """Work on all mail that waits; beat calls it often."""
    return work()


@shared_task(name="notifications.inbound.tasks.forget_mail", ignore_result=True)  # type: ignore[untyped-decorator]
def forget_mail() -> int:
    """Delete raw mail that has reached its age."""
    return store.forget_old()
