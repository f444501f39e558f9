"""The operators' site, read by an operator who plays: nothing there links a player to a match closed to them."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.db.models import ForeignKey, Model
from django.urls import reverse
from django.utils import timezone

from accounts.models import Absence, ApiToken, App, Authorization, FormerName, SignIn, User
from accounts.operators import operators
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.models import (
    Heartbeat,
    Holding,
    Look,
    Match,
    MessageBan,
    Outage,
    Premove,
    Question,
    Reckoned,
    Refusal,
    Report,
    ReportAct,
)
from gamesvc.matches.record import loading
from notifications import channels
from notifications.models import Bounce, Handover, Outbox, Preference, PushSubscription, Reminder, Suppression, Webhook

pytestmark = pytest.mark.django_db

# Rows about a user's account or the service itself: they name no match, so every operator may see them.
OF_NO_MATCH = {
    User,
    ApiToken,
    App,
    Authorization,
    Absence,
    FormerName,
    SignIn,
    Suppression,
    Outage,
    Heartbeat,
    MessageBan,
    PushSubscription,
}
# The list of matches: its names are those on the match's pages.
OF_THE_PAGES = {Match}
# Fields that name a match, or a notice about one, without a constraint.
NAMES_OF_A_TIE = {"topic", "delivery", "notice"}
TIED = {Match, Outbox, Report}


@pytest.fixture
def match(toy, anna, operator):
    """An anonymous match in which the operator plays against anna."""
    return opening.join_match(by=operator, match=opening.create_match(by=anna, game=toy, anonymous=True))


def rows_about(user: User, match: Match, mark: str) -> dict[type[Model], Model]:
    """Create one row of each kind that ties a player to a match; `mark` is a free word in those that have one."""
    now, topic = timezone.now(), str(match.pk)
    notice = Outbox.objects.create(user=user, kind="your_turn", topic=topic)
    Webhook.objects.get_or_create(user=user, channel=True, defaults={"url": "https://hooks.example/in"})
    channels.follow(notice, ("mail", "webhook"), timedelta(0), now)
    refused = {"channel": "api", "received_at": now, "command": {}, "code": "x", "detail": "x"}
    bounced = {"address_hash": "hash", "report": "hard", "source": "dsn"}
    Reckoned.objects.get_or_create(match=match, defaults={"version": 2})
    report = Report.objects.create(about=user, match=match, kind="other", words=mark)
    return {
        Outbox: notice,
        Handover: Handover.objects.filter(notice=notice).first(),
        Webhook: Webhook.objects.create(user=user, url="https://hooks.example/of", channel=False, topic=topic),
        Reminder: Reminder.objects.create(user=user, topic=topic, subject=f"0 {mark}", point="80%", deadline=now),
        Bounce: Bounce.objects.create(key=mark, user=user, kind="your_turn", topic=topic, delivery=notice.pk, **bounced),
        Preference: Preference.objects.create(user=user, topic=topic, reminders=["80%"]),
        Refusal: Refusal.objects.create(match=match, command_id=uuid.uuid4(), user=user, seat=0, **refused),
        Premove: Premove.objects.create(match=match, seat=0, user=user, number=1, condition={}, commands=[]),
        Holding: Holding.objects.filter(match=match, user=user).first(),
        Question: Question.objects.filter(match=match).first(),
        Look: Look.objects.create(match=match, user=user, seat=0, version=1, words="x"),
        Reckoned: Reckoned.objects.get(match=match),
        Report: report,
        ReportAct: ReportAct.objects.create(report=report, act="note", words=mark),
    }


def shown(desk, row: Model) -> tuple[bool, bool]:
    """Return whether the list links to a row, and whether its page opens."""
    name = f"admin:{row._meta.app_label}_{row._meta.model_name}"
    page = reverse(f"{name}_change", args=[row.pk])
    return page in desk.get(reverse(f"{name}_changelist")).content.decode(), desk.get(page).status_code == 200


def test_of_a_match_the_operator_plays_nothing_names_their_opponent(match, anna, desk):
    for model, row in rows_about(anna, match, "closed").items():
        assert shown(desk, row) == (False, False), model.__name__


def test_so_it_is_in_its_forks(toy, anna, ben, operator, desk):
    origin = opening.join_match(by=operator, match=opening.create_match(by=anna, game=toy))
    access = access_match(user=anna, ident=str(origin.pk))
    fork = forks.fork(access=access, version=loading.load(origin.id, toy).viewer_version(0), entry="public")
    opening.join_match(by=ben, match=fork)
    for model, row in rows_about(ben, fork, "fork").items():
        assert shown(desk, row) == (False, False), model.__name__


def test_an_operator_still_reads_what_is_about_themselves(match, operator, desk):
    rows = rows_about(operator, match, "own")
    for model in (Outbox, Handover, Reminder, Bounce, Preference, Refusal, Premove):
        assert shown(desk, rows[model]) == (True, True), model.__name__


def test_matches_of_others_and_matches_that_are_over_are_shown(toy, match, anna, ben, player, desk):
    other = opening.join_match(by=ben, match=opening.create_match(by=player("cleo"), game=toy, anonymous=True))
    theirs = rows_about(ben, other, "other")
    ended = rows_about(anna, match, "over")
    Match.objects.filter(pk=match.pk).update(status=Match.Status.FINISHED)
    for rows in (theirs, ended):
        for model, row in rows.items():
            assert shown(desk, row) == (True, True), model.__name__


def test_a_bounce_is_hidden_when_its_notice_is_long_forgotten(match, anna, desk):
    bounce = rows_about(anna, match, "closed")[Bounce]
    Outbox.objects.all().delete()
    assert shown(desk, bounce) == (False, False)


def ties(model: type[Model]) -> set[str]:
    """Return the fields by which rows of a model belong to a match."""
    keys = {field.name for field in model._meta.concrete_fields if isinstance(field, ForeignKey) and field.related_model in TIED}
    return keys | {field.name for field in model._meta.concrete_fields} & NAMES_OF_A_TIE


def test_every_list_says_whose_match_its_rows_belong_to(match, anna):
    tried = set(rows_about(anna, match, "class"))
    assert set(operators._registry) == tried | OF_NO_MATCH | OF_THE_PAGES, "say here what a new list ties together"
    for model, admin in operators._registry.items():
        if model in OF_THE_PAGES:
            continue
        assert bool(admin.of_match) == (model in tried), f"{model.__name__}: `of_match` names its match"
        assert bool(ties(model)) == bool(admin.of_match), f"{model.__name__} has {ties(model)}"
