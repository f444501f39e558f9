"""Transfers over the network, several at once: few to one host, and none more in a sweep to one that cannot be reached.

What is due comes from sources. A source claims rows, and each row becomes a `Job`, or is settled without a transfer.
"""

from __future__ import annotations

import http.client
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import OperationalError as DatabaseAway

from gamesvc.database.asking import drop_interrupted
from notifications.channels import ChannelBusy, ChannelRefused, HostSilent, Parcel
from notifications.other_channels import outward

log = logging.getLogger(__name__)

# Longer than any transfer takes (`outward.WHOLE_SECONDS`).
LEASE = timedelta(seconds=30)
AT_ONCE = 8
LOOK_SECONDS = 0.5
"""Longest time without a look at what is due, while there is room."""
PER_LANE = 2
LANE_FAILURES = 3
"""So many parcels in a row find that a host cannot be reached (`HostSilent`): the others for it wait."""
LANE_PAUSE = timedelta(seconds=10)
BUSY_PAUSE = timedelta(seconds=2)
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=2)
GIVE_UP_AFTER = timedelta(days=1)
# Each may have waited long for a lock.
MOST_FAULTS = 2


@dataclass(frozen=True)
class Job:
    """A parcel, and what follows: `ended(fault, seconds)` records a try and returns True if the parcel was handed over;
    `put_off(pause)` postpones it without a try, since its host is busy or does not answer. `user_id`: its receiver, for a source
    that sends to each user one by one."""

    parcel: Parcel
    ended: Callable[[Exception | None, float], bool]
    put_off: Callable[[timedelta], object]
    user_id: int | None = None


# Called at each look, with the room there is and the users whose parcels are being sent.
Source = Callable[[int, Collection[int]], Iterator[Job | bool]]
_Transfer = tuple[Exception | None, float]


def post(url: str, body: bytes, headers: dict[str, str], lookups: threading.BoundedSemaphore) -> int:
    """Send by the filtered client, and return the status. Raises `ChannelRefused` for an address that is not taken, and
    `ChannelBusy` if there was no answer, `HostSilent` if nobody gets one from this host."""
    try:
        return outward.post(url, body, headers, lookups=lookups)
    except outward.BadAddress as fault:
        raise ChannelRefused(str(fault)) from None
    except outward.Unreachable as fault:
        raise HostSilent(str(fault)) from None
    except (OSError, http.client.HTTPException) as fault:
        raise ChannelBusy(words(fault)) from None


def words(fault: Exception) -> str:
    """Return a fault in words that the database takes: what a receiver has answered may stand in them, such as U+0000."""
    said = f"{type(fault).__name__}: {fault}"
    return "".join(one if one.isprintable() else " " for one in said)


def pause(attempts: int) -> timedelta:
    """Return how long to wait after this many tries that failed."""
    doubled: int = 2 ** min(attempts - 1, 12)
    return min(FIRST_PAUSE * doubled, LONGEST_PAUSE)


@dataclass
class _Sweep:
    """The parcels being sent, and the answers of their hosts in this sweep."""

    pool: ThreadPoolExecutor
    running: dict[Future[_Transfer], Job] = field(default_factory=dict)
    busy: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    faults: list[DatabaseAway] = field(default_factory=list)

    @property
    def room(self) -> int:
        return AT_ONCE - len(self.running)

    @property
    def users(self) -> list[int]:
        return [job.user_id for job in self.running.values() if job.user_id is not None]

    def start(self, source: Source) -> tuple[int, int]:
        """Send what a source claims, as far as there is room. Return how many it claimed, and how many of them it handed over."""
        claimed = taken = 0
        if not self.room or self.faults:
            return 0, 0
        try:
            for job in source(self.room, self.users):
                claimed += 1
                if isinstance(job, Job):
                    self.send(job)
                else:
                    taken += job
        except DatabaseAway as fault:
            self._note(fault)
        return claimed, taken

    def send(self, job: Job) -> None:
        lane = job.parcel.lane
        if self.failed[lane] >= LANE_FAILURES or self.busy[lane] >= PER_LANE:
            job.put_off(LANE_PAUSE if self.failed[lane] >= LANE_FAILURES else BUSY_PAUSE)
            return
        self.busy[lane] += 1
        self.running[self.pool.submit(_transfer, job.parcel)] = job

    def settle(self, done: Iterable[Future[_Transfer]]) -> int:
        sent = 0
        for future in done:
            job = self.running.pop(future)
            fault, seconds = future.result()
            lane = job.parcel.lane
            self.busy[lane] -= 1
            self.failed[lane] = self.failed[lane] + 1 if isinstance(fault, HostSilent) else 0
            try:
                job.parcel.settled(fault)
                sent += job.ended(fault, seconds)
            except Exception as failure:
                # The results of the others are still to be recorded, or they would be sent again.
                log.exception("the result of a transfer to %s could not be recorded", lane)
                if isinstance(failure, DatabaseAway):
                    self._note(failure)
        return sent

    def _note(self, fault: DatabaseAway) -> None:
        """Note a fault of the database: nothing more is started. Raise the last one that is waited for."""
        drop_interrupted()
        self.faults.append(fault)
        if len(self.faults) == MOST_FAULTS:
            raise fault


def _transfer(parcel: Parcel) -> _Transfer:
    """Hand a parcel over in a thread of the pool. Return its fault, if any, and the seconds it took."""
    began = time.monotonic()
    try:
        parcel.go()
    except Exception as fault:
        return fault, time.monotonic() - began
    return None, time.monotonic() - began


def sweep(sources: Sequence[Source], *, lasting: float) -> int:
    """Hand over what is due until nothing is left; start nothing more after `lasting` seconds. Return how many were taken."""
    end = time.monotonic() + lasting
    taken = 0
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="handover") as pool:
        going = _Sweep(pool)
        while True:
            claimed = 0
            for source in sources if time.monotonic() < end else ():
                more, settled = going.start(source)
                claimed, taken = claimed + more, taken + settled
            sources = [*sources[1:], *sources[:1]]  # none of them waits for another that has more than there is room for
            if going.running:
                # What becomes due meanwhile waits for no transfer that hangs.
                taken += going.settle(wait(going.running, LOOK_SECONDS, return_when=FIRST_COMPLETED).done)
            elif not claimed:
                if going.faults:
                    raise going.faults[0]
                return taken
