"""The queues of the workers: their tasks, the time limit of each, and the worker processes that listen to them.

Settings, `manage.py up` and the tests of `deploy/` all read this table. Pure Python: nothing here knows Django or Celery.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase

DEFAULT = "celery"
# A task over its soft limit gets an exception and may tidy up. This much later its process is killed.
HARD_AFTER_SECONDS = 15
# By so much the clocks of two machines may differ before the workers of one discard the tasks of the other's beat.
CLOCKS_APART_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Queue:
    """The tasks of one queue, as names or patterns, and the seconds after which a task is stopped."""

    seconds: int
    tasks: tuple[str, ...] = ()


# The first queue that matches a task takes it. A sweep stops well before its limit: the limit is for unforeseen input.
QUEUES = {
    DEFAULT: Queue(120),
    "deadlines": Queue(30, ("gamesvc.matches.tasks.sweep_deadlines", "gamesvc.matches.tasks.watch_outages")),
    "inbound": Queue(60, ("notifications.inbound.tasks.*",)),
    "channels": Queue(90, ("notifications.tasks.sweep_channels",)),
    "notices": Queue(90, ("notifications.tasks.*",)),
    "checkpoints": Queue(300, ("gamesvc.matches.tasks.make_checkpoint", "gamesvc.matches.tasks.checkpoint_ended")),
    "play": Queue(120, ("gamesvc.matches.tasks.play_bots", "gamesvc.matches.tasks.sweep_bots")),
    "play_on": Queue(120, ("gamesvc.matches.tasks.play_bots_on",)),
}

# Work that must not wait for anything else has its own process: deadlines, mail in, mail out. So have the channels beside mail:
# they wait for the players' servers, which may be slow. A worker takes nothing from a queue while one before it by name has
# something (`settings`): bots that play among themselves come last, since they always have something to do.
WORKERS = {
    "worker": (DEFAULT, "checkpoints", "play", "play_on"),
    "deadlines": ("deadlines",),
    "inbound": ("inbound",),
    "mailer": ("notices",),
    "channels": ("channels",),
}

# Child processes of a worker, where it is more than one: mail goes in and out on two cores.
CHILDREN = {"worker": 2, "inbound": 2, "mailer": 2}


def queue_of(task: str) -> str:
    """Return the name of a task's queue."""
    return next((name for name, queue in QUEUES.items() if any(fnmatchcase(task, each) for each in queue.tasks)), DEFAULT)


def route(name: str, /, *_: object, **__: object) -> dict[str, str]:
    """Return the route of a task, for Celery's `task_routes`."""
    return {"queue": queue_of(name)}


class Limits:
    """Time limits for every task, for Celery's `task_annotations`."""

    def annotate(self, task: object) -> dict[str, int]:
        seconds = QUEUES[queue_of(str(getattr(task, "name", "")))].seconds
        return {"soft_time_limit": seconds, "time_limit": seconds + HARD_AFTER_SECONDS}

    def annotate_any(self) -> None:
        return None


def worker_options(name: str, listens: Collection[str] = ()) -> list[str]:
    """Return the options of `celery worker` for one of the `WORKERS`, in `up` and in the Procfile alike.

    `listens`: other queues than its own. Prefork, since no other pool has time limits. Each child takes one task at a time and
    none in advance.
    """
    return [
        *("--queues", ",".join(listens or WORKERS[name])),
        *("--hostname", f"{name}@%h"),
        *("--concurrency", str(CHILDREN.get(name, 1)), "--prefetch-multiplier", "1"),
        *("--without-gossip", "--without-mingle"),
    ]
