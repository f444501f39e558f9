"""The times of hidden events and the habits of anonymous players appear in no response, neither as moments nor as spans."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts import absences
from gamesvc.matches.events import Joined, TimedOut
from gamesvc.matches.lobby import invitations, opening, substitutes
from gamesvc.matches.models import Match
from gamesvc.matches.proof import verification
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import timeout_sweep, vacations
from tests.matches.exports import export_of, node_verify
from tests.matches.playing import act, play_out

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
SETTING = {"name": "set_orders", "text": "hush"}


def page_of(user):
    client = Client()
    client.force_login(user)
    return client


# --- the moment of a sealed act ---


def at_each_minute(client, program, match, minutes):
    """Return the version that page and API give for each minute after noon."""
    found = []
    for minute in range(minutes):
        moment = (NOON + timedelta(minutes=minute, seconds=30)).isoformat()
        answer = client.get(f"/matches/{match.number}/as-of", {"moment": moment})
        shown = program.get(f"/matches/{match.number}/view/?at={moment.replace('+', '%2B')}")
        found.append((parse_qs(urlsplit(answer["Location"]).query)["at"], shown.json()["version"], shown["ETag"]))
    return found


def test_no_moment_tells_when_a_sealed_act_happened(toy, anna, ben, player, program):
    """At an early or late time, also in a series, with or without a following event."""
    watcher, told = player("watcher"), {}
    for minutes in ((2, 3), (6, 7)):
        with time_machine.travel(NOON, tick=False) as clock:
            match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, watch="all"))
            for minute in minutes:
                clock.move_to(NOON + timedelta(minutes=minute))
                act(match, 1, SETTING)
            before = {user: at_each_minute(page_of(user), program(user), match, 10) for user in (anna, watcher)}
            clock.move_to(NOON + timedelta(minutes=8))
            act(match, 0)
            after = {user: at_each_minute(page_of(user), program(user), match, 10) for user in (anna, watcher)}
        for user in (anna, watcher):
            shown = [[(at, version) for at, version, _etag in found[user]] for found in (before, after)]
            assert {str(at) for at, _version in shown[1][:8]} == {str([str(shown[1][0][1])])}
            assert told.setdefault(user, shown) == shown


# --- anonymous players ---

POLICY = {"turn": "24h", "quiet_hours": 8, "vacation": True, "grace": "1h"}


@pytest.fixture
def anonymous(toy, anna, ben, player):
    """anna sleeps and goes on vacation, both of which move her deadline."""
    anna.timezone = "UTC"
    anna.save()
    with time_machine.travel(NOON, tick=False) as clock:
        absences.set_quiet_hours(user=anna, start=time(22, 15), end=time(6, 15))
        match = opening.create_match(by=player("olga"), game=toy, clock=POLICY, anonymous=True, watch="all", take_seat=False)
        match = opening.join_match(by=ben, match=opening.join_match(by=anna, match=match))
        absences.announce(user=anna, first=date(2026, 6, 2), last=date(2026, 6, 3))
        vacations.settle()
        clock.move_to(datetime(2026, 6, 2, 12, tzinfo=UTC))
        yield match


PATHS = ("", "view/", "events/", "export/", "clock/", "undo/", "steps/7/", "steps/8/", "looks/", "press/", "board.svg")
PAGES = ("", "?before=8", "clock", "press")
SPANS = ("22:15", 'excluded":[[', "2026-06-02T00:00", "2026-06-04T00:00", "vacation.", "away until", "Not counted")


def everything(user, program, match):
    answers = [program(user).get(f"/matches/{match.number}/{path}") for path in PATHS]
    answers += [page_of(user).get(f"/matches/{match.number}/{path}") for path in PAGES]
    answers += [page_of(user).get("/"), program(user).get("/matches/?mine=false")]
    return [b"".join(answer).decode() for answer in answers]


def test_an_anonymous_match_shows_neither_quiet_hours_nor_vacations(anonymous, anna, ben, player, program):
    for user in (ben, player("watcher"), Match.objects.get(pk=anonymous.pk).creator):
        for text in everything(user, program, anonymous):
            for span in SPANS:
                assert span not in text.replace(" ", "" if "excluded" in span else " "), user
        summary = program(user).get(f"/matches/{anonymous.number}/").json()
        assert [seat["away_until"] for seat in summary["seats"]] == [None, None]
        assert [one["stands_until"] for one in summary["awaited"]] == [None]
        events = program(user).get(f"/matches/{anonymous.number}/events/").json()["events"]
        sets = [one for one in events if one.get("type") == "match.deadline_set"]
        assert {one["data"]["cause"] for one in sets} <= {"asked", "moved"}
        assert all(one["redacted"] and "excluded" not in one["data"]["because"] for one in sets)
        account = program(user).get(f"/matches/{anonymous.number}/clock/").json()
        assert [one["because"]["excluded"] for one in account["clocks"]] == [[]]
        assert {one["what"] for one in account["lines"]} == {"asked", "moved"}
    own = program(anna).get(f"/matches/{anonymous.number}/clock/").json()
    assert own["clocks"][0]["because"]["excluded"], "one's own clock is told in full"
    assert "vacation" in {one["what"] for one in own["lines"]}


def test_in_an_anonymous_match_no_whole_event_tells_of_what_another_player_has_not(toy, ben, anna, player, program):
    """No reminders precede this timeout, and no program joins: it is not to be seen that there are none."""
    match = opening.create_match(by=player("olga"), game=toy, clock={"turn": "24h"}, anonymous=True, watch="all", take_seat=False)
    match = opening.join_match(by=ben, match=opening.join_match(by=anna, match=match))
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        assert timeout_sweep.sweep() == 1
    events = program(player("watcher")).get(f"/matches/{match.number}/events/").json()["events"]
    for kind in (TimedOut.TYPE, Joined.TYPE):
        told = [one for one in events if one.get("type") == kind]
        assert told
        assert all(one["redacted"] and "salt" not in one for one in told), kind


def test_what_is_shown_of_an_anonymous_match_is_proved_and_opens_at_the_end(anonymous, ben, tmp_path, program):
    content = export_of(anonymous, 1)
    assert verification.verify(content).ok
    [judged] = node_verify(tmp_path, content)
    assert judged["ok"], judged
    play_out(anonymous)
    assert loading.load(anonymous.id, "toy").ended
    events = program(ben).get(f"/matches/{anonymous.number}/events/").json()["events"]
    assert [one["data"] for one in events] == [json.loads(json.dumps(one.data)) for one in STORE.read(anonymous.id)]
    assert "vacation" in {one["what"] for one in program(ben).get(f"/matches/{anonymous.number}/clock/").json()["lines"]}


def test_an_anonymous_match_does_not_show_which_seat_a_program_plays(toy, anna, ben, player, program):
    robot = player("robot", is_bot=True, bot_owner=ben)
    match = opening.create_match(by=anna, game=toy, watch="all", anonymous=True, undo="never")
    invitations.invite(by=anna, match=match, username="robot")
    match = opening.join_match(by=robot, match=match)

    def told(user):
        events = program(user).get(f"/matches/{match.number}/events/").json()["events"]
        return [one["data"]["kind"] for one in events if one.get("type") == "match.joined"]

    assert [told(user) for user in (anna, player("watcher"), robot)] == [["user", "user"]] * 2 + [["user", "program"]]
    assert verification.verify(export_of(match, 0)).ok
    play_out(match)
    assert loading.load(match.id, "toy").ended
    assert told(anna) == ["user", "program"]


def test_an_anonymous_match_shows_the_acts_of_players_and_host_alike(toy, anna, ben, player, program):
    """Not whole where nothing is hidden, nor through which door they came: most programs use the API, and few people do."""
    watcher = player("watcher")
    match = opening.create_match(by=anna, game=toy, watch="all", anonymous=True, take_seat=False)
    for user, channel in ((ben, "web"), (player("robot", is_bot=True, bot_owner=player("olga")), "api")):
        invitations.invite(by=anna, match=match, username=user.username)
        match = opening.join_match(by=user, match=match, channel=channel)
    substitutes.give_up(by=ben, match=match, seat=0, channel="web")

    def told(user, *types):
        events = program(user).get(f"/matches/{match.number}/events/").json()["events"]
        return [one for one in events if one.get("type") in types]

    joined = told(watcher, "match.joined")
    assert [sorted(one) for one in joined] == [sorted(joined[0])] * 2
    assert [one["meta"] for one in joined] == [{"actor": {"kind": "seat", "seat": seat}, "rules": match.rules} for seat in (0, 1)]
    acts = told(watcher, "match.opened", "match.joined", "match.vacated")
    assert len(acts) == 4
    assert all("channel" not in one["meta"] for one in acts)
    own = told(match.seats.get(index=1).user, "match.joined")[1]
    assert (own["meta"]["channel"], own["data"]["kind"], "redacted" in own) == ("api", "program", False)
    assert verification.verify(export_of(match, 1)).ok
