"""The soft time limit of a task as an exception that no `except Exception` swallows.

Celery raises `SoftTimeLimitExceeded`, an `Exception`. Code that lets one item fail and continues with the next would take it for
that item's fault, and the task would run on until it is killed.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from billiard.pool import SIG_SOFT_TIMEOUT, soft_timeout_sighandler  # type: ignore[import-untyped]
from celery import Task
from celery.exceptions import SoftTimeLimitExceeded

from gamesvc.database.asking import drop_interrupted


class TimeIsUp(BaseException):
    """The soft limit of the running task is reached. It is no `Exception`, so only code that names it catches it."""


@contextmanager
def putting_off(later: Callable[[], object]) -> Iterator[None]:
    """Call `later` if the time of the task is over while the block runs; then the task ends.

    For work on one of many items: it may take all the time at its next try again, so others have to go before it.
    """
    try:
        yield
    except TimeIsUp:
        drop_interrupted()
        later()
        raise


class LimitedTask(Task):  # type: ignore[misc]
    """A task whose soft time limit passes every `except Exception`. To Celery it ends like any task over its limit."""

    def __call__(self, *args: object, **kwargs: object) -> object:
        # The signal exists only in a child of Celery's pool.
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
            drop_interrupted()  # the next task would fail at its first query
            raise SoftTimeLimitExceeded from None


def _time_is_up(_signal: int, _frame: FrameType | None) -> None:
    raise TimeIsUp
