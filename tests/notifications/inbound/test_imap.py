"""The mailbox reader: real IMAP against a small server; the time that counts, marks, and messages left alone."""

from __future__ import annotations

import imaplib
import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
import time_machine
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.utils import timezone

from accounts.models import Throttle, User
from gamesvc.time_limits import TimeIsUp
from notifications.inbound import addresses, destinations, pipeline, store, waiting
from notifications.inbound.doors import imap
from notifications.inbound.tasks import poll_mailbox
from notifications.models import InboundMail, Mailbox
from tests.mailing import verify
from tests.notifications.inbound.imap_server import Imap

pytestmark = pytest.mark.django_db


@pytest.fixture
def box(settings, monkeypatch):
    settings.REPLY_DOMAIN = "reply.games.example"
    settings.INBOUND_AUTH = "loopback"
    monkeypatch.setattr(store, "wake", lambda ids: None)
    with Imap() as server:
        settings.IMAP_URL = server.url
        yield server


@pytest.fixture
def to(box, anna: User) -> str:
    verify(anna)
    return addresses.make("turn", key=uuid4(), user=anna, topic="42", expires_at=timezone.now() + timedelta(days=1))


@pytest.fixture
def to_ben(box, ben: User) -> str:
    """The reply address of another player, who shares nothing with anna but the mailbox."""
    return addresses.make("turn", key=uuid4(), user=ben, topic="42", expires_at=timezone.now() + timedelta(days=1))


def mail(to: str, text: str = "move A1", header: str = "To", **more: str) -> bytes:
    lines = ["From: Anna <anna@players.example>", f"{header}: {to}", f"Message-ID: <{uuid4()}@players.example>"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in more.items()]
    return ("\r\n".join(lines) + f"\r\n\r\n{text}\r\n").encode()


def test_mail_counts_from_its_internaldate_and_is_marked(box, to):
    moment = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=3)
    for _ in range(2):  # the server's two ways to order its answer
        box.put(mail(to, Date="Fri, 01 Jan 1999 00:00:00 +0000"), moment=moment)
    assert imap.poll() == 2
    assert set(InboundMail.objects.values_list("received_at", "counts_at")) == {(moment, moment)}
    assert [one.flags for one in box.folders["INBOX"]] == [{"\\Seen"}, {"\\Seen"}]
    assert InboundMail.objects.first().envelope_from == "anna@players.example"
    assert bytes(InboundMail.objects.first().raw).endswith(b"move A1\r\n")


def test_a_date_in_the_future_counts_as_now(box, to):
    box.put(mail(to), moment=datetime.now(UTC) + timedelta(days=1))
    imap.poll()
    assert InboundMail.objects.get().received_at <= timezone.now()


def test_nothing_is_read_twice_and_only_new_mail_is_asked_for(box, to):
    box.put(mail(to))
    assert imap.poll() == 1
    assert imap.poll() == 0
    box.put(mail(to))
    box.log.clear()
    assert imap.poll() == 1
    assert "UID SEARCH UID 2:*" in box.log
    assert InboundMail.objects.count() == 2


def test_more_new_mails_than_fit_into_one_answer_are_found(box, to, monkeypatch):
    """A flood that comes faster than it is read would end all reading, once its UIDs fill a line of the library's longest."""
    monkeypatch.setattr(imaplib, "_MAXLINE", 300)
    monkeypatch.setattr(imap, "AT_ONCE", 20)
    box.put(mail(to))
    taken = []
    for _ in range(2):  # the first look, and one that goes on
        for _ in range(100):
            box.put(mail("x@elsewhere.example"))
        box.put(mail(to))
        taken.append(imap.poll())
    assert taken == [2, 1]
    box.folders["INBOX"].clear()
    assert imap.poll() == 0


def test_other_peoples_mail_is_left_alone(box, to, anna):
    expired = addresses.make("turn", key=uuid4(), user=anna, expires_at=timezone.now() - timedelta(minutes=1))
    box.put(mail(expired))
    box.put(mail("somebody@reply.games.example"))
    box.put(mail("turn+" + "a" * 26 + "@reply.games.example"))
    assert imap.poll() == 0
    assert all(one.flags == set() for one in box.folders["INBOX"])
    assert not any("BODY.PEEK[]" in command for command in box.log)


@pytest.mark.parametrize("moves", [True, False])
def test_what_was_taken_goes_where_the_operator_wants_it(box, to, settings, moves):
    box.moves = moves
    settings.IMAP_TAKEN_FOLDER = "Taken"
    box.put(mail(to))
    box.put(mail("somebody@elsewhere.example"))
    assert imap.poll() == 1
    assert len(box.folders["Taken"]) == 1
    assert len(box.folders["INBOX"]) == 1


@pytest.mark.parametrize("header", ["Delivered-To", "X-Original-To", "Envelope-To", "Cc"])
def test_plus_addresses_and_catch_all_domains_are_found_in_the_headers(box, to, settings, header):
    box.put(mail(to.upper(), header=header))
    token = addresses.token_of(to)
    box.put(mail(f"{token}@reply.games.example", header=header))  # a catch-all needs no word before the token
    assert imap.poll() == 2


def test_a_bounce_in_the_mailbox_stays_a_bounce(box, to):
    box.put(mail(to, Return_Path="<>"))
    imap.poll()
    assert InboundMail.objects.get().envelope_from == ""


def test_a_server_that_is_down_is_tried_again_and_loses_nothing(box, to, settings, caplog):
    box.put(mail(to))
    for command in ("SELECT", "SEARCH", "FETCH"):
        box.refuse = {command}
        with pytest.raises(imap.Unreachable):
            imap.poll()
    assert poll_mailbox() == 0
    box.refuse = set()
    assert poll_mailbox() == 1
    right = settings.IMAP_URL
    settings.IMAP_URL = right.replace("secret", "a-wrong-one")
    with pytest.raises(imap.Unreachable) as fault:
        imap.poll()
    assert "a-wrong-one" not in str(fault.value)
    assert "a-wrong-one" not in caplog.text


@pytest.mark.parametrize("fault", ["refused", "hangs up"])
def test_what_its_server_could_not_give_for_an_hour_is_not_lost(box, to, fault):
    """As one whose index answers while the disk with the mails does not."""
    uids = {box.put(mail(to, f"move A{number}")) for number in range(3)}
    setattr(box, "broken" if fault == "refused" else "deadly", uids)
    moment = timezone.now()
    for poll in range(180):
        with time_machine.travel(moment + poll * timedelta(seconds=20), tick=True):
            assert poll_mailbox() == 0
    box.broken = box.deadly = set()
    taken = 0
    for poll in range(180):
        with time_machine.travel(moment + timedelta(hours=1) + poll * timedelta(seconds=20), tick=True):
            taken += poll_mailbox()
    assert (taken, Mailbox.objects.get().waiting, Mailbox.objects.get().failing) == (3, [], {})


def test_a_message_that_its_server_never_gives_keeps_nothing_back_for_ever(box, to, monkeypatch):
    monkeypatch.setattr(imap, "MOST_TRIES", 3)
    box.broken = {box.put(mail(to))}
    box.put(mail(to))
    assert [poll_mailbox() for _ in range(4)] == [0, 0, 1, 0]


def test_a_message_at_which_its_server_hangs_up_keeps_nothing_back_for_ever(box, to, monkeypatch):
    monkeypatch.setattr(imap, "MOST_TRIES", 3)
    box.deadly = {box.put(mail(to))}
    box.put(mail(to))
    assert [poll_mailbox() for _ in range(5)] == [0, 0, 0, 1, 0]
    with time_machine.travel(timezone.now() + timedelta(minutes=2), tick=True):
        box.put(mail(to))
        assert [poll_mailbox() for _ in range(2)] == [0, 1], "it is looked at again, and rests for longer"


def give_up_after(looks: int, monkeypatch) -> None:
    """Pass a message over after so many looks beyond the first tries, with no rest between them."""
    monkeypatch.setattr(imap, "MOST_LOOKS", looks)
    monkeypatch.setattr(imap, "FIRST_REST", timedelta(0))


def test_a_message_that_waited_and_at_which_its_server_hangs_up_is_put_aside_too(box, to, settings, monkeypatch):
    give_up_after(2, monkeypatch)
    settings.INBOUND_MAILS_PER_ADDRESS = 1
    for number in range(2):
        box.put(mail(to, f"move A{number}"))
    poll_mailbox()
    assert Mailbox.objects.get().waiting == [2]
    Throttle.objects.update(ends_at=timezone.now())  # an hour later
    box.deadly = {2}
    box.put(mail(to, "move A3"))
    assert [poll_mailbox() for _ in range(4)] == [0, 0, 0, 1]
    assert Mailbox.objects.get().waiting == []


@pytest.mark.parametrize("waited", [False, True])
def test_a_large_message_on_a_slow_line_keeps_nothing_back_for_ever(box, to, settings, monkeypatch, waited):
    monkeypatch.setattr(imap, "MOST_TRIES", 3)
    give_up_after(2 if waited else 0, monkeypatch)
    real, slow = imap._fetch, None

    def fetched(connection, uid, part):
        if uid == slow:
            raise TimeIsUp
        return real(connection, uid, part)

    monkeypatch.setattr(imap, "_fetch", fetched)
    if waited:
        settings.INBOUND_MAILS_PER_ADDRESS = 1
        box.put(mail(to))
    large = box.put(mail(to))
    if waited:
        poll_mailbox()
        assert Mailbox.objects.get().waiting == [large]
        Throttle.objects.update(ends_at=timezone.now())  # an hour later
    slow = large
    box.put(mail(to))
    for _ in range(3):
        with pytest.raises(TimeIsUp):
            poll_mailbox()
    assert poll_mailbox() == 1
    assert Mailbox.objects.get().waiting == []


def test_a_message_that_our_own_code_cannot_read_keeps_nothing_back(box, to, monkeypatch):
    real = destinations.take

    def take(raw, **more):
        if b"poison" in raw.raw:
            raise ValueError("a header that nobody has thought of")
        return real(raw, **more)

    monkeypatch.setattr(destinations, "take", take)
    poisoned = [box.put(mail(to, f"poison {number}")) for number in range(3)]
    box.put(mail(to))
    assert imap.poll() == 1
    row = Mailbox.objects.get()
    assert (row.waiting, row.tries) == (poisoned, 0)
    assert set(row.failing) == {str(uid) for uid in poisoned}
    monkeypatch.setattr(destinations, "take", real)
    with time_machine.travel(timezone.now() + timedelta(minutes=2), tick=True):
        assert imap.poll() == 3, "they are looked at again"


@pytest.mark.parametrize("deep", ["(", "a:", "\\(("])
def test_a_to_line_in_which_the_parser_loses_its_way_keeps_nothing_back(box, anna, settings, deep):
    """Anybody with a domain may write one to the standing address, and a player to their reply address."""
    verify(anna)
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = "border", "mx.games.example"
    to = addresses.make("turn", key=uuid4(), user=anna, topic="42", expires_at=timezone.now() + timedelta(days=1))
    for sender, ours in (("eve@elsewhere.example", "play@reply.games.example"), ("anna@players.example", to)):
        proof = f"Authentication-Results: mx.games.example; dmarc=pass header.from={sender.partition('@')[2]}\r\n"
        line = f"{deep * (3000 // len(deep))} <{ours}>"
        box.put(proof.encode() + mail(line, Delivered_To=ours).replace(b"anna@players.example", sender.encode()))
    box.put(mail(to))
    assert imap.poll() == 3
    assert Mailbox.objects.get().waiting == []


@pytest.mark.parametrize("odd", [b"\x00", b"\xff", b"\xed\xa0\x80", b"x" * 2000])
def test_a_message_id_of_any_bytes_keeps_nothing_back(box, to, settings, odd):
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = "border", "mx.players.example"
    proved = mail(to, Authentication_Results="mx.players.example; dmarc=pass header.from=players.example")
    box.put(proved.replace(b"ID: <", b"ID: <" + odd))
    box.put(mail(to))
    assert imap.poll() == 2
    assert Mailbox.objects.get().waiting == []


def test_a_message_that_waited_and_cannot_be_read_is_put_aside_too(box, to, settings, monkeypatch, caplog):
    give_up_after(2, monkeypatch)
    settings.INBOUND_MAILS_PER_ADDRESS = 1
    for number in range(3):
        box.put(mail(to, f"move A{number}"))
    imap.poll()
    assert Mailbox.objects.get().waiting == [2, 3]
    Throttle.objects.update(ends_at=timezone.now())  # an hour later
    box.broken = {2}
    looks = [imap.poll() for _ in range(4)]
    row = Mailbox.objects.get()
    assert (looks, row.waiting, row.failing) == ([1, 0, 0, 0], [], {})
    told = [record.message for record in caplog.records if "passed over" in record.message]
    assert told == [f"message 2 of {row.name} cannot be read and is passed over"]


@pytest.mark.parametrize(("fault", "told"), [(OperationalError, OperationalError), (OSError(28, "full"), imap.Unreachable)])
def test_a_database_or_a_disk_that_is_away_passes_no_message_over(box, to, monkeypatch, fault, told):
    monkeypatch.setattr(imap, "MOST_TRIES", 1)
    box.put(mail(to))
    with monkeypatch.context() as patch:

        def away(*_a, **_k):
            raise fault

        patch.setattr(destinations, "take", away)
        with pytest.raises(told):
            imap.poll()
    assert imap.poll() == 1


def test_a_mailbox_that_was_made_anew_is_read_from_its_beginning(box, to):
    raw = mail(to)
    box.put(raw)
    imap.poll()
    box.validity += 1
    assert imap.poll() == 0  # known by its Message-ID
    box.put(mail(to))
    assert imap.poll() == 1


def test_one_worker_polls_at_a_time(box, to):
    box.put(mail(to))
    name = imap.account().name
    Mailbox.objects.create(name=name, claimed_until=timezone.now() + timedelta(minutes=1))
    assert imap.poll() == 0
    Mailbox.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert imap.poll() == 1


def test_a_deadline_waits_for_a_look_after_it(box, to, anna):
    def asked(moment, topic="42"):
        return waiting.waits_before(topic=topic, user_id=anna.pk, moment=moment)

    due = timezone.now()
    assert asked(due)
    box.put(mail(to), moment=due - timedelta(seconds=1))
    imap.poll()
    assert asked(due)  # because of the mail that was found
    InboundMail.objects.all().delete()
    assert not asked(due)
    assert asked(timezone.now())
    assert not asked(timezone.now(), topic="a match that he gets no mail about")


def test_a_deadline_gives_up_on_a_mailbox_only_once_a_look_after_it_has_failed(box, to, anna, settings):
    def untried(moment):
        return waiting.untried(topic="42", user_id=anna.pk, moment=moment)

    due = timezone.now()
    assert untried(due), "no worker has looked yet"
    settings.IMAP_URL, there = "imap://anna:secret@127.0.0.1:1/INBOX", settings.IMAP_URL
    assert untried(due)
    with pytest.raises(imap.Unreachable):
        imap.poll()
    assert not untried(due)
    assert untried(timezone.now())
    settings.IMAP_URL = there
    box.put(mail(to), moment=due - timedelta(seconds=1))
    imap.poll()
    assert untried(due), "the mail that was found"
    InboundMail.objects.update(attempts=1)
    assert not untried(due)


def test_a_mail_over_the_limit_is_cut_and_refused(box, to):
    box.put(mail(to, "x\r\n" * 500_000))
    imap.poll()
    assert len(bytes(InboundMail.objects.get().raw)) <= 1024 * 1024 + 1
    pipeline.work()
    assert InboundMail.objects.get().error.startswith("too_large")


def test_the_command_looks_once(box, to, settings, capsys):
    box.put(mail(to))
    call_command("mailbox", "--json")
    assert json.loads(capsys.readouterr().out)["taken"] == 1
    settings.IMAP_URL = ""
    with pytest.raises(CommandError, match="IMAP_URL"):
        call_command("mailbox")


@pytest.mark.parametrize(
    "url", ["pop3://a:b@x", "imaps://mail.example.org", "imaps://a:b@mail.example.org", "imap://a:b@localhost"]
)
def test_an_address_that_cannot_be_right_is_refused(settings, url):
    settings.INBOUND_AUTH = "loopback"  # which trusts every sender, so only a mailbox on this machine is allowed
    settings.IMAP_URL = url
    with pytest.raises(ImproperlyConfigured):
        imap.account()


def test_a_flood_by_one_writer_keeps_back_nobody_elses_mail(box, to, ben, to_ben, settings, monkeypatch):
    settings.INBOUND_MAILS_PER_ADDRESS = 1
    monkeypatch.setattr(imap, "MOST_WAITING", 2)
    for number in range(5):
        box.put(mail(to, f"move A{number}"))
    box.put(mail(to_ben))
    assert imap.poll() == 2
    assert InboundMail.objects.filter(address__user=ben).count() == 1
    assert Mailbox.objects.get().waiting == [2, 3]
    assert box.folders["INBOX"][3].flags == set(), "what is passed over stays in the mailbox, unread"


def test_mail_over_a_cap_waits_in_the_mailbox_and_keeps_back_nobody_elses(box, to, ben, to_ben, settings):
    settings.INBOUND_MAILS_PER_ADDRESS = 2
    for number in range(4):
        box.put(mail(to, f"move A{number}"))
    box.put(mail(to_ben))
    assert imap.poll() == 3
    assert InboundMail.objects.filter(address__user=ben).count() == 1
    assert [one.flags for one in box.folders["INBOX"]] == [{"\\Seen"}, {"\\Seen"}, set(), set(), {"\\Seen"}]
    assert imap.poll() == 0
    assert Mailbox.objects.get().waiting == [3, 4]
    Throttle.objects.update(ends_at=timezone.now())  # an hour later
    assert imap.poll() == 2
    assert Mailbox.objects.get().waiting == []
    assert sorted(bytes(one.raw)[-4:-2] for one in InboundMail.objects.exclude(address__user=ben)) == [b"A0", b"A1", b"A2", b"A3"]


def test_messages_that_only_claim_their_sender_keep_back_none_of_the_owners(box, to, settings):
    settings.INBOUND_MAILS_PER_ADDRESS, settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = 2, "border", "mx.players.example"
    for number in range(5):
        box.put(mail(to, f"forged {number}"))
    box.put(mail(to, Authentication_Results="mx.players.example; dmarc=pass header.from=players.example"))
    assert imap.poll() == 6
    assert Mailbox.objects.get().waiting == []


def test_mail_to_the_standing_address_is_taken_within_its_limits(box, anna, settings):
    """Known and unknown senders alike; what is over the cap stays in the mailbox, and is looked at again."""
    verify(anna)
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID, settings.INBOUND_MAILS_PER_ADDRESS = "border", "mx.games.example", 1
    written = mail("play@reply.games.example", "list")
    for sender in (b"anna@players.example", b"eve@elsewhere.example"):
        proof = b"Authentication-Results: mx.games.example; dmarc=pass header.from=" + sender.partition(b"@")[2]
        for number in range(2):
            named = written.replace(b"anna@players.example", sender).replace(b"ID: <", b"ID: <%d%b" % (number, sender[:1]))
            box.put(proof + b"\r\n" + named)
    assert imap.poll() == 2
    assert {row.address.email for row in InboundMail.objects.all()} == {"anna@players.example", "play@reply.games.example"}
    assert len(Mailbox.objects.get().waiting) == 2
    box.put(mail("player@reply.games.example"))
    assert imap.poll() == 0
