"""The workers of a simulation as one: they share out what is to be done, and mishaps strike them in the middle of it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from datetime import datetime
from multiprocessing.connection import wait
from typing import Any

from django.db import connections

from gamesvc.matches.simulation.clock import VirtualClock
from gamesvc.matches.simulation.record import Broken, Record
from gamesvc.matches.simulation.workers import Job, Worker

# A job that died is done again by whoever asked for it, so often at most.
MOST_TRIES = 20
JOB_SECONDS = 120.0


class Crew:
    """So many workers. At each of `kill_moments` of the virtual clock one of them is killed over its job."""

    def __init__(
        self,
        size: int,
        clock: VirtualClock,
        mail_port: int,
        record: Record,
        breaking: random.Random,
        kill_moments: list[datetime],
    ) -> None:
        self._clock, self._mail_port, self._record, self._breaking = clock, mail_port, record, breaking
        self._kill_moments = kill_moments
        self._restart: Callable[[], None] | None = None
        self._workers: list[Worker] = []
        for _ in range(size):
            self._workers.append(self._worker())

    def stop(self) -> None:
        for worker in self._workers:
            worker.stop()

    def restart_in_mid_work(self, restart: Callable[[], None]) -> None:
        """Have the database started anew while the next jobs are done."""
        self._restart = restart

    def _worker(self) -> Worker:
        return Worker(self._clock, self._workers, self._mail_port)

    def work(self, jobs: Iterable[Job]) -> list[Any]:
        """Have these jobs done, several at once; the answers in their order. Acts of people are tried until they are answered."""
        waiting = [(job, at, 1) for at, job in reversed(list(enumerate(jobs)))]
        answers: list[Any] = [None] * len(waiting)
        busy: dict[int, tuple[int, int]] = {}
        victim = self._victim(bool(waiting))
        began = time.monotonic()
        while waiting or busy:
            for index, worker in enumerate(self._workers):
                if waiting and worker.job is None:
                    job, at, tries = waiting.pop()
                    worker.give(job)
                    busy[index] = (at, tries)
            if self._restart is not None:
                self._restart_database(self._restart)
            pause = JOB_SECONDS if victim is None else max(0.0, victim - time.monotonic())
            ready = wait([self._workers[index].pipe for index in busy], timeout=pause)
            if not ready and victim is not None:
                victim = None
                index = self._breaking.choice(sorted(busy))
                self._kill(index)
                at, tries = busy.pop(index)
                self._again(waiting, self._record.killed_jobs[-1], at, tries)
                continue
            if not ready:
                given_out = [self._workers[index].job for index in busy]
                raise Broken(f"Nothing came of {given_out} in {time.monotonic() - began:.0f} s.")
            for index in [index for index in busy if self._workers[index].pipe in ready]:
                at, tries = busy.pop(index)
                given = self._workers[index].job
                self._workers[index].job = None
                try:
                    how, answer, took = self._workers[index].pipe.recv()
                except EOFError:
                    raise Broken(f"A worker died by itself over {given}.") from None
                assert given is not None
                if how == "done":
                    answers[at] = answer
                    self._record.spent[str(given[1] if given[0] in ("task", "hints") else given[0])] += took
                    self._record.did(given, answer)
                else:
                    self._record.failures[f"{given[0]}: {answer}"] += 1
                    self._again(waiting, given, at, tries)
        return answers

    def _victim(self, work: bool) -> float | None:
        """When, if now is the time for it, a worker is killed: a moment on the machine's clock."""
        if not work or not self._kill_moments or self._kill_moments[0] > self._clock.now():
            return None
        return time.monotonic() + self._breaking.uniform(0, 0.04)

    def _kill(self, index: int) -> None:
        worker = self._workers[index]
        assert worker.job is not None
        self._kill_moments.pop(0)
        self._record.broken.append((self._clock.now(), time.time(), "kill"))
        worker.kill()
        self._record.killed_jobs.append(worker.job)
        del self._workers[index]
        self._workers.insert(index, self._worker())

    def _again(self, waiting: list[tuple[Job, int, int]], job: Job, at: int, tries: int) -> None:
        """A player whose request got no answer sends it again; a task that is lost is called again when it is due again."""
        if job[0] in ("task", "hints"):
            return
        if tries >= MOST_TRIES:
            raise Broken(f"{job} failed {tries} times: {dict(self._record.failures)}")
        waiting.append((job, at, tries + 1))

    def _restart_database(self, restart: Callable[[], None]) -> None:
        self._restart = None
        time.sleep(self._breaking.uniform(0, 0.03))
        self._record.broken.append((self._clock.now(), time.time(), "restart"))
        restart()
        connections.close_all()
