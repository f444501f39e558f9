"""A Celery application for tests, with tasks that swallow exceptions or use CPU; `REDIS_URL` names its broker."""

from __future__ import annotations

import os
import re

from celery import Celery

from notifications.parsing import limits
from notifications.parsing.refusals import MailRefused

BROKER = os.environ["REDIS_URL"]
# Not the current one: the other tests of this process send tasks as the service does.
app = Celery("limited", task_cls="gamesvc.time_limits:LimitedTask", broker=BROKER, backend=BROKER, set_as_current=False)
app.conf.task_default_queue = "limited"


@app.task(soft_time_limit=1, time_limit=60)
def swallows() -> str:
    """Work for ever, and take every exception for a fault of one item."""
    while True:
        try:
            while True:
                pass
        except Exception:
            return "swallowed"


@app.task
def costs_cpu() -> str:
    """Search with a regular expression that never ends. Return the code with which the mail is refused."""
    limits.CPU_SECONDS = 0.2
    try:
        with limits.cpu_limit():
            re.match(r"(a+)+$", "a" * 60 + "b")
    except MailRefused as refused:
        return refused.code
    return "read"


@app.task
def goes_on() -> str:
    return "done"
