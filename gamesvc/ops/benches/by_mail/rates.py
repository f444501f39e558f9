"""`bench mail`: turns played entirely by mail, beside the bare cost of SMTP with the very same mails.

`mail_in`: mails that came by SMTP to the receiver (a separate process) and were carried out, with their receipts queued; the
workers begin with the first while the others still come, as in the service.
`mail_out`: notices written, drawn and handed to a mail server, as play makes them: receipts and turn notices for orders, and a
message from one player to the other afterwards, which leaves the position as it was. `mail_out_drawn`: those for orders alone,
one for each player, so that every mail carries a new picture; `new_pictures` is their measured share. `cpu_ms`: the CPU time of
our processes for a mail, the receiver and the database not counted. `raw` sends the same bytes over open connections, for
`mail_out` to a server that discards them.

As many processes work as the service has for mail in and out (`queues.CHILDREN`), and as many send for `raw`.
"""

from __future__ import annotations

import email
import hashlib
import multiprocessing
import os
import smtplib
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.message import EmailMessage
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from typing import Any

from django.conf import settings
from django.core.mail.backends import smtp
from django.db import connections
from django.utils import timezone

from accounts.addresses import add_verified_address
from accounts.models import User
from gamesvc import queues
from gamesvc.embedded.service import free_port
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question
from gamesvc.matches.notices import reply_addresses
from gamesvc.matches.record import loading
from gamesvc.ops.benches import Row, row
from gamesvc.ops.match_limits import lift_match_limits
from notifications.inbound import pipeline
from notifications.models import InboundMail, MailStatus, Outbox, Status
from notifications.sending import delivery

GAME = "stratastar"
OPTIONS = {"homeworld_choice": "random"}
MATCHES = 48
"""So many that the end of a round, when one worker has nothing left to do, counts for little."""
READY_SECONDS = 20.0
LOOK_SECONDS = 0.01
"""The pause of a worker that found no mail."""
CONNECTIONS = 2
"""Those over which mails come."""
WARM = 2
"""Rounds before the measurement."""

ORDERS = ("retool none", "end turn")
MESSAGE = "press all: Your move!"

Mail = tuple[str, str, bytes]
"""Envelope and bytes."""

_handed: list[Mail] = []
_coming: Event | None = None
"""In a process of `Workers`: set while more mails may come."""
_sent: list[Mail] = []
"""The mails that this process handed over in the last round."""


@dataclass(frozen=True)
class Handed:
    """The mails that a process handed over: the size of each, and the hash of its picture, empty without one."""

    sizes: list[int]
    pictures: list[str]


class Backend(smtp.EmailBackend):
    """Django's SMTP backend, which keeps the mails handed over, to be sent again for the raw figure."""

    @property
    def connection_class(self) -> type[smtplib.SMTP]:
        return _Keeping


class _Keeping(smtplib.SMTP):
    def sendmail(self, from_addr: str, to_addrs: str | Sequence[str], msg: Any, *args: Any, **more: Any) -> Any:
        _handed.append((from_addr, to_addrs if isinstance(to_addrs, str) else to_addrs[0], msg))
        return super().sendmail(from_addr, to_addrs, msg, *args, **more)


class Clock:
    """Counts and times, ours and raw in turn, so that a change in the machine's speed affects both."""

    def __init__(self) -> None:
        self.done = self.raw_done = self.drawn = 0
        self.took = self.raw_took = self.spent = 0.0
        self.sizes: list[int] = []

    def ours(self, workers: Workers, act: Callable[[], object]) -> None:
        began, spent = time.perf_counter(), workers.spent
        act()
        self.took += time.perf_counter() - began
        self.spent += workers.spent - spent

    def bare(self, count: int, act: Callable[[], object]) -> None:
        began = time.perf_counter()
        act()
        self.raw_took += time.perf_counter() - began
        self.raw_done += count

    def row(self, name: str, unit: str, **more: object) -> Row:
        return row(
            name,
            self.done / self.took,
            unit,
            self.raw_done / self.raw_took,
            mails=self.done,
            cpu_ms=round(self.spent / self.done * 1000, 1),
            **more,
        )


class Workers:
    """Processes that live as long as those of the service do, so that they keep what these keep."""

    def __init__(self, number: int) -> None:
        self.spent = 0.0
        """CPU time of all processes in seconds."""
        connections.close_all()  # the children would share the connection
        context = multiprocessing.get_context("fork")
        self.coming = context.Event()
        """Set while more mails may come."""
        self._pipes: list[Connection] = []
        self._running = []
        for _ in range(number):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, self.coming), daemon=True)
            process.start()
            self._pipes.append(ours)
            self._running.append(process)

    def each(self, act: Callable[..., Any], *arguments: object, meanwhile: Callable[[], None] | None = None) -> list[Any]:
        """Call a function in all processes at once, with a share of its arguments each, and another one here `meanwhile`.

        Return the results.
        """
        for number, pipe in enumerate(self._pipes):
            pipe.send((act, [_share(given, number, len(self._pipes)) for given in arguments]))
        if meanwhile is not None:
            meanwhile()
        found = []
        for pipe in self._pipes:
            result, spent = pipe.recv()
            self.spent += spent
            found.append(result)
        for result in found:
            if isinstance(result, Exception):
                raise result
        return found

    def stop(self) -> None:
        for pipe in self._pipes:
            pipe.send(None)
        for process in self._running:
            process.join(READY_SECONDS)


def _share(given: object, number: int, of: int) -> object:
    """Return every `of`-th item of a list; what is no list, as it is."""
    return given[number::of] if isinstance(given, list) else given


def _serve(pipe: Connection, coming: Event) -> None:
    global _coming
    _coming = coming
    while (asked := pipe.recv()) is not None:
        act, arguments = asked
        began = time.process_time()
        try:
            found = act(*arguments)
        except Exception as fault:  # told to the process that measures
            found = RuntimeError(f"{type(fault).__name__}: {fault}")
        pipe.send((found, time.process_time() - began))


def deliver() -> None:
    """Send what is due."""
    _handed.clear()
    delivery.sweep(lasting=600)
    _sent[:] = _handed


def handed() -> Handed:
    """Return what the last round handed over."""
    return Handed([len(raw) for _from, _to, raw in _sent], [picture_of(raw) for _from, _to, raw in _sent])


def picture_of(raw: bytes) -> str:
    """Return the hash of a mail's picture, empty if it has none."""
    for part in email.message_from_bytes(raw).walk():
        if part.get_content_type() == "image/png":
            return hashlib.sha256(str(part.get_payload()).encode()).hexdigest()
    return ""


def send_again(port: int) -> None:
    """Send what was handed over once more, bare."""
    send(port, _sent)


def process() -> None:
    """Carry out mails until none is left and no more come."""
    assert _coming is not None
    while True:
        over = not _coming.is_set()  # before the last look
        if not pipeline.work():
            if over:
                return
            time.sleep(LOOK_SECONDS)


def rows(seconds: float) -> list[Row]:
    """Play rounds of turns by mail until the time is up."""
    sink_port, receiver_port = free_port(), free_port()
    settings.EMAIL_BACKEND = "gamesvc.ops.benches.by_mail.rates.Backend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", sink_port
    settings.REPLY_DOMAIN = "reply.bench.example"
    lift_match_limits()
    settings.INBOUND_ANSWERS_PER_DAY = 1_000_000
    environment = {**os.environ, "REPLY_DOMAIN": settings.REPLY_DOMAIN, "INBOUND_AUTH": "loopback"}
    caps = ("INBOUND_MAILS_PER_ADDRESS", "INBOUND_MAILS_PER_USER", "MAILSERVER_CONNECTIONS", "MAILSERVER_CONNECTIONS_PER_ADDRESS")
    environment |= dict.fromkeys(caps, "1000000")
    settings.INBOUND_AUTH = "loopback"
    servers = [
        [sys.executable, "-m", "aiosmtpd", "-n", "-c", "aiosmtpd.handlers.Sink", "-l", f"127.0.0.1:{sink_port}"],
        [sys.executable, "manage.py", "mailserver", "--port", str(receiver_port)],
    ]
    running = [subprocess.Popen(server, env=environment, stdout=subprocess.DEVNULL) for server in servers]
    try:
        for port in (sink_port, receiver_port):
            wait_for(port)
        return measure(open_matches(), sink_port, receiver_port, seconds)
    finally:
        for process in running:
            process.terminate()
            process.wait()


def measure(matches: Sequence[Match], sink_port: int, receiver_port: int, seconds: float) -> list[Row]:
    clocks = {name: Clock() for name in ("mail_in", "mail_out", "mail_out_drawn")}
    workers = Workers(queues.CHILDREN["mailer"])
    shown: set[str] = set()
    until = time.perf_counter() + 3 * seconds
    turn = 0
    try:
        workers.each(deliver)
        while time.perf_counter() < until or turn < WARM + 4:
            if turn == WARM:  # in the first rounds everything is cold
                clocks = {name: Clock() for name in clocks}
            mixed = turn // 2 % 2 == 0
            ports = sink_port, receiver_port
            play(workers, clocks, ports, shown, [order_of(match, ORDERS[turn % 2]) for match in matches], mixed=mixed)
            if mixed:
                play(workers, clocks, ports, shown, [message_of(match, turn % 2) for match in matches], mixed=mixed)
            turn += 1
    finally:
        workers.stop()
    for undone in (
        InboundMail.objects.exclude(status=MailStatus.DONE),
        Outbox.objects.filter(status=Status.QUEUED, due_at__lte=timezone.now()),
    ):
        if undone.exists():
            raise AssertionError(f"mails were not carried out or sent: {list(undone.values_list('status', 'error')[:3])}")
    found = []
    for name in ("mail_out", "mail_out_drawn"):
        clock = clocks[name]
        more = {"mean_bytes": round(sum(clock.sizes) / len(clock.sizes)), "new_pictures": round(clock.drawn / clock.done, 2)}
        found.append(clock.row(name, "mails/s", **more))
    return [*found, clocks["mail_in"].row("mail_in", "mails/s")]


def play(
    workers: Workers, clocks: dict[str, Clock], ports: tuple[int, int], shown: set[str], mails: list[Mail], *, mixed: bool
) -> None:
    """Take mails in and deliver what follows from them; one notice to each player if they are not to be `mixed`."""
    sink_port, receiver_port = ports
    inward = clocks["mail_in"]
    inward.ours(workers, lambda: take_in(workers, receiver_port, mails))
    inward.done += len(mails)
    inward.bare(len(mails), lambda: workers.each(send, sink_port, mails))
    if not mixed:
        drop_the_rest()
    send_out(workers, clocks["mail_out" if mixed else "mail_out_drawn"], sink_port, shown)


def take_in(workers: Workers, port: int, mails: list[Mail]) -> None:
    """Send mails over several connections while the workers carry out what has come."""
    workers.coming.set()
    workers.each(process, meanwhile=lambda: _send_all(workers, port, mails))


def _send_all(workers: Workers, port: int, mails: list[Mail]) -> None:
    try:
        with ThreadPoolExecutor(CONNECTIONS) as senders:
            list(senders.map(partial(send, port), (mails[at::CONNECTIONS] for at in range(CONNECTIONS))))
    finally:
        workers.coming.clear()


def send_out(workers: Workers, clock: Clock, port: int, shown: set[str]) -> None:
    """Deliver what is due, then send the same bare. `shown` are the pictures so far."""
    clock.ours(workers, lambda: workers.each(deliver))
    found: list[Handed] = workers.each(handed)
    for one in found:
        clock.done += len(one.sizes)
        clock.sizes += one.sizes
        clock.drawn += len(set(one.pictures) - shown - {""})
        shown.update(one.pictures)
    clock.bare(sum(len(one.sizes) for one in found), lambda: workers.each(send_again, port))


def drop_the_rest() -> None:
    """Leave one notice to each player, the newest: another would show the same picture."""
    queued = Outbox.objects.filter(status=Status.QUEUED)
    newest = queued.order_by("topic", "user_id", "-created_at").distinct("topic", "user_id").values_list("pk", flat=True)
    queued.exclude(pk__in=list(newest)).update(status=Status.DROPPED)


def open_matches() -> list[Match]:
    """Open matches of two players each: a player in many matches would get one mail for many turns."""
    matches = []
    for number in range(MATCHES):
        users = [User.objects.create_user(name, f"{name}@players.example") for name in (f"a{number}", f"b{number}")]
        for user in users:
            add_verified_address(user, user.email)
        opened = opening.create_match(by=users[0], game=GAME, options=OPTIONS)
        matches.append(opening.join_match(by=users[1], match=opened))
    return matches


def order_of(match: Match, order: str) -> Mail:
    """Return the order of the player to move."""
    question = Question.objects.get(match=match)
    return mail_of(match, question.seat, question, order)


def message_of(match: Match, seat: int) -> Mail:
    """Return a message of a player to the other."""
    return mail_of(match, seat, None, MESSAGE)


def mail_of(match: Match, seat: int, question: Question | None, line: str) -> Mail:
    """Return the mail with which a player answers their notice."""
    user = match.seats.get(index=seat).user
    if user is None:
        raise AssertionError("a player has left their seat")
    loaded = loading.load(match.id, match.game)
    key = uuid.uuid4()
    address = reply_addresses.reply_address(match=match, loaded=loaded, seat=seat, user=user, key=key, question=question)
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = user.email, address, "Re: Your turn"
    mail["Message-ID"] = f"<{uuid.uuid4()}@players.example>"
    mail.set_content(f"{line}\nEND\n\nOn Friday, a player wrote:\n> It is your turn.\n")
    return user.email, address, mail.as_bytes()


def send(port: int, mails: Sequence[Mail]) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=60) as client:
        for sender, receiver, raw in mails:
            client.sendmail(sender, [receiver], raw)


def wait_for(port: int) -> None:
    """Wait until our server answers."""
    until = time.monotonic() + READY_SECONDS
    while True:
        try:
            smtplib.SMTP("127.0.0.1", port, timeout=5).quit()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
