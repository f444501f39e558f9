"""Reports of players to the operators, the queue in which these decide, and what follows for the reported player."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import ProgrammingError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import absences, blocks, erasure
from accounts.bots import bots
from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.matches import retention
from gamesvc.matches.access import daily_limits
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.lobby import opening, press
from gamesvc.matches.models import Match, MessageBan, Press, Reason, Report, ReportAct
from gamesvc.matches.organising import moderation
from gamesvc.matches.record.stream import STORE
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.by_mail import wait_for
from tests.matches.playing import act
from tests.racing import at_once, is_waited_for
from tests.web.page import chosen, form_to, names

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(player):
    return player("olga", is_staff=True)


@pytest.fixture
def desk(operator):
    client = Client()
    client.force_login(operator)
    return client


@pytest.fixture
def browser(anna):
    client = Client()
    client.force_login(anna)
    return client


@pytest.fixture
def match(toy, anna, ben):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))


def writes(match, user, seat, text, to="all"):
    return press.say(match=match, by=user, by_seat=seat, to=to, text=text, channel="api")


def reported(program, anna, **more):
    answer = program(anna).post("/reports/", {"kind": "abuse", "words": "See there", "player": "ben", **more})
    assert answer.status_code == 201, answer.content
    return Report.objects.get(pk=answer.json()["id"])


# --- reporting ---


def test_a_message_is_reported_from_its_place_with_a_copy_of_what_led_to_it(match, anna, ben, browser):
    writes(match, anna, 0, "Good luck")
    bad = writes(match, ben, 1, "You fool", to=[0])
    page = browser.get(f"/matches/{match.number}/press").content.decode()
    address = f"/report/?match={match.number}&message={bad.pk}"
    assert f'href="{address.replace("&", "&amp;")}"' in page
    page = browser.get(address).content.decode()
    assert "You fool" in page
    answer = browser.post(address, chosen(form_to(page, "", "Send the report"), {"kind": ["abuse"]}), follow=True)
    assert "The operators have your report." in answer.content.decode()
    report = Report.objects.get()
    assert (report.about, report.match, report.user) == (ben, match, anna)
    assert [(one["by"], one["text"], one["reported"]) for one in report.messages] == [
        ("reporter", "Good luck", False),
        ("about", "You fool", True),
    ]
    # The copy is kept if the message goes.
    Press.objects.all().delete()
    assert Report.objects.get().messages[1]["text"] == "You fool"


def test_a_player_is_reported_from_their_page_and_a_seat_by_a_program(match, anna, ben, browser, program):
    assert "/report/?player=ben" in browser.get("/players/ben/").content.decode()
    page = browser.get("/report/?player=ben").content.decode()
    browser.post("/report/?player=ben", chosen(form_to(page, "", "Send the report"), {"kind": ["name"], "words": ["Look at it"]}))
    body = {"kind": "cheating", "words": "Two accounts", "match": str(match.number), "seat": 1}
    assert program(anna).post("/reports/", body).status_code == 201
    assert [(one.kind, one.about.username) for one in Report.objects.order_by("created_at")] == [
        ("name", "ben"),
        ("cheating", "ben"),
    ]


def test_what_one_may_not_read_one_cannot_report(match, anna, ben, player, program):
    hidden = writes(match, ben, 1, "To anna alone", to=[0])
    stranger = program(player("dora"))
    body = {"kind": "abuse", "match": str(match.number), "message": str(hidden.pk)}
    assert stranger.post("/reports/", body).status_code == 404
    assert stranger.post("/reports/", {**body, "link": match.link_token}).json()["code"] == "unknown_message"
    for body, code in (
        ({"kind": "abuse", "player": "anna", "words": "x"}, "own_name"),
        ({"kind": "abuse", "player": "ben"}, "bad_report"),
        ({"kind": "abuse", "player": "ben", "match": "1", "words": "x"}, "bad_report"),
        ({"kind": "abuse", "player": "nobody", "words": "x"}, "unknown_user"),
        ({"kind": "abuse", "match": str(match.number), "seat": 7, "words": "x"}, "no_seat"),
    ):
        assert program(anna).post("/reports/", body).json()["code"] == code
    assert not Report.objects.exists()


def test_a_message_that_a_block_has_hidden_since_can_still_be_reported(match, anna, ben, browser):
    bad = writes(match, ben, 1, "You fool")
    blocks.block(by=anna, name="ben")
    assert "You fool" in browser.get(f"/report/?match={match.number}&message={bad.pk}").content.decode()


def test_reports_of_one_user_are_limited(anna, ben, program, monkeypatch):
    monkeypatch.setattr(daily_limits, "REPORTS_PER_DAY", 1)
    reported(program, anna)
    refused = program(anna).post("/reports/", {"kind": "abuse", "words": "Again", "player": "ben"})
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many")


def test_the_page_of_a_report_in_an_anonymous_match_names_nobody(toy, anna, ben, browser, desk):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, anonymous=True))
    bad = writes(match, ben, 1, "Guess who")
    address = f"/report/?match={match.number}&message={bad.pk}"
    page = browser.get(address).content.decode()
    assert "Report player 2" in page
    assert not names(page, "ben")
    browser.post(address, chosen(form_to(page, "", "Send the report"), {"kind": ["abuse"]}))
    report = Report.objects.get()
    for seen in (desk.get("/admin/matches/report/"), desk.get(f"/admin/matches/report/{report.pk}/change/")):
        assert not names(seen.content.decode(), "ben")


def test_no_search_for_a_name_finds_a_report_in_an_anonymous_match(toy, anna, ben, browser, program, desk):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, anonymous=True))
    program(anna).post("/reports/", {"kind": "abuse", "words": "In the match", "match": str(match.number), "seat": 1})
    inside = Report.objects.get()
    outside = reported(program, anna)

    def found(term):
        page = desk.get(f"/admin/matches/report/?q={term}").content.decode()
        return [row for row in (inside, outside) if str(row.pk) in page]

    assert found("ben") == [outside]
    assert found(match.number) == [inside]
    User.objects.filter(pk=ben.pk).update(username="ben77")
    assert found(77) == [outside]


def mails_about_reports(mailing, name):  # noqa: F811
    return [mail for mail in mailing.sink.to(f"{name}@players.example") if mail.reason == "report"]


def test_operators_learn_of_a_report_by_mail_once_without_what_it_says(
    match, anna, ben, player, program, operator, mailing  # noqa: F811
):  # fmt: skip
    other = player("otto", is_staff=True)
    verify(operator, other, anna, ben)
    bad = writes(match, ben, 1, "You fool")
    body = {"kind": "abuse", "words": "See there", "match": str(match.number), "message": str(bad.pk)}
    report = Report.objects.get(pk=program(anna).post("/reports/", body).json()["id"])
    for _ in range(2):
        mailing.work()
    for name in ("olga", "otto"):
        [mail] = mails_about_reports(mailing, name)
        assert "Insults, threats or harassment" in mail.subject
        for part in (mail.text, mail.html):
            assert f"/admin/matches/report/{report.pk}/change/" in part
            assert not [word for word in ("anna", "ben@", ">ben", "You fool", "See there") if word in part]
    assert [mails_about_reports(mailing, name) for name in ("anna", "ben")] == [[], []]


def test_no_mail_about_a_report_goes_to_operators_whom_it_concerns_or_once_it_is_taken(
    match, anna, ben, player, program, operator, mailing  # noqa: F811
):  # fmt: skip
    reporter, playing = player("cleo", is_staff=True), player("dora", is_staff=True)
    busy = opening.join_match(by=playing, match=opening.create_match(by=anna, game=match.game))
    verify(operator, reporter, playing)
    report = reported(program, reporter, player="anna")
    body = {"kind": "other", "words": "Slow", "match": str(busy.number), "seat": 0}
    User.objects.filter(pk=reporter.pk).update(is_staff=False)
    assert program(playing).post("/reports/", body).status_code == 201
    moderation.act(by=operator, report=report, act="take")
    mailing.work()
    assert [len(mails_about_reports(mailing, name)) for name in ("olga", "cleo", "dora")] == [1, 0, 0]


# --- deciding ---


def test_an_operator_who_was_reported_learns_neither_by_whom_nor_what_the_others_note(anna, player, program, operator, desk):
    other, bot = Client(), player("robot", is_bot=True, bot_owner=operator)
    other.force_login(player("otto", is_staff=True))
    for reported_one in (operator, bot):
        report = reported(program, anna, player=reported_one.username)
        act = f"/admin/matches/report/{report.pk}/act/"
        other.post(act, {"act": "note", "words": "Watch them"})
        [note] = report.acts.all()
        pages = [
            ("/admin/matches/report/", f"/admin/matches/report/{report.pk}/change/"),
            ("/admin/matches/reportact/", f"/admin/matches/reportact/{note.pk}/change/"),
        ]
        for listed, page in pages:
            assert page not in desk.get(listed).content.decode()
            assert desk.get(page).status_code in (302, 404)
            assert page in other.get(listed).content.decode()
            assert other.get(page).status_code == 200
        assert desk.post(act, {"act": "note", "words": "Who was it"}).status_code == 404


def test_operators_take_a_report_and_decide_it_and_each_act_is_on_record(match, anna, ben, program, desk, operator):
    report = reported(program, anna)
    page = desk.get(f"/admin/matches/report/{report.pk}/change/").content.decode()
    assert "See there" in page
    act = f"/admin/matches/report/{report.pk}/act/"
    desk.post(act, {"act": "take"})
    assert "a note" not in desk.post(act, {"act": "warn", "words": ""}, follow=True).content.decode()
    desk.post(act, {"act": "dismiss", "words": "Nothing in it"})
    report.refresh_from_db()
    assert (report.state, report.closed_at is not None) == ("closed", True)
    assert "A closed report takes a note" in desk.post(act, {"act": "warn", "words": "x"}, follow=True).content.decode()
    desk.post(act, {"act": "note", "words": "For the files"})
    shown = desk.get("/admin/matches/reportact/").content.decode()
    assert [act.act for act in report.acts.order_by("pk")] == ["take", "dismiss", "note"]
    assert shown.count("olga") >= 3


def test_the_record_of_acts_cannot_be_changed(anna, ben, program, operator):
    act = moderation.act(by=operator, report=reported(program, anna), act="dismiss", words="Nothing in it")
    with pytest.raises(ProgrammingError, match="append-only"), transaction.atomic():
        ReportAct.objects.filter(pk=act.pk).update(words="Something else")
    erasure.erase(operator)
    act.refresh_from_db()
    assert (act.operator, act.words) == (None, "Nothing in it")


def test_a_warning_comes_by_mail_and_names_no_reporter(match, anna, ben, program, operator, mailing):  # noqa: F811
    verify(ben)
    moderation.act(by=operator, report=reported(program, anna), act="warn", words="Stay polite, please.")
    mailing.work()
    mail = mailing.last("ben@players.example", "The operators have warned you")
    assert "Stay polite, please." in mail.text
    assert "/terms/" in mail.text
    assert "anna" not in mail.text


@pytest.mark.parametrize(("act", "more", "headline"), [("warn", {}, "have warned you"), ("mute", {"days": 3}, "may not write")])
def test_the_owner_of_a_bot_hears_what_is_decided_about_it(anna, ben, program, operator, mailing, act, more, headline):  # noqa: F811
    verify(ben)
    bots.make(owner=ben, name="deep-bot")
    report = reported(program, anna, player="deep-bot")
    moderation.act(by=operator, report=report, act=act, words="Let it answer.", **more)
    mailing.work()
    mail = mailing.last("ben@players.example", headline)
    assert "This is about your bot deep-bot." in mail.text
    assert "Let it answer." in mail.text


def test_a_ban_from_messages_ends_by_itself_or_is_lifted(match, anna, ben, program, operator, mailing):  # noqa: F811
    verify(ben)
    moderation.act(by=operator, report=reported(program, anna), act="mute", words="Calm down.", days=3)
    refused = program(ben).post(f"/matches/{match.number}/press/", {"to": "all", "text": "But why"})
    assert (refused.status_code, refused.json()["code"]) == (422, "press_banned")
    mailing.work()
    told = mailing.last("ben@players.example", "You may not write messages until")
    assert "Calm down." in told.text
    assert all("Your matches go on" in part for part in (told.text, told.html))
    MessageBan.objects.update(until=timezone.now() - timedelta(seconds=1))
    writes(match, ben, 1, "Sorry")
    moderation.act(by=operator, report=reported(program, anna), act="mute", words="Again.", days=3)
    moderation.act(by=operator, report=Report.objects.last(), act="restore", words="A mistake.")
    writes(match, ben, 1, "Thanks")


@pytest.mark.parametrize("action", ["pause", "rewind"])
def test_a_banned_organiser_tells_the_players_nothing_by_a_reason(toy, anna, ben, player, program, client, action):
    host = player("olga")
    made = opening.create_match(by=host, game=toy, take_seat=False)
    for one in (anna, ben):
        made = opening.join_match(by=one, match=made)
    act(made, 0, {"name": "draw"})
    before = STORE.head(made.id).version
    act(made, 1, {"name": "draw"})
    MessageBan.objects.create(user=host, until=timezone.now() + timedelta(days=1))
    ask = {"action": action, "code": "dispute", "to": before}
    path = f"/matches/{made.number}/organise/"
    refused = program(host, "organise").post(path, {**ask, "reason": "You cheat, all of you"})
    assert (refused.status_code, refused.json()["code"]) == (422, "press_banned")
    assert not Reason.objects.exists()
    client.force_login(host)
    page = client.get(f"/matches/{made.number}/").content.decode()
    assert 'name="code"' in page
    assert 'name="reason"' not in page
    assert program(host, "organise").post(path, ask).status_code == 200
    assert Reason.objects.get().words == ""


def test_a_second_ban_shortens_no_longer_one(match, anna, ben, program, operator):
    for days in (30, 3):
        moderation.act(by=operator, report=reported(program, anna), act="mute", words="Calm down.", days=days)
    assert MessageBan.objects.get().until > timezone.now() + timedelta(days=29)
    moderation.act(by=operator, report=reported(program, anna), act="mute", words="Calm down.", days=60)
    assert MessageBan.objects.get().until > timezone.now() + timedelta(days=59)


def test_a_suspended_player_is_out_until_they_are_restored(match, anna, ben, program, operator):
    client, theirs = Client(), program(ben)
    client.force_login(ben)
    report = reported(program, anna)
    moderation.act(by=operator, report=report, act="suspend", words="Enough.")
    assert client.get("/profile/").status_code == 302
    assert theirs.get("/me/").status_code == 401
    moderation.act(by=operator, report=report, act="restore", words="Talked to them.")
    assert theirs.get("/me/").status_code == 200


def test_nobody_joins_a_suspended_player(toy, anna, ben, player, program, operator):
    hosted = opening.create_match(by=ben, game=toy)
    joined = opening.join_match(by=ben, match=opening.create_match(by=player("carl"), game="stratastar", seats=3))
    of_bot = opening.create_match(by=bots.make(owner=ben, name="deep-bot"), game=toy, entry="invited")
    running = opening.join_match(by=anna, match=opening.create_match(by=ben, game=toy))
    moderation.act(by=operator, report=reported(program, anna), act="suspend", words="Enough.")
    assert [one["number"] for one in program(anna).get("/matches/?mine=false").json()["results"]] == [joined.number]
    assert not joined.seats.filter(user=ben).exists()
    states = [Match.objects.get(pk=match.pk).status for match in (hosted, of_bot, joined, running)]
    assert states == ["cancelled", "cancelled", "open", "running"]
    challenged = program(anna).post("/challenges/", {"opponent": "deep-bot", "game": toy})
    assert (challenged.status_code, challenged.json()["code"]) == (422, "unknown_user"), challenged.content
    assert running.seats.filter(user=ben).exists(), "they may be restored, and until then the clock answers"


@pytest.mark.parametrize(
    ("act", "more"),
    [("mute", {"days": None}), ("mute", {"days": 400}), ("warn", {"words": ""}), ("ban", {}), ("restore", {})],
)
def test_an_act_that_does_not_fit_changes_nothing(anna, ben, program, operator, act, more):
    report = reported(program, anna)
    with pytest.raises(Refused):
        moderation.act(by=operator, report=report, act=act, **{"words": "Why", **more})
    assert not report.acts.exists()


def test_nobody_judges_their_own_case(match, anna, ben, player, program, operator):
    for by in (anna, ben):
        by.is_staff = True
        by.save()
        with pytest.raises(Forbidden):
            moderation.act(by=by, report=reported(program, anna), act="dismiss", words="Nothing in it")
    with pytest.raises(Forbidden):
        moderation.act(by=player("dora"), report=reported(program, anna), act="dismiss", words="Nothing in it")
    operators = reported(program, anna, player="olga")
    with pytest.raises(Forbidden):
        moderation.act(by=operator, report=operators, act="dismiss", words="Nothing in it")
    with pytest.raises(Refused, match="cannot be suspended"):
        moderation.act(by=player("rosa", is_staff=True), report=operators, act="suspend", words="x")


# --- forgetting ---


def test_erasing_the_reporter_takes_their_words_and_erasing_the_reported_takes_the_report(match, anna, ben, program, operator):
    writes(match, anna, 0, "Mine")
    bad = writes(match, ben, 1, "Theirs")
    body = {"kind": "abuse", "words": "My words", "match": str(match.number), "message": str(bad.pk)}
    assert program(anna).post("/reports/", body).status_code == 201
    moderation.act(by=operator, report=Report.objects.get(), act="note", words="Seen")
    erasure.erase(anna)
    report = Report.objects.get()
    assert (report.words, report.user, [one["text"] for one in report.messages]) == ("", None, ["Theirs"])
    erasure.erase(ben)
    assert not Report.objects.exists()
    assert not ReportAct.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_suspension_waits_for_an_erasure_that_has_begun(anna, ben, program, desk, monkeypatch):
    report, is_begun, forget = reported(program, anna), threading.Event(), absences.forget

    def forgotten(user):
        is_begun.set()
        wait_for(is_waited_for, "the suspension")
        forget(user)

    def suspend():
        is_begun.wait()
        act = reverse("admin:matches_report_act", args=[report.pk])
        return desk.post(act, {"act": "suspend", "words": "Enough."}).status_code

    monkeypatch.setattr(absences, "forget", forgotten)
    assert at_once(lambda: erasure.erase(ben), suspend) == [None, 404]
    assert not Report.objects.exists()


def test_a_closed_report_goes_after_its_time_and_an_open_one_stays(anna, ben, program, operator, settings):
    for _number in range(2):
        moderation.act(by=operator, report=reported(program, anna), act="dismiss", words="Nothing in it")
    kept, old = Report.objects.order_by("created_at")
    still_open = reported(program, anna)
    long_ago = timezone.now() - timedelta(days=settings.REPORTS_KEPT_DAYS, seconds=1)
    Report.objects.filter(pk=old.pk).update(closed_at=long_ago)
    Report.objects.filter(pk=still_open.pk).update(created_at=long_ago)
    retention.forget()
    assert set(Report.objects.values_list("pk", flat=True)) == {kept.pk, still_open.pk}


def test_everyone_finds_the_terms(client):
    assert "/terms/" in client.get("/accounts/signup/").content.decode()
    assert "/terms/" in client.get("/").content.decode()
    assert "Be kind" in client.get("/terms/").content.decode()
