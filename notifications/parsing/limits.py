"""The CPU time that one mail may take. Limits on size and shape (`reading`) cover all known input; this one is for the rest.

A timer counts the CPU time of the process and interrupts whatever runs: Python code at its next step, a regular expression in the
middle of its search. It works where signals do, in the main thread, in which Celery's workers run their tasks. Other threads (a
web page that shows a held mail) have only the limits on size and shape.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from notifications.parsing.refusals import MailRefused

CPU_SECONDS = 5.0
# An interrupt that a library swallows is repeated this often.
_AGAIN = 0.25


class _Spent(BaseException):
    """The CPU time is used up. It is no `Exception`, so that a library's `except Exception` does not swallow it."""


@contextmanager
def cpu_limit() -> Iterator[None]:
    """Refuse a mail as `too_slow` if this block uses more than `CPU_SECONDS` of its thread.

    Keep the database out of the block: an interrupt could leave its connection in the middle of a message.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    began, counting = time.thread_time(), True

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        # The timer counts all threads of the process: only this thread's time belongs to the mail.
        if counting and time.thread_time() - began >= CPU_SECONDS:
            raise _Spent

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS, _AGAIN)
    try:
        try:
            yield
        finally:
            counting = False
    except _Spent:
        raise MailRefused("too_slow", f"more than {CPU_SECONDS} s of CPU") from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
