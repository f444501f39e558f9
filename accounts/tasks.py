"""Housekeeping of the accounts, run by beat."""

from celery import shared_task

from accounts import signins
from accounts.throttling import forget_old_windows


@shared_task(name="accounts.tasks.prune", ignore_result=True)  # type: ignore[untyped-decorator]
def prune() -> None:
    """Delete what has run out: windows of the caps, old sign-ins."""
    forget_old_windows()
    signins.prune()
