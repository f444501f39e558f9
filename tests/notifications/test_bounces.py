"""Bounced mails: reported by the mail server, by a delivery report, by a provider; and the consequences."""

from __future__ import annotations

import base64
import re
import smtplib
from datetime import timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest
import time_machine
from anymail.signals import AnymailTrackingEvent, EventType, RejectReason, tracking
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts import erasure
from accounts.addresses import add_verified_address
from notifications.inbound import destinations
from notifications.models import Bounce, InboundMail, Mute, Outbox, Report, Scope, Source, Status, Suppression
from notifications.outbox import Notice, notify
from notifications.parsing import dsn, reading
from notifications.parsing.cutting import Cut, cut
from notifications.returned import return_paths, suppression
from notifications.tasks import send_due
from tests.mailing import FIXTURES, mailing, verify  # noqa: F401

REPORTS = FIXTURES.parent / "bounces"
EXPECTED = {
    "postfix_unknown_user": (Report.HARD, "5.1.1"),
    "postfix_host_gone": (Report.SOFT, "4.4.1"),
    "postfix_delayed": None,
    "exim_no_such_user": (Report.HARD, "5.0.0"),
    "exchange_online": (Report.HARD, "5.1.10"),
    "exchange_edge_block": (Report.HARD, "5.4.1"),
    "gmail_over_quota": (Report.SOFT, "5.2.2"),
    "sendmail_unknown_user": (Report.HARD, "5.1.1"),
    "qmail_no_mailbox": (Report.HARD, "5.1.1"),
    "blocked_as_spam": (Report.SOFT, "5.7.1"),
    "relayed": None,
    "complaint_arf": (Report.COMPLAINT, ""),
    "away": None,
}


@pytest.fixture
def wanted(turns, anna, mailing):  # noqa: F811
    """A player who gets mail from a service that takes answers."""
    verify(anna)
    return SimpleNamespace(anna=anna, mailing=mailing)


def send(wanted, **fields):
    """Queue a notice, let it be sent, and return its row and what the mail server received (None if nothing)."""
    notice = Notice(**{"kind": "your_turn", "user_id": wanted.anna.pk, "topic": "42", **fields})
    notify(notice)
    before = len(wanted.mailing.sink.messages)
    send_due()
    return Outbox.objects.get(pk=notice.id), next(iter(wanted.mailing.sink.messages[before:]), None)


def come_back(wanted, name, to, *, sender="<>"):
    raw = (REPORTS / f"{name}.eml").read_bytes().replace(b"RETURN_PATH", to.encode()).replace(b"\n", b"\r\n")
    with smtplib.SMTP("127.0.0.1", wanted.mailing.receiver.port, timeout=10) as client:
        client.sendmail("" if sender == "<>" else sender, [to], raw)


def fail_twice(wanted, name, *, sender="<>", **fields):
    """Let two mails bounce, the second sent after the first was reported."""
    for _ in range(2):
        row, caught = send(wanted, **fields)
        come_back(wanted, name, caught.sender, sender=sender)
    return row


def test_every_fixture_is_judged():
    assert {path.stem for path in REPORTS.glob("*.eml")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_reports_of_many_servers(name):
    found = dsn.read((REPORTS / f"{name}.eml").read_bytes())
    assert (found and (found.report, found.status)) == EXPECTED[name]
    assert "anna@" not in (found.detail if found else "")


@given(st.binary(max_size=400), st.sampled_from(sorted(EXPECTED)), st.integers(0, 3000))
def test_no_mail_breaks_the_reader(noise, name, at):
    raw = (REPORTS / f"{name}.eml").read_bytes()
    found = dsn.read(raw[:at] + noise + raw[at:])
    assert found is None or len(found.detail) <= 300


def test_a_bomb_of_parts_is_not_parsed():
    assert dsn.read(b"Content-Type: multipart/report; boundary=a\n\n" + b"--a\nContent-Type: multipart/mixed\n\n" * 1000) is None


@pytest.mark.parametrize("filling", ["-" * 60_000, "a" * 60_000, "5.1." * 15_000, "<" * 60_000, "\n" * 60_000])
def test_long_runs_do_not_hold_up_the_reader(filling):
    """A backtracking pattern would take minutes, and exceed the test's own time limit."""
    for head in (
        "From: MAILER-DAEMON@mx.example\n\n550 ",
        "Content-Type: message/delivery-status\n\n\nAction: failed\nDiagnostic-Code: x;",
    ):
        for _ in range(3):
            found = dsn.read((head + filling).encode())
        assert found is None or found.report in Report.values


@pytest.mark.parametrize(
    ("reply", "report"),
    [
        ("550 5.1.1 no such user", Report.HARD),
        ("550 no such user here", Report.HARD),
        ("553 sorry, that domain is not ours", Report.HARD),
        ("550 5.2.1 The account is disabled", Report.HARD),
        ("550-5.2.1 The user is receiving mail at a rate that 550-5.2.1 prevents additional messages", Report.SOFT),
        ("554 5.7.1 not wanted here", Report.SOFT),
        ("550 rejected as spam", Report.SOFT),
        ("550 Access denied", Report.SOFT),
        ("550 Too many invalid recipients from your address", Report.SOFT),
        ("550 Sender verify failed", Report.SOFT),
        ("552 5.2.2 mailbox full", Report.SOFT),
        ("550 5.1.8 sender domain not found", Report.SOFT),
        ("451 4.3.0 come back", Report.SOFT),
        ("gone from 5.1.1.7 without a word", Report.SOFT),
    ],
)
def test_a_servers_words(reply, report):
    assert dsn.judge(reply).report == report


def test_the_envelope_has_an_address_of_its_own(wanted):
    row, caught = send(wanted)
    assert caught.message["From"] == "Stones #42 <play@games.example>"
    assert caught.sender == return_paths.address(return_paths.BOUNCE, row.id)
    assert caught.sender.startswith(f"bounce+{row.id.hex}-")
    assert caught.sender.endswith("@reply.games.example")
    assert row.sent_to
    assert "anna" not in row.sent_to


def test_without_mail_coming_in_the_envelope_is_plain(wanted, settings):
    settings.REPLY_DOMAIN = ""
    _row, caught = send(wanted)
    assert caught.sender == "play@games.example"
    assert "mailto:" not in caught.message["List-Unsubscribe"]


def test_plus_addressing_in_one_mailbox(settings):
    settings.REPLY_DOMAIN, settings.REPLY_MAILBOX = "games.example", "play"
    identity = uuid4()
    made = return_paths.address(return_paths.BOUNCE, identity)
    assert made.startswith("play+")
    assert return_paths.resolve(made.upper()) == return_paths.ReturnPath("bounce", identity)
    settings.REPLY_MAILBOX = "a-mailbox-with-quite-a-long-name"
    assert return_paths.address(return_paths.BOUNCE, identity) == "", "64 octets are the most a server must take"


def test_nobody_can_make_up_a_return_path(wanted, settings):
    row, _caught = send(wanted)
    made = return_paths.address(return_paths.BOUNCE, row.id)
    forged = f"bounce+{row.id.hex}-aaaaaaaaaa@reply.games.example"
    for address in (forged, made.replace("@reply.", "@"), f"bounce+{row.id.hex}@reply.games.example"):
        assert return_paths.resolve(address) is None
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        come_back(wanted, "postfix_unknown_user", forged)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key", [settings.SECRET_KEY]
    assert return_paths.resolve(made).delivery == row.id
    assert Bounce.objects.count() == 0


def test_no_such_mailbox_ends_the_mails_once_two_mails_came_back(wanted):
    row, caught = send(wanted)
    for _ in range(2):
        come_back(wanted, "postfix_unknown_user", caught.sender)
    assert not suppression.unreachable([wanted.anna]), "who holds a mail could have written that"
    bounce = Bounce.objects.get()
    come_back(wanted, "postfix_unknown_user", send(wanted)[1].sender)
    assert (bounce.delivery, bounce.kind, bounce.user, bounce.source) == (row.id, "your_turn", wanted.anna, Source.DSN)
    assert "Recipient address rejected" in bounce.detail
    assert "anna@" not in bounce.detail
    assert suppression.unreachable([wanted.anna])
    dropped, nothing = send(wanted, kind="receipt")
    assert (dropped.status, nothing) == (Status.DROPPED, None), "not even what is essential"
    assert "hard 5.1.1" in dropped.error
    assert not InboundMail.objects.exists()


def test_another_address_works_at_once(wanted):
    fail_twice(wanted, "exchange_online")
    add_verified_address(wanted.anna, "anna@elsewhere.example")
    assert not suppression.unreachable([wanted.anna])
    assert send(wanted)[1].recipients == ("anna@elsewhere.example",)


def test_a_late_report_speaks_of_the_address_it_was_sent_to(wanted):
    _row, first = send(wanted)
    come_back(wanted, "postfix_unknown_user", first.sender)
    _row, caught = send(wanted)
    add_verified_address(wanted.anna, "anna@elsewhere.example")
    come_back(wanted, "postfix_unknown_user", caught.sender)
    assert Suppression.objects.exists()
    assert not suppression.unreachable([wanted.anna])


def test_its_owner_asks_for_mail_again(wanted):
    fail_twice(wanted, "qmail_no_mailbox")
    (stopped,) = suppression.of_user(wanted.anna)
    assert suppression.lift(wanted.anna, stopped.pk)
    assert not suppression.lift(wanted.anna, stopped.pk), "there is nothing left to lift"
    _row, again = send(wanted)
    assert again is not None
    come_back(wanted, "qmail_no_mailbox", again.sender)
    assert suppression.unreachable([wanted.anna])


def test_nobody_lifts_what_is_anothers(wanted, ben):
    verify(ben)
    fail_twice(wanted, "qmail_no_mailbox")
    assert not suppression.lift(ben, Suppression.objects.get().pk)
    assert suppression.unreachable([wanted.anna])


def test_a_mailbox_or_a_provider_may_bring_the_report(wanted):
    """Those channels have no envelope: the address is in the headers."""
    for _ in range(2):
        _row, caught = send(wanted)
        raw = (REPORTS / "postfix_unknown_user.eml").read_bytes().replace(b"RETURN_PATH", caught.sender.encode())
        to = destinations.addressed(reading.headers_of(raw))
        assert destinations.take(Cut(raw), to=to, envelope_from="", received_at=timezone.now()) == [], "no worker has to be woken"
    assert suppression.unreachable([wanted.anna])


@pytest.mark.parametrize("door", ["smtp", "mailbox"])
def test_a_report_with_a_large_mail_in_it_counts(wanted, door):
    """Whichever part comes first: the copy of a large mail is left out, the report is not."""
    for _ in range(2):
        _row, caught = send(wanted)
        raw = (REPORTS / "postfix_unknown_user.eml").read_bytes().replace(b"RETURN_PATH", caught.sender.encode())
        boundary = re.search(rb'boundary="([^"]+)"', raw).group(1)
        copy = b"Content-Type: application/octet-stream\n\n" + b"A" * 75 + b"\n"
        raw = raw.replace(b"--" + boundary, b"--" + boundary + b"\n" + copy + (b"A" * 75 + b"\n") * 20_000 + b"--" + boundary, 1)
        if door == "smtp":
            with smtplib.SMTP("127.0.0.1", wanted.mailing.receiver.port, timeout=10) as client:
                client.sendmail("", [caught.sender], raw)
        else:
            to = destinations.addressed(reading.headers_of(raw))
            destinations.take(cut(raw), to=to, envelope_from="", received_at=timezone.now())
    assert suppression.unreachable([wanted.anna])


@pytest.mark.parametrize("name", ["postfix_delayed", "relayed", "away"])
def test_what_is_no_failure_changes_nothing(wanted, name):
    _row, caught = send(wanted)
    come_back(wanted, name, caught.sender)
    assert not Bounce.objects.exists()
    assert not Suppression.objects.exists()


def test_a_full_mailbox_on_one_day_is_no_reason(wanted):
    for _ in range(6):
        _row, caught = send(wanted)
        come_back(wanted, "gmail_over_quota", caught.sender)
    assert Bounce.objects.filter(report=Report.SOFT).count() == 6
    assert not suppression.unreachable([wanted.anna])


def _full(wanted, start, days):
    """Report refusals on these days after `start`. Return the days on which mail stopped."""
    for day in days:
        with time_machine.travel(start + timedelta(days=day), tick=True):
            row, caught = send(wanted)
            if caught is None:
                return day
            assert row.status == Status.SENT
            come_back(wanted, "gmail_over_quota", caught.sender)
    return None


def test_four_bad_days_in_a_row_are(wanted):
    start = timezone.now()
    assert _full(wanted, start, [0, 1, 2, 3, 4]) == 4
    (stopped,) = suppression.of_user(wanted.anna)
    assert stopped.report == Report.SOFT
    with time_machine.travel(start + timedelta(days=5), tick=True):
        suppression.lift(wanted.anna, stopped.pk)
        assert _full(wanted, timezone.now(), [0, 1]) is None, "after that it counts anew"


def test_reports_of_full_mailboxes_forged_with_old_mails_stop_nothing(wanted):
    start = timezone.now()
    old = [send(wanted)[1] for _ in range(6)]
    for day, caught in enumerate(old, 1):
        with time_machine.travel(start + timedelta(days=day), tick=True):
            come_back(wanted, "gmail_over_quota", caught.sender)
    with time_machine.travel(start + timedelta(days=8), tick=True):
        assert Bounce.objects.filter(report=Report.SOFT).count() == 6
        assert not suppression.unreachable([wanted.anna])
        wanted.mailing.sink.refuse_mail = lambda raw: "550 I do not like the look of it"
        send(wanted)
        assert not suppression.unreachable([wanted.anna]), "what was forged does not weigh beside a refusal that was none"


def test_a_bad_day_now_and_then_is_forgotten(wanted):
    assert _full(wanted, timezone.now(), [0, 7, 14, 21, 28, 35]) is None


def test_a_complaint_ends_the_mails_of_that_kind(wanted):
    fail_twice(wanted, "complaint_arf", sender="abusedesk@players.example")
    assert send(wanted)[1] is None
    assert send(wanted, kind="receipt")[1] is not None
    assert not suppression.unreachable([wanted.anna])


def test_a_complaint_about_an_essential_mail_counts_too(wanted):
    fail_twice(wanted, "complaint_arf", sender="abusedesk@players.example", kind="receipt")
    assert send(wanted, kind="receipt")[1] is None
    assert send(wanted)[1] is not None


def test_the_mail_server_says_it_at_once(wanted):
    wanted.mailing.sink.refuse_recipient = lambda address: "550 5.1.1 <anna@players.example> no such user"
    row, _nothing = send(wanted)
    assert row.status == Status.FAILED
    bounce = Bounce.objects.get()
    assert (bounce.source, bounce.report, bounce.status) == (Source.SMTP, Report.HARD, "5.1.1")
    wanted.mailing.sink.refuse_recipient = lambda address: None
    assert send(wanted)[0].status == Status.DROPPED


def test_a_refusal_of_the_mail_is_not_one_of_the_receiver(wanted):
    wanted.mailing.sink.refuse_mail = lambda raw: "550 I do not like the look of it"
    assert send(wanted)[0].status == Status.FAILED
    assert Bounce.objects.get().report == Report.SOFT
    assert not suppression.unreachable([wanted.anna])


def test_a_stranger_is_spared_too(wanted):
    row = fail_twice(wanted, "postfix_unknown_user", user_id=None, address="Stranger@nowhere.example", topic="")
    assert row.user_id is None
    assert send(wanted, user_id=None, address="stranger@nowhere.example")[0].status == Status.DROPPED
    assert "stranger" not in str(list(Bounce.objects.values()) + list(Suppression.objects.values())).lower()


def test_reports_of_unsent_notices_are_not_believed(wanted):
    notice = Notice(kind="your_turn", user_id=wanted.anna.pk, due_at=timezone.now() + timedelta(days=1))
    notify(notice)
    for identity in (notice.id, uuid4()):
        come_back(wanted, "postfix_unknown_user", return_paths.address(return_paths.BOUNCE, identity))
    assert not Bounce.objects.exists()


def event(kind, row=None, **fields):
    told = {"event_id": "e1", "recipient": "anna@players.example", "timestamp": timezone.now(), **fields}
    if row is not None:
        told["metadata"] = {"delivery": str(row.id)}
    tracking.send(sender=None, event=AnymailTrackingEvent(event_type=kind, **told), esp_name="Test")


@pytest.mark.parametrize(
    ("kind", "fields", "report"),
    [
        (EventType.BOUNCED, {"mta_response": "550 5.1.1 unknown", "reject_reason": RejectReason.BOUNCED}, Report.HARD),
        (EventType.BOUNCED, {"description": "HardBounce: unknown user", "reject_reason": RejectReason.BOUNCED}, Report.HARD),
        (EventType.BOUNCED, {"description": "SoftBounce: inbox full", "reject_reason": RejectReason.BOUNCED}, Report.SOFT),
        (EventType.BOUNCED, {"mta_response": "552 5.2.2 full", "reject_reason": RejectReason.BOUNCED}, Report.SOFT),
        (EventType.REJECTED, {"reject_reason": RejectReason.INVALID}, Report.HARD),
        (EventType.REJECTED, {"reject_reason": RejectReason.BLOCKED}, Report.SOFT),
        (EventType.REJECTED, {"reject_reason": RejectReason.SPAM}, Report.COMPLAINT),
        (EventType.COMPLAINED, {}, Report.COMPLAINT),
        (EventType.DEFERRED, {"mta_response": "421 later"}, None),
        (EventType.DELIVERED, {}, None),
    ],
)
def test_what_a_provider_tells(wanted, kind, fields, report):
    row, _caught = send(wanted)
    for _ in range(2):
        event(kind, row, **fields)
    assert [(one.report, one.delivery) for one in Bounce.objects.all()] == ([(report, row.id)] if report else [])


def test_a_provider_posts_it_to_our_door(wanted, settings, client):
    """Postmark's bounce webhook, as in its documentation; the secret protects it."""
    settings.ANYMAIL, settings.INBOUND_AUTH = {"WEBHOOK_SECRET": ["name:secret"]}, "own"
    row, _caught = send(wanted)
    told = {
        "RecordType": "Bounce",
        "ID": 4323372036854775807,
        "Type": "HardBounce",
        "TypeCode": 1,
        "MessageID": "00000000-0000-0000-0000-000000000000",
        "Metadata": {"delivery": str(row.id)},
        "Description": "The server was unable to deliver your message (ex: unknown user, mailbox not found).",
        "Details": "smtp;550 5.1.1 The email account that you tried to reach does not exist.",
        "Email": "anna@players.example",
        "BouncedAt": "2026-11-20T21:41:19Z",
    }
    path = "/mail/provider/postmark/tracking/"
    for secret, status in (("name:wrong", 400), ("name:secret", 200), ("name:secret", 200)):
        proof = "Basic " + base64.b64encode(secret.encode()).decode()
        answer = client.post(path, told, "application/json", headers={"Authorization": proof})
        assert answer.status_code == status
    bounce = Bounce.objects.get()
    assert (bounce.delivery, bounce.report, bounce.source, bounce.status) == (row.id, Report.HARD, Source.PROVIDER, "5.1.1")
    assert suppression.unreachable([wanted.anna])


def test_a_provider_that_gives_our_words_not_back_names_the_address(wanted):
    send(wanted)
    event(EventType.BOUNCED, mta_response="550 5.1.1 unknown", event_id=None, metadata={"delivery": "nonsense"})
    assert suppression.unreachable([wanted.anna])


def test_a_provider_reports_an_unsubscription(wanted):
    row, _caught = send(wanted)
    event(EventType.UNSUBSCRIBED, row)
    assert [(mute.scope, mute.value) for mute in Mute.objects.all()] == [(Scope.TOPIC, "42")]


def test_unsubscribing_by_mail(wanted):
    row, caught = send(wanted)
    _link, by_mail = (part.strip(" <>") for part in caught.message["List-Unsubscribe"].split(","))
    address = by_mail.removeprefix("mailto:").partition("?")[0]
    assert address == return_paths.address(return_paths.UNSUBSCRIBE, row.id)
    assert address != caught.sender
    for _ in range(2):
        wanted.mailing.write("", to=address)
        wanted.mailing.work()
    assert [(mute.user, mute.scope, mute.value) for mute in Mute.objects.all()] == [(wanted.anna, Scope.TOPIC, "42")]
    assert send(wanted)[1] is None
    assert send(wanted, topic="43")[1] is not None
    assert not Bounce.objects.exists()


def test_a_machine_does_not_unsubscribe(wanted):
    row, _caught = send(wanted)
    come_back(wanted, "postfix_delayed", return_paths.address(return_paths.UNSUBSCRIBE, row.id))
    wanted.mailing.work()
    assert not Mute.objects.exists()


def test_an_erased_person_leaves_nothing(wanted):
    fail_twice(wanted, "postfix_unknown_user")
    erasure.erase(wanted.anna)
    assert not Bounce.objects.exists()
    assert not Suppression.objects.exists()
