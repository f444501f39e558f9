"""Resigning from a page asks first: by the link beside the commands, by a posted form, and by an order as text."""

from __future__ import annotations

import pytest

from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.matches.record import loading
from tests.web.page import form_to, forms

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(people):
    made = opening.create_match(by=people[0], game="stratastar", seats=2)
    return opening.join_match(by=people[1], match=made)


def running(match) -> bool:
    return Match.objects.get(pk=match.pk).status == Match.Status.RUNNING


def test_the_match_page_leads_to_a_question_and_only_its_answer_resigns(match, clients):
    page = clients[0].get(f"/matches/{match.number}/").content.decode()
    assert f'href="/matches/{match.number}/resign"' in page
    assert not [form for form in forms(page) if "Resign" in form.text]
    asked = clients[0].get(f"/matches/{match.number}/resign").content.decode()
    assert "It ends at once." in asked
    assert running(match)
    form = form_to(asked, "/command", "Resign")
    unsure = {**form.fields, "_sure": ""}
    assert clients[0].post(form.action, unsure).url == f"/matches/{match.number}/resign"
    assert running(match)
    for _click in range(2):
        clients[0].post(form.action, form.fields)
    assert not running(match)


def test_the_act_that_ends_a_match_is_told_by_its_result(match, clients, people):
    asked = clients[0].get(f"/matches/{match.number}/resign").content.decode()
    form = form_to(asked, "/command", "Resign")
    page = clients[0].post(form.action, form.fields, follow=True).content.decode()
    bar = page[page.index('id="says"') : page.index('id="choices"')]
    assert f"{people[1].username} won" in bar
    assert "resigned" not in bar


def test_an_order_as_text_is_confirmed_as_in_a_mail(match, clients):
    form = form_to(clients[0].get(f"/matches/{match.number}/").content.decode(), "/orders")
    refused = clients[0].post(form.action, {**form.fields, "orders": "resign"})
    assert "write: resign yes" in refused.content.decode()
    assert running(match)
    clients[0].post(form.action, {**form.fields, "orders": "Resign yes"})
    assert not running(match)


def test_who_cannot_resign_is_led_to_the_match(match, clients):
    assert clients[2].get(f"/matches/{match.number}/resign").status_code == 404
    there = f"/matches/{match.number}/"
    assert clients[2].get(f"{there}resign?link={match.link_token}").url == there
    form = form_to(clients[0].get(f"{there}resign").content.decode(), "/command", "Resign")
    clients[0].post(form.action, form.fields)
    assert clients[1].get(f"{there}resign").url == there
    assert loading.load(match.id, match.game).ended
