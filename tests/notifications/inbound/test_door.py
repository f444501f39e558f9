"""The mail receiver under overload: connections, guesses, bodies, commands, time; and the order of processing."""

from __future__ import annotations

import contextlib
import io
import smtplib
import socket
import tempfile
import threading
import tracemalloc
from datetime import timedelta
from uuid import uuid4

import pytest
from aiosmtpd.smtp import SMTP
from django.utils import timezone

from accounts.models import Throttle, User
from notifications.inbound import addresses, held, pipeline, purposes, store, tasks
from notifications.inbound.doors import connection, gate, rates
from notifications.inbound.doors.gate import Gate, network_of
from notifications.inbound.doors.receiver import Receiver
from notifications.inbound.purposes import Handled
from notifications.inbound.standing import StandingAddress
from notifications.models import InboundMail, MailStatus, Outbox
from notifications.parsing.cutting import LARGEST_TAKEN
from tests.mailing import fresh_id, mailing, verify  # noqa: F401

pytestmark = pytest.mark.django_db

ANNA = "anna@players.example"


def address_for(user, topic="m"):
    return addresses.make("turn", key=uuid4(), user=user, expires_at=timezone.now() + timedelta(days=1), topic=topic)


@pytest.fixture
def to(anna, mailing):  # noqa: F811
    verify(anna)
    return address_for(anna)


@pytest.fixture
def letters(monkeypatch):
    got = []
    monkeypatch.setattr(purposes, "_handlers", {})
    purposes.register("turn", lambda letter: got.append((letter.user.username, letter.text)) or Handled({}))
    return got


GUESTS = [lambda number=number: number for number in range(8)]
"""Connections that a gate counts."""


class Line:
    """A manual connection. `said` is the reply to a command, empty once the other side has hung up."""

    def __init__(self, port, greet=True):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.file = self.socket.makefile("rb")
        self.greeting = self.read()
        if greet:
            self.say("EHLO client.example")

    def read(self):
        lines = []
        with contextlib.suppress(ConnectionResetError):
            while line := self.file.readline():
                lines.append(line.decode())
                if line[3:4] != b"-":
                    break
        return "".join(lines)

    def say(self, command):
        try:
            self.socket.sendall(command.encode() + b"\r\n")
        except OSError:
            return ""
        return self.read()

    def begin(self, to):
        self.say(f"MAIL FROM:<{ANNA}>")
        assert self.say(f"RCPT TO:<{to}>").startswith("250")
        assert self.say("DATA").startswith("354")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The connection is closed only once both are.
        self.file.close()
        self.socket.close()


@pytest.fixture
def port(mailing):  # noqa: F811
    return mailing.receiver.port


def wait_until_free(port):
    """Connect until the receiver has noticed the closed connections. Return its greeting."""
    while True:
        with Line(port, greet=False) as line:
            if line.greeting.startswith("220"):
                return line.greeting


# --- connections ---


@pytest.mark.parametrize("name", ["MAILSERVER_CONNECTIONS", "MAILSERVER_CONNECTIONS_PER_ADDRESS"])
def test_so_many_connections_and_no_more(port, settings, name):
    setattr(settings, name, 3)
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(Line(port, greet=False)) for _ in range(5)]
        assert [line.greeting[:3] for line in lines] == ["220"] * 3 + ["421"] * 2
        assert lines[4].read() == "", "and it is hung up"
        assert lines[0].say("NOOP").startswith("250"), "those inside do not notice"
    wait_until_free(port)


def test_where_all_connections_are_taken_the_network_with_the_most_gives_way(port, settings, monkeypatch):
    """So that a few networks do not keep all others out by connections that say nothing."""
    settings.MAILSERVER_CONNECTIONS = 4
    networks = iter(["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.3", "192.0.2.4"])
    monkeypatch.setattr(connection, "network_of", lambda peer: next(networks))
    with contextlib.ExitStack() as stack:
        first, second, third, other, late, later, last = (stack.enter_context(Line(port, greet=False)) for _ in range(7))
        assert [line.greeting[:3] for line in (first, second, third, other, late)] == ["220"] * 5
        assert first.read().startswith("421"), "the oldest one of the network with the most"
        assert first.read() == "", "and it is hung up"
        assert later.greeting.startswith("421"), "no other network has two more than this one"
        assert last.greeting.startswith("220")
        assert second.read().startswith("421")
        assert [line.say("NOOP")[:3] for line in (third, other, late, last)] == ["250"] * 4


def test_each_line_of_an_answer_is_sent_at_once(mailing, monkeypatch):  # noqa: F811
    """And not when the other side has acknowledged the line before, which it puts off for 40 ms."""
    made, at_once = SMTP.connection_made, []

    def connection_made(self, transport):
        at_once.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0)
        made(self, transport)

    monkeypatch.setattr(SMTP, "connection_made", connection_made)
    for port in (mailing.receiver.port, mailing.sink.port):
        with Line(port) as line:
            assert line.greeting.startswith("220")
    assert at_once == [True, True]


def test_behind_a_mail_server_one_address_is_everybody(settings):
    settings.MAILSERVER_CONNECTIONS_PER_ADDRESS = settings.MAILSERVER_UNKNOWN_PER_HOUR = 1
    settings.INBOUND_AUTH = "border"
    made = Gate()
    for _ in range(gate.FLOOD):
        made.guess("192.0.2.1")
    assert [made.enter("192.0.2.1", guest) for guest in GUESTS[:3]] == ["", "", ""]
    settings.INBOUND_AUTH = "own"
    assert made.enter("192.0.2.1", GUESTS[3]) == gate.FULL_FOR_YOU
    for guest in GUESTS[:3]:
        made.leave(guest)
    assert made.enter("192.0.2.1", GUESTS[3]) == gate.GUESSED


def test_behind_a_mail_server_no_connection_gives_way(settings):
    settings.MAILSERVER_CONNECTIONS = 2
    settings.INBOUND_AUTH = "border"
    made = Gate()
    assert [made.enter("192.0.2.1", guest) for guest in GUESTS[:2]] == ["", ""]
    assert made.enter("192.0.2.2", GUESTS[2]) == gate.FULL


def test_the_many_ipv6_networks_of_one_customer_do_not_fill_the_receiver(settings):
    settings.MAILSERVER_CONNECTIONS_PER_ADDRESS = 2
    settings.INBOUND_AUTH = "own"
    made = Gate()
    many = [f"2001:db8:1:{number:x}::/64" for number in range(7)]
    entered = [made.enter(network, guest) for network, guest in zip(many, GUESTS, strict=False)]
    assert entered == [""] * 6 + [gate.FULL_FOR_YOU]
    assert made.enter("2001:db8:2::/64", GUESTS[7]) == ""
    made.leave(GUESTS[0])
    assert made.enter(many[6], GUESTS[6]) == ""


def test_one_network_does_not_keep_others_from_sending_large_mails(settings):
    settings.INBOUND_AUTH = "own"
    made = Gate()
    bodies = [object() for _ in range(gate.MOST_LARGE + 1)]
    begun = [made.begin_large(body, "192.0.2.1") for body in bodies]
    assert begun == [number < gate.MOST_LARGE_OF_ONE for number in range(len(bodies))]
    assert made.begin_large(bodies[0], "192.0.2.1"), "it is counted once"
    assert made.begin_large(bodies[-1], "192.0.2.2")
    made.end_large(bodies[0])
    assert made.begin_large(bodies[5], "192.0.2.1")
    settings.INBOUND_AUTH = "border"
    made = Gate()
    assert sum(made.begin_large(body, "127.0.0.1") for body in bodies) == gate.MOST_LARGE


def test_the_networks_that_are_remembered_are_bounded(settings, monkeypatch):
    monkeypatch.setattr(gate, "MOST_NETWORKS", 3)
    made = Gate()
    for number in range(10):
        made.guess(f"192.0.2.{number}")
    assert list(made._guesses) == ["192.0.2.7", "192.0.2.8", "192.0.2.9"]


@pytest.mark.parametrize(
    ("peer", "network"),
    [
        (("192.0.2.7", 1), "192.0.2.7"),
        (("2001:db8:1:2:3::4", 1, 0, 0), "2001:db8:1:2::/64"),
        (("::ffff:192.0.2.7", 1, 0, 0), "192.0.2.7"),
        (("fe80::1%eth0", 1, 0, 2), "fe80::/64"),
        ("", ""),
    ],
)
def test_a_network_is_one_address_or_a_64(peer, network):
    assert network_of(peer) == network


# --- guesses, commands, time ---


def test_who_guesses_addresses_is_hung_up_on_then_gets_one_guess_a_connection_then_none(port, settings, to, monkeypatch):
    settings.MAILSERVER_UNKNOWN_PER_CONNECTION, settings.MAILSERVER_UNKNOWN_PER_HOUR = 3, 5
    with Line(port) as line:
        line.say("MAIL FROM:<eve@evil.example>")
        said = [line.say(f"RCPT TO:<turn+{'a' * 25}{letter}@reply.games.example>")[:3] for letter in "abcd"]
    assert said == ["550", "550", "421", ""]
    with Line(port) as line:
        line.say("MAIL FROM:<eve@evil.example>")
        assert line.say(f"RCPT TO:<{to}>").startswith("250"), "a known address is no guess"
        assert line.say("RCPT TO:<x@reply.games.example>").startswith("550")
        assert line.say("RCPT TO:<y@reply.games.example>").startswith("550")
    for _ in range(2):
        with Line(port) as line:
            line.say("MAIL FROM:<eve@evil.example>")
            assert line.say("RCPT TO:<z@reply.games.example>").startswith(gate.GUESSED)
    monkeypatch.setattr(gate, "FLOOD", 1)
    with Line(port, greet=False) as line:
        assert line.greeting.startswith("421 4.7.1")


def test_one_guesser_keeps_nobody_out_who_sends_through_the_same_mail_server(port, settings, to):
    """A provider sends the mails of all its customers from one address: one of them may write to any addresses."""
    settings.MAILSERVER_UNKNOWN_PER_CONNECTION, settings.MAILSERVER_UNKNOWN_PER_HOUR = 3, 2
    with Line(port) as line:
        line.say("MAIL FROM:<eve@players.example>")
        said = [line.say(f"RCPT TO:<{letter}@reply.games.example>")[:3] for letter in "abc"]
    assert said == ["550", "550", "421"]
    with Line(port) as line:
        assert line.greeting.startswith("220")
        line.say(f"MAIL FROM:<{ANNA}>")
        assert line.say(f"RCPT TO:<{to}>").startswith("250")


@pytest.mark.parametrize("command", ["NOOP", "RSET", "EHLO x", "HELP", "VRFY x", "MAIL FROM:<a@b.example>", "DATA"])
def test_so_many_commands_and_no_more(port, settings, command):
    settings.MAILSERVER_COMMANDS = 4
    with Line(port, greet=False) as line:
        said = [line.say(command)[:3] for _ in range(6)]
    assert said[4:] == ["421", ""]
    assert "421" not in said[:4]


@pytest.mark.parametrize("mistake", ["", "x" * 2000, "caf\u00e9"])
def test_so_many_lines_that_are_no_command_and_no_more(port, mistake):
    """An answer to each of them, as fast as they come, would leave no time for anybody else."""
    with Line(port) as line:
        said = [line.say(mistake)[:3] for _ in range(connection.MOST_MISTAKES + 1)]
    assert said == ["500"] * (connection.MOST_MISTAKES - 1) + ["421", ""]


def test_a_connection_ends_after_its_time(port, settings):
    settings.MAILSERVER_SESSION_SECONDS = 0.05
    with Line(port, greet=False) as line:
        assert line.read().startswith("421 4.4.2")
        assert line.read() == ""


def test_who_takes_no_answers_is_hung_up_on_all_the_same(port, settings):
    """What cannot be sent to them keeps neither their place nor a socket."""
    settings.MAILSERVER_CONNECTIONS, settings.MAILSERVER_COMMANDS = 1, 1_000_000
    settings.MAILSERVER_SESSION_SECONDS = 2
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        deaf.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)  # then little waits in the kernel
        deaf.connect(("127.0.0.1", port))
        deaf.settimeout(20)
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            while True:  # a timeout fails
                deaf.sendall(b"EHLO client.example\r\n" * 1000)
        assert wait_until_free(port).startswith("220"), "the one place is free"


def test_who_says_nothing_is_told_why_it_ends(settings, mailing, monkeypatch):  # noqa: F811
    monkeypatch.setattr("notifications.inbound.doors.receiver.IDLE_SECONDS", 0.05)
    with Receiver("127.0.0.1") as receiver, Line(receiver.port, greet=False) as line:
        assert line.read() == f"{connection.TIME_OUT}\r\n"


# --- bodies ---


def test_unfinished_bodies_lie_on_disk(port, to, monkeypatch):
    count, size = 6, 600 * 1024
    written, spools, all_there = [0], [], threading.Event()

    class Spool(tempfile.SpooledTemporaryFile):
        def __init__(self, **options):
            super().__init__(**options)
            spools.append(self)

        def write(self, data):
            written[0] += len(data)
            if written[0] >= count * (size - 20):
                all_there.set()
            return super().write(data)

    monkeypatch.setattr(connection.tempfile, "SpooledTemporaryFile", Spool)
    chunk = (b"x" + b"\r\n") * (size // 3)
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(Line(port)) for _ in range(count)]
        for line in lines:
            line.begin(to)
        tracemalloc.start()
        try:
            for line in lines:
                line.socket.sendall(chunk)
            assert all_there.wait(60)
            _now, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert all(spool._rolled for spool in spools)
        assert peak < count * size / 3, "a tenth of what lines kept as objects would take"


def test_a_body_comes_out_as_it_went_in(to, mailing):  # noqa: F811
    for shortest in (0, 1, 997, 16_000):
        body = b"".join(b"." * (number % 4) + b"x" * ((shortest + number) % 990) + b"\r\n" for number in range(1500))
        raw = b".: x\r\nMessage-ID: <b%d@x.example>\r\n\r\n" % shortest + body
        assert len(raw) > connection.IN_MEMORY
        mailing.deliver(raw, to=to)
        assert bytes(mailing.newest.raw) == raw


def test_a_body_is_the_same_however_it_was_cut_on_its_way():
    raw = b"..a\r\n...\r\n.b\r\n\r\n..\r\n..\n..c\r..\r\n"
    for at in range(2, len(raw) + 2):
        for then in range(at, len(raw) + 2):
            file = io.BytesIO()
            body = connection._Body(file, 1000)
            whole = b"\r\n" + raw
            for piece in (whole[:at], whole[at:then], whole[then:]):
                body.take(piece) if piece else None
            assert file.getvalue() == b".a\r\n..\r\nb\r\n\r\n.\r\n.\n..c\r..\r\n"
            assert (body.refusal, body.size) == ("", len(raw))


def test_an_empty_mail_is_empty(port, to):
    with Line(port) as line:
        line.begin(to)
        assert line.say(".").startswith("250")
    assert bytes(InboundMail.objects.get().raw) == b""


@pytest.mark.parametrize("end", [b"\n.\n", b"\r\n.\n", b"\n.\r\n", b"\r.\r", b"\r\n.\r"])
def test_only_one_end_is_the_end(port, to, end):
    """A body that other servers would cut in two (SMTP smuggling) is one mail here."""
    with Line(port) as line:
        line.begin(to)
        line.socket.sendall(b"From: anna@players.example\r\n\r\nx" + end + b"MAIL FROM:<eve@evil.example>\r\n.\r\n")
        assert line.read().startswith("250")
    assert b"MAIL FROM:<eve" in bytes(InboundMail.objects.get().raw)


def test_a_line_without_an_end_is_thrown_away(port, to):
    with Line(port) as line:
        line.begin(to)
        tracemalloc.start()
        try:
            for _ in range(40):
                line.socket.sendall(b"x" * 65_536)
            line.socket.sendall(b"\r\n.\r\n")
            said = line.read()
            _now, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert said.startswith("500 5.5.2")
        assert peak < 40 * 65_536 / 2
        assert line.say("NOOP").startswith("250"), "what follows is understood again"
    assert not InboundMail.objects.exists()


def test_a_dot_behind_a_long_line_is_no_end(port, to):
    with Line(port) as line:
        line.begin(to)
        line.socket.sendall(b"x" * 3000 + b".\r\nNOOP\r\n.\r\n")
        assert line.read().startswith("500 5.5.2")
        assert line.say("NOOP").startswith("250")


def test_a_mail_that_is_too_large_is_read_to_its_end_and_an_endless_one_is_not(port, to):
    piece = (b"x" * 998 + b"\r\n") * 64
    with Line(port) as line:
        line.begin(to)
        for _ in range(LARGEST_TAKEN // len(piece) + 2):
            line.socket.sendall(piece)
        said = line.say(".")
        assert said.startswith("552 5.3.4")
        assert "send your orders alone" in said
        assert line.say("NOOP").startswith("250")
        assert line.say(f"MAIL FROM:<{ANNA}> SIZE={2 * LARGEST_TAKEN}") == said
    with Line(port) as line:
        line.begin(to)
        with contextlib.suppress(OSError):
            for _ in range(4 * LARGEST_TAKEN // len(piece)):
                line.socket.sendall(piece)
        assert line.read()[:3] in ("421", "")
    assert not InboundMail.objects.exists()


@pytest.mark.parametrize("size", ["²", "１²", "1e3", "-1", "0x10"])
def test_a_size_that_is_no_number_is_a_fault_of_the_sender(port, size):
    with Line(port) as line:
        assert line.say(f"MAIL FROM:<{ANNA}> SMTPUTF8 SIZE={size}")[:3] == "501"
        assert line.say(f"MAIL FROM:<{ANNA}> SIZE=1000")[:3] == "250"


def test_so_many_large_bodies_at_once_and_no_more(port, to, monkeypatch):
    body = (b"x" * 998 + b"\r\n") * 1100
    with Line(port) as line:
        for most, reply in ((0, "452 4.3.1"), (1, "250"), (1, "250")):  # those that have ended do not count
            monkeypatch.setattr(gate, "MOST_LARGE", most)
            line.begin(to)
            line.socket.sendall(f"From: {ANNA}\r\nMessage-ID: {fresh_id()}\r\n\r\n".encode() + body)
            assert line.say(".").startswith(reply)


def test_a_disk_that_is_full_asks_the_sender_to_come_back(port, to, monkeypatch):
    class Full(tempfile.SpooledTemporaryFile):
        def write(self, data):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(connection.tempfile, "SpooledTemporaryFile", Full)
    with Line(port) as line:
        line.begin(to)
        assert line.say("Subject: x\r\n\r\nx\r\n.").startswith("452 4.3.1")


def test_a_fault_of_ours_asks_the_sender_to_come_back(port, to, monkeypatch):
    def fails(*_args, **_more):
        raise RuntimeError("a fault")

    monkeypatch.setattr("notifications.inbound.destinations.keep", fails)
    with Line(port) as line:
        line.begin(to)
        assert line.say("Subject: x\r\n\r\nx\r\n.").startswith("451")


# --- order of processing ---


def test_one_writers_flood_delays_nobody_else(anna, ben, mailing, letters):  # noqa: F811
    verify(anna, ben)
    flood = [address_for(anna, topic=f"m{number % 7}") for number in range(30)]
    for number, address in enumerate(flood):
        mailing.write(f"flood {number}", to=address)
    for number in range(2):
        mailing.write(f"order {number}", to=address_for(ben, f"b{number}"), sender="ben@players.example")
    tasks.work_soon(["hint"] * 4)
    assert [who for who, _text in letters].count("ben") == 2, "one of each in turn"
    pipeline.work()
    assert len(letters) == 32
    by_topic = {}
    for who, text in letters[:]:
        if who == "anna":
            number = int(text.split()[1])
            by_topic.setdefault(number % 7, []).append(number)
    assert all(numbers == sorted(numbers) for numbers in by_topic.values()), "within a topic in the order they came"


def test_a_hint_is_as_good_for_everybody(anna, ben, mailing, letters):  # noqa: F811
    """A thousand hints of one sender are ahead of another's in the broker, but the order is decided here."""
    verify(anna, ben)
    for number in range(10):
        mailing.write(f"flood {number}", to=address_for(anna, topic=f"m{number}"))
    tasks.work_soon(["first"])
    mailing.write("order", to=address_for(ben), sender="ben@players.example")
    tasks.work_soon(["second"])
    assert [who for who, _text in letters] == ["anna", "ben"]


def test_a_mail_that_is_tried_again_keeps_no_other_topic_waiting(anna, mailing, letters):  # noqa: F811
    verify(anna)
    mailing.write("first", to=address_for(anna, "m1"))
    [mail] = store.claim(5)
    assert store.begin(mail)
    store.put_back(mail, error="fault")
    mailing.write("second", to=address_for(anna, "m2"))
    pipeline.work()
    assert letters == [("anna", "second")]


# --- amounts ---


PASSED = "mx.players.example; dmarc=pass header.from=players.example"


def refused(mailing, to, sender=ANNA, source="127.0.0.1", **headers):  # noqa: F811
    try:
        mailing.write("move", to=to, sender=sender, source=source, message_id=fresh_id(), **headers)
    except smtplib.SMTPRecipientsRefused as fault:
        [(code, _words)] = fault.recipients.values()
        return code
    except smtplib.SMTPDataError as fault:
        return fault.smtp_code
    return None


def an_hour_later():
    InboundMail.objects.update(received_at=timezone.now() - rates.SPAN)
    Throttle.objects.update(ends_at=timezone.now())


def test_mail_over_the_cap_of_an_address_is_asked_to_come_later(to, mailing, settings, letters):  # noqa: F811
    settings.INBOUND_MAILS_PER_ADDRESS = 2
    assert [refused(mailing, to) for _ in range(4)] == [None, None, 451, 451]
    an_hour_later()
    assert refused(mailing, to) is None
    pipeline.work()
    assert len(letters) == 3, "nothing that was taken is lost"


def test_one_customers_networks_do_not_use_up_the_standing_address(mailing, settings):  # noqa: F811
    settings.INBOUND_AUTH, settings.INBOUND_MAILS_PER_ADDRESS = "own", 1
    for number in range(200):
        with contextlib.suppress(rates.TooMuchMail):
            rates.check_any(StandingAddress(), f"a{number}@x.example", network=f"2001:db8:0:{number:x}::/64")
    for network in ("2001:db8:1::/64", "192.0.2.1"):
        rates.check_any(StandingAddress(), ANNA, network=network)


def test_a_forger_with_a_new_sender_on_each_envelope_fills_no_table(mailing, settings, monkeypatch):  # noqa: F811
    """Each envelope was a row, whether its mail was taken or not: one connection after another made millions an hour."""
    monkeypatch.setattr(rates, "PLACES", 20)
    settings.INBOUND_AUTH = "own"
    for number in range(300):
        with contextlib.suppress(rates.TooMuchMail):
            rates.check_any(StandingAddress(), f"a{number}@x.example", network=f"2001:db8:0:{number:x}::/64")
    assert Throttle.objects.count() <= 20 + 2
    rates.check_any(StandingAddress(), ANNA, network="192.0.2.1")


def test_a_stranger_who_floods_an_address_does_not_shut_its_owner_out(to, mailing, settings, letters):  # noqa: F811
    settings.INBOUND_MAILS_PER_ADDRESS = 2
    assert [refused(mailing, to, sender=f"eve{number}@evil.example") for number in range(4)] == [None, None, 451, 451]
    assert refused(mailing, to, sender=ANNA.upper()) is None
    pipeline.work()
    assert letters == [("anna", "move")]


def test_a_stranger_who_writes_the_owners_name_on_envelopes_does_not_shut_them_out(to, mailing, settings, letters):  # noqa: F811
    settings.INBOUND_MAILS_PER_ADDRESS, settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = 2, "border", "mx.players.example"
    assert [refused(mailing, to) for _ in range(5)] == [None] * 5
    assert refused(mailing, to, Authentication_Results=PASSED) is None, "while the forgeries are not judged yet"
    pipeline.work()
    assert InboundMail.objects.filter(status=MailStatus.HELD).count() == 5
    assert [refused(mailing, to) for _ in range(16)] == [None] * 15 + [451], "a flood that fills the disk ends"
    assert refused(mailing, to, Authentication_Results=PASSED) is None, "and its name is not the owner"
    assert refused(mailing, to, Authentication_Results=PASSED) == 451, "what is proved to be theirs has its own cap"
    pipeline.work()
    assert letters == [("anna", "move")] * 2


def test_a_forger_shuts_out_their_own_network_alone(to, mailing, settings, letters):  # noqa: F811
    settings.INBOUND_MAILS_PER_ADDRESS, settings.INBOUND_AUTH = 2, "own"
    assert [refused(mailing, to, source="127.0.0.2") for _ in range(4)] == [None, None, 451, 451]
    assert refused(mailing, to) is None
    InboundMail.objects.update(status=MailStatus.FAILED)
    assert refused(mailing, to) is None, "mail that no name server proved in time is nobody's"


def test_mail_that_was_worked_on_counts_against_its_owner_from_every_network(to, mailing, settings, letters):  # noqa: F811
    settings.INBOUND_MAILS_PER_ADDRESS = 2
    assert [refused(mailing, to, source=f"127.0.0.{number}") for number in (2, 3)] == [None, None]
    pipeline.work()
    assert refused(mailing, to, source="127.0.0.4") == 451


def test_a_mail_of_the_owners_that_others_send_again_does_not_shut_them_out(anna, to, mailing, settings, letters):  # noqa: F811
    settings.INBOUND_MAILS_PER_ADDRESS, settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = 2, "border", "mx.players.example"
    for _ in range(4):
        mailing.write("move", to=to, message_id="<again@players.example>", Authentication_Results=PASSED)
    elsewhere = f"From: Anna <{ANNA}>\r\nTo: friend@x.example\r\nAuthentication-Results: {PASSED}\r\n\r\nmove {{}}\r\n"
    for number in range(4):
        mailing.deliver(elsewhere.format(number).encode(), to=to)
    unsigned = f"DKIM-Signature: d=players.example; h=from:date\r\n{elsewhere.replace('friend@x.example', to)}"
    for number in range(4):
        mailing.deliver(unsigned.format(number).encode(), to=to)
    assert refused(mailing, to, Authentication_Results=PASSED) is None


def test_a_mail_server_in_front_is_not_hung_up_on_for_what_the_world_guesses(port, settings, to):
    settings.INBOUND_AUTH, settings.MAILSERVER_UNKNOWN_PER_CONNECTION = "border", 3
    with smtplib.SMTP("127.0.0.1", port) as client:
        client.helo("mx.players.example")
        client.mail("anna@players.example")
        assert [client.rcpt(f"turn+{'a' * 26}@{settings.REPLY_DOMAIN}")[0] for _ in range(6)] == [550] * 6
        assert client.rcpt(to)[0] == 250


def test_questions_about_strangers_leave_room_for_one_about_the_owner(to, mailing, settings, monkeypatch, letters):  # noqa: F811
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = "border", "mx.example.org"
    monkeypatch.setattr(held, "QUESTIONS_A_DAY", 2)
    for _ in range(4):
        assert refused(mailing, to, sender="eve@evil.example") is None
    pipeline.work()
    assert Outbox.objects.filter(kind="mail_held").count() == 3, "the last one says that there will be no more"
    assert refused(mailing, to) is None
    pipeline.work()
    assert Outbox.objects.filter(kind="mail_held").count() == 4, "held without a word, the orders would be lost"


def test_the_cap_of_a_player_holds_over_all_their_addresses(anna, ben, mailing, settings, letters):  # noqa: F811
    verify(anna, ben)
    settings.INBOUND_MAILS_PER_USER = 3
    assert [refused(mailing, address_for(anna, f"m{number}")) for number in range(5)] == [None, None, None, 451, 451]
    assert refused(mailing, address_for(ben), sender="ben@players.example") is None


def test_a_player_without_an_account_has_a_cap_too(mailing, settings, letters):  # noqa: F811
    settings.INBOUND_MAILS_PER_USER = 1
    made = [
        addresses.make("turn", key=uuid4(), user=None, email="cara@x.example", expires_at=timezone.now() + timedelta(days=1))
        for _ in range(2)
    ]
    assert [refused(mailing, address, sender="cara@x.example") for address in made] == [None, 451]
    assert not User.objects.exists()
    assert InboundMail.objects.get().status == MailStatus.WAITING
