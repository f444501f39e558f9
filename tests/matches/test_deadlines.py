"""Deadlines in matches: rows, events, players, pauses, and the account that explains them."""

from __future__ import annotations

import uuid
from datetime import UTC, date, datetime, time, timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts import absences
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import replay
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question
from gamesvc.matches.proof import audit
from gamesvc.matches.record import loading, stream
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import deadlines, explanation, timeout_sweep, vacations
from gamesvc.matches.timekeeping.deadlines import Mandate
from tests.matches.playing import act

pytestmark = pytest.mark.django_db
HOST = Mandate(Actor("host"))
MONDAY = datetime(2026, 6, 1, 10, 0, tzinfo=UTC)
CONSIDERATE = {"turn": "24h", "quiet_hours": 10, "vacation": True, "days_off": {"weekdays": ["sat", "sun"], "zone": "UTC"}}


@pytest.fixture
def clock():
    with time_machine.travel(MONDAY, tick=False) as travel:
        yield travel


@pytest.fixture
def table(toy, anna, ben, clock):
    def make(policy, **more) -> Match:
        match = opening.create_match(by=anna, game=toy, clock=policy, **more)
        return opening.join_match(by=ben, match=match)

    return make


def due(match, seat=None):
    [row] = match.questions.all() if seat is None else match.questions.filter(seat=seat)
    return row.due_at


def told(match):
    return [one for one in STORE.read(match.id) if one.type.startswith("match.")]


def check_store(match):
    """Check that folding the log alone gives the stored account and rows."""
    kept = loading.load(match.id, match.game).account
    loading.forget_all()
    again = loading.fresh(loading.load(match.id, match.game).game, match.id)
    stored = STORE.read(match.id)
    again.fold(stored, [stream.lift(again.game, one) for one in stored])
    assert again.account.as_json() == kept.as_json()
    rows = {(row.seat, row.question): row.due_at for row in match.questions.all()}
    assert rows == {key: clock.due for key, clock in again.account.open.items()}
    for one in stored:
        if one.type == "match.deadline_set" and one.version == stored[-1].version:
            key = one.data["seat"], one.data["question"]
            assert datetime.fromisoformat(one.data["due_at"]) == rows[key]
    assert audit.check_match(match.id) == []


def test_plain_hours_set_the_row_and_append_no_event_of_their_own(table):
    match = table(None, hours=24)
    act(match, 0)
    assert due(match) == MONDAY + timedelta(hours=24)
    assert {one.type for one in told(match)} == {"match.opened", "match.joined", "match.started"}
    check_store(match)


def test_quiet_hours_are_recorded_with_the_deadline_and_change_from_the_next_one_on(table, anna, ben, clock):
    absences.set_quiet_hours(user=ben, start=time(22), end=time(6))
    match = table(CONSIDERATE)
    act(match, 0)
    # Ben is in New York, where it is 06:00; the night there is 02:00 to 10:00 UTC.
    assert due(match) == datetime(2026, 6, 2, 18, 0, tzinfo=UTC)
    last = told(match)[-1]
    assert last.type == "match.deadline_set"
    assert (last.data["seat"], last.data["cause"], last.data["due_at"]) == (1, "asked", "2026-06-02T18:00:00.000000Z")
    assert ["2026-06-02T02:00:00.000000Z", "2026-06-02T10:00:00.000000Z"] in last.data["because"]["excluded"]
    absences.set_quiet_hours(user=ben, start=None, end=None)
    assert due(match) == datetime(2026, 6, 2, 18, 0, tzinfo=UTC)
    check_store(match)
    clock.move_to(MONDAY + timedelta(hours=1))
    act(match, 1)
    act(match, 0)
    assert due(match) == MONDAY + timedelta(hours=25)
    check_store(match)


def test_a_weekend_does_not_count(table, clock):
    clock.move_to(datetime(2026, 6, 5, 20, 0, tzinfo=UTC))
    match = table(CONSIDERATE)
    assert due(match) == datetime(2026, 6, 8, 20, 0, tzinfo=UTC)


def test_a_vacation_moves_the_running_deadline_by_an_event_and_its_end_moves_it_back(table, anna, clock):
    match = table(CONSIDERATE)
    before = due(match)
    assert vacations.settle(anna.pk).moved == 0, "nothing to move"
    absence = absences.announce(user=anna, first=date(2026, 6, 2), last=date(2026, 6, 4))
    assert vacations.settle(anna.pk).moved == 1
    # Berlin is two hours ahead: away from 22:00 UTC on the 1st until 22:00 on the 4th.
    assert due(match) == before + timedelta(days=3)
    last = told(match)[-1]
    assert (last.type, last.data["cause"], last.meta["actor"]) == ("match.deadline_set", "vacation", {"kind": "system"})
    check_store(match)
    clock.move_to(datetime(2026, 6, 3, 8, 0, tzinfo=UTC))
    absences.call_off(absence=absence)
    assert vacations.settle(anna.pk).moved == 1
    assert due(match) == datetime(2026, 6, 3, 20, 0, tzinfo=UTC), "12 of 24 hours were used when he left"
    check_store(match)


def test_a_vacation_whose_announcer_died_moves_its_deadlines_before_a_sweep_fires_them(table, anna, ben, clock):
    match = table(CONSIDERATE)
    clock.move_to(MONDAY + timedelta(hours=23, minutes=59))
    absences.announce(user=ben, first=date(2026, 6, 10), last=date(2026, 6, 10))
    absences.announce(user=anna, first=date(2026, 6, 2), last=date(2026, 6, 4))
    # Here the process died: nothing was moved, and the old deadline has passed.
    clock.move_to(MONDAY + timedelta(hours=24, minutes=1))
    assert timeout_sweep.sweep() == 0
    # She left at once, with a minute on her clock.
    assert due(match) == datetime(2026, 6, 4, 22, 1, tzinfo=UTC)
    version = loading.load(match.id, match.game).version
    clock.shift(timedelta(minutes=2))
    assert timeout_sweep.sweep() == 0
    assert loading.load(match.id, match.game).version == version, "a second look moves nothing more"
    assert absences.changes() == []
    check_store(match)


def test_a_vacation_brings_no_quiet_hours_with_it(table, anna, clock):
    match = table(CONSIDERATE)
    before = due(match)
    absences.set_quiet_hours(user=anna, start=time(0), end=time(6))
    absences.announce(user=anna, first=date(2026, 7, 1), last=date(2026, 7, 1))
    assert vacations.settle(anna.pk).moved == 0, "a vacation far off moves nothing"
    absence = absences.announce(user=anna, first=date(2026, 6, 2), last=date(2026, 6, 2))
    assert vacations.settle(anna.pk).moved == 1
    # Away from 22:00 UTC on the 1st for a day; of the nights only the one beyond the old deadline counts.
    assert due(match) == before + timedelta(hours=24 + 6)
    check_store(match)
    absences.set_quiet_hours(user=anna, start=None, end=None)
    absences.call_off(absence=absence)
    assert vacations.settle(anna.pk).moved == 1
    assert due(match) == before
    check_store(match)


def test_a_match_that_allows_no_vacation_goes_on(table, anna):
    match = table({"turn": "24h"})
    absences.announce(user=anna, first=date(2026, 6, 1), last=date(2026, 6, 4))
    assert vacations.settle(anna.pk).moved == 0
    assert due(match) == MONDAY + timedelta(hours=24)


def test_a_vacation_has_a_budget(anna, clock, settings):
    settings.VACATION_DAYS_PER_YEAR = 5
    absences.announce(user=anna, first=date(2026, 6, 1), last=date(2026, 6, 3))
    assert absences.days_left(anna, 2026) == 2
    for first, last, code in (
        (date(2026, 6, 10), date(2026, 6, 12), "budget"),
        (date(2026, 6, 3), date(2026, 6, 4), "overlaps"),
        (date(2026, 5, 1), date(2026, 5, 2), "bad_days"),
        (date(2028, 5, 1), date(2028, 5, 2), "too_far"),
    ):
        with pytest.raises(absences.AbsenceRefused) as refused:
            absences.announce(user=anna, first=first, last=last)
        assert refused.value.code == code
    new_year = absences.announce(user=anna, first=date(2026, 12, 31), last=date(2027, 1, 3))
    assert (absences.days_left(anna, 2026), absences.days_left(anna, 2027)) == (1, 2)
    assert absences.call_off(absence=new_year) is None
    assert absences.days_left(anna, 2026) == 2


def test_a_vacation_is_not_announced_and_called_off_without_end(table, anna, monkeypatch):
    """Each time moves the deadlines of all matches, by an event in each."""
    monkeypatch.setattr(absences, "ANNOUNCED_A_DAY", 3)
    match = table(CONSIDERATE)
    for _ in range(3):
        absences.call_off(absence=absences.announce(user=anna, first=date(2026, 6, 2), last=date(2026, 6, 3)))
        vacations.settle(anna.pk)
    version = loading.load(match.id, match.game).version
    with pytest.raises(absences.AbsenceRefused) as refused:
        absences.announce(user=anna, first=date(2026, 6, 2), last=date(2026, 6, 3))
    assert refused.value.code == "too_many"
    vacations.settle(anna.pk)
    assert loading.load(match.id, match.game).version == version


def test_quiet_hours_are_capped(anna):
    for start, end in ((time(8), time(21)), (time(8), None), (time(8), time(8)), (time(8, 0, 5), time(9))):
        with pytest.raises(absences.AbsenceRefused):
            absences.set_quiet_hours(user=anna, start=start, end=end)
    absences.set_quiet_hours(user=anna, start=time(20), end=time(8))
    anna.refresh_from_db()
    assert absences.quiet_hours(anna) == absences.QuietHours(time(20), time(8), "Europe/Berlin")


def test_quiet_hours_stay_for_a_week_and_in_their_zone(anna, clock):
    night = absences.QuietHours(time(22), time(6), "Europe/Berlin")
    absences.set_quiet_hours(user=anna, start=time(22), end=time(5))
    clock.shift(timedelta(minutes=50))
    absences.set_quiet_hours(user=anna, start=time(22), end=time(6))
    assert absences.quiet_hours(anna) == night, "a slip is corrected"
    clock.shift(timedelta(minutes=20))

    def refused(start: time, end: time) -> str:
        with pytest.raises(absences.AbsenceRefused) as error:
            absences.set_quiet_hours(user=anna, start=start, end=end)
        return error.value.code

    assert refused(time(10), time(20)) == "quiet_hours_stay"
    absences.set_quiet_hours(user=anna, start=time(22), end=time(6))
    anna.timezone = "Asia/Tokyo"
    anna.save()
    assert absences.quiet_hours(anna) == night
    assert refused(time(22), time(6)) == "quiet_hours_stay"
    absences.set_quiet_hours(user=anna, start=None, end=None)
    assert absences.quiet_hours(anna) is None
    assert refused(time(10), time(20)) == "quiet_hours_stay"
    clock.move_to(MONDAY + timedelta(days=7))
    absences.set_quiet_hours(user=anna, start=time(10), end=time(20))
    anna.refresh_from_db()
    assert absences.quiet_hours(anna) == absences.QuietHours(time(10), time(20), "Asia/Tokyo")


@pytest.mark.parametrize("policy", [{"turn": "24h"}, CONSIDERATE])
def test_a_paused_match_has_no_deadlines_and_goes_on_with_what_was_left(table, policy, clock):
    match = table(policy)
    clock.shift(timedelta(hours=4))
    left = due(match) - timezone.now()
    deadlines.pause(match=match, mandate=HOST)
    match.refresh_from_db()
    assert match.paused_at == timezone.now()
    assert match.questions.get().due_at is None
    check_store(match)
    clock.shift(timedelta(days=7))
    assert timeout_sweep.sweep() == 0
    with pytest.raises(Refused, match="has been paused since"):
        deadlines.pause(match=match, mandate=HOST)
    act(match, 0)
    assert match.questions.get(seat=1).due_at is None, "who is asked meanwhile waits as well"
    act(match, 1)
    deadlines.resume(match=match, mandate=Mandate(Actor("seat", 1)))
    assert due(match) >= timezone.now() + left - timedelta(hours=4)
    assert match.questions.get().seat == 0
    check_store(match)
    with pytest.raises(Refused, match="is not paused"):
        deadlines.resume(match=match, mandate=HOST)


def test_an_extension_is_an_event_and_gives_as_much_as_it_says(table):
    match = table(CONSIDERATE)
    before, reason = due(match), uuid.uuid4()
    deadlines.extend(match=match, mandate=Mandate(Actor("host"), reason_id=reason), seat=0, more=timedelta(hours=5))
    assert due(match) == before + timedelta(hours=5)
    assert told(match)[-1].data["because"]["reason_id"] == str(reason)
    check_store(match)
    with pytest.raises(Refused, match="No clock of seat 1"):
        deadlines.extend(match=match, mandate=HOST, seat=1, more=timedelta(hours=5))
    with pytest.raises(Refused, match="more time, not less"):
        deadlines.extend(match=match, mandate=HOST, seat=0, more=-timedelta(hours=5))


def test_fixed_times_stand_whatever_the_hours_of_a_seat(table, anna, ben):
    absences.set_quiet_hours(user=ben, start=time(10), end=time(16))
    match = table({"adjudication": {"at": ["14:00"], "days": ["mon", "thu"], "zone": "America/New_York"}, "quiet_hours": 10})
    act(match, 0)
    assert due(match) == datetime(2026, 6, 1, 18, 0, tzinfo=UTC)
    check_store(match)


def test_a_bank_is_kept_over_turns_snapshots_and_restarts(table, clock):
    match = table({"bank": {"start": "10h", "increment": "1h", "cap": "10h"}})
    for hours in (1, 2):
        for seat in (0, 1):
            clock.shift(timedelta(hours=hours))
            act(match, seat)
            loading.forget_all()
    account = loading.load(match.id, match.game).account
    # 10 - 1, + 1 - 2, + 1 with the present question: each turn but the first brings the increment.
    assert account.bank(0) == timedelta(hours=9)
    assert account.bank(1) == timedelta(hours=8)
    check_store(match)


def test_the_sweep_answers_as_of_the_deadline_so_that_nothing_drifts(table, clock):
    match = table(None, hours=10)
    for turn in range(1, 4):
        clock.move_to(due(match) + timedelta(seconds=40))
        assert timeout_sweep.sweep() == 1
        assert due(match) == MONDAY + timedelta(hours=10 * (turn + 1))
    check_store(match)


def test_a_late_sweep_leaves_the_next_seat_its_minimum(table, clock):
    match = table({"turn": "10m", "minimum": "10m"})
    clock.move_to(due(match) + timedelta(minutes=9))
    assert timeout_sweep.sweep() == 1
    assert due(match) == timezone.now() + timedelta(minutes=10)
    check_store(match)


def test_a_command_at_the_border_counts_and_one_after_it_does_not(table, clock):
    match = table({"turn": "10h", "grace": "1h"})
    row = match.questions.get()
    assert row.grace_from == MONDAY + timedelta(hours=10)
    assert row.due_at == MONDAY + timedelta(hours=11)
    clock.move_to(row.due_at)
    with pytest.raises(Refused) as refused:
        act(match, 0)
    assert refused.value.code == "too_late"
    clock.move_to(row.due_at - timedelta(microseconds=1))
    act(match, 0)


def test_a_policy_that_leaves_no_time_opens_no_match(toy, anna):
    with pytest.raises(Refused) as refused:
        opening.create_match(by=anna, game=toy, clock={"turn": "1m"})
    assert (refused.value.code, refused.value.parameter) == ("no_time", "clock.turn")
    assert not Match.objects.exists()


# --- the API ---


def test_the_policies_are_offered_chosen_and_explained(toy, anna, ben, program, clock):
    a, b = program(anna), program(ben)
    offered = a.get("/clocks/").json()
    assert offered["schema"]["properties"]["bank"]["required"] == ["start"]
    assert "bank" in [preset["name"] for preset in offered["presets"]]
    opened = a.post("/matches/", {"game": "toy", "clock": "considerate"}).json()
    assert (opened["clock"]["turn"], opened["pace"]) == ("3d", "3 days a turn")
    b.post(f"/matches/{opened['id']}/join/")
    clock.shift(timedelta(hours=5))
    view = a.get(f"/matches/{opened['id']}/view/")
    a.post(f"/matches/{opened['id']}/commands/", {"name": "draw"}, etag=view["ETag"])
    own = a.get(f"/matches/{opened['id']}/clock/?seat=0").json()
    assert [(line["what"], line["used"]) for line in own["lines"]] == [("asked", 0), ("stopped", 5 * 3600)]
    assert own["clocks"] == []
    other = b.get(f"/matches/{opened['id']}/clock/").json()
    assert [(one["seat"], one["due_at"]) for one in other["clocks"]] == [(1, "2026-06-04T15:00:00.000000Z")]
    assert other["clocks"][0]["because"]["left"] == 72 * 3600
    assert a.get(f"/matches/{opened['id']}/clock/?seat=9").status_code == 422
    for bad, code in (({"turn": "1m"}, "no_time"), ("soon", "bad_clock"), ([1], "bad_clock"), ({"hours": "48"}, "bad_clock")):
        refused = a.post("/matches/", {"game": "toy", "clock": bad})
        assert (refused.status_code, refused.json()["code"]) == (422, code)


def test_a_pause_shows_as_no_deadline(toy, anna, ben, program, clock):
    a, b = program(anna), program(ben)
    opened = a.post("/matches/", {"game": "toy"}).json()
    b.post(f"/matches/{opened['id']}/join/")
    deadlines.pause(match=Match.objects.get(pk=opened["id"]), mandate=HOST)
    seen = b.get(f"/matches/{opened['id']}/").json()
    assert seen["awaited"][0]["due_at"] is None
    assert seen["paused_at"]


def test_a_sealed_act_of_another_seat_moves_nothing_that_one_can_see(table, clock):
    match = table(CONSIDERATE)
    seen = [explanation.explain(match, viewer=0).as_json()]
    clock.shift(timedelta(hours=2))
    act(match, 1, {"name": "set_orders", "text": "secret"})
    seen.append(explanation.explain(match, viewer=0).as_json())
    assert seen[0] == seen[1]
    assert Question.objects.filter(match=match).count() == 1


def test_the_log_replays_with_the_clocks_events_in_it(table):
    match = table(CONSIDERATE)
    for seat in (0, 1, 0, 1):
        act(match, seat)
    loaded = loading.load(match.id, match.game)
    events = [stream.lift(loaded.game, one) for one in STORE.read(match.id)]
    assert replay(loaded.game, events).state == loaded.timeline.state
