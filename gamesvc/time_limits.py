"""The soft time limit of a task, which nothing on the way swallows.

Celery raises `SoftTimeLimitExceeded`, an `Exception`: any `except Exception` that lets one item fail and goes on with the next
would take it for that item's fault, and the task would run on until it is killed.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from billiard.pool import SIG_SOFT_TIMEOUT, soft_timeout_sighandler  # type: ignore[import-untyped]
from celery import Task
from celery.exceptions import SoftTimeLimitExceeded


class TimeIsUp(BaseException):
    """The soft limit of the running task is reached. No `Exception`, so that only what names it stops it."""


class LimitedTask(Task):  # type: ignore[misc]
    """A task whose soft time limit passes every `except Exception`; to Celery it ends as any task over its limit."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        # Elsewhere than in a child of Celery's pool there is no such signal.
        ours = threading.current_thread() is threading.main_thread()
        if not ours or signal.getsignal(SIG_SOFT_TIMEOUT) is not soft_timeout_sighandler:
            return self.run(*args, **kwargs)
        try:
            signal.signal(SIG_SOFT_TIMEOUT, _time_is_up)
            try:
                return self.run(*args, **kwargs)
            finally:
                signal.signal(SIG_SOFT_TIMEOUT, soft_timeout_sighandler)
        except TimeIsUp:
            raise SoftTimeLimitExceeded from None


def _time_is_up(_signal: int, _frame: FrameType | None) -> None:
    raise TimeIsUp
