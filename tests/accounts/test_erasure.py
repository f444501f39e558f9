"""Erasing a user: nothing of them is left in any table, and their matches go on, replay and verify."""

from __future__ import annotations

import json
import uuid
from datetime import time, timedelta
from types import SimpleNamespace

import pytest
import time_machine
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import absences, blocks, erasure
from accounts.addresses import add_verified_address
from accounts.bots import bots
from accounts.models import Absence, App, User
from accounts.oauth import apps as oauth_apps
from accounts.oauth import grants
from accounts.tokens import create_token
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import follows, invitations, notes, opening, press
from gamesvc.matches.mail_orders import held_orders
from gamesvc.matches.models import Follow, HeldOrders, Look, Match, PauseWish, Premove, Question, Reason, Refusal, Seat
from gamesvc.matches.organising import looks, measures, reports
from gamesvc.matches.organising.measures import Measure
from gamesvc.matches.play import standing_orders, turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.proof import audit, export, verification
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import pauses
from notifications.models import CalendarFeed, Preference, Webhook
from notifications.other_channels import chats, subscriptions, web_push
from notifications.sending import calendar
from notifications.wanted import wishes
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import holder
from tests.notifications.test_push import Browser
from tests.web.test_oauth import BACK, asking

pytestmark = pytest.mark.django_db

NAME, ADDRESS, OTHER = "quixotella", "quixotella@players.example", "second-quixotella@elsewhere.example"
WORDS = "dulcinea-of-toboso"


def tables() -> dict[str, str]:
    """Return everything in the database, table by table, as text (bytes as hex, and decoded where they are text)."""
    found = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_schema, table_name FROM information_schema.tables"
            " WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'"
        )
        for schema, name in cursor.fetchall():
            cursor.execute(f'SELECT * FROM "{schema}"."{name}"')  # noqa: S608
            cells = [cell for row in cursor.fetchall() for cell in row]
            found[name] = "\n".join(
                bytes(cell).decode("latin-1") if isinstance(cell, bytes | memoryview) else str(cell) for cell in cells
            ).lower()
    return found


def remains(*strings: str) -> set[tuple[str, str]]:
    return {(name, string) for name, text in tables().items() for string in strings if string.lower() in text}


@pytest.fixture
def quixotella(player):
    user = player(NAME, timezone="Europe/Madrid", language="de")
    add_verified_address(user, OTHER)
    add_verified_address(user, ADDRESS)
    return user


def busy_life(user, ben, mailing, program):  # noqa: F811
    """A running match with press, refusals, mails in both directions, conditional orders, measures, a token, a session."""
    verify(ben)
    signed_in = Client()
    signed_in.post("/accounts/login/", {"login": ADDRESS, "password": "a long password"})
    Client().post("/accounts/login/", {"login": NAME, "password": f"{WORDS} wrong"})
    match = opening.create_match(by=user, game="toy", watch="all", contribution_text=WORDS)
    invitations.invite(by=user, match=match, username="ben")
    invitations.invite(by=user, match=match, address="friend@players.example")
    match = opening.join_match(by=ben, match=match)
    press.say(match=match, by=holder(match, 0), by_seat=0, to="all", text=f"I am {NAME} and love {WORDS}.", channel="api")
    press.say(match=match, by=holder(match, 1), by_seat=1, to=[0], text="Hello to you", channel="api")
    mailing.work()
    turn = next(mail for mail in mailing.sink.to(ADDRESS) if mail.message["X-Game-Reason"] == "your-turn")
    mailing.write(f"set_orders {WORDS}\nEND\n", to=str(turn.message["Reply-To"]), sender=ADDRESS)
    mailing.work()
    hello = next(mail for mail in mailing.sink.to(ADDRESS) if mail.message["X-Game-Reason"] == "press")
    mailing.write(f"Long live {WORDS}!", to=str(hello.message["Reply-To"]), sender=ADDRESS)
    mailing.work()
    client = program(user)
    tag = client.get(f"/matches/{match.number}/view/")["ETag"]
    refused = client.post(f"/matches/{match.number}/commands/", {"name": "counter", "item": 424242424242}, etag=tag)
    assert refused.status_code == 422
    client.post("/matches/", {"game": "toy"})
    today = timezone.localdate()
    Absence.objects.create(
        user=user, first_day=today, last_day=today, zone="Europe/Madrid", starts_at=timezone.now(), ends_at=timezone.now()
    )
    chief = User.objects.create_user("chief", is_staff=True)
    measure = Measure("extend", "dispute", f"{NAME} was ill", seat=0, hours=5)
    measures.organise(by=chief, match=match, measure=measure, command_id=uuid.uuid4())
    looks.look_behind(by=chief, match=match, seat=1, version=match.version, reason=f"{NAME} complains")
    standing_orders.lay_by(
        match=match,
        seat=match.seats.get(user=user).index,
        user=user,
        condition={"event": {"type": "drew"}},
        commands=[{"name": "draw"}],
    )
    pauses.wish(match=match, by=holder(match, 0), seat=0, pause=True)
    HeldOrders.objects.create(
        match=match,
        seat=0,
        user=user,
        question="turn0",
        mail=uuid.uuid4(),
        first=1,
        lines=[{"number": 1, "text": f"set_orders {WORDS}"}],
        version=match.version,
        kept_at=match.version,
        counts_at=timezone.now(),
        until="deadline",
    )
    Follow.objects.create(user=user, game="toy")
    Follow.objects.create(user=ben, organiser=user)
    Webhook.objects.create(user=user, url=f"https://{WORDS}.example/hook")
    CalendarFeed.objects.create(user=user)
    Preference.objects.create(user=user)
    return match


def test_sessions_are_read_once_and_before_anybody_waits(anna):
    """Of all people: with many signed in it takes seconds, in which the erased one's matches would stand still."""
    for number in range(3):
        bots.make(owner=anna, name=f"machine{number}-bot")
    with CaptureQueriesContext(connection) as asked:
        erasure.erase(anna)
    told = [one["sql"] for one in asked]
    reads = [number for number, sql in enumerate(told) if "django_session" in sql and "SELECT" in sql]
    locks = [number for number, sql in enumerate(told) if "FOR NO KEY UPDATE" in sql]
    assert len(reads) == 1
    assert reads[0] < min(locks)


def test_nothing_is_left_of_the_person(toy, quixotella, ben, mailing, program):  # noqa: F811
    match = busy_life(quixotella, ben, mailing, program)
    assert {string for _name, string in remains(NAME, ADDRESS, OTHER, WORDS)} == {NAME, ADDRESS, OTHER, WORDS}
    assert Refusal.objects.filter(match=match).exists()
    erasure.erase(quixotella)
    assert remains(NAME, ADDRESS, OTHER, WORDS, "424242424242") == set()
    assert {one.words for model in (Reason, Look) for one in model.objects.all()} == {""}
    assert not any(model.objects.exists() for model in (HeldOrders, PauseWish, Premove))
    assert not [one for one in Session.objects.all() if one.get_decoded().get("_auth_user_id") == str(quixotella.pk)]
    pointing = [
        (field.related_model.__name__, field.field.name)
        for field in User._meta.get_fields(include_hidden=True)
        if field.auto_created and not field.concrete and not field.many_to_many
        if field.related_model._base_manager.filter(**{field.field.name: quixotella}).exists()
    ]
    assert pointing == []


def references() -> dict[tuple[str, str], set[tuple[str, int]]]:
    """Return the users that rows refer to, by column, for all rows of all models with such columns."""
    found: dict[tuple[str, str], set[tuple[str, int]]] = {}
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if field.related_model is User:
                for pk, user in model._base_manager.exclude(**{field.name: None}).values_list("pk", field.attname):
                    found.setdefault((model._meta.label, str(pk)), set()).add((field.name, user))
    return found


def asker():
    """Return an app of somebody else."""
    return App.objects.get(name="Asker")


def in_days(days):
    """Return a day that is to come in every zone."""
    return timezone.now().date() + timedelta(days=days)


ACTS = {
    "a match": lambda user, _match: opening.create_match(by=user, game="toy"),
    "a seat": lambda user, match: opening.join_match(by=user, match=match),
    "a key": lambda user, _match: create_token(user=user, name="late", scopes=["read"]),
    "an app": lambda user, _match: oauth_apps.register(
        owner=user, name="x", redirect_uris=["https://x.example"], confidential=True
    ),
    "a bot": lambda user, _match: bots.make(owner=user, name="late-bot"),
    "a webhook": lambda user, _match: subscriptions.add(user, url="https://x.example/hook"),
    "the webhook among the channels": lambda user, _match: subscriptions.set_channel(user, "https://x.example/hook"),
    "a chat": lambda user, _match: chats.set_up(user, "ntfy", "ntfys://ntfy.sh/secret"),
    "a browser": lambda user, _match: web_push.subscribe(user, **Browser(SimpleNamespace(origin="https://push.example")).given),
    "a vacation": lambda user, _match: absences.announce(user=user, first=in_days(3), last=in_days(3)),
    "quiet hours": lambda user, _match: absences.set_quiet_hours(user=user, start=time(22), end=time(7)),
    "a block": lambda user, _match: blocks.block(by=user, name="ben"),
    "a permission": lambda user, _match: grants.allow(asking(asker()).partition("?")[2], user),
    "notes": lambda user, match: notes.write(match, user, "My plan"),
    "a subscription to a game": lambda user, _match: follows.follow(by=user, game="star_commander"),
    "a report": lambda user, _match: reports.report(by=user, subject=reports.of_player(user, "ben"), kind="spam", words="Mine"),
    "a calendar address": lambda user, _match: calendar.renew_address(user),
    "wishes": lambda user, _match: wishes.set_wishes(user, {"subject_per_turn": True}),
}


@pytest.mark.parametrize("what", ACTS)
def test_a_request_that_began_before_does_nothing_afterwards(toy, quixotella, ben, what):
    match = opening.create_match(by=ben, game="toy")
    oauth_apps.register(owner=ben, name="Asker", redirect_uris=[BACK], confidential=False)
    erasure.erase(User.objects.get(pk=quixotella.pk))
    before = tables()
    with pytest.raises(PermissionDenied):
        ACTS[what](quixotella, match)
    changed = {name for name, text in tables().items() if text != before[name]}
    assert changed <= {"accounts_throttle"}, "which holds hashes only"


def test_a_bot_that_was_suspended_goes_with_its_owner(toy, quixotella, ben):
    bot = bots.make(owner=quixotella, name="sancho-panza-bot")
    match = opening.create_match(by=bot, game="toy", entry="invited")
    match = opening.join_match(by=ben, match=match, link=match.link_token)
    notes.write(match, bot, WORDS)
    create_token(user=bot, name="rocinante", scopes=["read"])
    User.objects.filter(pk=bot.pk).update(is_active=False)
    erasure.erase(quixotella)
    assert remains(NAME, "sancho-panza", WORDS, "rocinante") == set()


def test_the_refused_command_of_a_request_that_began_before_is_not_kept(toy, quixotella, ben):
    match = opening.join_match(by=ben, match=opening.create_match(by=quixotella, game="toy"))
    erasure.erase(User.objects.get(pk=quixotella.pk))
    before = tables()
    with pytest.raises(Refused):
        turns.submit(
            match=match,
            sender=Sender.player(quixotella.pk, 0, "api"),
            command={"name": "counter", "item": 424242424242},
            expected_version=match.version,
            command_id=uuid.uuid4(),
        )
    assert {name for name, text in tables().items() if text != before[name]} == set()


def test_orders_of_a_mail_that_is_being_read_are_not_held(toy, quixotella, ben, mailing, monkeypatch):  # noqa: F811
    opening.join_match(by=ben, match=opening.create_match(by=quixotella, game="toy"))
    mailing.work()
    turn = next(mail for mail in mailing.sink.to(ADDRESS) if mail.message["X-Game-Reason"] == "your-turn")
    keep = held_orders.keep

    def late(**given):
        erasure.erase(User.objects.get(pk=quixotella.pk))
        keep(**given)

    monkeypatch.setattr(held_orders, "keep", late)
    mailing.write("draw\nwait\nEND\n", to=str(turn.message["Reply-To"]), sender=ADDRESS)
    mailing.work()
    assert not User.objects.get(pk=quixotella.pk).is_active, "the orders were about to be held"
    assert not HeldOrders.objects.exists()
    assert remains(NAME, ADDRESS, OTHER, WORDS) == set()


def test_an_erasure_unbinds_no_row_from_another_user(toy, quixotella, ben, mailing, program):  # noqa: F811
    """Else erasing one player would release another from what holds them, such as an operator who has looked behind."""
    busy_life(quixotella, ben, mailing, program)
    before = references()
    chief = ("user", User.objects.get(username="chief").pk)
    assert {label for (label, _pk), users in before.items() if chief in users} >= {"matches.Look", "matches.Reason"}
    erasure.erase(quixotella)
    after = references()
    for row, users in before.items():
        others = {(name, user) for name, user in users if user != quixotella.pk}
        gone = row not in after and others != users
        assert gone or others == after.get(row, set()), f"{row} referred to {others}, now to {after.get(row)}"


def test_matches_of_an_erased_user_replay_and_verify_and_show_player_1(toy, quixotella, ben, mailing, program):  # noqa: F811
    match = busy_life(quixotella, ben, mailing, program)
    erasure.erase(quixotella)
    loading.forget_all()
    assert audit.check_match(match.id) == []
    seen = program(ben).get(f"/matches/{match.number}/").json()
    assert [(seat["name"], seat["kind"]) for seat in seen["seats"]] == [("", "free"), ("ben", "user")]
    assert seen["host"] is None
    page = Client().get(f"/matches/{match.number}/").content.decode()
    assert "player 1" in page
    report = verification.verify("".join(export.lines(loading.load(match.id, "toy"), None)).encode())
    assert report.ok, report.as_json()


def test_in_a_finished_match_an_erased_user_is_player_1(toy, quixotella, ben, program):
    match = opening.join_match(by=ben, match=opening.create_match(by=quixotella, game="toy"))
    client = program(ben)
    chief = User.objects.create_user("chief", is_staff=True)
    measure = Measure("abort", "other", "test")
    measures.organise(by=chief, match=match, measure=measure, command_id=uuid.uuid4())
    erasure.erase(quixotella)
    seen = client.get(f"/matches/{match.number}/").json()
    assert [seat["name"] for seat in seen["seats"]] == ["player 1", "ben"]
    assert audit.check_match(match.id) == []


def test_the_others_mails_and_messages_stay(toy, quixotella, ben, mailing, program):  # noqa: F811
    match = busy_life(quixotella, ben, mailing, program)
    erasure.erase(quixotella)
    assert [one.text for one in press.messages(access_match(user=ben, ident=str(match.pk)), None)] == ["Hello to you"]


def test_a_seat_in_a_running_match_is_vacated_and_the_clock_answers(toy, quixotella, ben):
    match = opening.join_match(by=ben, match=opening.create_match(by=quixotella, game="toy"))
    erasure.erase(quixotella)
    match.refresh_from_db()
    assert (match.status, match.creator) == ("running", None)
    seat = match.seats.get(index=0)
    assert (seat.user, seat.holder) == (None, None)
    assert "match.vacated" in [stored.type for stored in STORE.read(match.id)]
    assert Question.objects.filter(match=match, seat=0).exists()
    assert audit.check_match(match.id) == []


def test_open_matches_are_left_and_called_off_where_nobody_else_sits(toy, quixotella, ben):
    alone = opening.create_match(by=quixotella, game="toy")
    shared = opening.join_match(by=ben, match=opening.create_match(by=quixotella, game="toy", take_seat=False))
    others = opening.join_match(by=quixotella, match=opening.create_match(by=ben, game="toy", take_seat=False))
    erasure.erase(quixotella)
    assert Match.objects.get(pk=alone.pk).status == "cancelled"
    assert Match.objects.get(pk=shared.pk).status == "open"
    assert not Seat.objects.filter(match=others).exclude(holder=None).exists()
    assert [audit.check_match(match.id) for match in (alone, shared, others)] == [[], [], []]


@pytest.mark.parametrize("starts", [True, False], ids=["starts", "is called off"])
def test_a_match_that_moves_on_meanwhile_keeps_nobody_from_being_erased(toy, quixotella, ben, monkeypatch, starts):
    match = opening.join_match(by=quixotella, match=opening.create_match(by=ben, game=toy, take_seat=False))
    leave = opening.leave_match

    def late(**given):
        if starts:
            opening.start_match(by=ben, match=match, bot="greedy")
        else:
            opening.cancel_match(by=ben, match=match)
        return leave(**given)

    monkeypatch.setattr(opening, "leave_match", late)
    erasure.erase(quixotella)
    quixotella.refresh_from_db()
    match.refresh_from_db()
    assert not quixotella.is_active
    assert match.status == (Match.Status.RUNNING if starts else Match.Status.CANCELLED)
    assert not match.seats.filter(user=quixotella).exists()


def test_the_host_of_a_match_that_cannot_end_for_want_of_its_key_is_erased(toy, quixotella, ben):
    hosted = opening.create_match(by=quixotella, game="toy")
    joined = opening.join_match(by=quixotella, match=opening.create_match(by=ben, game="toy", take_seat=False))
    running = opening.join_match(by=ben, match=opening.create_match(by=quixotella, game="toy"))
    Match.objects.update(key_id="gone")
    erasure.erase(quixotella)
    quixotella.refresh_from_db()
    assert not quixotella.is_active
    hosted.refresh_from_db()
    assert (hosted.status, hosted.creator) == ("open", None)
    assert not Seat.objects.filter(match__in=[hosted, joined, running], user=quixotella).exists()


# --- API and pages ---


PASSWORD = "a long password"  # noqa: S105


def test_the_api_asks_for_the_name(quixotella, program):
    client = program(quixotella, "account")
    assert client.get("/me/").json()["name"] == NAME
    for body in ({}, {"name": "somebody"}, {"name": "somebody", "password": PASSWORD}):
        answer = client.call("DELETE", "/me/", body)
        assert answer.status_code in (400, 422)
        assert User.objects.filter(username=NAME).exists()
    assert client.call("DELETE", "/me/", {"name": NAME, "password": PASSWORD}).status_code == 204
    assert not User.objects.filter(username=NAME).exists()
    assert client.get("/me/").status_code == 401


def erase_by(plain, **more):
    """Ask for the erasure with this token."""
    body = json.dumps({"name": NAME, **more})
    return Client().delete("/api/v1/me/", body, "application/json", headers={"Authorization": f"Bearer {plain}"})


@pytest.mark.parametrize(
    ("scopes", "code"), [(["play"], "forbidden"), (["play", "organise"], "forbidden"), (["account"], "password_needed")]
)
def test_a_token_alone_erases_nobody(quixotella, scopes, code):
    answer = erase_by(create_token(user=quixotella, name="bot", scopes=scopes)[1])
    assert (answer.status_code, answer.json()["code"]) == (403, code)
    assert User.objects.filter(username=NAME).exists()


def test_a_token_made_with_the_password_erases_within_the_hour(quixotella):
    made = timezone.now()
    plain = create_token(user=quixotella, name="mine", scopes=["account"], proven=True)[1]
    with time_machine.travel(made + timedelta(hours=1, seconds=5)):
        assert erase_by(plain).json()["code"] == "password_needed"
    assert erase_by(plain).status_code == 204
    assert not User.objects.filter(username=NAME).exists()


def test_a_fresh_child_of_an_old_token_erases_nobody(quixotella):
    made = timezone.now()
    old = create_token(user=quixotella, name="mine", scopes=["account"], proven=True)[1]
    with time_machine.travel(made + timedelta(hours=2)):
        headers = {"Authorization": f"Bearer {old}"}
        child = Client().post("/api/v1/tokens/", {"name": "x", "scopes": ["account"]}, "application/json", headers=headers).json()
        assert erase_by(child["token"]).json()["code"] == "password_needed"


def test_guesses_of_the_password_are_limited_as_at_sign_in(quixotella):
    cache.clear()
    plain = create_token(user=quixotella, name="bot", scopes=["account"])[1]
    answers = [erase_by(plain, password="guess") for _ in range(6)]
    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(422, "wrong_password")] * 5 + [
        (429, "too_many_passwords")
    ]
    assert erase_by(plain, password=PASSWORD).status_code == 429
    assert User.objects.filter(username=NAME).exists()


def test_an_open_browser_alone_erases_nobody(quixotella):
    cache.clear()
    browser = Client()
    browser.force_login(quixotella)
    erase = {"path": "/api/v1/me/", "data": json.dumps({"name": NAME}), "content_type": "application/json"}
    assert browser.delete(**erase).json()["code"] == "password_needed"
    asked = browser.post("/api/v1/tokens/", {"name": "x", "scopes": ["account"]}, "application/json").json()
    assert asked["code"] == "password_needed", "nor does it make a token that could"
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert browser.delete(**erase).status_code == 204


def test_the_page_tells_what_goes_and_asks_for_the_name(toy, quixotella, ben):
    opening.join_match(by=ben, match=opening.create_match(by=quixotella, game="toy"))
    client = Client()
    client.post("/accounts/login/", {"login": NAME, "password": "a long password"})
    assert "/profile/erase" in client.get("/profile/").content.decode()
    page = client.get("/profile/erase").content.decode()
    assert "Du spielst in 1 laufenden Partie." in page
    asked = client.post("/profile/erase", {"name": "wrong"})
    assert "/accounts/reauthenticate/" in asked["Location"]
    assert client.post(asked["Location"], {"password": "not his"}).status_code == 200
    assert client.post(asked["Location"], {"password": "a long password"}).status_code == 422
    assert User.objects.filter(username=NAME).exists()
    assert client.post("/profile/erase", {"name": NAME}).status_code == 302
    assert not User.objects.filter(username=NAME).exists()
    assert client.get("/profile/").status_code == 302


def test_the_command_erases(quixotella, capsys):
    call_command("erase", NAME, "--yes", "--json")
    result = json.loads(capsys.readouterr().out)
    assert result["erased"] is True
    assert User.objects.get(pk=quixotella.pk).username == result["now"]
    with pytest.raises(CommandError, match="There is no user"):
        call_command("erase", NAME, "--yes")


def test_the_command_says_the_new_name(quixotella, capsys):
    call_command("erase", NAME, "--yes")
    quixotella.refresh_from_db()
    assert capsys.readouterr().out == f"{NAME} is erased. The account is now called {quixotella.username}.\n"
