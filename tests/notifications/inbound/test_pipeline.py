"""From reception to the handler over real SMTP: mails taken, held, dropped, answered, deleted."""

from __future__ import annotations

import random
import smtplib
import socket
from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from accounts import erasure
from gamesvc.matches import retention
from gamesvc.time_limits import TimeIsUp
from notifications.inbound import addresses, pipeline, purposes, store, waiting
from notifications.inbound.doors.receiver import Receiver
from notifications.inbound.proving import authentication
from notifications.inbound.proving.authentication import FAIL, NONE, PASS, Verdict
from notifications.inbound.purposes import Handled
from notifications.models import InboundMail, MailStatus, ReplyAddress
from notifications.outbox import Notice
from notifications.parsing import reading, robots
from notifications.parsing.cutting import Cut
from tests.mailing import FIXTURES, fresh_id, mailing, verify  # noqa: F401

pytestmark = pytest.mark.django_db


@pytest.fixture
def letters(monkeypatch):
    """The letters that reach the handler of the purpose `turn`."""
    got = []
    monkeypatch.setattr(purposes, "_handlers", {})
    purposes.register("turn", lambda letter: got.append(letter) or Handled({"text": letter.text}))
    return got


@pytest.fixture
def to(anna, settings, mailing):  # noqa: F811
    verify(anna)
    return addresses.make(
        "turn", key=uuid4(), user=anna, expires_at=timezone.now() + timedelta(days=1), topic="m", payload={"n": 1}
    )


def said(monkeypatch, verdict: Verdict) -> None:
    monkeypatch.setattr("notifications.inbound.proving.trust.authenticate", lambda *_, **__: verdict)


def test_a_mail_is_stored_in_one_statement_and_once(to, django_assert_num_queries):
    address, now = addresses.resolve(to), timezone.now()
    for raw in (b"Message-ID: <1@players.example>\r\n\r\nmove\r\n", b"\r\nwithout an id\r\n"):
        mail = Cut(raw)
        with django_assert_num_queries(1):
            kept = store.store(mail, address=address, envelope_from="anna@players.example", received_at=now)
        row = InboundMail.objects.get(pk=kept)
        assert (bytes(row.raw), row.status, row.counts_at, row.body_digests) == (raw, MailStatus.WAITING, now, None)
        with django_assert_num_queries(1):
            assert store.store(mail, address=address, envelope_from="", received_at=now) is None


def test_addresses_are_found_in_every_usual_form(to, settings):
    token = addresses.token_of(to)
    assert len(token) == 26
    for form in (to, to.upper(), f"play+{token}@reply.games.example", f"{token}@reply.games.example"):
        assert addresses.resolve(form).payload == {"n": 1}
    for form in (f"turn+{token}@evil.example", f"turn+{token[:-1]}@reply.games.example", "", "@", "turn@reply.games.example"):
        assert addresses.resolve(form) is None
    assert token not in str(list(ReplyAddress.objects.values()))
    assert token not in addresses.redacted(to)


def test_plus_addressing_in_one_mailbox(anna, settings):
    settings.REPLY_DOMAIN, settings.REPLY_MAILBOX = "games.example", "play"
    made = addresses.make("turn", key=uuid4(), user=anna, expires_at=timezone.now() + timedelta(days=1))
    assert made.startswith("play+")
    assert addresses.resolve(made) is not None


def test_the_same_key_makes_the_same_address_and_an_old_secret_still_opens_it(anna, settings):
    settings.REPLY_DOMAIN = "reply.games.example"
    key, until = uuid4(), timezone.now() + timedelta(days=1)
    first = addresses.make("turn", key=key, user=anna, expires_at=until)
    assert addresses.make("turn", key=key, user=anna, expires_at=until) == first
    assert ReplyAddress.objects.count() == 1
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], settings.SECRET_KEY[::-1]
    assert addresses.resolve(first) is not None


def test_a_mail_reaches_its_handler_once(to, mailing, letters):  # noqa: F811
    mailing.write("move A1", to=to, message_id="<a@players.example>")
    mailing.write("move A1 again", to=to, message_id="<a@players.example>")
    pipeline.work()
    pipeline.work()
    [letter] = letters
    assert (letter.text, letter.payload, letter.message_id) == ("move A1", {"n": 1}, "<a@players.example>")
    assert mailing.newest.report == {"text": "move A1"}


def test_mails_without_an_id_are_told_apart_by_their_body(to, mailing, letters):  # noqa: F811
    for body in (b"one", b"one", b"two"):
        mailing.deliver(b"From: anna@players.example\r\n\r\n" + body, to=to)
    pipeline.work()
    assert [letter.text for letter in letters] == ["one", "two"]


@pytest.mark.parametrize(
    ("verdict", "sender", "status", "error"),
    [
        (Verdict(PASS), "anna@players.example", MailStatus.DONE, ""),
        (Verdict(PASS), "Anna@Players.Example", MailStatus.DONE, ""),
        (Verdict(FAIL, strict=True), "anna@players.example", MailStatus.REFUSED, "spoofed"),
        (Verdict(FAIL, strict=True), "x@evil.example", MailStatus.REFUSED, "spoofed"),
        (Verdict(NONE), "anna@players.example", MailStatus.HELD, "unproved"),
        (Verdict(FAIL), "anna@players.example", MailStatus.HELD, "unproved"),
        (Verdict(PASS), "x@evil.example", MailStatus.HELD, "stranger"),
        (Verdict(NONE), "x@evil.example", MailStatus.HELD, "stranger"),
        (Verdict(FAIL), "x@evil.example", MailStatus.HELD, "stranger"),
    ],
)
def test_the_table_of_trust(to, mailing, letters, monkeypatch, verdict, sender, status, error):  # noqa: F811
    said(monkeypatch, verdict)
    mailing.write("move A1", to=to, sender=sender)
    mailing.work()
    assert mailing.newest.status == status
    assert mailing.newest.error.startswith(error)
    assert len(letters) == (status == MailStatus.DONE)
    # nothing ever goes to the sender, only to the account's own address
    assert {mail.recipients for mail in mailing.sink.messages} <= {("anna@players.example",)}
    assert len(mailing.sink.messages) == (status == MailStatus.HELD)


def held(mailing, to, monkeypatch):  # noqa: F811
    said(monkeypatch, Verdict(NONE))
    mailing.write("move A1", to=to)
    mailing.work()
    return mailing.last(subject="Are these orders yours")


def test_held_orders_are_confirmed_by_link_and_only_by_post(to, mailing, letters, monkeypatch, client):  # noqa: F811
    asked = held(mailing, to, monkeypatch)
    assert "move A1" in asked.text
    path = "/mail/confirm/" + asked.text.partition("/mail/confirm/")[2].split()[0]
    for method in (client.get, client.head, client.get):
        assert method(path).status_code == 200
    assert b"move A1" in client.get(path).content
    pipeline.work()
    assert letters == []
    before = timezone.now()
    assert client.post(path).status_code == 200
    assert client.post(path).status_code == 410
    assert client.get(path).status_code == 410
    assert client.get("/mail/confirm/" + "a" * 26).status_code == 404
    pipeline.work()
    [letter] = letters
    assert letter.counts_at >= before  # it counts from its confirmation


def test_held_orders_are_confirmed_by_answering_yes_once(to, mailing, letters, monkeypatch):  # noqa: F811
    asked = held(mailing, to, monkeypatch)
    address = str(asked.message["Reply-To"])
    mailing.write("what is this?", to=address)
    pipeline.work()
    assert letters == []
    # the mailbox proves the person, whatever DMARC says of the answer
    mailing.write("Yes.\n\n> move A1", to=address, sender="anna@elsewhere.example")
    pipeline.work()
    pipeline.work()
    assert len(letters) == 1
    mailing.write("yes", to=address)
    pipeline.work()
    assert mailing.newest.error == "used"
    assert len(letters) == 1


@pytest.mark.parametrize(
    "answer",
    [
        *("Yes, they are mine.", "yes please", "Ja, das sind meine", "Yes!", "sure", "Oui, merci", "Si", "y", "✔ yes"),
        *(
            "Hi,\n\nyes",
            "Yes,\nthey are mine\n\nBest regards\nAnna",
            "yes\n\nCheers,\n\nAnna Maria Smith",
            "Ja\nDanke\n\nGruß, Anna",
            "Yes\nThanks",
            "yes\nEND",
        ),
    ],
)
def test_a_clear_yes_in_other_words_confirms(answer, to, mailing, letters, monkeypatch):  # noqa: F811
    asked = held(mailing, to, monkeypatch)
    mailing.write(answer, to=str(asked.message["Reply-To"]))
    pipeline.work()
    pipeline.work()
    assert len(letters) == 1


@pytest.mark.parametrize(
    "answer",
    [
        *(
            "Yes?",
            "yes but not the last one",
            "Yesterday",
            "ja, aber nur die erste",
            "no, yes",
            "Yes, please cancel them",
            "Yes, stop",
        ),
        *(
            "Yes, when Bob has moved",
            "Yes, someone forged them",
            "Ja, bitte löschen",
            "Si vous recevez ce message",
            "Ja, sobald er zieht",
        ),
        *(
            "Yes,\nthey are not mine",
            "Yes.\n\nNo wait, these are not mine!",
            "Ja\nnein",
            "yes\nNo",
            "yes\nonly the first one",
            "Yes\n\nCheers\nAnna\n\nPS: They are not mine.",
            "Hi,\nwhat is this?\nyes",
            *("Yes\nLater", "Yes\nMaybe", "Ja\nSpäter", "Yes\nForget It", "Yes\nAbort", "Yes\nWrong Match"),
            *("Yes\n\nCheers,\nAnna\n\nJust the first one please", "Yes\nCheers,\nForget It", "Yes\nBen Sent Them"),
        ),
    ],
)
def test_what_is_no_clear_yes_does_not(answer, to, mailing, letters, monkeypatch):  # noqa: F811
    asked = held(mailing, to, monkeypatch)
    mailing.write(answer, to=str(asked.message["Reply-To"]))
    pipeline.work()
    assert mailing.newest.error == "not_confirmed"
    assert letters == []


def test_a_vacation_responder_confirms_nothing(to, mailing, letters, monkeypatch):  # noqa: F811
    asked = held(mailing, to, monkeypatch)
    mailing.write("yes", to=str(asked.message["Reply-To"]), Auto_Submitted="auto-replied")
    pipeline.work()
    assert letters == []


def test_questions_are_capped(to, mailing, letters, monkeypatch):  # noqa: F811
    monkeypatch.setattr("notifications.inbound.held.QUESTIONS_A_DAY", 2)
    for _ in range(4):
        mailing.write("move A1", to=to, sender="x@evil.example", message_id=fresh_id())
    mailing.work()
    asked = [" ".join(mail.text.split()) for mail in mailing.sink.messages if mail.message["X-Game-Reason"] == "orders-held"]
    assert len(asked) == 3
    assert ["last question of the day" in text for text in asked].count(True) == 1
    [last] = [text for text in asked if "last question of the day" in text]
    assert "Mails held for your confirmation: 4." in last


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({"Auto_Submitted": "auto-generated"}, "auto_submitted"),
        ({"Auto_Submitted": "no"}, ""),
        ({"Precedence": "bulk"}, "bulk"),
        ({"Precedence": "first-class"}, ""),
        ({"List_Id": "<a.b>"}, "mailing_list"),
        ({"X_Autoreply": "yes"}, "auto_submitted"),
        ({"X_Auto_Response_Suppress": "All"}, ""),  # no proof: some programs add it to every mail
    ],
)
def test_robots_get_nothing(to, mailing, letters, headers, refused):  # noqa: F811
    mailing.write("move A1", to=to, **headers)
    mailing.work()
    assert mailing.newest.error == refused or mailing.newest.error.startswith(f"{refused}:")
    assert len(letters) == (not refused)
    assert mailing.sink.messages == []


def test_of_several_marks_each_counts(to, mailing, letters):  # noqa: F811
    for name in ("Auto-Submitted", "Precedence", "X-Autoreply"):
        raw = f"{name}: no\r\n{name}: {'bulk' if name == 'Precedence' else 'auto-replied'}\r\n".encode()
        mailing.deliver(
            raw + f"From: anna@players.example\r\nTo: {to}\r\nMessage-ID: {fresh_id()}\r\n\r\nmove A1".encode(), to=to
        )
        mailing.work()
        assert mailing.newest.status == MailStatus.REFUSED
    assert letters == []


def test_a_players_mail_may_come_in_the_envelope_of_a_provider(to, mailing, letters):  # noqa: F811
    raw = f"From: anna@players.example\r\nTo: {to}\r\nMessage-ID: {fresh_id()}\r\n\r\nmove A1".encode()
    mailing.deliver(raw, to=to, sender="bounces+123-anna=players.example@em.players.example")
    mailing.work()
    assert [letter.text for letter in letters] == ["move A1"]


def test_bounces_and_ourselves_get_nothing(to, mailing, letters):  # noqa: F811
    mailing.deliver(b"From: anna@players.example\r\nMessage-ID: <1@x>\r\n\r\nmove A1", to=to, sender="")
    for sender in ("play@games.example", "turn+x@reply.games.example", "MAILER-DAEMON@mx.example"):
        mailing.write("move A1", to=to, sender=sender)
    mailing.work()
    assert letters == []
    assert set(InboundMail.objects.values_list("status", flat=True)) == {MailStatus.REFUSED}
    assert mailing.sink.messages == []


def test_two_instances_that_answer_each_other_stop(to, mailing, monkeypatch, anna):  # noqa: F811
    monkeypatch.setattr(purposes, "_handlers", {})
    notice = Notice(kind="mail_failed", user_id=anna.pk)
    purposes.register("turn", lambda letter: Handled({}, Notice(notice.kind, anna.pk, payload={"mail": str(letter.id)})))
    mailing.write("move A1", to=to)
    for _ in range(5):
        mailing.work()
        for caught in mailing.sink.messages:  # the other instance sends our own mail back, as from its player
            mailing.deliver(caught.raw.replace(b"play@games.example", b"anna@players.example"), to=to)
    assert len(mailing.sink.messages) == 1


def test_our_marks_are_a_robots_marks(to, mailing, letters, monkeypatch):  # noqa: F811
    """We refuse mails like our own: two copies of this service stop answering each other at once."""
    asked = held(mailing, to, monkeypatch)
    message = reading.parse(asked.raw)
    with pytest.raises(reading.MailRefused):
        robots.check_person(message, envelope_from="a@x.example", sender="a@x.example")


def test_the_door_refuses_strangers_and_waits_for_the_database(to, mailing, letters, monkeypatch):  # noqa: F811
    with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        mailing.write("move A1", to="postmaster@reply.games.example")
    assert next(iter(refused.value.recipients.values()))[0] == 550

    def down(*_a, **_k):
        raise OperationalError("the database is down")

    with monkeypatch.context() as patch:
        patch.setattr(store, "store", down)
        with pytest.raises(smtplib.SMTPDataError) as later:
            mailing.write("move A1", to=to)
        assert later.value.smtp_code == 451
        patch.setattr(addresses, "resolve", down)
        with pytest.raises(smtplib.SMTPRecipientsRefused) as later:
            mailing.write("move A1", to=to)
        assert later.value.recipients[to][0] == 451
    assert InboundMail.objects.count() == 0
    with pytest.raises(smtplib.SMTPException):
        mailing.deliver(b"From: a@x\r\n\r\n" + b"x\r\n" * 4_000_000, to=to)


def test_lmtp_answers_for_each_receiver(to, mailing, letters, anna):  # noqa: F811
    from django.db import connections

    connection = connections["default"]
    other = addresses.make("turn", key=uuid4(), user=anna, expires_at=timezone.now() + timedelta(days=1))
    with (
        Receiver("127.0.0.1", lmtp=True, connect=lambda: connections.__setitem__("default", connection)) as receiver,
        socket.create_connection(("127.0.0.1", receiver.port), timeout=5) as line,
        line.makefile("rwb") as talk,
    ):

        def say(text: bytes, answers: int = 1) -> list[bytes]:
            if text:
                talk.write(text + b"\r\n")
                talk.flush()
            got = []
            while len(got) < answers:
                answer = talk.readline()
                if answer[3:4] != b"-":
                    got.append(answer[:3])
            return got

        assert say(b"") == [b"220"]
        assert say(b"LHLO mx") == [b"250"]
        assert say(b"MAIL FROM:<anna@players.example>") == [b"250"]
        assert say(f"RCPT TO:<{to}>".encode()) == [b"250"]
        assert say(b"RCPT TO:<nobody@reply.games.example>") == [b"550"]
        assert say(f"RCPT TO:<{other}>".encode()) == [b"250"]
        assert say(b"DATA") == [b"354"]
        assert say(b"From: anna@players.example\r\n\r\nmove A1\r\n.", 2) == [b"250", b"250"]
        say(b"MAIL FROM:<anna@players.example>")
        for receiver_address in (to, other):
            say(f"RCPT TO:<{receiver_address}>".encode())
        say(b"DATA")
        assert say(b"From: anna@players.example\r\n\r\n" + b"x" * 2000 + b"\r\n.", 2) == [b"500", b"500"]
        assert say(b"NOOP") == [b"250"]
    assert InboundMail.objects.count() == 2


def test_a_fault_is_tried_again_and_then_set_aside_with_word_to_the_player(to, mailing, monkeypatch):  # noqa: F811
    def broken(letter):
        raise ZeroDivisionError

    monkeypatch.setattr(purposes, "_handlers", {})
    purposes.register("turn", broken)
    mailing.write("move A1", to=to)
    for _ in range(store.MOST_ATTEMPTS):
        assert mailing.newest.status == MailStatus.WAITING
        InboundMail.objects.update(claimed_until=None)
        pipeline.work()
    assert mailing.newest.status == MailStatus.FAILED
    mailing.work()
    assert "could not be read" in mailing.last().subject


@pytest.mark.parametrize("sqlstate", ["55P03", "53100", "25P04", "58030", "57014", "25006", "42703", "42P01", "42501"])
def test_a_fault_of_the_database_is_not_counted_as_the_mails(to, mailing, letters, anna, sqlstate):  # noqa: F811
    taken, again = purposes._handlers["turn"], []

    def contended(letter):
        again.append(letter.again)
        with connection.wrap_database_errors:
            raise psycopg.errors.lookup(sqlstate)("canceling statement due to lock timeout")

    purposes._handlers["turn"] = contended
    mailing.write("move A1", to=to)
    for _ in range(2 * store.MOST_ATTEMPTS):
        pipeline.work()
        InboundMail.objects.update(claimed_until=None)
    assert again == [False] + [True] * (2 * store.MOST_ATTEMPTS - 1), "something may have been done already"
    assert not waiting.untried(topic="m", user_id=anna.pk, moment=timezone.now()), "no deadline waits for it for ever"
    purposes._handlers["turn"] = taken
    pipeline.work()
    assert (mailing.newest.status, [letter.text for letter in letters]) == (MailStatus.DONE, ["move A1"])


def test_a_mail_with_which_the_database_fails_for_days_is_set_aside(to, mailing, letters):  # noqa: F811
    def contended(letter):
        with connection.wrap_database_errors:
            raise psycopg.errors.LockNotAvailable("canceling statement due to lock timeout")

    purposes._handlers["turn"] = contended
    mailing.write("move A1", to=to)
    InboundMail.objects.update(received_at=timezone.now() - 2 * pipeline.FAULTS_LAST)
    for _ in range(store.MOST_ATTEMPTS):
        assert mailing.newest.status == MailStatus.WAITING
        pipeline.work()
        InboundMail.objects.update(claimed_until=None)
    assert mailing.newest.status == MailStatus.FAILED


def test_a_mail_at_which_the_time_of_the_task_ends_is_tried_again(to, mailing, letters):  # noqa: F811
    def slow(letter):
        raise TimeIsUp

    taken, purposes._handlers["turn"] = purposes._handlers["turn"], slow
    mailing.write("move A1", to=to)
    with pytest.raises(TimeIsUp):
        pipeline.work()
    assert (mailing.newest.status, mailing.newest.error) == (MailStatus.WAITING, "the time of the task was over")
    purposes._handlers["turn"] = taken
    InboundMail.objects.update(claimed_until=None)
    pipeline.work()
    assert [letter.text for letter in letters] == ["move A1"]


def test_a_mail_that_stops_its_workers_takes_no_other_with_it(to, mailing, letters, anna):  # noqa: F811
    class Killed(BaseException):
        pass

    def handle(letter):
        if "poison" in letter.text:
            raise Killed
        letters.append(letter)
        return Handled({})

    purposes._handlers["turn"] = handle
    mailing.write("poison", to=to)
    for topic in ("n", "o"):
        other = addresses.make("turn", key=uuid4(), user=anna, expires_at=timezone.now() + timedelta(days=1), topic=topic)
        mailing.write("move A1", to=other)
    for _ in range(store.MOST_ATTEMPTS):
        with pytest.raises(Killed):
            pipeline.work()
        InboundMail.objects.update(claimed_until=None)
    pipeline.work()
    rows = InboundMail.objects.order_by("received_at")
    assert [row.status for row in rows] == [MailStatus.FAILED, MailStatus.DONE, MailStatus.DONE]
    assert len(letters) == 2


def test_a_mail_in_a_slow_batch_is_left_to_the_worker_who_took_it_over(to, mailing, letters, anna):  # noqa: F811
    mailing.write("move A1", to=to)
    other = addresses.make("turn", key=uuid4(), user=anna, expires_at=timezone.now() + timedelta(days=1), topic="n")
    mailing.write("move A2", to=other)
    [first], [second] = store.claim(5), store.claim(5)
    assert pipeline.work_on(first)
    InboundMail.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    [again] = store.claim(5)
    assert not pipeline.work_on(second)
    assert len(letters) == 1
    assert pipeline.work_on(again)
    assert InboundMail.objects.get(pk=second.pk).attempts == 1


def test_a_claimed_mail_is_left_alone_and_a_lost_lease_settles_nothing(to, mailing, letters):  # noqa: F811
    mailing.write("move A1", to=to)
    [mail] = store.claim(5)
    assert store.claim(5) == []
    InboundMail.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    [again] = store.claim(5)
    assert not pipeline.work_on(mail)
    assert pipeline.work_on(again)


def test_old_mail_is_deleted_and_an_erased_person_leaves_none(to, mailing, letters, anna):  # noqa: F811
    mailing.write("move A1", to=to)
    mailing.write("move A2", to=to)
    mailing.work()
    InboundMail.objects.filter(pk=mailing.newest.pk).update(received_at=timezone.now() - timedelta(days=31))
    assert retention.forget() == 1
    erasure.erase(anna)
    assert InboundMail.objects.count() == ReplyAddress.objects.count() == 0


@pytest.mark.long
def test_every_fixture_gets_through_the_door(to, mailing, letters):  # noqa: F811
    for path in sorted(FIXTURES.glob("*.eml")):
        mailing.deliver(path.read_bytes(), to=to)
    pipeline.work()
    assert InboundMail.objects.filter(status=MailStatus.WAITING).count() == 0
    assert InboundMail.objects.filter(status=MailStatus.FAILED).count() == 0
    assert len(letters) == InboundMail.objects.filter(status=MailStatus.DONE).count()
    assert authentication.is_loopback("127.0.0.1")


@pytest.mark.long
def test_mutated_mails_are_all_settled(to, mailing, letters):  # noqa: F811
    """A mail with any content is stored, processed once and settled; its text can be stored."""
    rng = random.Random(3)
    samples = [path.read_bytes() for path in sorted(FIXTURES.glob("*.eml"))]
    address = addresses.resolve(to)
    odd = [
        b"\x00",
        b"\xff\xfe",
        b"=?utf-8?b?AA==?=",
        b"=ED=A0=80",
        b"&#xD800;",
        b"\r\n\r\n",
        b"From: ",
        b"Auto-Submitted: \x00\r\n",
    ]
    for _ in range(200):
        raw = rng.choice(samples)
        for _ in range(rng.randrange(1, 6)):
            at = rng.randrange(len(raw))
            raw = raw[:at] + rng.choice(odd) + raw[at + rng.randrange(3) :]
        store.store(Cut(raw), address=address, envelope_from="anna@players.example", received_at=timezone.now())
    pipeline.work()
    assert set(InboundMail.objects.values_list("status", flat=True)) <= {MailStatus.DONE, MailStatus.HELD, MailStatus.REFUSED}
