"""The Celery application of beat. It sends tasks by name, so it loads neither them nor Django and stays small.

Celery's own schedulers go by the time of day and keep the last runs in a file. Where the clock is set back they send nothing
until it has caught up, however often they are started again.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from celery import Celery
from celery.beat import ScheduleEntry, Scheduler

from gamesvc import sent_tasks

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.dev")
app = Celery("gamesvc", fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.beat_scheduler = "gamesvc.beat:SteadyScheduler"

_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
# Longer than any interval: at the start all tasks are due.
_LONG = timedelta(days=1)


def steady_now() -> datetime:
    """Return a moment of a clock that nobody can set. Only the time between two of them means anything."""
    return _EPOCH + timedelta(seconds=time.monotonic())


class SteadyEntry(ScheduleEntry):  # type: ignore[misc]
    """An entry of the schedule that goes by `steady_now`."""

    def __init__(self, last_run_at: datetime | None = None, **given: Any) -> None:
        super().__init__(last_run_at=last_run_at or steady_now() - _LONG, **given)
        self.schedule.nowfun = steady_now


class SteadyScheduler(Scheduler):  # type: ignore[misc]
    """Sends each task at its interval, whatever the time of day, beginning at its start. It keeps no file."""

    Entry = SteadyEntry

    def apply_async(self, entry: ScheduleEntry, producer: Any = None, advance: bool = True, **more: Any) -> Any:
        """Send a task, unless the one before still waits for a worker."""
        if sent_tasks.may_be_sent(self.app.conf.broker_url, entry.task):
            return super().apply_async(entry, producer=producer, advance=advance, **more)
        if advance:
            self.reserve(entry)
        return None

    def install_default_entries(self, data: object) -> None:
        """Install none: Celery's own task deletes results, and there are none."""
