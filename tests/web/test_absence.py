"""Vacations, quiet hours, pauses and free seats, using only the forms on the pages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import absences
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import forks, substitutes
from gamesvc.matches.models import PauseWish, Seat
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from notifications.models import Outbox
from tests.web.page import form_to
from tests.web.test_pages import html, running

pytestmark = pytest.mark.django_db


def press(client, page, address, act, **fields):
    """Send the form of a page with one of its buttons. Return the page that follows."""
    form = form_to(html(client.get(page)), address)
    data = {**form.fields, **{name: [value] for name, value in fields.items()}}
    return html(client.post(address, {**data, "act": [act]}, follow=True))


def test_vacation_and_quiet_hours_on_the_profile(clients, people):
    first = timezone.now().date() + timedelta(days=3)
    page = press(clients[0], "/profile/", "/profile/vacations", "", first=str(first), last=str(first + timedelta(days=4)))
    assert "Your vacation is announced." in page
    assert "23 vacation days are left" in page or "28 vacation days are left" in page
    page = press(clients[0], "/profile/", "/profile/vacations", "", first="24 Dec", last="25 Dec")
    assert "Write the day like 2026-12-24." in page
    assert "called off" in press(clients[0], "/profile/", "/profile/vacations", "cancel")
    assert absences.absences_of(people[0]) == []
    page = press(clients[0], "/profile/", "/profile/quiet-hours", "", start="22:00", end="07:00")
    assert "Your quiet hours are saved." in page
    assert 'value="22:00"' in page
    page = press(clients[0], "/profile/", "/profile/quiet-hours", "", start="07:00", end="22:00")
    assert "at most" in page or "up to 12 hours" in page


def test_a_pause_by_agreement_and_who_is_away(clients, people, toy_offered):
    match = running(clients)
    here, send = f"/matches/{match.number}/", f"/matches/{match.number}/absence"
    assert "The others are asked to agree." in press(clients[0], here, send, "pause")
    shown = html(clients[1].get(here))
    assert "For a pause: ines" in shown
    assert "Agree to a pause" in shown
    assert "The match is paused." in press(clients[1], here, send, "pause")
    assert "The match is paused" in html(clients[0].get(here))
    press(clients[0], here, send, "resume")
    assert ">Withdraw</button>" in html(clients[0].get(here))
    press(clients[0], here, send, "withdraw")
    assert "To go on" not in html(clients[1].get(here))
    today = timezone.now().astimezone(people[0].zone).date()
    absences.announce(user=people[0], first=today, last=today)
    assert "ines is away until" in html(clients[1].get(here))


def test_an_analysis_board_is_not_paused(clients, people, toy_offered):
    """Its owner votes for no seat, so the vote would stay without an effect, and sweeps look at it again and again."""
    match = running(clients)
    access = access_match(user=people[0], ident=str(match.number))
    board = forks.fork(access=access, version=loading.load(match.id, match.game).viewer_version(access.viewer), board=True)
    for act in ("pause", "resume"):
        answer = clients[0].post(f"/matches/{board.number}/absence", {"act": act}, follow=True)
        assert "You have no seat in this match" in html(answer)
    assert not PauseWish.objects.exists()


def test_a_seat_is_given_up_called_for_and_taken(clients, people, toy_offered):
    match = running(clients)
    here, send = f"/matches/{match.number}/", f"/matches/{match.number}/absence"
    press(clients[0], here, send, "give_up")
    assert f"/matches/{match.number}/" in html(clients[2].get("/substitutes/"))
    assert "Take over seat" in html(clients[2].get(here))
    assert "The seat is yours." in press(clients[2], "/substitutes/", send, "take")
    assert Seat.objects.get(match=match, index=0).user == people[2]
    assert "No seat needs" in html(clients[2].get("/substitutes/"))
    assert "A substitute takes over seat 1." in html(clients[1].get(here))


def test_following_a_game_and_an_organiser(clients, people, toy_offered):
    page = html(clients[2].post("/profile/follow", {"game": "toy"}, follow=True))
    assert "Follow the game" in page
    clients[2].post("/profile/follow", {"organiser": "ines"})
    assert "There is no user" in html(clients[2].post("/profile/follow", {"organiser": "nobody"}, follow=True))
    profile = html(clients[2].get("/profile/"))
    assert "ines" in profile
    press(clients[2], "/profile/", "/profile/follow", "stop")
    match = running(clients)
    substitutes.vacate(match=match, seat=1, actor=Actor("seat", 1))
    # Of the two subscriptions, to the game and to its organiser, one was ended; the other still notifies.
    told = Outbox.objects.filter(kind="seat_free", user=people[2])
    assert told.count() == 1


def test_an_order_for_a_case_is_laid_by_and_cancelled(clients, people, toy_offered):
    match = running(clients)
    here, send = f"/matches/{match.number}/", f"/matches/{match.number}/standing"
    page = press(clients[1], here, send, "", order="if drew seat=0 then draw")
    assert "The conditional order is saved." in page
    assert "1: if drew seat=0 then draw" in page
    assert "if drew" not in html(clients[0].get(here))
    assert "cannot be read" in html(clients[1].post(send, {"order": "when he draws"}, follow=True))
    assert "The order is cancelled." in html(clients[1].post(send, {"cancel": "1"}, follow=True))
    assert "You have no conditional order 1." in html(clients[1].post(send, {"cancel": "1"}, follow=True))
