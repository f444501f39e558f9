"""Two days of two players through the API: quiet hours, a vacation, a timeout, an excused one, a substitute."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from accounts.models import User
from gamesvc.matches.models import Match
from gamesvc.matches.record import loading
from gamesvc.matches.timekeeping import timeout_sweep
from tests.conftest import Program

pytestmark = pytest.mark.django_db(transaction=True)

MONDAY = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
CLOCK = {"turn": "1d", "quiet_hours": 10, "vacation": True, "excused": 1, "after": 2}


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def sweep() -> int:
    timeout_sweep.availability.keep_alive()
    return timeout_sweep.sweep()


def detail(player: Program, number: int) -> dict[str, Any]:
    found: dict[str, Any] = player.get(f"/matches/{number}/").json()
    return found


def due_of(player: Program, number: int, seat: int) -> datetime:
    return moment(next(one["due_at"] for one in detail(player, number)["awaited"] if one["seat"] == seat))


def events(player: Program, number: int) -> list[dict[str, Any]]:
    """Return all events that the player may see, page after page."""
    found: list[dict[str, Any]] = []
    while page := player.get(f"/matches/{number}/events/?after={found[-1]['version'] if found else 0}").json()["events"]:
        found += page
    return found


def give_default(player: Program, number: int) -> None:
    """Submit what the clock would submit, until it is another player's turn."""
    match = Match.objects.get(number=number)
    for _ in range(40):
        shown = player.get(f"/matches/{number}/view/")
        seat = shown.json()["seat"]
        if all(one["seat"] != seat for one in shown.json()["awaited"]):
            return
        loaded = loading.load(match.id, match.game)
        command = loaded.game.default_command(loaded.timeline.state, seat)
        answer = player.post(f"/matches/{number}/commands/", command, etag=shown["ETag"])
        assert answer.status_code in (200, 201), answer.content


def test_two_days(anna: User, ben: User, player: Callable[..., User], program: Callable[[User], Program]) -> None:
    carol = program(player("carol"))
    first, second = program(anna), program(ben)
    with time_machine.travel(MONDAY, tick=False) as clock:
        # Anna sleeps from 22 to 7 in Berlin.
        night = {"start": "22:00", "end": "07:00"}
        assert first.call("PUT", "/me/quiet-hours/", night).json() == {**night, "zone": "Europe/Berlin"}
        answer = first.call("PUT", "/me/quiet-hours/", {"start": "07:00", "end": "22:00"})
        assert (answer.status_code, answer.json()["code"]) == (422, "bad_quiet_hours")
        made = first.post("/matches/", {"game": "stratastar", "clock": CLOCK})
        assert made.status_code == 201, made.content
        number = made.json()["number"]
        assert second.post(f"/matches/{number}/join/").status_code == 200
        awaited = detail(first, number)["awaited"]
        assert awaited
        own = [one for one in awaited if one["seat"] == 0]
        if own:
            # A day on Anna's clock ends nine hours later: the night does not count.
            assert moment(own[0]["due_at"]) == MONDAY + timedelta(hours=33)
        lines = first.get(f"/matches/{number}/clock/").json()["lines"]
        assert {line["what"] for line in lines} == {"asked"}

        # The player who is asked first goes away for two days, from now on: their clock stops, and the other one sees it.
        seat = awaited[0]["seat"]
        gone, other = (first, second) if seat == 0 else (second, first)
        zone = (anna if seat == 0 else ben).zone
        today = MONDAY.astimezone(zone).date()
        before = due_of(other, number, seat)
        vacation = gone.post("/me/absences/", {"first": str(today), "last": str(today + timedelta(days=1))})
        assert vacation.status_code == 201, vacation.content
        budget = gone.get("/me/absences/").json()["budget"][0]
        assert budget["days_left"] == 26
        after = due_of(other, number, seat)
        assert after > before + timedelta(hours=24)
        shown = next(one for one in detail(other, number)["seats"] if one["seat"] == seat)
        assert moment(shown["away_until"]) == moment(vacation.json()["ends_at"])
        again = gone.post("/me/absences/", {"first": str(today), "last": str(today)})
        assert (again.status_code, again.json()["code"]) == (422, "overlaps")

        # They do not come back in time. The first timeout is excused: they get the time of the turn again.
        clock.move_to(after - timedelta(seconds=1))
        assert sweep() == 0
        clock.move_to(after + timedelta(seconds=1))
        assert sweep() == 1
        renewed = due_of(other, number, seat)
        assert renewed > after + timedelta(hours=23)
        told = [one for one in events(other, number) if one.get("type") == "match.timed_out"]
        assert [one["data"]["excused"] for one in told] == [True]

        # The second and third timeouts count, and empty the seat.
        for _ in range(60):
            told = events(other, number)
            if any(one.get("type") == "match.vacated" for one in told):
                break
            give_default(other, number)
            dues = [one for one in detail(other, number)["awaited"] if one["seat"] == seat]
            rest = dues or detail(other, number)["awaited"]
            clock.move_to(moment(rest[0]["due_at"]) + timedelta(seconds=1))
            sweep()
        kinds = [one["type"] for one in told if one.get("type", "").startswith("match.")]
        assert kinds.count("match.vacated") == 1
        counted = [one["data"]["in_row"] for one in told if one.get("type") == "match.timed_out" and one["data"]["seat"] == seat]
        assert counted[:3] == [0, 1, 2]

        # A substitute takes the seat and plays. The previous player sees no more than an observer.
        [free] = carol.get("/substitutes/").json()["results"]
        assert (free["number"], free["seat"]) == (number, seat)
        taken = carol.post(f"/matches/{number}/substitute/", {"seat": seat})
        assert taken.status_code == 200, taken.content
        assert taken.json()["your_seat"] == seat
        assert carol.get(f"/matches/{number}/view/").json()["seat"] == seat
        lost = gone.get(f"/matches/{number}/view/")
        assert lost.status_code in (200, 404)
        if lost.status_code == 200:
            assert lost.json()["seat"] is None
        late = gone.post(f"/matches/{number}/commands/", {"name": "resign"}, etag='"x"')
        assert late.status_code in (403, 404, 412)
        give_default(carol, number)
        assert carol.get("/substitutes/").json()["results"] == []
        mine = carol.post("/me/follows/", {"game": "stratastar"})
        assert mine.status_code == 201
        assert carol.call("DELETE", f"/me/follows/{mine.json()['id']}/").status_code == 204
