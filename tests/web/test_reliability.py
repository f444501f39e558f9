"""Reliability on pages: required when a match is opened, filtered by in the lobby, linked from names."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Holding, Match
from tests.web.page import chosen, form_to

pytestmark = pytest.mark.django_db


def shown(user, *, finished, given_up, timeouts=0):
    """Store a past, as the consumer of the feed would have written it."""
    match = Match.objects.order_by("created_at").last()
    for number in range(finished + given_up):
        Holding.objects.create(
            holder=uuid.uuid4(),
            match=match,
            seat=0,
            user=user,
            finished=number < finished,
            vacated=number >= finished,
            timeouts=timeouts,
            last_at=timezone.now() - timedelta(days=3),
        )


def listed(client, **query):
    page = client.get("/lobby/", query).content.decode()
    return {match.number for match in Match.objects.all() if f'/matches/{match.number}/"' in page}


def test_a_match_asks_for_what_players_have_shown(clients, people, toy_offered):
    ines, marek, _tolu = clients
    page = ines.get("/new/toy/").content.decode()
    posted = chosen(form_to(page, "", "Create game"), {"finished": ["80"], "timeouts": ["2"]})
    ines.post("/new/toy/", posted)
    match = Match.objects.get()
    assert match.reliability == {"finished": 80, "timeouts": 2}
    assert "at least 80 % of their matches" in marek.get("/lobby/").content.decode()
    assert "ran out of time at most 2 times" in marek.get(f"/matches/{match.number}/").content.decode()
    shown(people[1], finished=1, given_up=3)
    answer = marek.post(f"/matches/{match.number}/seats", {"act": "join"}, follow=True).content.decode()
    assert "you finished 1 of 4 (25 %)" in answer
    assert not match.seats.filter(user=people[1]).exists()


def test_a_demand_that_makes_no_sense_is_refused_and_stays_on_the_page(clients, people, toy_offered):
    page = clients[0].get("/new/toy/").content.decode()
    answer = clients[0].post("/new/toy/", chosen(form_to(page, "", "Create game"), {"finished": ["180"]}))
    assert answer.status_code == 422
    assert "a percentage from 0 to 100" in answer.content.decode()
    assert form_to(answer.content.decode(), "", "Create game").fields["finished"] == ["180"]
    assert not Match.objects.exists()


def test_the_lobby_is_filtered_by_reliability(clients, people, toy_offered):
    ines, marek, tolu = people
    easy = opening.create_match(by=ines, game="toy").number
    strict = opening.create_match(by=tolu, game="toy", reliability={"finished": 90}).number
    shown(ines, finished=1, given_up=1, timeouts=2)
    shown(marek, finished=1, given_up=1)
    client = clients[1]
    assert listed(client) == {easy, strict}
    assert listed(client, suitable="1") == {easy}, "he has not shown what the other asks for"
    assert listed(client, finished="90") == {strict}, "Ines gives up every other match"
    assert listed(client, timeouts="3") == {strict}, "her time ran out four times"
    assert listed(client, timeouts="10", finished="50") == {easy, strict}
    assert listed(client, finished="most", timeouts="-1") == {easy, strict}, "what is not offered is no filter"
    Holding.objects.filter(user=ines).update(answers=2, answer_seconds=2 * 12 * 3600 + 1)
    assert listed(client, answer_hours="12") == {strict}, "she answers a little later on the average"
    assert listed(client, answer_hours="24") == {easy, strict}, "who has not answered yet is not slow"
    page = client.get("/lobby/", {"finished": "90", "timeouts": "0", "answer_hours": "48"}).content.decode()
    form = form_to(page, "", "Players who finished")
    assert form.fields["answer_hours"] == ["48"]
    assert (form.fields["finished"], form.fields["timeouts"]) == (["90"], ["0"]), "the page shows what it is filtered by"


def test_names_lead_to_what_their_players_have_shown(clients, people, toy_offered):
    ines, marek, _tolu = people
    match = opening.join_match(by=marek, match=opening.create_match(by=ines, game="toy"))
    hidden = opening.join_match(by=marek, match=opening.create_match(by=ines, game="toy", anonymous=True))
    assert 'href="/players/marek/"' in clients[0].get(f"/matches/{match.number}/").content.decode()
    assert "/players/" not in clients[0].get(f"/matches/{hidden.number}/").content.decode()
    opening.create_match(by=ines, game="toy")
    assert 'href="/players/ines/"' in clients[2].get("/lobby/").content.decode()
