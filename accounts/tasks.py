"""Housekeeping of the accounts, run by beat."""

from celery import shared_task

from accounts.throttling import forget_old_windows


@shared_task(name="accounts.tasks.prune", ignore_result=True)  # type: ignore[untyped-decorator]
def prune() -> None:
    """Delete what has run out: windows of the caps."""
    forget_old_windows()
