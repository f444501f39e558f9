"""The clock on pages: choosing a policy for a new match, and the account of its time."""

from __future__ import annotations

import pytest
from django.utils import timezone

from gamesvc.matches import deadlines, lobby
from gamesvc.matches.models import Match
from gamesvc.matches.recording import Actor

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(toy_offered, client, anna):
    client.force_login(anna)
    return client


def open_match(client, **posted):
    return client.post("/new/toy/", {"options.points": "3", **posted})


def test_a_preset_is_chosen_by_name(signed_in):
    page = signed_in.get("/new/toy/").content.decode()
    assert 'value="considerate"' in page
    open_match(signed_in, clock="considerate")
    assert Match.objects.get().clock["turn"] == "3d"


def test_plain_hours_stay_as_they_were(signed_in):
    open_match(signed_in, hours="72")
    match = Match.objects.get()
    assert (match.clock, match.hours) == ({"hours": 72}, 72)


def test_a_clock_is_made_of_parts_in_the_players_own_zone(signed_in):
    posted = {
        "clock": "parts",
        "clock_turn": "2d",
        "clock_reaction": "12h",
        "clock_bank_start": "5d",
        "clock_bank_increment": "6h",
        "clock_bank_cap": "6d",
        "clock_off": ["sat", "sun"],
        "clock_holidays": "DE",
        "clock_quiet_hours": "9",
        "clock_vacation": "1",
    }
    open_match(signed_in, **posted)
    assert Match.objects.get().clock == {
        "turn": "2d",
        "reaction": "12h",
        "bank": {"start": "5d", "increment": "6h", "cap": "6d"},
        "days_off": {"weekdays": ["sat", "sun"], "zone": "Europe/Berlin", "holidays": "DE"},
        "quiet_hours": 9,
        "vacation": True,
    }


def test_a_clock_that_leaves_no_time_is_refused_in_words_and_what_was_written_stays(signed_in):
    answer = open_match(signed_in, clock="parts", clock_turn="2m")
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "five minutes at least" in page
    assert 'name="clock_turn" value="2m"' in page
    assert not Match.objects.exists()


def test_fixed_times_are_read_from_one_field(signed_in):
    open_match(signed_in, clock="parts", clock_at="18:00, 08:00", clock_at_days=["tue", "fri"])
    assert Match.objects.get().clock["adjudication"] == {
        "at": ["18:00", "08:00"],
        "zone": "Europe/Berlin",
        "days": ["tue", "fri"],
    }


def test_the_account_of_a_match_is_a_page(signed_in, anna, ben):
    match = lobby.join_match(by=ben, match=lobby.create_match(by=anna, game="toy", clock="considerate"))
    page = signed_in.get(f"/matches/{match.number}/clock").content.decode()
    assert "3 days a turn." in page
    assert "The clock runs." in page
    deadlines.pause(match=match, by="host", actor=Actor("host"))
    page = signed_in.get(f"/matches/{match.number}/clock").content.decode()
    assert "The match is paused since" in page
    match.refresh_from_db()
    assert match.paused_at is not None
    assert match.paused_at <= timezone.now()
    shown = signed_in.get(f"/matches/{match.number}/").content.decode()
    assert "9000" not in shown, "the moment that never comes is not shown"
