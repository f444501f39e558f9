"""The processes that do a simulation's work: one job after the other, through the real services. They may be killed.

A job is a tuple of its name and arguments. Its result comes back through the same pipe. A process that dies says nothing.
"""

from __future__ import annotations

import logging
import multiprocessing
import random
import signal
import time
import uuid
from collections.abc import Callable
from datetime import date
from multiprocessing.connection import Connection
from typing import Any

from django.conf import settings
from django.db import close_old_connections, connections
from django.utils import timezone

from accounts import absences
from accounts.models import Absence, User
from gamesvc.celery import app
from gamesvc.games.kernel.game import RANDOM, Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches import errors
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Match
from gamesvc.matches.notices import repeating
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from gamesvc.matches.timekeeping import deadlines, vacations
from gamesvc.ops.match_limits import lift_match_limits
from gamesvc.ops.simulation.clock import VirtualClock
from gamesvc.ops.simulation.hits import DyingBackend
from gamesvc.ops.simulation.record import Broken
from gamesvc.queues import WORKERS

logger = logging.getLogger(__name__)

_FORK = multiprocessing.get_context("fork")
# Most commands in one sitting of a player: a whole turn.
SITTING = 80
Job = tuple[Any, ...]
SEND = "notifications.tasks.send_due"
_PICTURE = b"\x89PNG\r\n\x1a\n"


class Worker:
    """One worker process, seen from the conductor."""

    def __init__(self, clock: VirtualClock, others: list[Worker], mail_port: int) -> None:
        self.pipe, theirs = _FORK.Pipe()
        # A forked database connection would be shared by both processes.
        connections.close_all()
        self._process = _FORK.Process(
            target=_work, args=(clock, theirs, [one.pipe for one in [*others, self]], mail_port), name="worker", daemon=True
        )
        self._process.start()
        theirs.close()
        self.job: Job | None = None

    def give(self, job: Job, hit: int | None = None) -> None:
        """Start a job. With `hit`, the process dies during it, right after the mail server has taken that many mails."""
        self.job = job
        try:
            self.pipe.send((hit, job))
        except ConnectionError:
            raise Broken(f"A worker died by itself before {job}.") from None

    def kill(self) -> None:
        """Kill the process and reap it."""
        self._process.kill()
        self._process.join()
        self.pipe.close()

    def stop(self) -> None:
        self.pipe.close()
        self._process.join(timeout=10)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def sends_mails(job: Job) -> bool:
    return job[0] in ("task", "hints") and job[1] in (SEND, *WORKERS["mailer"])


def _work(clock: VirtualClock, pipe: Connection, others: list[Connection], mail_port: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the conductor ends it
    for one in others:
        one.close()
    clock.install()
    _configure(mail_port)
    while True:
        try:
            hit, (name, *args) = pipe.recv()
        except (EOFError, ConnectionError):
            return
        close_old_connections()
        DyingBackend.arm(hit, pipe)
        began = time.monotonic()
        try:
            answer = ("done", JOBS[name](*args))
        except Exception as fault:
            # Like a failed task or request: it is reported, and the process continues with the next job.
            answer = ("failed", f"{type(fault).__name__}: {str(fault)[:200]}")
            logger.warning("The job %s failed: %s", name, answer[1])
            connections.close_all()
        try:
            pipe.send((*answer, time.monotonic() - began))
        except ConnectionError:
            return


def _configure(mail_port: int) -> None:
    settings.EMAIL_BACKEND = f"{DyingBackend.__module__}.{DyingBackend.__qualname__}"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", mail_port
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.EMAIL_USE_TLS = False
    settings.REPLY_DOMAIN = "reply.games.example"
    lift_match_limits()
    settings.HEARTBEAT_PROBES = []
    # The clock stands still while its moment is processed.
    settings.DEADLINE_MARGIN_SECONDS = 0.0
    # Nobody looks at the mails, and drawing their boards would take ten times as long as all the rest.
    repeating.to_png = lambda svg, width: _PICTURE  # type: ignore[attr-defined,assignment]


def _task(name: str) -> object:
    """Run a task, as the workers do when beat calls them."""
    return app.tasks[name]()


def _hints(queue: str) -> int:
    """Run the hints that wait in the broker. Return how many."""
    taken = 0
    with app.connection_for_read() as connection:
        channel = connection.default_channel
        while (message := channel.basic_get(queue, no_ack=True)) is not None:
            args, kwargs, _ = message.payload
            close_old_connections()
            app.tasks[message.headers["task"]](*args, **kwargs)
            taken += 1
    return taken


def _open(creator: int, game: str, options: JsonObject, clock: JsonObject, seats: int, bots: int) -> str:
    by = User.objects.get(pk=creator)
    # After a lost answer, first check whether the match was made.
    if (made := Match.objects.filter(creator=by, created_at=timezone.now()).first()) is not None:
        return str(made.id)
    computers = {seats - 1 - at: RANDOM for at in range(bots)}
    match = opening.create_match(by=by, game=game, options=options, seats=seats, clock=clock, bots=computers)
    return str(match.id)


def _join(match_id: str, user_id: int) -> None:
    match = Match.objects.get(pk=match_id)
    # After a lost answer, first check whether the seat was taken; with the last seat the match has started.
    if not match.seats.filter(user=user_id).exists():
        opening.join_match(by=User.objects.get(pk=user_id), match=match)


def _act(match_id: str, seat: int, question: str, user_id: int) -> tuple[str, int]:
    """Submit commands of a player until the question is closed. Repeating it is safe."""
    match = Match.objects.get(pk=match_id)
    received, asides = timezone.now(), True
    for given in range(SITTING):
        loaded = loading.load(match.id, match.game)
        seats = list(match.seats.order_by("index"))
        if seats[seat].user_id != user_id:
            return "no longer theirs", given
        if all((one.seat, one.id) != (seat, question) for one in loaded.awaited()):
            return "answered" if given else "was over", given
        rng = random.Random(f"{match_id} {seat} {loaded.version}")
        forms = [form for form in loaded.game.legal_commands(loaded.timeline.state, seat) if asides or not form.aside]
        command = loaded.game.bots[RANDOM](loaded.game.view(loaded.timeline.state, seat), forms, rng)
        try:
            turns.submit(
                match=match,
                sender=Sender.player(user_id, seat, "api", received),
                command=command,
                expected_version=loaded.viewer_version(seat),
                command_id=turns.command_id(sender=user_id, key=f"{match_id} {question} {loaded.version} {asides}"),
                seats=seats,
            )
        except Refused as refused:
            if asides and refused.code == "asked_too_often":
                asides = False
                continue
            return refused.code.replace("_", " "), given
        except (errors.Stale, errors.Busy):
            continue
    return "answered in part", SITTING


def _vacation(user_id: int, first: date, last: date) -> int:
    user = User.objects.get(pk=user_id)
    # After a lost answer, first check whether the vacation is there; the sweep then moves its deadlines.
    if Absence.objects.filter(user=user, first_day=first, last_day=last).exists():
        return 0
    absences.announce(user=user, first=first, last=last)
    return vacations.settle(user_id).moved


def _take_over(match_id: str, seat: int, user_id: int) -> bool:
    try:
        substitutes.take_over(by=User.objects.get(pk=user_id), match=Match.objects.get(pk=match_id), seat=seat)
    except Refused:
        return False  # another player was faster, this one has the seat, or the match is over
    return True


def _pause(match_id: str, resumes: bool) -> bool:
    act = deadlines.resume if resumes else deadlines.pause
    try:
        mandate = deadlines.Mandate(Actor("host"), command_id=_once(match_id, resumes))
        act(match=Match.objects.get(pk=match_id), mandate=mandate)
    except Refused:
        return False
    return True


def _once(match_id: str, resumes: bool) -> uuid.UUID:
    return uuid.uuid5(uuid.UUID(match_id), "resume" if resumes else "pause")


JOBS: dict[str, Callable[..., object]] = {
    "task": _task,
    "hints": _hints,
    "open": _open,
    "join": _join,
    "act": _act,
    "vacation": _vacation,
    "take_over": _take_over,
    "pause": _pause,
}
