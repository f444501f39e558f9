"""A stranger with a forwarded mail uses everything in it: nothing happens without its receiver being told."""

from __future__ import annotations

import re
import smtplib

import pytest
from django.test import Client

from gamesvc.matches.lobby import opening, press
from notifications.inbound import purposes
from notifications.inbound.proving.authentication import FAIL, NONE, Verdict
from notifications.models import InboundMail, MailStatus, Mute, Outbox, Scope, Status
from notifications.outbox import Notice, notify
from notifications.returned import return_paths, suppression
from notifications.wanted import muting
from tests.mailing import FIXTURES, mailing, verify  # noqa: F401
from tests.matches.playing import holder

pytestmark = pytest.mark.django_db

EVE = "eve@evil.example"


@pytest.fixture
def forwarded(anna, ben, mailing):  # noqa: F811
    """All mails of a running match to anna."""
    verify(anna, ben)
    match = opening.create_match(by=anna, game="stratastar")
    match = opening.join_match(by=ben, match=match)
    press.say(match=match, by=holder(match, 1), by_seat=1, to="all", text="hello", channel="web")
    mailing.work()
    mails = mailing.sink.to("anna@players.example")
    reasons = {one.message["X-Game-Reason"] for one in mails}
    assert "press" in reasons
    assert reasons & {"match-started", "your-turn"}, "whose turn it is, is drawn by lot"
    return mails


def stop_address(caught):
    return re.search(r"<mailto:([^?>]+)", caught.message["List-Unsubscribe"])[1]


def stop_path(caught):
    return re.search(r"<https?://[^/]+(/[^>]+)>", caught.message["List-Unsubscribe"])[1]


def last_word(mailing):  # noqa: F811
    return [one for one in mailing.sink.to("anna@players.example") if one.message["X-Game-Reason"] == "mails-stopped"]


def test_a_strangers_mail_stops_nothing_and_its_receiver_is_asked(forwarded, mailing):  # noqa: F811
    for caught in forwarded:
        mailing.write("unsubscribe", to=stop_address(caught), sender=EVE)
    mailing.work()
    assert not Mute.objects.exists()
    assert {mail.status for mail in InboundMail.objects.all()} == {MailStatus.HELD}
    assert mailing.sink.to(EVE) == []
    question = mailing.last("anna@players.example", "Do you want to stop these mails?")
    said = " ".join(question.text.split())
    assert "Nothing has been changed yet" in said
    assert re.search(r"You would no longer get: all mails about the match Stratastar #\d+", said)
    link = re.search(r"https?://[^/]+(/mail/confirm/\S+)", question.text)[1]
    assert "all mails about the match Stratastar #" in Client().get(link).content.decode()
    mailing.write("yes", to=str(question.message["Reply-To"]))
    mailing.work()
    assert Mute.objects.count() == 1
    assert len(last_word(mailing)) == 1


@pytest.mark.parametrize("mode", ["own", "border"])
def test_an_address_that_stops_mails_takes_few_an_hour(forwarded, mailing, settings, mode):  # noqa: F811
    """Each is stored for a month: without a limit one forwarded mail is enough to fill the disk."""
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = mode, "mx.games.example"
    settings.INBOUND_MAILS_PER_ADDRESS = 1
    refusals = 0
    for number in range(15):
        try:
            mailing.write(f"stop {number}", to=stop_address(forwarded[0]), sender=EVE)
        except smtplib.SMTPException:
            refusals += 1
    assert InboundMail.objects.count() == 15 - refusals <= 10


@pytest.mark.parametrize("verdict", [Verdict(NONE), Verdict(FAIL), Verdict(FAIL, strict=True)])
def test_a_forged_from_stops_nothing(forwarded, mailing, monkeypatch, verdict):  # noqa: F811
    monkeypatch.setattr("notifications.inbound.proving.trust.authenticate", lambda *_, **__: verdict)
    mailing.write("unsubscribe", to=stop_address(forwarded[0]))
    mailing.work()
    assert not Mute.objects.exists()
    assert InboundMail.objects.get().status == (MailStatus.REFUSED if verdict.strict else MailStatus.HELD)


def test_their_own_proved_mail_stops_the_match_and_can_be_undone(forwarded, mailing, anna):  # noqa: F811
    for _ in range(2):
        mailing.write("unsubscribe", to=stop_address(forwarded[0]))
        mailing.work()
    [mute] = Mute.objects.all()
    assert (mute.user, mute.scope) == (anna, Scope.TOPIC)
    [told] = last_word(mailing)
    assert "Stratastar #" in told.text
    assert "its deadlines still count" in " ".join(told.text.split())
    path = re.search(r"https?://[^/]+(/mail/resume/\S+)", told.text)[1]
    browser = Client(enforce_csrf_checks=True)
    assert "<form" in browser.get(path).content.decode()
    assert Mute.objects.exists(), "looking changes nothing"
    assert browser.post(path).status_code == 200
    assert not Mute.objects.exists()
    assert browser.post(path + "x").status_code == 404


@pytest.mark.parametrize("scope", [Scope.TOPIC, Scope.KIND, Scope.ALL])
@pytest.mark.parametrize("how", ["link in the text", "one click"])
def test_a_stop_by_link_is_told_by_one_last_mail(forwarded, mailing, scope, how):  # noqa: F811
    caught = forwarded[0]
    path = stop_path(caught)
    assert path in caught.text
    browser = Client(enforce_csrf_checks=True)
    for _ in range(3):
        given = {"List-Unsubscribe": "One-Click"} if how == "one click" else {}
        assert browser.post(path, given | {"scope": scope.value}).status_code == 200
    mailing.work()
    [told] = last_word(mailing)
    assert told.message["List-Unsubscribe"] is None
    Client().post(re.search(r"(/mail/resume/\S+)", told.text)[1])
    assert not Mute.objects.exists()


def test_a_stop_on_the_profile_page_is_told_by_one_mail(forwarded, mailing, anna):  # noqa: F811
    browser = Client()
    browser.force_login(anna)
    for _ in range(2):
        browser.post("/profile/mails", {"kinds": ["your_turn"]})
        mailing.work()
    [told] = last_word(mailing)
    assert told.text.count("\n- ") == Mute.objects.count() > 5


def test_a_provider_that_reports_a_stop_leads_to_the_same_mail(forwarded, mailing):  # noqa: F811
    from anymail.signals import AnymailTrackingEvent, EventType, tracking

    row = Outbox.objects.filter(user__username="anna", status=Status.SENT).first()
    told = AnymailTrackingEvent(event_type=EventType.UNSUBSCRIBED, event_id="1", metadata={"delivery": str(row.id)})
    tracking.send(sender=None, event=told, esp_name="Test")
    mailing.work()
    assert len(last_word(mailing)) == 1


def test_a_holder_of_a_link_cannot_flood_its_receiver(forwarded, mailing):  # noqa: F811
    path = stop_path(forwarded[0])
    browser = Client()
    answers = [browser.post(path, {"again": "1"} if number % 2 else {}).status_code for number in range(2 * muting.CHANGES_A_DAY)]
    mailing.work()
    assert answers == [200] * muting.CHANGES_A_DAY + [answers[-2], answers[-1]] * (muting.CHANGES_A_DAY // 2)
    assert 429 in answers
    assert len(last_word(mailing)) <= muting.CHANGES_A_DAY // 2
    assert not Mute.objects.exists(), "the last change that counted was to send them again"


def test_a_forged_report_or_complaint_stops_nothing(forwarded, mailing, anna):  # noqa: F811
    for caught in forwarded:
        for name in ("postfix_unknown_user", "complaint_arf"):
            raw = (FIXTURES.parent / "bounces" / f"{name}.eml").read_bytes()
            raw = raw.replace(b"RETURN_PATH", caught.sender.encode()).replace(b"\n", b"\r\n")
            mailing.deliver(raw, to=caught.sender, sender=EVE)
    assert not suppression.of_user(anna)
    notify(Notice("your_turn", user_id=anna.pk, topic="42"))


def test_no_address_in_a_mail_takes_orders_from_a_stranger(forwarded, mailing):  # noqa: F811
    """Every address anywhere in a mail, in headers and text, and the envelope."""
    before = Outbox.objects.filter(kind="press").count()
    ours = {
        address
        for caught in forwarded
        for address in [caught.sender, *re.findall(r"[\w.+-]+@reply\.games\.example", caught.raw.decode("latin-1"))]
    }
    assert {address.partition("+")[0] for address in ours} == {"turn", "press", "unsubscribe", "bounce"}
    for address in ours:
        mailing.write("press all I am anna\nresign\nyes\njoin eve", to=address, sender=EVE)
    mailing.work()
    assert {mail.status for mail in InboundMail.objects.all()} == {MailStatus.HELD}
    assert not Mute.objects.exists()
    assert Outbox.objects.filter(kind="press").count() == before
    assert mailing.sink.to(EVE) == []


def test_every_purpose_asks_who_writes():
    """A new kind of reply address needs a decision here."""
    assert set(purposes._handlers) == {"turn", "press", "invitation", "seat", "play", return_paths.UNSUBSCRIBE}


def test_no_mail_shows_a_secret_of_its_receiver(forwarded, mailing, anna):  # noqa: F811
    from notifications.sending import calendar

    feed = calendar.renew_address(anna)
    notify(Notice("your_turn", user_id=anna.pk, topic="42"))
    mailing.work()
    for caught in mailing.sink.to("anna@players.example"):
        raw = f"{caught.text} {caught.html}"
        assert feed not in raw
        assert feed not in caught.raw.decode("latin-1")
        for link in re.findall(r"https?://[^\s\"<>]+", raw):
            assert re.search(
                r"/(matches/\d+/|games/\w+/$|mail/unsubscribe/|mail/resume/|mail/confirm/|invitations/|profile/)", link
            ), link
