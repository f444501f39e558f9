"""Every address that is read makes the same number of queries, however many rows there are."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts import blocks, tokens
from accounts.models import Absence, App, Authorization, FormerName, SignIn
from accounts.operators import operators
from events.proofs import checkpoints
from gamesvc import request_limits
from gamesvc.matches.access import daily_limits, selectors
from gamesvc.matches.lobby import follows, forks, invitations, opening, press, substitutes
from gamesvc.matches.models import Heartbeat, Match, MessageBan, Outage, Reckoned, Refusal, Report, ReportAct
from gamesvc.matches.organising import looks
from gamesvc.matches.play import standing_orders
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from gamesvc.matches.statistics import rating_rules, ratings
from gamesvc.matches.timekeeping import deadlines
from notifications.models import Bounce, Handover, Outbox, Preference, PushSubscription, Reminder, Suppression, Webhook
from tests.mailing import verify
from tests.matches.playing import act, holder
from tests.walking import doors

pytestmark = [pytest.mark.django_db, pytest.mark.long]

FEW, MANY = 2, 7
CLOCK = {"turn": "3d", "quiet_hours": 8, "vacation": True}
LONG = 60
FEW_ROWS = {Heartbeat}
"""The model whose list never grows long: it has a row for each kind of process."""
WHOLE = "/api/v1/exports/matches/"
"""The address that sends matches whole, one after the other: it asks for each of them, so as to hold none but that one."""


class World:
    """Everything that a reader's pages and lists show, several of each kind."""

    def __init__(self, game, player):
        self.game, self.player = game, player
        self.people = [player(name) for name in ("anna", "ben", "olga", "rosa")]
        self.operator = player("otto", is_staff=True)
        self.anna, self.ben, self.olga, self.rosa = self.people
        verify(*self.people)
        self.main = self.running(self.olga)
        Match.objects.filter(pk=self.main.pk).update(watch=Match.Watch.ALL)
        # A checkpoint between two public acts, for proofs.
        act(self.main, 0)
        checkpoints.make()
        act(self.main, 1)
        self.made = 0
        # So many that ratings are shown with the fewest rows.
        for _ in range(rating_rules.RATED_FROM):
            self.rated()

    def running(self, host, **more):
        match = opening.create_match(by=host, game=self.game, clock=CLOCK, take_seat=False, **more)
        return opening.join_match(by=self.ben, match=opening.join_match(by=self.anna, match=match))

    def rated(self):
        match = opening.create_match(by=self.anna, game="stratastar", watch="all")
        act(opening.join_match(by=self.ben, match=match), 1, {"name": "resign"})

    def grow(self, count):
        while self.made < count:
            self.made += 1
            self.one_more()
        while ratings.follow():
            pass
        checkpoints.make()
        Match.objects.update(created_at=timezone.now() - timedelta(days=2))
        # The exports have matches from a minute after their end.
        ended = Match.objects.filter(ended_at__gt=timezone.now() - timedelta(hours=1))
        ended.update(ended_at=F("ended_at") - timedelta(days=1))

    def one_more(self):
        number = self.made
        app = App.objects.create(owner=self.olga, name=f"app {number}", redirect_uris=["https://app.example/"])
        grants = {"code_digest": f"{number}", "code_expires_at": timezone.now(), "expires_at": timezone.now()}
        Authorization.objects.create(user=self.anna, app=app, scopes=["read"], redirect_uri="https://app.example/", **grants)
        for host in (self.olga, self.anna):
            self.running(host, anonymous=number % 2 == 0)
        for agreed in (Actor("system"), Actor("host")):
            deadlines.pause(match=self.running(self.olga), mandate=deadlines.Mandate(agreed))
        for host in (self.anna, self.ben):
            opening.create_match(by=host, game=self.game, clock=CLOCK)
        private = opening.create_match(by=self.ben, game=self.game, entry="invited")
        invitations.invite(by=self.ben, match=private, username="anna")
        opening.cancel_match(by=self.anna, match=opening.create_match(by=self.anna, game=self.game))
        free = opening.create_match(by=self.rosa, game=self.game)
        free = opening.join_match(by=self.ben, match=free)
        substitutes.vacate(match=free, seat=1, actor=Actor("seat", 1))
        access = selectors.access_match(user=self.anna, ident=str(self.main.number))
        version = loading.load(self.main.id, self.game).viewer_version(0)
        forks.fork(access=access, version=version, board=True)
        forks.fork(access=access, version=version, clock=CLOCK)
        for seat in (0, 1):
            press.say(match=self.main, by=holder(self.main, seat), by_seat=seat, to="all", text=f"hello {number}", channel="web")
        condition = {"event": {"type": "drew", "data": {"seat": 1}}}
        standing_orders.lay_by(match=self.main, seat=0, user=self.anna, condition=condition, commands=[{"name": "draw"}])
        looks.look_behind(by=self.operator, match=self.main, seat=0, version=version, reason="a complaint")
        act(self.main, 1, {"name": "set_orders", "text": "hush"})
        follows.follow(by=self.anna, organiser=self.player(f"host{number}").username)
        blocks.block(by=self.anna, name=self.player(f"pest{number}").username)
        FormerName.objects.create(user=self.player(f"renamed{number}"), name=f"before{number}")
        tokens.create_token(user=self.anna, name=f"token {number}", scopes=["read"])
        day = timezone.now().date() + timedelta(days=30 + 3 * number)
        starts = timezone.now() + timedelta(days=30 + 3 * number)
        Absence.objects.create(
            user=self.anna, first_day=day, last_day=day, zone="UTC", starts_at=starts, ends_at=starts + timedelta(days=1),
            announced_at=timezone.now(),
        )  # fmt: skip
        self.rated()
        self.one_more_for_operators(number)

    def one_more_for_operators(self, number):
        """Add what else an operator's lists show, each row of another player or match than the rows before it."""
        now = timezone.now()
        user, match = self.player(f"guest{number}"), self.running(self.olga)
        report = Report.objects.create(user=self.anna, about=user, match=match, kind="other", words="x")
        ReportAct.objects.create(report=report, operator=self.operator, act="note", words="x")
        MessageBan.objects.create(user=user, until=now + timedelta(days=1))
        PushSubscription.objects.create(user=user, endpoint=f"https://push.example/{number}", p256dh="x", auth="x")
        Refusal.objects.create(
            match=match, command_id=uuid.uuid4(), user=user, seat=0, channel="api", received_at=now, command={}, code="x",
            detail="x",
        )  # fmt: skip
        Reckoned.objects.get_or_create(match=match, defaults={"version": 2, "fault": "KeyError: no such card"})
        Outage.objects.create(started_at=now - timedelta(days=number), ended_at=now, settled_at=now)
        token, _plain = tokens.create_token(user=user, name="bot", scopes=["read"])
        SignIn.objects.create(user=user, token=token, kind=SignIn.Kind.TOKEN, channel="api")
        notice = Outbox.objects.filter(topic=str(match.id)).first()
        Handover.objects.create(notice=notice, channel="webhook", due_at=now)
        Reminder.objects.create(user=user, topic=str(match.id), subject="0 turn", point="80%", deadline=now)
        Preference.objects.create(user=user, topic=str(match.id), reminders=["80%"])
        Webhook.objects.create(user=user, url="https://hooks.example/in")
        for bounced in (self.anna, user):
            key = f"{number} {bounced.pk}"
            Bounce.objects.create(key=key, user=bounced, address_hash=key, report="hard", source="dsn")
            Suppression.objects.create(user=bounced, address_hash=key, report="hard")


@pytest.fixture
def world(toy, player, settings, tmp_path, many_matches, feed):
    settings.CHECKPOINT_FILE = tmp_path / "checkpoints.jsonl"
    for limit in request_limits.SETTINGS.values():  # an answer of 429 asks few queries
        setattr(settings, limit, 0)
    return World(toy, player)


# Values for the parameters of addresses.
VALUES = {"game": "stratastar", "game_id": "stratastar", "kind": "svg", "version": 4, "number": 1, "name": "anna", "code": "x"}


def paths(world):
    """Return every page and API address that is read and whose parameters are known here."""
    for door in doors():
        if "GET" not in door.methods or door.route.startswith(("admin/", "accounts/", "mail/")):
            continue
        values = {**VALUES, "ident": world.main.number}
        if door.parameters.keys() <= values.keys():
            yield door.path(**{name: values[name] for name in door.parameters})
    yield from ("/api/v1/matches/?mine=false", "/api/v1/matches/?status=running", "/api/v1/checkpoints/?before=2")
    yield f"/matches/{world.main.number}/?at={world.main.version}"


def lists():
    """Return the operators' list of each model."""
    return {model: reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist") for model in operators._registry}


def counted(world, program):
    """Return the number of queries of each address for each reader."""
    found = {}
    for reader in (world.anna, world.olga, world.operator, None):
        client, speaker = Client(), program(reader, "account") if reader is not None else None
        if reader is not None:
            client.force_login(reader)
        for path in [*paths(world), *(lists().values() if reader == world.operator else ())]:
            with CaptureQueriesContext(connection) as queries:
                api = speaker is not None and path.startswith("/api/v1")
                answer = speaker.get(path.removeprefix("/api/v1")) if api else client.get(path)
                b"".join(answer) if answer.streaming else answer.content
            found[reader.username if reader is not None else "nobody", path] = answer.status_code, [one["sql"] for one in queries]
    return found


def more(few, many):
    """Return the statements, without their values, that occur more often."""
    before, after = (Counter(re.sub(r"'[^']*'|\d+", "?", sql) for sql in queries) for queries in (few, many))
    return [f"{count}x {sql[:300]}" for sql, count in (after - before).items()]


def test_the_number_of_queries_does_not_grow_with_the_rows(world, program, monkeypatch):
    monkeypatch.setattr(daily_limits, "INVITATIONS_TO_ONE_PER_DAY", 1000)
    monkeypatch.setattr(daily_limits, "INVITATIONS_TO_ADDRESS_PER_DAY", 1000)
    world.grow(FEW)
    rows = {model: model._base_manager.count() for model in lists()}
    few = counted(world, program)
    world.grow(MANY)
    many = counted(world, program)
    assert {model for model, before in rows.items() if not 0 < before < model._base_manager.count()} <= FEW_ROWS
    assert len(few) > 200
    grown = {key: more(few[key][1], sql) for key, (_status, sql) in many.items() if len(sql) > len(few[key][1])}
    grown = {(reader, path): told for (reader, path), told in grown.items() if path != WHOLE}
    assert not grown, "\n".join(f"{key}: {told}" for key, told in grown.items())
    assert {key: status for key, (status, _sql) in few.items()} == {key: status for key, (status, _sql) in many.items()}
    most = {path: len(sql) for (_reader, path), (_status, sql) in many.items() if len(sql) > LONG and path != WHOLE}
    assert not most, f"no address asks more than {LONG} times"
