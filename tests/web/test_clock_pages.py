"""The clock on pages: choosing a policy for a new match, and its time account."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from html import unescape

import pytest
import time_machine
from django.utils import timezone
from django.utils.html import strip_tags

from accounts import absences
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.matches.record.append import Actor
from gamesvc.matches.timekeeping import deadlines, explanation, timeout_sweep, vacations

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
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy", clock="considerate"))
    page = signed_in.get(f"/matches/{match.number}/clock").content.decode()
    assert "3 days a turn." in page
    assert "The clock runs." in page
    assert f"The clock <span>Toy {match.number}</span>" in page
    deadlines.pause(match=match, mandate=deadlines.Mandate(Actor("host")))
    page = signed_in.get(f"/matches/{match.number}/clock").content.decode()
    assert "The match has been paused since" in page
    match.refresh_from_db()
    assert match.paused_at is not None
    assert match.paused_at <= timezone.now()
    shown = signed_in.get(f"/matches/{match.number}/").content.decode()
    assert "9000" not in shown, "the moment that never comes is not shown"


def test_the_account_says_what_a_deadline_was_reckoned_from_and_that_time_ran_out(signed_in, anna, ben):
    anna.timezone = "UTC"
    anna.save()
    with time_machine.travel(datetime(2026, 6, 1, 10, tzinfo=UTC), tick=False) as clock:
        absences.set_quiet_hours(user=anna, start=time(22), end=time(6))
        policy = {"turn": "24h", "quiet_hours": 8, "vacation": True, "excused": 1, "grace": "1h"}
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy", clock=policy))
        absences.announce(user=anna, first=date(2026, 6, 3), last=date(2026, 6, 3))
        vacations.settle()
        page = shown(signed_in, f"/matches/{match.number}/clock")
        assert "1 day from Mon 1 Jun 10:00 UTC on." in page
        assert "Not counted: Mon 1 Jun 22:00 UTC to Tue 2 Jun 06:00 UTC." in page
        assert "With grace from Tue 2 Jun 18:00 UTC on." in page
        clock.move_to(match.questions.get().due_at + timedelta(minutes=1))
        timeout_sweep.sweep()
        page = shown(signed_in, f"/matches/{match.number}/clock")
        assert "Time ran out, and is excused." in page
        told = [line["what"] for line in explanation.explain(match, viewer=0).as_json()["lines"]]
        assert told == ["asked", "excused", "stopped", "asked"]
        log = signed_in.get(f"/matches/{match.number}/").content.decode()
        assert "anna ran out of time (excused)." in log


def test_the_account_says_by_how_much_a_fixed_time_was_put_off(signed_in, anna):
    anna.timezone = "UTC"
    anna.save()
    with time_machine.travel(datetime(2026, 6, 1, 10, tzinfo=UTC), tick=False):
        clock = {"adjudication": {"at": ["18:00"], "zone": "UTC"}, "minimum": "2h"}
        match = opening.create_match(by=anna, game="toy", clock=clock)
        opening.start_match(by=anna, match=match, bot="random")
        mandate = deadlines.Mandate(Actor("host"))
        deadlines.extend(match=match, mandate=mandate, seat=0, more=timedelta(hours=30, milliseconds=5))
        assert match.questions.get(seat=0).due_at == datetime(2026, 6, 3, 0, tzinfo=UTC)
        page = shown(signed_in, f"/matches/{match.number}/clock")
        put_off = "put off by 1 day 6 h (an outage, or more time given): Wed 3 Jun 00:00 UTC."
        assert f"Then the next fixed time, {put_off}" in page
        assert "Then the next fixed time: Mon 1 Jun 18:00 UTC." in page


WEEKDAYS = {"turn": "2d", "days_off": {"weekdays": ["sat", "sun"], "zone": "UTC"}, "vacation": True}
SATURDAY = datetime(2026, 11, 21, 12, tzinfo=UTC)


def two(anna, ben, clock, **more):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy", clock=clock, **more))


def shown(client, address):
    return " ".join(unescape(strip_tags(client.get(address).content.decode())).split())


def test_a_clock_that_stands_still_says_until_when(signed_in, anna, ben, program):
    with time_machine.travel(SATURDAY - timedelta(hours=24), tick=False) as clock:
        match = two(anna, ben, WEEKDAYS)
        page, detail = f"/matches/{match.number}/", f"/matches/{match.number}/"
        assert "clock is stopped" not in shown(signed_in, page)
        assert program(anna).get(detail).json()["awaited"][0]["stands_until"] is None
        clock.move_to(SATURDAY)
        # Anna is in Berlin, an hour ahead.
        assert "The clock is stopped until Mon 23 Nov 01:00 CET." in shown(signed_in, page)
        assert "the clock is stopped until Mon 23 Nov 01:00 CET" in shown(signed_in, "/")
        assert program(anna).get(detail).json()["awaited"][0]["stands_until"] == "2026-11-23T00:00:00+00:00"
        account = program(ben).get(f"/matches/{match.number}/clock/").json()
        assert account["clocks"][0]["stands_until"] == "2026-11-23T00:00:00+00:00"
        deadlines.pause(match=match, mandate=deadlines.Mandate(Actor("host")))
        assert "clock is stopped until" not in shown(signed_in, page), "paused it stands without an end"
        deadlines.resume(match=match, mandate=deadlines.Mandate(Actor("host")))
        clock.move_to(datetime(2026, 11, 23, 0, 0, tzinfo=UTC))
        assert "clock is stopped" not in shown(signed_in, page)
        assert "clock is stopped" not in shown(signed_in, "/")


def test_fixed_times_never_stand_still(signed_in, anna, ben, program):
    fixed = {"adjudication": {"at": ["18:00"], "zone": "UTC"}, "minimum": "12h", "vacation": True}
    with time_machine.travel(SATURDAY, tick=False):
        match = two(anna, ben, fixed)
        absences.announce(user=anna, first=SATURDAY.date(), last=SATURDAY.date())
        vacations.settle(anna.pk)
        assert program(anna).get(f"/matches/{match.number}/").json()["awaited"][0]["stands_until"] is None


def test_an_announced_vacation_is_seen_by_the_other_players(signed_in, anna, ben, program, player):
    with time_machine.travel(SATURDAY, tick=False) as clock:
        honours = two(anna, ben, WEEKDAYS, watch="all")
        ignores = two(anna, ben, {"turn": "2d"})
        hides = two(anna, ben, WEEKDAYS, anonymous=True)
        first = date(2026, 12, 24)
        absences.announce(user=ben, first=first + timedelta(days=30), last=first + timedelta(days=31))
        absences.announce(user=ben, first=first, last=first + timedelta(days=1))

        def seen(by, match):
            return program(by).get(f"/matches/{match.number}/").json()["seats"][1]["away_next"]

        # Ben is in New York, five hours behind UTC.
        assert seen(anna, honours) == {"from": "2026-12-24T05:00:00+00:00", "until": "2026-12-26T05:00:00+00:00"}
        assert seen(anna, ignores) is None
        assert seen(anna, hides) is None, "days of absence would tell who plays"
        assert seen(player("cora"), honours) is None
        assert "ben will be away from Thu 24 Dec 06:00 CET to Sat 26 Dec 06:00 CET" in shown(
            signed_in, f"/matches/{honours.number}/"
        )
        assert "will be away" not in shown(signed_in, f"/matches/{ignores.number}/")
        clock.move_to(datetime(2026, 12, 25, tzinfo=UTC))
        assert "ben is away until Sat 26 Dec" in shown(signed_in, f"/matches/{honours.number}/")
        assert seen(anna, honours)["from"] == "2027-01-23T05:00:00+00:00"
