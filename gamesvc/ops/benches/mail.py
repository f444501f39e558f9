"""`bench mail`: turns played entirely by mail, beside the bare cost of SMTP with the very same mails.

`mail_in`: orders that came by SMTP to the receiver (a separate process) and were carried out, with their receipts queued.
`mail_out`: notices written, drawn and handed to a mail server: for each order a turn notice and a receipt with the board. `raw`
sends the same bytes over one open connection to a server that discards them.
"""

from __future__ import annotations

import os
import smtplib
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from typing import Any

from django.conf import settings
from django.core.mail.backends import smtp

from accounts.addresses import add_verified_address
from accounts.models import User
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
MATCHES = 8
READY_SECONDS = 20.0
ORDERS = ("retool none", "end turn")

_handed: list[tuple[str, str, bytes]] = []


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
        self.done = self.raw_done = 0
        self.took = self.raw_took = 0.0

    def ours(self, count: int, act: Callable[[], object]) -> None:
        began = time.perf_counter()
        act()
        self.took += time.perf_counter() - began
        self.done += count

    def bare(self, port: int, mails: Sequence[tuple[str, str, bytes]]) -> None:
        began = time.perf_counter()
        send(port, mails)
        self.raw_took += time.perf_counter() - began
        self.raw_done += len(mails)

    def row(self, name: str, unit: str, **more: object) -> Row:
        return row(name, self.done / self.took, unit, self.raw_done / self.raw_took, **more)


def rows(seconds: float) -> list[Row]:
    """Play rounds of turns by mail until the time is up."""
    sink_port, receiver_port = free_port(), free_port()
    settings.EMAIL_BACKEND = "gamesvc.ops.benches.mail.Backend"
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
    inward, outward = Clock(), Clock()
    sizes: list[int] = []
    delivery.sweep(lasting=600)
    until = time.perf_counter() + 2 * seconds
    turn = 0
    while time.perf_counter() < until or turn < 3:
        if turn == 1:  # in the first round everything is cold
            inward, outward = Clock(), Clock()
        orders = [order_of(match, ORDERS[turn % 2]) for match in matches]
        inward.ours(len(orders), lambda orders=orders: take_in(receiver_port, orders))  # type: ignore[misc]
        inward.bare(sink_port, orders)
        _handed.clear()
        outward.ours(0, lambda: delivery.sweep(lasting=600))
        outward.done += len(_handed)
        sizes += [len(raw) for _from, _to, raw in _handed]
        outward.bare(sink_port, _handed)
        turn += 1
    for undone in (InboundMail.objects.exclude(status=MailStatus.DONE), Outbox.objects.exclude(status=Status.SENT)):
        if undone.exists():
            raise AssertionError(f"mails were not carried out or sent: {list(undone.values_list('status', 'error')[:3])}")
    return [
        outward.row("mail_out", "mails/s", mails=outward.done, mean_bytes=round(sum(sizes) / len(sizes))),
        inward.row("mail_in", "mails/s", mails=inward.done),
    ]


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


def order_of(match: Match, order: str) -> tuple[str, str, bytes]:
    """Return the mail with which the player to move answers their notice: envelope and bytes."""
    question = Question.objects.get(match=match)
    user = match.seats.get(index=question.seat).user
    if user is None:
        raise AssertionError("a player has left their seat")
    address = reply_addresses.reply_address(
        match=match,
        loaded=loading.load(match.id, match.game),
        seat=question.seat,
        user=user,
        key=uuid.uuid4(),
        question=question,
    )
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = user.email, address, "Re: Your turn"
    mail["Message-ID"] = f"<{uuid.uuid4()}@players.example>"
    mail.set_content(f"{order}\nEND\n\nOn Friday, a player wrote:\n> It is your turn.\n")
    return user.email, address, mail.as_bytes()


def take_in(port: int, orders: Sequence[tuple[str, str, bytes]]) -> None:
    send(port, orders)
    pipeline.work()


def send(port: int, mails: Sequence[tuple[str, str, bytes]]) -> None:
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
