"""The standing address: players write words there without being in a match, and nobody learns from it who plays here."""

from __future__ import annotations

import smtplib
from datetime import timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import User
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Invitation, Match
from notifications.inbound import pipeline, standing
from notifications.inbound.doors import webhooks
from notifications.inbound.proving import authentication
from notifications.inbound.proving.authentication import FAIL, NONE, Verdict
from notifications.models import InboundMail, MailStatus, Outbox
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.test_mail_words import flat
from tests.notifications.inbound.signing import USUAL, records, signed
from tests.notifications.inbound.test_pipeline import said

pytestmark = pytest.mark.django_db

PLAY = "play@reply.games.example"
ANNA = "anna@players.example"
STRANGER = "eve@elsewhere.example"


@pytest.fixture
def known(anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    return anna


def ask(mailing, text, *, sender=ANNA, to=PLAY, **headers):  # noqa: F811
    """Write to the standing address; return the answers that come."""
    before = len(mailing.sink.messages)
    mailing.write(text, to=to, sender=sender, **headers)
    mailing.work()
    return mailing.sink.messages[before:]


def answer(mailing, text, **more):  # noqa: F811
    [caught] = ask(mailing, text, **more)
    return flat(caught)


def test_a_player_writes_words_without_a_match(known, mailing):  # noqa: F811
    told = answer(mailing, "Hi there,\n\nlist\ngames\nrules stratastar\nhelp\n\nCheers\nAnna")
    assert "You have no match now." in told
    assert "stratastar (Stratastar, 2-4 players)" in told
    assert "The rules of Stratastar: You win at once" in told
    assert "invite ADDRESS invites to your open match" in told
    assert "cannot be read" not in told
    caught = mailing.last()
    assert caught.message["Reply-To"] == PLAY
    assert caught.message["Auto-Submitted"] == "auto-replied"
    assert mailing.newest.status == MailStatus.DONE


def test_a_match_is_opened_and_others_invited_from_there(known, mailing):  # noqa: F811
    ask(mailing, "new stratastar entry=invited\ninvite eve@elsewhere.example\nlist")
    told = flat(mailing.last())
    match = Match.objects.get()
    assert (match.creator, match.game) == (known, "stratastar")
    assert f"Stratastar #{match.number} is open: 1 of 2 seats taken." in told
    assert f"#{match.number} Stratastar: open, 1 of 2 seats taken" in told
    assert Invitation.objects.get().address == STRANGER


@pytest.mark.parametrize("rest", ["entry=invited anonymous=yes", "anonymous=yes,", "anonymous=yes\n\nCheers\nAnna"])
def test_no_match_is_opened_without_the_options_that_a_program_put_on_the_next_line(known, mailing, rest):  # noqa: F811
    """It would be open to everybody, under the name of its opener."""
    told = answer(mailing, f"new stratastar seats=2 hours=48 watch=nobody press=none undo=never\n{rest}")
    assert not Match.objects.exists()
    assert "anonymous=yes" in told
    assert "This is none of the words for this address." in told


def test_the_words_in_german(known, mailing):  # noqa: F811
    User.objects.update(language="de")
    told = answer(mailing, "liste\nspiele\nneu stratastar\nhilfe")
    assert "Du hast gerade keine Partie." in told
    assert "ist offen: 1 von 2 Plätzen besetzt." in told
    assert "Wörter für diese Adresse" in told


def test_orders_are_refused_with_the_way_to_go(known, mailing):  # noqa: F811
    told = answer(mailing, "move E5 F5 2F\nlist")
    assert "Orders are not taken here. Answer the mail of the match, or the newest receipt." in told
    assert "Nothing was done" in told
    told = answer(mailing, "new stratastar\ncolonize C4")
    assert "Orders are not taken here." in told
    assert not Match.objects.exists(), "all or nothing"
    told = answer(mailing, "rematch")
    assert "This belongs to one match." in told


@pytest.mark.parametrize(("written", "meant"), [("lits", "list"), ("gmaes please", "games"), ("hlep", "help")])
def test_an_unknown_word_is_answered_with_the_nearest(known, mailing, written, meant):  # noqa: F811
    assert f"Did you mean: {meant}" in answer(mailing, written)


def test_a_second_thought_below_the_words_holds_them_back(known, mailing):  # noqa: F811
    answer(mailing, "new stratastar\n\nno wait, ignore that")
    assert not Match.objects.exists()


def test_the_same_mail_twice_and_a_dead_worker_open_one_match(known, mailing):  # noqa: F811
    for _time in range(2):
        ask(mailing, "new stratastar", message_id="<same@players.example>")
    assert Match.objects.count() == 1


def test_an_empty_mail_is_answered_with_the_words(known, mailing):  # noqa: F811
    told = answer(mailing, "> quoted only")
    assert "No word found in your mail" in told


# --- who is known stays hidden ---


def replies(mailing, sender):  # noqa: F811
    """Return what the door says to each command of a connection."""
    with smtplib.SMTP("127.0.0.1", mailing.receiver.port, timeout=10) as client:
        client.ehlo()
        said = [client.mail(sender), client.rcpt(PLAY)]
        return [*said, client.data(f"From: {sender}\r\nTo: {PLAY}\r\nMessage-ID: <{sender}>\r\n\r\nlist\r\n".encode())]


def test_the_door_answers_everybody_alike(known, mailing):  # noqa: F811
    assert replies(mailing, ANNA) == replies(mailing, STRANGER) == replies(mailing, "nobody@nowhere.example")
    assert replies(mailing, ANNA)[1][0] == 250
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        mailing.write("list", to="player@reply.games.example")


@pytest.mark.parametrize("mode", ["own", "border"])
def test_the_door_answers_everybody_alike_under_a_flood(known, mailing, settings, mode):  # noqa: F811
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID, settings.INBOUND_MAILS_PER_ADDRESS = mode, "mx.games.example", 2

    def codes(sender):
        return [code for code, _text in replies_of(mailing, sender)]

    assert codes(STRANGER) == codes(ANNA)
    for _time in range(3):
        codes(STRANGER)
    flooded = codes(STRANGER)
    for _time in range(4):
        codes(ANNA)
    assert codes(ANNA) == flooded


def replies_of(mailing, sender):  # noqa: F811
    with smtplib.SMTP("127.0.0.1", mailing.receiver.port, timeout=10) as client:
        client.ehlo()
        said = [client.mail(sender), client.rcpt(PLAY)]
        if said[-1][0] == 250:
            said.append(client.data(f"From: {sender}\r\nTo: {PLAY}\r\n\r\nlist\r\n".encode()))
        return said


def test_an_unproved_mail_is_dropped_in_silence(known, mailing, monkeypatch):  # noqa: F811
    for verdict in (Verdict(NONE), Verdict(FAIL, strict=True), Verdict(FAIL)):
        said(monkeypatch, verdict)
        assert ask(mailing, "new stratastar") == []
        assert ask(mailing, "new stratastar", sender=STRANGER) == []
    assert not Match.objects.exists()
    assert not Outbox.objects.exists()
    assert {mail.status for mail in InboundMail.objects.all()} == {MailStatus.REFUSED}


def test_no_broken_or_automatic_mail_is_answered_there_before_its_proof(known, mailing):  # noqa: F811
    for head in ("no field\r\n", "X: y\r\n" * 200, "Auto-Submitted: auto-replied\r\n"):
        mailing.deliver(f"From: {ANNA}\r\nTo: {PLAY}\r\n{head}\r\nlist\r\n".encode(), to=PLAY)
    mailing.deliver(f"From: {ANNA}\r\nTo: friend@elsewhere.example\r\n\r\nlist\r\n".encode(), to=PLAY)
    mailing.work()
    assert list(mailing.sink.messages) == []
    assert {mail.status for mail in InboundMail.objects.all()} == {MailStatus.REFUSED}


def test_a_proved_stranger_gets_one_kind_answer_a_day(known, mailing):  # noqa: F811
    [caught] = ask(mailing, "games\nnew stratastar", sender=STRANGER)
    assert caught.recipients == (STRANGER,)
    assert "To take part, sign up on the page" in flat(caught)
    assert ask(mailing, "games", sender=STRANGER) == []
    assert not Match.objects.exists()
    assert all(bytes(mail.raw) == b"" for mail in InboundMail.objects.all()), "the text of a stranger is not kept"


def test_an_address_that_is_longer_than_any_gets_no_answer(known, mailing):  # noqa: F811
    mailing.deliver(f"From: {'e' * 300}@elsewhere.example\r\nTo: {PLAY}\r\n\r\ngames\r\n".encode(), to=PLAY)
    mailing.work()
    assert (mailing.newest.status, mailing.newest.attempts) == (MailStatus.REFUSED, 1)
    assert list(mailing.sink.messages) == []


def test_the_answers_to_all_strangers_have_a_limit(known, mailing, monkeypatch):  # noqa: F811
    monkeypatch.setattr(standing, "STRANGERS_A_DAY", 2)
    heard = [ask(mailing, "games", sender=f"eve{number}@elsewhere.example") for number in range(4)]
    assert [len(mails) for mails in heard] == [1, 1, 0, 0]


def test_a_mail_to_others_that_is_sent_on_brings_its_writer_no_answer(known, mailing, settings, monkeypatch):  # noqa: F811
    """Whoever has a signed mail of a stranger could have us write to them."""
    settings.INBOUND_AUTH = "own"
    dns = records(["elsewhere.example"])
    monkeypatch.setattr(
        authentication,
        "Names",
        lambda **_: SimpleNamespace(key=dns, policy=authentication._records(dns), check_answered=lambda: None),
    )

    def replay(to, date, fields=USUAL):
        text = f"From: {STRANGER}\r\nTo: {to}\r\nSubject: Hi\r\nDate: {date}\r\nMessage-ID: <{uuid4()}@x>\r\n\r\ngames\r\n"
        mailing.deliver(signed(text.encode(), "elsewhere.example", fields=fields), to=PLAY)
        mailing.work()
        assert bytes(mailing.newest.raw) == b"", "the text of a stranger is not kept"
        return [mailing.newest.error.partition(":")[0], len(mailing.sink.messages)]

    now = format_datetime(timezone.now())
    assert replay("list@elsewhere.example", now) == ["misdirected", 0]
    assert replay(PLAY, now, [name for name in USUAL if name != b"to"]) == ["misdirected", 0]
    assert replay(PLAY, format_datetime(timezone.now() - timedelta(days=400))) == ["unproved", 0]
    assert replay(PLAY, now) == ["no_player", 1]


@pytest.mark.parametrize(
    ("to", "signature"),
    [("friend@elsewhere.example", ""), (PLAY, ""), (PLAY, "DKIM-Signature: d=players.example; h=from:date\r\n")],
)
def test_a_players_mail_that_others_send_again_does_not_shut_them_out(known, mailing, settings, to, signature):  # noqa: F811
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID, settings.INBOUND_MAILS_PER_ADDRESS = "border", "mx.games.example", 2
    proved = {"Authentication_Results": "mx.games.example; dmarc=pass header.from=players.example"}
    head = f"Authentication-Results: {proved['Authentication_Results']}\r\n{signature}From: {ANNA}\r\nTo: {to}\r\n"
    for number in range(5):
        name = number if signature else "old"
        mailing.deliver(f"{head}Message-ID: <{name}@players.example>\r\n\r\ngames\r\n".encode(), to=PLAY)
    assert ask(mailing, "list", **proved)


def test_a_closed_account_is_a_stranger(known, mailing):  # noqa: F811
    User.objects.filter(pk=known.pk).update(is_active=False)
    [caught] = ask(mailing, "list")
    assert caught.message["X-Game-Reason"] == "no-player"


# --- the limits of other addresses ---


def test_a_player_beyond_the_cap_hears_of_it_once(known, mailing, settings):  # noqa: F811
    settings.INBOUND_MAILS_PER_ADDRESS = 2
    told = [ask(mailing, "list", source=f"127.0.0.{number}") for number in range(2, 6)]
    assert [len(mails) for mails in told] == [1, 1, 1, 0]
    assert "You wrote too many mails to this address within an hour:" in flat(told[2][0])
    assert InboundMail.objects.filter(status=MailStatus.DONE).count() == 2


def test_a_network_has_its_own_limit_whatever_sender_it_names(known, mailing, settings):  # noqa: F811
    settings.INBOUND_AUTH, settings.INBOUND_MAILS_PER_ADDRESS = "own", 1
    for number in range(10):
        mailing.write("list", to=PLAY, sender=f"a{number}@elsewhere.example", source="127.0.0.2")
    with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        mailing.write("list", to=PLAY, sender=ANNA, source="127.0.0.2")
    assert refused.value.recipients[PLAY][0] == 451
    mailing.write("list", to=PLAY, sender=ANNA, source="127.0.0.3")


def test_a_slow_mail_there_costs_a_limited_time_and_is_dropped(known, mailing, monkeypatch):  # noqa: F811
    def spin(_message):
        while True:
            pass

    monkeypatch.setattr("notifications.parsing.limits.CPU_SECONDS", 0.05)
    monkeypatch.setattr("notifications.parsing.text.written", spin)
    assert ask(mailing, "list") == []
    assert mailing.newest.error.startswith("too_slow")


def test_one_mailbox_of_a_domain_takes_the_tag(known, mailing, settings):  # noqa: F811
    settings.REPLY_MAILBOX = "games"
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        mailing.write("list", to=PLAY)
    assert "You have no match now." in answer(mailing, "list", to="games+play@reply.games.example")
    assert mailing.last().message["Reply-To"] == "games+play@reply.games.example"


def test_a_forgery_there_holds_up_no_answer_to_a_match(known, ben, mailing, monkeypatch):  # noqa: F811
    """Mail to the standing address waits in a box of its own, also while it names a player as its sender."""
    match = opening.create_match(by=known, game="stratastar")
    opening.join_match(by=ben, match=match)
    mailing.work()
    mailing.write("list", to=PLAY)
    box = mailing.newest.address
    assert box.user is None
    assert standing.is_box(box)
    pipeline.work()


def test_a_provider_may_post_mail_to_it(known, mailing, monkeypatch):  # noqa: F811
    class Event:
        pass

    posted = webhooks.Posted.parse_raw_mime(f"From: {ANNA}\r\nTo: {PLAY}\r\nMessage-ID: <p@x>\r\n\r\nlist\r\n")
    event = Event()
    event.message = posted
    webhooks.arrived(None, event, "Postmark")
    mailing.work()
    assert "You have no match now." in flat(mailing.last())
