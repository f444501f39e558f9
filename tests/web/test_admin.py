"""The operators' site: it only reads, reveals nothing hidden of a running match, and its actions are recorded."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import absences
from accounts.operators import operators
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.models import Holding, Look, Match, Outage, Premove, Question, Reckoned, Refusal
from gamesvc.matches.record import availability, loading
from gamesvc.matches.record.stream import STORE
from notifications import channels
from notifications.models import Bounce, Handover, Outbox, Preference, Reminder, Suppression, Webhook
from notifications.other_channels import signing
from tests.matches.playing import play_out
from tests.web.page import names

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(toy, anna, ben):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))


def page_of(match, **query):
    return reverse("admin:matches_match_change", args=[match.pk], query=query)


def act(desk, match, **fields):
    return desk.post(reverse("admin:matches_match_act", args=[match.pk]), fields, follow=True)


def test_only_operators_come_in_and_by_the_usual_door(match, anna, desk):
    for path in ("/admin/", "/admin/matches/match/", page_of(match)):
        assert Client().get(path, follow=True).redirect_chain[-1][0].startswith("/accounts/login/")
        player = Client()
        player.force_login(anna)
        assert player.get(path, follow=True).status_code == 403
        assert desk.get(path).status_code == 200


def test_passwords_are_changed_where_everybody_does_it(desk):
    assert desk.get("/admin/password_change/")["Location"] == "/accounts/password/change/"


def test_everything_is_read_only(match, anna, desk):
    Refusal.objects.create(
        match=match,
        command_id=match.id,
        user=anna,
        seat=0,
        channel="api",
        received_at=match.created_at,
        command={},
        code="x",
        detail="x",
    )
    notice = Outbox.objects.filter(user=anna).first()
    Webhook.objects.create(user=anna, url="https://hooks.example/in")
    channels.follow(notice, ("mail", "webhook"), timedelta(0), timezone.now())
    assert Handover.objects.exists()
    Reminder.objects.create(user=anna, topic=str(match.id), subject="0 turn", point="80%", deadline=timezone.now())
    Bounce.objects.create(key="1", user=anna, address_hash="hash", report="hard", source="dsn")
    Suppression.objects.create(user=anna, address_hash="hash", report="hard")
    Preference.objects.create(user=anna, topic=str(match.id), reminders=["80%"])
    Reckoned.objects.create(match=match, version=2, fault="KeyError: no such card")
    version = match.version
    assert desk.get("/admin/").status_code == 200  # also registers the lists, if no test before has asked for a page
    for model, admin in operators._registry.items():
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        assert desk.get(reverse(f"{name}_changelist")).status_code == 200
        assert desk.get(reverse(f"{name}_add")).status_code == 403
        assert admin.actions is None
        row = model._base_manager.first()
        if row is None:
            continue
        assert desk.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
        assert desk.post(reverse(f"{name}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
        posted = desk.post(reverse(f"{name}_change", args=[row.pk]), {"status": "finished", "username": "x", "code": "y"})
        assert posted.status_code in (200, 403)
        assert model._base_manager.filter(pk=row.pk).exists()
    match.refresh_from_db()
    assert (match.status, match.version) == ("running", version)


@pytest.mark.parametrize("listed", ["matches/match", "matches/report", "accounts/user"])
def test_a_long_search_is_cut(listed, desk, django_assert_max_num_queries):
    """A link of another site could bring one: each word is a condition more, and thousands take minutes to plan."""
    with django_assert_max_num_queries(50) as asked:
        assert desk.get(f"/admin/{listed}/", {"q": "a " * 400}).status_code == 200
    longest = max((one["sql"] for one in asked.captured_queries), key=len)
    assert 100 < longest.count(" AND ") < 150


def everything(desk, model):
    """Request the list of a model and the page of each row."""
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    pages = [reverse(f"{name}_changelist"), *(reverse(f"{name}_change", args=[row.pk]) for row in model.objects.all())]
    answers = [desk.get(page) for page in pages]
    return "".join(answer.content.decode() for answer in answers if answer.status_code == 200)


def test_who_plays_where_and_what_opens_a_door_are_not_told(match, anna, desk):
    Match.objects.update(anonymous=True)
    Reminder.objects.create(user=anna, topic=str(match.id), subject="0 turn", point="80%", deadline=timezone.now())
    Preference.objects.create(user=anna, topic=str(match.id), reminders=["80%"])
    hook = Webhook.objects.create(user=anna, url="https://hooks.example/in?key=sesame")
    for model in (Reminder, Preference):
        page = everything(desk, model)
        assert "80%" in page
        assert str(match.id) not in page
    assert not names(everything(desk, Holding), "anna")
    page = everything(desk, Webhook)
    assert "hooks.example" in page
    assert "sesame" not in page
    assert signing.secret_of(hook) not in page
    Reckoned.objects.create(match=match, version=2, fault="KeyError: no such card")
    assert "no such card" in desk.get(reverse("admin:matches_reckoned_changelist"), {"fault": "1"}).content.decode()


def test_of_premoves_only_that_they_are_there(match, anna, ben, operator, desk):
    laid = {"match": match, "seat": 0, "user": anna, "number": 1, "why": "the ace did not come"}
    Premove.objects.create(condition={"event": {"type": "sesame"}}, commands=[{"name": "sesame"}], **laid)
    page, link = everything(desk, Premove), reverse("admin:matches_premove_change", args=[Premove.objects.get().pk])
    assert link in page
    assert "sesame" not in page
    assert "the ace" not in page
    match.seats.filter(index=1).update(user=operator)
    assert link not in everything(desk, Premove), "nothing of those against whom the operator plays himself"


def test_the_page_of_a_running_match_shows_nothing_hidden(match, desk):
    hands = loading.load(match.id, "toy").timeline.state.hands
    page = desk.get(page_of(match)).content.decode()
    assert "toy.dealt" in page
    assert "(redacted)" in page
    view = re.search(r"&quot;hands&quot;: \[(.*?)\]", page, re.DOTALL)[1]
    assert [int(one) for one in re.findall(r"\d+", view)] == [len(hand) for hand in hands]
    secret = bytes(Match.objects.get(pk=match.pk).sealed_secret).hex()
    assert secret not in page


def test_another_seats_eyes_are_shut_until_the_end(match, desk):
    answer = desk.get(page_of(match, version=6, **{"as": 1}))
    assert "opens when the match is over" in answer.content.decode()
    assert act(desk, match, act="measure", action="abort", code="other", reason="test", _once="1").status_code == 200
    hands = loading.load(match.id, "toy").timeline.state.hands
    page = desk.get(page_of(match, version=6, **{"as": 1})).content.decode()
    assert ", ".join(map(str, hands[1])) in re.sub(r"\s+", " ", page)


def test_time_travel_shows_each_version(match, desk):
    page = desk.get(page_of(match, version=match.version)).content.decode()
    assert "<svg" in page
    early = desk.get(page_of(match, version=2)).content.decode()
    assert "There is no board yet." in early
    assert "Versions are 1 to" in desk.get(page_of(match, version=4711)).content.decode()


def test_a_match_is_verified_by_a_button(match, desk):
    assert desk.get(reverse("admin:matches_match_act", args=[match.pk])).status_code == 405
    page = act(desk, match, act="verify").content.decode()
    assert f"Nothing is wrong: {match.version} events" in page
    Match.objects.filter(pk=match.pk).update(game="toy", seat_count=3)
    page = act(desk, match, act="verify").content.decode()
    assert "seat_count of the match row is 3, by the events 2." in page


def test_looking_behind_is_a_deed_that_the_match_tells(match, desk, anna):
    version = match.version
    hands = loading.load(match.id, "toy").timeline.state.hands
    page = act(desk, match, act="look", seat="1", version=str(version), reason="A complaint of ben").content.decode()
    assert "This look is recorded" in page
    assert re.sub(r"\s+", "", str(list(hands[1]))) in re.sub(r"\s+", "", page)
    assert STORE.read(match.id)[-1].type == "match.looked"
    assert Look.objects.get().words == "A complaint of ben"
    client = Client()
    client.force_login(anna)
    shown = client.get(f"/matches/{match.number}/").content.decode()
    assert f"An operator looked at what ben sees, at version {version}. “A complaint of ben”" in shown


@pytest.mark.parametrize("missing", ["reason", "seat", "version"])
def test_no_look_without_all_it_needs(match, desk, missing):
    fields = {"seat": "1", "version": str(match.version), "reason": "check"} | {missing: ""}
    page = act(desk, match, act="look", **fields).content.decode()
    assert 'class="error"' in page
    assert not Look.objects.exists()
    assert loading.load(match.id, "toy").version == match.version


def test_an_operator_who_plays_sees_and_does_nothing_special(match, ben):
    ben.is_staff = True
    ben.save()
    own = Client()
    own.force_login(ben)
    page = own.get(page_of(match)).content.decode()
    assert "You have played in this match" in page
    assert "Look behind</button>" not in page
    for fields in (
        {"act": "look", "seat": "0", "version": str(match.version), "reason": "curious"},
        {"act": "measure", "action": "abort", "code": "other", "reason": "losing"},
    ):
        assert 'class="error"' in act(own, match, **fields).content.decode()
    match.refresh_from_db()
    assert (match.status, loading.load(match.id, "toy").version) == ("running", match.version)
    assert not Look.objects.exists()


def test_refusals_of_the_opponent_are_not_shown_to_an_operator_who_plays(match, anna, ben, desk):
    ben.is_staff = True
    ben.save()
    for user, seat, secret in ((anna, 0, "counter-9001"), (ben, 1, "counter-9002")):
        Refusal.objects.create(
            match=match,
            command_id=f"00000000-0000-4000-8000-00000000000{seat}",
            user=user,
            seat=seat,
            channel="api",
            received_at=match.created_at,
            command={"name": secret, "card": "a-55"},
            code=f"code_{secret}",
            detail="You do not hold a-55.",
            parameter="a-55",
        )
    own = Client()
    own.force_login(ben)
    listed = own.get("/admin/matches/refusal/").content.decode()
    assert "code_counter-9002" in listed
    assert "code_counter-9001" not in listed
    hidden = Refusal.objects.get(user=anna)
    assert own.get(reverse("admin:matches_refusal_change", args=[hidden.pk]), follow=True).redirect_chain
    shown = desk.get(reverse("admin:matches_refusal_change", args=[hidden.pk])).content.decode()
    assert "code_counter-9001" in shown
    assert "a-55" not in shown
    assert "a-55" not in desk.get("/admin/matches/refusal/").content.decode()
    Match.objects.filter(pk=match.pk).update(status="finished")
    for reader in (own, desk):
        assert "a-55" in reader.get(reverse("admin:matches_refusal_change", args=[hidden.pk])).content.decode()


def test_a_look_behind_shows_what_was_refused_to_that_seat(match, anna, ben, desk, program):
    for user, card in ((anna, 90190190), (ben, 90290290)):
        client = program(user)
        tag = client.get(f"/matches/{match.number}/view/")["ETag"]
        assert client.post(f"/matches/{match.number}/commands/", {"name": "play", "card": card}, etag=tag).status_code == 422
    page = act(desk, match, act="look", seat="1", version=str(match.version), reason="A complaint").content.decode()
    assert "90290290" in page
    assert "90190190" not in page


def test_numbers_that_count_hidden_events_are_not_for_an_operator_who_plays(match, anna, ben, desk):
    ben.is_staff = True
    ben.save()
    Reckoned.objects.create(match=match, version=4711)
    own = Client()
    own.force_login(ben)
    for model in (Reckoned, Holding):
        row = reverse(f"admin:matches_{model._meta.model_name}_change", args=[model.objects.first().pk])
        listed = reverse(f"admin:matches_{model._meta.model_name}_changelist")
        assert row in desk.get(listed).content.decode()
        assert row not in own.get(listed).content.decode()
        assert desk.get(row).status_code == 200
        assert own.get(row).status_code == 302


def test_questions_of_a_match_are_not_shown_to_an_operator_who_plays(match, anna, ben, desk):
    ben.is_staff = True
    ben.save()
    own = Client()
    own.force_login(ben)
    question = Question.objects.filter(match=match).first()
    single = reverse("admin:matches_question_change", args=[question.pk])
    for path in (reverse("admin:matches_question_changelist"), single):
        assert question.prompt in desk.get(path).content.decode()
        assert question.prompt not in own.get(path, follow=True).content.decode()
    Match.objects.update(status=Match.Status.FINISHED)
    assert question.prompt in own.get(single).content.decode()


@pytest.mark.parametrize("board", [True, False])
def test_a_private_fork_that_is_over_stays_shut_while_its_origin_runs(match, anna, ben, desk, board):
    """It shows the hand with which it began: an operator who plays against it, or has not looked behind, must not see that."""
    seen = access_match(user=anna, ident=str(match.pk))
    fork = forks.fork(access=seen, version=loading.load(match.pk, "toy").viewer_version(0), board=board)
    hand = loading.load(match.pk, "toy").timeline.state.hands[0]
    refused = {"code": "not_held", "detail": f"You hold {hand}.", "command": {"name": "play"}, "channel": "api"}
    row = Refusal.objects.create(match=fork, command_id=fork.pk, user=anna, seat=0, received_at=fork.created_at, **refused)
    if board:
        forks.close_board(access=access_match(user=anna, ident=str(fork.pk)))
    else:
        play_out(opening.join_match(by=ben, match=fork, link=fork.link_token))
    paths = [page_of(fork), page_of(fork, **{"as": 0}), page_of(fork, version=2), page_of(fork, after=0)]
    for path in paths:
        assert desk.get(path)["Location"] == "/admin/matches/match/"
    assert "not open to you" in act(desk, fork, act="verify").content.decode()
    kept = reverse("admin:matches_refusal_change", args=[row.pk])
    assert "You hold" not in desk.get(kept).content.decode()
    Match.objects.filter(pk=match.pk).update(status="finished")
    assert {desk.get(path).status_code for path in paths} == {200}
    assert "You hold" in desk.get(kept).content.decode()


def test_an_analysis_board_is_shut_to_an_operator_who_plays_in_its_match(match, anna, ben, desk):
    """Its moves tell what the opponent plans."""
    ben.is_staff = True
    ben.save()
    own = Client()
    own.force_login(ben)
    seen = access_match(user=anna, ident=str(match.pk))
    board = forks.fork(access=seen, version=loading.load(match.pk, "toy").viewer_version(0), board=True)
    assert own.get(page_of(board))["Location"] == "/admin/matches/match/"
    assert own.get(page_of(match)).status_code == desk.get(page_of(board)).status_code == 200
    Match.objects.filter(pk=match.pk).update(status="finished")
    forks.close_board(access=access_match(user=anna, ident=str(board.pk)))
    assert own.get(page_of(board)).status_code == 200


def test_measures_are_taken_from_the_page(match, desk):
    page = desk.get(page_of(match)).content.decode()
    once = re.search(r'name="_once" value="([^"]+)"', page)[1]
    before = Question.objects.get(match=match, seat=0).due_at
    fields = {"act": "measure", "action": "extend", "seat": "0", "hours": "3", "code": "fault", "reason": "The mail was down"}
    for _ in range(2):
        assert "Done: extend" in act(desk, match, **fields, _once=once).content.decode()
    assert (Question.objects.get(match=match, seat=0).due_at - before).total_seconds() == 3 * 3600
    actors = [stored.meta["actor"]["kind"] for stored in STORE.read(match.id) if stored.type == "match.deadline_set"]
    assert actors == ["host"]


def test_the_forms_are_guarded_against_other_sites(match, operator):
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)
    assert client.post(reverse("admin:matches_match_act", args=[match.pk]), {"act": "verify"}).status_code == 403


def test_names_in_an_anonymous_match_are_told_to_no_operator(toy, anna, ben, desk):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, anonymous=True))
    for path in (page_of(match), "/admin/matches/match/"):
        page = desk.get(path).content.decode()
        assert "player 1" in page
        assert not names(page, "anna")


def test_nothing_of_the_site_writes_by_itself(match, desk):
    def rows():
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM events_event")
            events = cursor.fetchone()[0]
        return events, Look.objects.count(), Match.objects.values_list("version", flat=True)[0]

    before = rows()
    for path in (page_of(match), page_of(match, version=6), "/admin/matches/match/", "/admin/accounts/signin/"):
        assert desk.get(path).status_code == 200
    assert rows() == before


def test_an_organiser_without_a_seat_finds_the_measures_on_the_page_of_the_match(toy, anna, ben, player):
    olga = player("olga")
    match = opening.create_match(by=olga, game=toy, take_seat=False, watch="all")
    match = opening.join_match(by=ben, match=opening.join_match(by=anna, match=match))
    client = Client()
    client.force_login(olga)
    page = client.get(f"/matches/{match.number}/").content.decode()
    once = re.search(r'/organise">.*?name="_once" value="([^"]+)"', page)[1]
    fields = {"action": "pause", "code": "dispute", "reason": "Wait for my ruling", "_once": once}
    for _ in range(2):
        answer = client.post(f"/matches/{match.number}/organise", fields, follow=True)
        assert "The match is paused, and the players are notified." in answer.content.decode()
    match.refresh_from_db()
    assert match.paused_at is not None
    assert "Resume the match" in client.get(f"/matches/{match.number}/").content.decode()
    anna_sees = Client()
    anna_sees.force_login(anna)
    page = anna_sees.get(f"/matches/{match.number}/").content.decode()
    assert "Wait for my ruling" in page
    assert "/organise" not in page
    refused = anna_sees.post(f"/matches/{match.number}/organise", {**fields, "action": "abort"}, follow=True)
    assert "only if they never played in it" in refused.content.decode()
    match.refresh_from_db()
    assert match.status == "running"


def test_operators_see_deadlines_vacations_outages_and_what_became_of_notices(match, desk, anna):
    now = timezone.now()
    absences.announce(user=anna, first=now.astimezone(anna.zone).date(), last=now.astimezone(anna.zone).date())
    Outage.objects.create(started_at=now - timedelta(hours=2), ended_at=now)
    availability.beat()
    for name, shown in (
        ("matches_question", str(match)),
        ("accounts_absence", "anna"),
        ("matches_outage", "field-settled_at"),
        ("matches_heartbeat", "service"),
        ("notifications_outbox", "your_turn"),
    ):
        assert shown in desk.get(reverse(f"admin:{name}_changelist")).content.decode()
    assert str(match.id) not in desk.get(reverse("admin:notifications_outbox_changelist")).content.decode()
