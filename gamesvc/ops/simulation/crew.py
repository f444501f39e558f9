"""The workers of a simulation as one crew: they share the work, and some are killed in the middle of it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from multiprocessing.connection import wait
from typing import Any, NamedTuple

from django.db import connections

from gamesvc.ops.simulation.clock import VirtualClock
from gamesvc.ops.simulation.record import Broken, Record
from gamesvc.ops.simulation.workers import Job, Worker, sends_mails

# Attempts of a job whose worker died.
MOST_TRIES = 20
JOB_SECONDS = 120.0
# A hit strikes at one of the first mails of a job. If fewer were due, it waits for the next job.
FIRST_MAILS = 3


class _Given(NamedTuple):
    """A job, the place of its answer, and the number of this attempt."""

    job: Job
    at: int
    tries: int = 1


class _Work:
    """Jobs to share: those that wait (the next one last), those of busy workers by number, and the answers so far."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self.waiting = [_Given(job, at) for at, job in reversed(list(enumerate(jobs)))]
        self.busy: dict[int, _Given] = {}
        self.answers: list[Any] = [None] * len(self.waiting)
        self.began = time.monotonic()


class Crew:
    """A number of workers. At each of `kill_moments` of the virtual clock one is killed during its job, and at each of
    `hit_moments` one dies between the mail server's 250 and the commit.
    """

    def __init__(
        self,
        size: int,
        clock: VirtualClock,
        mail_port: int,
        record: Record,
        breaking: random.Random,
        kill_moments: list[datetime],
        hit_moments: list[datetime],
    ) -> None:
        self._clock, self._mail_port, self._record, self._breaking = clock, mail_port, record, breaking
        self._kill_moments, self._hit_moments = kill_moments, hit_moments
        self._strike: tuple[str, Callable[[], None]] | None = None
        self._workers: list[Worker] = []
        for _ in range(size):
            self._workers.append(self._worker())

    def stop(self) -> None:
        for worker in self._workers:
            worker.stop()

    def strike_database(self, what: str, strike: Callable[[], None]) -> None:
        """Have the database ended and restarted during the next jobs."""
        self._strike = what, strike

    def _worker(self) -> Worker:
        return Worker(self._clock, self._workers, self._mail_port)

    def work(self, jobs: Iterable[Job]) -> list[Any]:
        """Do these jobs, several at once, and return the answers in order.

        Acts of players are repeated until they are answered.
        """
        work = _Work(jobs)
        hit = self._hit([given.job for given in work.waiting])
        victim = self._victim(bool(work.waiting) and hit is None)
        while work.waiting or work.busy:
            hit = self._give_out(work, hit)
            if self._strike is not None:
                self._strike_now(*self._strike)
            pause = JOB_SECONDS if victim is None else max(0.0, victim - time.monotonic())
            ready = wait([self._workers[index].pipe for index in work.busy], timeout=pause)
            if ready:
                for index in [index for index in work.busy if self._workers[index].pipe in ready]:
                    self._take(work, index)
            elif victim is not None:
                victim = None
                self._kill_one(work)
            else:
                unanswered = [self._workers[index].job for index in work.busy]
                raise Broken(f"Nothing came of {unanswered} in {time.monotonic() - work.began:.0f} s.")
        return work.answers

    def _give_out(self, work: _Work, hit: int | None) -> int | None:
        """Give jobs to idle workers. Return the hit if none of the jobs sends mails and could take it."""
        for index, worker in enumerate(self._workers):
            if work.waiting and worker.job is None:
                given = work.waiting.pop()
                struck = hit if sends_mails(given.job) else None
                hit = None if struck is not None else hit
                worker.give(given.job, struck)
                work.busy[index] = given
        return hit

    def _take(self, work: _Work, index: int) -> None:
        """Take the answer of a worker, and repeat its job if it died or failed."""
        given = work.busy.pop(index)
        self._workers[index].job = None
        try:
            how, answer, told = self._workers[index].pipe.recv()
        except (EOFError, ConnectionError):
            # Reset, not just closed, if it died before it had read its job.
            raise Broken(f"A worker died by itself over {given.job}.") from None
        if how == "done":
            work.answers[given.at] = answer
            self._record.spent[str(given.job[1] if given.job[0] in ("task", "hints") else given.job[0])] += told
            self._record.did(given.job, answer)
            return
        if how == "hit":
            self._was_hit(index, answer, told)
        else:
            self._record.failures[f"{given.job[0]}: {answer}"] += 1
        self._again(work, given)

    def _kill_one(self, work: _Work) -> None:
        """Kill a worker in the middle of its job, and repeat the job."""
        index = self._breaking.choice(sorted(work.busy))
        self._kill(index)
        self._again(work, work.busy.pop(index))

    def _victim(self, work: bool) -> float | None:
        """Return when to kill a worker, as a moment on the machine's clock; None if it is not time for it."""
        if not work or not self._kill_moments or self._kill_moments[0] > self._clock.now():
            return None
        return time.monotonic() + self._breaking.uniform(0, 0.04)

    def _hit(self, jobs: list[Job]) -> int | None:
        """Return after how many mails a sender dies; None if it is not time for it."""
        if not self._hit_moments or self._hit_moments[0] > self._clock.now() or not any(map(sends_mails, jobs)):
            return None
        return self._breaking.randint(1, FIRST_MAILS)

    def _was_hit(self, index: int, message_id: str, clock: float) -> None:
        self._hit_moments.pop(0)
        self._record.broken.append((self._clock.now(), clock, "hit"))
        self._record.hits.append(message_id)
        self._replace(index)

    def _kill(self, index: int) -> None:
        worker = self._workers[index]
        assert worker.job is not None
        self._kill_moments.pop(0)
        self._record.broken.append((self._clock.now(), time.time(), "kill"))
        self._record.killed_jobs.append(worker.job)
        self._replace(index)

    def _replace(self, index: int) -> None:
        self._workers.pop(index).kill()
        self._workers.insert(index, self._worker())

    def _again(self, work: _Work, given: _Given) -> None:
        """Repeat an unanswered act of a player. A lost task is called again when it is due again."""
        if given.job[0] in ("task", "hints"):
            return
        if given.tries >= MOST_TRIES:
            raise Broken(f"{given.job} failed {given.tries} times: {dict(self._record.failures)}")
        work.waiting.append(given._replace(tries=given.tries + 1))

    def _strike_now(self, what: str, strike: Callable[[], None]) -> None:
        self._strike = None
        time.sleep(self._breaking.uniform(0, 0.03))
        self._record.broken.append((self._clock.now(), time.time(), what))
        strike()
        connections.close_all()
