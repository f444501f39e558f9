"""Statistics of players follow from the events: live, from zero, and after an erasure."""

from __future__ import annotations

import importlib
import io
import json
import uuid
from datetime import timedelta

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from accounts import erasure
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.events import Paused, Resumed, Seated, Vacated
from gamesvc.matches.lobby import invitations, opening, substitutes
from gamesvc.matches.models import FeedCursor, Holding, Match, Reckoned, Seat
from gamesvc.matches.organising.measures import Measure, organise
from gamesvc.matches.record import append, loading
from gamesvc.matches.record.append import Act, Actor, record
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.statistics import reliability, totals
from tests.matches.playing import act, duel, of_bots, play_out, time_out
from tests.matches.test_clock_policy import ran_out

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("feed")]


@pytest.fixture
def clock(monkeypatch):
    """A function that moves the time of events."""
    real, ahead = timezone.now, [timedelta()]
    monkeypatch.setattr(append.timezone, "now", lambda: real() + ahead[0])

    def forward(**span):
        ahead[0] += timedelta(**span)

    return forward


def follow():
    while totals.follow(limit=7):
        pass


def told(user, part="ever"):
    return totals.player_json(user)[part]


def service(match, event, actor=None):
    """Append an event of the service, as its own services do."""
    loaded = loading.load(match.id, match.game)
    act = Act(actor or Actor("host"), "api", uuid.uuid4(), timezone.now())
    record(match, loaded, [event.event(loaded.version + 1)], act, seats=list(match.seats.all()))


def kept():
    return list(Holding.objects.order_by("holder").values()), list(Reckoned.objects.order_by("pk").values())


def test_answers_time_outs_and_results_are_counted(toy, anna, ben, clock):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    clock(seconds=60)
    act(match, 0, {"name": "draw"})
    clock(seconds=30)
    time_out(match)
    clock(seconds=100)
    act(match, 0, {"name": "draw"})
    follow()
    assert told(anna) | {"matches": 1} == told(anna)
    assert (told(ben)["timeouts"], told(ben)["finished_percent"]) == (1, None)
    kept = {one.user: (one.answers, one.answer_seconds) for one in Holding.objects.all()}
    assert kept == {anna: (2, 160), ben: (0, 0)}
    play_out(match)
    follow()
    match.refresh_from_db()
    first = match.outcome["ranking"][0]
    for seat, user in enumerate((anna, ben)):
        assert told(user)["finished_percent"] == 100
        [result] = told(user, "games")
        shared = len(first) > 1 and seat in first
        assert result == {
            "game": "toy", "played": 1, "won": int(seat in first and not shared), "shared": int(shared),
            "lost": int(seat not in first),
        }  # fmt: skip


def test_a_pause_is_nobodys_time(toy, anna, ben, clock):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    clock(seconds=10)
    service(match, Paused("host"))
    clock(hours=5)
    service(match, Resumed("host"))
    clock(seconds=20)
    act(match, 0, {"name": "draw"})
    follow()
    assert Holding.objects.get(user=anna).answer_seconds == 30


def test_a_time_out_told_by_an_event_counts_once_and_an_excused_one_apart(toy, anna, ben):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    [asked] = match.questions.all()
    service(match, ran_out((asked.seat, asked.question), asked.due_at, excused=True), actor=Actor("clock", 0))
    act(match, 0, {"name": "draw"})
    time_out(match)
    assert "match.timed_out" in [one.type for one in STORE.read(match.id)]
    follow()
    assert (told(anna)["excused"], told(anna)["timeouts"], Holding.objects.get(user=anna).answers) == (1, 0, 1)
    assert (told(ben)["excused"], told(ben)["timeouts"]) == (0, 1)


def test_after_a_substitution_each_player_keeps_their_own_numbers(toy, anna, ben, player):
    cleo = player("cleo")
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    act(match, 0, {"name": "draw"})
    act(match, 1, {"name": "draw"})
    service(match, Vacated(1))
    holder = uuid.uuid4()
    Seat.objects.filter(match=match, index=1).update(user=cleo, holder=holder)
    service(match, Seated(seat=1, holder=str(holder)))
    play_out(match)
    follow()
    assert (told(ben)["given_up"], told(ben)["finished"], told(ben)["finished_percent"], told(ben)["answers"]) == (1, 0, 0, 1)
    assert told(cleo)["finished"] == 1
    assert told(cleo, "games") == [], "the result is not his who came late"
    assert told(anna, "games")[0]["played"] == 1


def test_whom_an_organiser_removes_has_given_up_only_after_a_timeout(toy, anna, ben, player):
    """Else a host could spoil the reliability of all who join."""
    olga = player("olga")
    match = opening.create_match(by=olga, game=toy, take_seat=False)
    for user in (anna, ben):
        match = opening.join_match(by=user, match=match)
    act(match, 0, {"name": "draw"})
    time_out(match)
    for seat in (0, 1):
        measure = Measure("replace", "other", "Why not?", seat=seat, bot=seat == 0)
        organise(by=olga, match=match, measure=measure, command_id=uuid.uuid4())
    follow()
    assert [(told(user)["timeouts"], told(user)["given_up"]) for user in (anna, ben)] == [(0, 0), (1, 1)]
    strict = opening.create_match(by=olga, game=toy, take_seat=False, reliability={"finished": 80})
    opening.join_match(by=anna, match=strict)
    with pytest.raises(Refused, match="0 of 1"):
        opening.join_match(by=ben, match=strict)
    assert totals.differences(match.pk) == totals.rebuild(match.pk) == []


def test_the_migration_forgives_removals_without_a_timeout(toy, anna, ben, player):
    olga = player("olga")
    removed = opening.create_match(by=olga, game=toy, take_seat=False)
    for user in (anna, ben):
        removed = opening.join_match(by=user, match=removed)
    act(removed, 0, {"name": "draw"})
    time_out(removed)
    for seat in (0, 1):
        organise(by=olga, match=removed, measure=Measure("replace", "other", "x", seat=seat), command_id=uuid.uuid4())
    left = duel(anna, ben)
    substitutes.give_up(by=anna, match=left, seat=0)
    follow()
    before, _ = kept()
    Holding.objects.filter(match=removed).update(vacated=True)
    assert totals.differences(removed.pk)
    with connection.schema_editor() as editor:
        importlib.import_module("gamesvc.matches.migrations.0022_removals").forgive(apps, editor)
    assert kept()[0] == before
    assert [one["vacated"] for one in before].count(True) == 2


def test_what_is_played_alone_or_never_ended_gives_no_result(toy, anna, ben):
    of_bots(anna, "space_fleet_commander")
    opening.cancel_match(by=anna, match=opening.create_match(by=anna, game=toy))
    left = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, take_seat=False))
    opening.leave_match(by=ben, match=left)
    follow()
    assert told(anna)["matches"] == told(ben)["matches"] == 0
    assert told(anna, "games") == []


def test_numbers_from_zero_equal_the_live_ones(toy, anna, ben, player):
    for other in (ben, player("cleo")):
        play_out(duel(anna, other))
    running = duel(anna, ben)
    follow()
    live, lines = kept()
    out = io.StringIO()
    call_command("rebuild", "--statistics", "--json", stdout=out)
    assert json.loads(out.getvalue()) == {"ok": True, "matches": 3, "differences": []}
    assert kept() == (live, lines)

    act(running, 1, {"name": "set_orders", "text": "more"})
    Holding.objects.filter(user=ben).update(timeouts=7, finished=False)
    Reckoned.objects.filter(match=running).delete()
    out = io.StringIO()
    call_command("rebuild", "--statistics", "--json", stdout=out)
    found = json.loads(out.getvalue())["differences"]
    assert any("timeouts was 7" in one["detail"] for one in found)
    follow()
    after, _ = kept()
    assert after == live, "the events that the follower meets again are not taken twice"
    assert FeedCursor.objects.get(name="statistics").pos > 0


def test_a_match_that_cannot_be_folded_stops_nobody_elses_numbers(toy, anna, ben):
    broken = duel(anna, ben)
    Match.objects.filter(pk=broken.pk).update(game="chess")
    play_out(duel(anna, ben))
    follow()
    assert told(anna)["finished"] == 1
    assert "chess" in Reckoned.objects.get(match=broken).fault
    Match.objects.filter(pk=broken.pk).update(game="toy")
    assert totals.rebuild(broken.pk) == []
    assert Reckoned.objects.get(match=broken).fault == ""
    assert told(anna)["matches"] == 2


def test_numbers_of_an_erased_user_are_nobodys(toy, anna, ben):
    match = duel(anna, ben)
    play_out(match)
    follow()
    before = Holding.objects.filter(match=match).count()
    erasure.erase(ben)
    follow()
    assert totals.rebuild(match.pk) == []
    assert Holding.objects.filter(match=match).count() == before
    assert not Holding.objects.filter(user=ben).exists()
    assert told(anna)["finished"] == 1


def given_up(user, match_count=1, finished=0, timeouts=0):
    """Store a past in another match, as the consumer would have written it."""
    match = opening.cancel_match(by=user, match=opening.create_match(by=user, game="toy", take_seat=False))
    for number in range(match_count):
        Holding.objects.create(
            holder=uuid.uuid4(), match=match, seat=0, user=user, vacated=number >= finished, finished=number < finished,
            timeouts=timeouts, last_at=timezone.now() - timedelta(days=3),
        )  # fmt: skip


def test_a_match_may_ask_for_reliable_players(toy, anna, ben, player, program):
    cleo = player("cleo")
    made = program(anna).post("/matches/", {"game": "toy", "reliability": {"finished": 80, "timeouts": 2}}).json()
    assert made["reliability"] == {"finished": 80, "timeouts": 2}
    given_up(ben, match_count=5, finished=3)
    given_up(cleo, match_count=2, finished=2, timeouts=2)
    refused = program(ben).post(f"/matches/{made['number']}/join/")
    assert (refused.status_code, refused.json()["code"]) == (422, "not_reliable")
    assert "you finished 3 of 5 (60 %)" in refused.json()["detail"]
    refused = program(cleo).post(f"/matches/{made['number']}/join/")
    assert "at most 2 timeouts" in refused.json()["detail"]
    assert "you have 4." in refused.json()["detail"]
    for user, suits in ((ben, False), (cleo, False), (player("dora"), True)):
        listed = program(user).get("/matches/?mine=false&suitable=true").json()["results"]
        assert bool(listed) == suits
        assert program(user).get("/matches/?mine=false").json()["results"]
    Holding.objects.filter(user=cleo).update(last_at=timezone.now() - timedelta(days=400))
    assert program(cleo).post(f"/matches/{made['number']}/join/").status_code == 200, "what is long ago is forgiven"


def test_the_host_may_invite_any_player(toy, anna, ben):
    match = opening.create_match(by=anna, game=toy, reliability={"finished": 100})
    given_up(ben)
    with pytest.raises(Refused, match="0 of 1"):
        opening.join_match(by=ben, match=match)
    invitations.invite(by=anna, match=match, username="ben")
    assert opening.join_match(by=ben, match=match).status == Match.Status.RUNNING


def test_the_lobby_is_filtered_by_what_players_have_shown(toy, anna, ben, player, program):
    dora = program(player("dora"))
    for host in (anna, ben):
        opening.create_match(by=host, game=toy)
    given_up(ben, timeouts=3)

    def hosts(query):
        answer = dora.get(f"/matches/?mine=false{query}")
        assert answer.status_code == 200, answer.content
        return {one["host"] for one in answer.json()["results"]}

    assert hosts("") == {"anna", "ben"}
    assert hosts("&players_finished=50") == {"anna"}
    assert hosts("&players_timeouts=2") == {"anna"}
    assert hosts("&players_timeouts=3") == {"anna", "ben"}
    Holding.objects.filter(user=ben).update(answers=4, answer_seconds=4 * 6 * 3600)
    assert hosts("&players_answer_hours=5") == {"anna"}
    assert hosts("&players_answer_hours=6") == {"anna", "ben"}
    assert dora.get("/matches/?mine=false&players_finished=most").json()["code"] == "bad_players_finished"


def test_the_lobby_tells_nothing_of_the_answers_of_a_running_match(toy, anna, ben, clock, player, program):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    opening.create_match(by=anna, game=toy)
    dora = program(player("dora"))

    def slow():
        return not dora.get("/matches/?mine=false&status=open&players_answer_hours=1").json()["results"]

    clock(hours=40)
    act(match, 0, {"name": "draw"})
    follow()
    assert not slow()
    play_out(match)
    follow()
    assert slow()


@pytest.mark.parametrize("asked", [{"finished": 101}, {"finished": "80"}, {"timeouts": -1}, {"charm": 3}, {"timeouts": True}])
def test_a_demand_that_makes_no_sense_is_refused(toy, anna, program, asked):
    answer = program(anna).post("/matches/", {"game": "toy", "reliability": asked})
    assert (answer.status_code, answer.json()["code"], answer.json()["parameter"]) == (422, "bad_reliability", "reliability")
    assert not Match.objects.exists()


def test_a_player_is_told_of_by_the_api_and_on_a_page(toy, anna, ben, program, client):
    play_out(duel(anna, ben))
    follow()
    shown = program(ben).get("/players/anna/").json()
    assert shown["name"] == "anna"
    assert shown["ever"]["finished"] == shown["lately"]["finished"] == 1
    assert shown["games"][0]["game"] == "toy"
    assert program(ben).get("/players/nobody/").json()["code"] == "unknown_user"
    client.force_login(ben)
    page = client.get("/players/anna/")
    assert page.status_code == 200
    assert "100 %" in page.content.decode()
    assert client.get("/players/nobody/").status_code == 404


def test_a_demand_of_nothing_is_none():
    assert reliability.read({"finished": 0}) is None
    assert reliability.read(None) is None


def test_a_running_match_tells_nothing_of_answers_and_one_without_names_or_shown_late_nothing_at_all(toy, anna, ben):
    for options, shown in (({}, 1), ({"anonymous": True}, 0), ({"watch": "all", "watch_delay": 24}, 0)):
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, **options))
        act(match, 0, {"name": "draw"})
        follow()
        assert told(anna)["answers"] == 0
        assert told(anna)["matches"] == shown
        play_out(match)
        follow()
        assert told(anna)["answers"] > 0
        assert told(anna)["finished"] == 1
        Holding.objects.all().delete()
