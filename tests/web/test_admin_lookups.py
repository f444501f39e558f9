"""The lists of the operators' site accept only their own filters: any other condition could reveal hidden values."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.models import ApiToken, SignIn, User
from accounts.operators import operators
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Holding, Match, Premove, Refusal
from notifications.models import Outbox, Webhook

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(toy, anna, ben):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))


def listed(desk, model, **query):
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"
    return desk.get(reverse(name), query)


def test_no_condition_finds_out_what_a_list_does_not_show(match, anna, desk):
    """A hidden command, a password's hash, a webhook's path, an anonymous player: repeated guesses would reveal them."""
    sent = {"channel": "api", "code": "x", "detail": "x", "received_at": match.created_at}
    Refusal.objects.create(match=match, command_id=match.id, user=anna, seat=0, command={"card": "a-55"}, **sent)
    laid = {"condition": {}, "commands": [{"name": "pass"}]}
    Premove.objects.create(match=match, seat=0, user=anna, number=1, **laid)
    Webhook.objects.create(user=anna, url="https://hooks.example/in?key=sesame")
    for model, query in (
        (Refusal, {"command__card": "a-55"}),
        (Refusal, {"detail__startswith": "x"}),
        (Premove, {"commands__0__name": "pass"}),
        (Match, {"version__gte": match.version}),
        (Match, {"link_token__startswith": match.link_token[:1]}),
        (User, {"password__startswith": anna.password[:10]}),
        (ApiToken, {"digest__startswith": "0"}),
        (Webhook, {"url__contains": "sesame"}),
        (Holding, {"user": anna.pk}),
        (Outbox, {"topic": match.id}),
        (SignIn, {"kind__regex": "("}),
        (User, {"is_active__regex": "(x+x+)+y"}),
        (Match, {"status__gt": "a"}),
    ):
        assert listed(desk, model, **query).status_code == 400, (model, query)


def test_every_list_answers_its_own_filters_alone(desk):
    assert operators._registry
    for model, admin in operators._registry.items():
        own = {one for one in admin.list_filter if isinstance(one, str)} | {admin.date_hierarchy}
        for field in model._meta.concrete_fields:
            answer = listed(desk, model, **{f"{field.name}__isnull": "False"})
            assert (answer.status_code == 200) == (field.name in own), (model, field.name)


def test_filters_and_dates_of_a_list_still_work(match, anna, desk):
    Refusal.objects.create(
        match=match, command_id=match.id, user=anna, seat=0, channel="api", received_at=match.created_at, command={}, code="late"
    )
    for query, count in (
        ({"code": "late"}, 1),
        ({"code": "other"}, 0),
        ({"match__game": "toy"}, 1),
        ({"received_at__year": match.created_at.year}, 1),
        ({"received_at__year": 1999}, 0),
        ({"q": str(match.number)}, 1),
    ):
        answer = listed(desk, Refusal, **query)
        assert answer.status_code == 200
        assert answer.context["cl"].result_count == count, query
    assert listed(desk, Match, status__exact="running").context["cl"].result_count == 1
    assert listed(desk, User, is_staff__exact="1").context["cl"].result_count == 1
