"""`bench mail_match`: whole matches of every game by mail, and the number and size of the mails that they make, per turn.

Two players write their orders to our receiver and read what comes back, in a virtual time: `whole` sends all orders of a turn in
one mail as far as chance allows, `single` one order in each mail, a minute apart. There is no raw figure: these are counts. A
turn is a player's mails in a row, as far as the game counts them as one turn.
"""

from __future__ import annotations

import random
import smtplib
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import make_msgid

from django.conf import settings

from accounts.addresses import add_verified_address
from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.dice import DrawNeeded
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.games.kernel.timeline import check_options
from gamesvc.games.selfplay import bounded
from gamesvc.json_types import JsonObject
from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.reading.board import caption_of
from gamesvc.matches.record import loading
from gamesvc.ops.benches import Row, row
from gamesvc.ops.match_limits import lift_match_limits
from gamesvc.ops.simulation.clock import VirtualClock
from gamesvc.ops.sink import CaughtMail, MailSink
from notifications.inbound import pipeline
from notifications.inbound.doors.receiver import Receiver
from notifications.models import InboundMail, MailStatus
from notifications.sending import delivery

SEATS = 2
MOST_TURNS = 16
MOST_ORDERS = 60
BETWEEN_MAILS = timedelta(minutes=1)
BETWEEN_TURNS = timedelta(hours=2)
STEP = timedelta(minutes=1)
WAYS = ("whole", "single")
CLOCK = VirtualClock(datetime(2026, 1, 5, 12, tzinfo=UTC))


def rows(seconds: float) -> list[Row]:
    """Play a match of each game in each way. `seconds` is not used: a match has its length."""
    CLOCK.install()
    lift_match_limits()
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = "django.core.mail.backends.smtp.EmailBackend", "127.0.0.1"
    settings.REPLY_DOMAIN, settings.INBOUND_AUTH = "reply.bench.example", "loopback"
    for limit in ("INBOUND_MAILS_PER_ADDRESS", "INBOUND_MAILS_PER_USER", "INBOUND_ANSWERS_PER_DAY"):
        setattr(settings, limit, 1_000_000)
    found = []
    with tempfile.TemporaryDirectory() as folder, MailSink(folder) as sink, Receiver("127.0.0.1") as receiver:
        settings.EMAIL_PORT = sink.port
        for game in sorted(game.manifest.id for game in catalog.games()):
            for way in WAYS:
                found.append(Played(game, way, sink, receiver).row())
                sys.stderr.write(f"{found[-1]['name']}\n")
    return found


def options_for(game: Game) -> JsonObject:
    """Return options with which the game ends and takes our number of seats: its own, or else with another of its modes."""
    plain = bounded(game)
    modes = game.manifest.options["properties"].get("mode", {}).get("enum", ())
    for options in (plain, *({**plain, "mode": mode} for mode in modes)):
        with suppress(Refused):
            check_options(game, options, SEATS)
            return options
    raise AssertionError(f"{game.manifest.id} cannot be played by {SEATS}")


class Played:
    """One match, played to its end or for `MOST_TURNS` turns."""

    def __init__(self, game: str, way: str, sink: MailSink, receiver: Receiver) -> None:
        self.game, self.way, self.sink, self.receiver = catalog.game(game), way, sink, receiver
        self.rng = random.Random(game)
        self.began = len(sink.messages)
        self.written = 0
        self.turns: set[tuple[int, int, int]] = set()
        host = User.objects.create_user(f"host-{way}-{game}"[:30], f"host-{way}-{game}@players.example")
        add_verified_address(host, host.email)
        self.match = opening.create_match(by=host, game=game, options=options_for(self.game), seats=SEATS)
        guest = f"guest-{way}-{game}@players.example"
        invitations.invite(by=host, match=self.match, address=guest)
        self.wait(STEP)
        self.write(guest, f"join {guest[:20]}")
        self.started = len(sink.messages)
        self.play()

    def row(self) -> Row:
        mails = self.sink.messages[self.started :]
        kinds = Counter(str(mail.message["X-Game-Reason"]) for mail in mails)
        size = sum(len(mail.raw) for mail in mails)
        undone = InboundMail.objects.exclude(status=MailStatus.DONE)
        if undone.exists():
            raise AssertionError(f"mails were not carried out: {list(undone.values_list('status', 'error')[:3])}")
        return row(
            f"{self.game.manifest.id}_{self.way}",
            len(mails) / len(self.turns),
            "mails/turn",
            bytes_per_turn=round(size / len(self.turns)),
            turns=len(self.turns),
            written=self.written,
            mails=len(mails),
            pictures=sum(b"Content-Type: image/png" in mail.raw for mail in mails),
            calendars=sum(b"Content-Type: text/calendar" in mail.raw for mail in mails),
            to_begin=self.started - self.began,
            subjects=len({(mail.recipients, mail.subject.removeprefix("Re: ")) for mail in mails}),
            kinds=dict(kinds),
        )

    def play(self) -> None:
        visit = 0
        while len(self.turns) < MOST_TURNS and (seat := self.asked()) is not None:
            visit += 1
            self.wait(BETWEEN_TURNS)
            self.take_turn(seat, visit)

    def asked(self) -> int | None:
        awaited = loading.load(self.match.id, self.match.game).awaited()
        return awaited[0].seat if awaited else None

    def take_turn(self, seat: int, visit: int) -> None:
        address = self.match.seats.select_related("user").get(index=seat).user.email  # type: ignore[union-attr]
        while len(self.turns) < MOST_TURNS:
            loaded = loading.load(self.match.id, self.match.game)
            view = loaded.game.view(loaded.timeline.state, seat)
            self.turns.add((visit, seat, self.game.glance(view, caption_of(self.match, ("",) * SEATS)).turn))
            orders = self.orders(seat)
            if self.way == "single":
                orders = orders[:1]
            self.write(address, "\n".join([*orders, "END"]))
            self.wait(BETWEEN_MAILS)
            if seat not in {one.seat for one in loading.load(self.match.id, self.match.game).awaited()}:
                return

    def orders(self, seat: int) -> list[str]:
        """Return what a seat orders, up to the first order with which chance comes into play."""
        loaded = loading.load(self.match.id, self.match.game)
        timeline, bot = loaded.copy().timeline, self.game.bots["greedy"]
        known = self.game.view(timeline.state, seat)
        orders: list[str] = []
        while len(orders) < MOST_ORDERS and any(one.seat == seat for one in self.game.awaited(timeline.state)):
            forms = self.game.legal_commands(timeline.state, seat)
            order = self.game.render(bot(self.game.view(timeline.state, seat), forms, self.rng))
            try:
                command = self.game.parse(order, known)
            except Refused:
                break  # about what the player does not know yet, such as a card that is still to be drawn
            orders.append(order)
            try:
                timeline.follow(timeline.preview(seat, command))
            except (DrawNeeded, Refused):
                break
        return orders

    def write(self, address: str, text: str) -> None:
        """Answer the newest mail that can be answered, and let the service work on it."""
        asked = next(mail for mail in reversed(self.sink.to(address)) if self.concerns(mail))
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = address, str(asked.message["Reply-To"]), f"Re: {asked.subject}"
        mail["Message-ID"] = make_msgid(domain="players.example")
        mail.set_content(text)
        with smtplib.SMTP("127.0.0.1", self.receiver.port, timeout=60) as server:
            server.sendmail(address, [str(mail["To"])], mail.as_bytes(policy=SMTP))
        self.written += 1
        pipeline.work()
        delivery.sweep()

    def concerns(self, mail: CaughtMail) -> bool:
        return bool(mail.message["Reply-To"])

    def wait(self, lasting: timedelta) -> None:
        """Let time pass, and send what becomes due."""
        end = CLOCK.now() + lasting
        while CLOCK.now() < end:
            CLOCK.set(min(CLOCK.now() + STEP, end))
            delivery.sweep()
