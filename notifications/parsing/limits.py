"""How much CPU one mail may cost. The limits on size and shape (`reading`) keep every known input cheap; this one holds for
the input that nobody thought of.

A timer counts the CPU time of the process and interrupts whatever runs: Python code at its next step, a regular expression in
the middle of its search. It works where signals do, in the main thread: there Celery's workers run their tasks. Other threads
(a web page that shows a held mail) have only the limits on size and shape.
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
    """The CPU time is spent. No `Exception`, so that the `except Exception` of a library does not swallow it."""


@contextmanager
def cpu_limit() -> Iterator[None]:
    """Refuse a mail as `too_slow` when this block costs its thread more than `CPU_SECONDS`.

    Keep the database out of the block: an interrupt could leave its connection in the middle of a message.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    began, counting = time.thread_time(), True

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        # The timer counts all threads of the process: only what this one has used is the mail's.
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
