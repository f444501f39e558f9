"""A point of a deadline is reached when its share of counted time has passed, whatever breaks, nights and grace there are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta

import pytest
import time_machine
from django.db import connection
from django.utils.html import strip_tags
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gamesvc.games.kernel.game import Awaited
from gamesvc.matches.clock.account import Account
from gamesvc.matches.clock.compute import Clock, breaks, gone, run
from gamesvc.matches.clock.parsing import parse
from gamesvc.matches.clock.spans import Span, advance, counted, merged
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question
from gamesvc.matches.notices import reminding, wording
from gamesvc.matches.notices.reminding import MOMENT
from gamesvc.matches.reading.summaries import time_left
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.rows import projections
from gamesvc.matches.record.rows.statements import Change, question_rows
from gamesvc.matches.timekeeping import deadlines
from notifications.models import Outbox
from notifications.wanted import wishes
from tests.matches.test_reminding import reminded_at

pytestmark = pytest.mark.django_db

START = datetime(2026, 6, 4, 6, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SHARES = (0.1, 0.5, 0.8, 0.99)
_MOMENTS = f"""
SELECT {MOMENT} FROM (SELECT %s::timestamptz AS asked_at, %s::timestamptz AS due_at, %s::timestamptz AS grace_from,
  %s::float8[] AS break_at, %s::float8[] AS break_for) AS q, unnest(%s::float8[], %s::float8[]) AS k(share, before)
"""  # noqa: S608


class Around:
    """Spans that do not count, and a fixed time this long after the minimum."""

    def __init__(self, spans, wait=timedelta(0)):
        self.spans, self.wait = spans, wait

    def excluded(self, since, until):
        return merged(self.spans, since, until)

    def fixed(self, after):
        return after + self.wait


def moments(clock, shares=SHARES, befores=(0, 0, 0, 0)):
    """Return the moments that the sweep and the simulation compute from a row, computed from a clock."""
    spans = breaks(clock)
    values = [[at for at, _ in spans], [length for _, length in spans], list(shares), list(befores)]
    with connection.cursor() as cursor:
        cursor.execute(_MOMENTS, [clock.since, clock.due, clock.grace_from, *values])
        return [row[0] for row in cursor.fetchall()]


def spans_of(pairs):
    return [Span(START + at * MINUTE, START + (at + length) * MINUTE) for at, length in pairs]


def clock_of(left, spans, **policy):
    whole = timedelta(minutes=left)
    return run(parse({"turn": "24h", **policy}, timedelta(hours=1)), Clock("turn", START, START, whole, whole), Around(spans))


LENGTHS = st.lists(st.tuples(st.integers(-3000, 9000), st.integers(1, 4000)), max_size=8)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(left=st.integers(1, 6000), pairs=LENGTHS, grace=st.sampled_from([None, "1h", "24h"]))
# The share is used up as a break begins, or the last of the time as one does.
@example(left=1000, pairs=[(800, 60)], grace=None)
@example(left=1000, pairs=[(1000, 60)], grace="1h")
@example(left=1000, pairs=[(-60, 90), (830, 1), (832, 1)], grace=None)
def test_a_share_is_gone_when_the_clock_says_so(left, pairs, grace):
    spans = spans_of(pairs)
    clock = clock_of(left, spans, **({"grace": grace} if grace else {}))
    wanted = [advance(START, clock.left * share, Around(spans).excluded)[0] for share in SHARES]
    assert moments(clock) == wanted
    end = clock.grace_from or clock.due
    assert moments(clock, (1.0, 1.0), (0, 7200)) == [end, end - timedelta(hours=2)]
    assert all(moment <= end for moment in wanted)


@settings(max_examples=200, deadline=None)
@given(left=st.integers(1, 6000), pairs=LENGTHS, elapsed=st.integers(0, 12000))
def test_what_is_gone_is_what_was_counted(left, pairs, elapsed):
    clock = clock_of(left, spans_of(pairs))
    now = min(START + elapsed * MINUTE, clock.due)
    passed = gone((now - START).total_seconds(), breaks(clock))
    assert passed == counted(START, now, clock.excluded).total_seconds()


def test_with_fixed_times_it_is_exact_up_to_the_minimum():
    spans = spans_of([(60, 600)])
    clock = clock_of(600, spans)
    policy = parse({"adjudication": {"at": ["18:00"], "zone": "UTC"}}, timedelta(hours=1))
    fixed = run(policy, Clock("turn", START, START, clock.left, clock.left), Around(spans, timedelta(hours=10)))
    assert fixed.due == clock.due + timedelta(hours=10)
    # Twenty hours count until the fixed time: half of them end with the minimum, the rest has no breaks.
    assert moments(fixed) == [START + timedelta(hours=12), clock.due, fixed.due - 4 * 60 * MINUTE, fixed.due - 12 * MINUTE]


def opened(toy, anna, ben, clock, at):
    with time_machine.travel(at, tick=False):
        return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock=clock))


def test_a_week_end_behind_the_point_does_not_move_it(toy, anna, ben):
    wishes.set_wishes(anna, {"reminders": ["80%", "50%"]})
    match = opened(toy, anna, ben, {"turn": "50h", "days_off": {"weekdays": ["sat", "sun"], "zone": "UTC"}}, START)
    due = Question.objects.get(match=match).due_at
    assert due == datetime(2026, 6, 8, 8, 0, tzinfo=UTC)
    assert reminded_at(match, START, due) == [datetime(2026, 6, 5, 7, 0, tzinfo=UTC), datetime(2026, 6, 5, 22, 0, tzinfo=UTC)]


def test_quiet_hours_behind_the_point_do_not_move_it(toy, anna, ben):
    wishes.set_wishes(anna, {"reminders": ["80%"]})
    anna.timezone, anna.quiet_from, anna.quiet_until = "UTC", time(22), time(8)
    anna.save()
    ten = START + timedelta(hours=4)
    match = opened(toy, anna, ben, {"turn": "12h", "quiet_hours": 10}, ten)
    due = Question.objects.get(match=match).due_at
    assert due == ten + timedelta(hours=22), "twelve hours until the night begins, so it ends with the night"
    assert reminded_at(match, ten, due) == [datetime(2026, 6, 4, 20, 0, tzinfo=UTC)], "19:36, at the next sweep"


def test_grace_is_no_time_given(toy, anna, ben):
    match = opened(toy, anna, ben, {"turn": "20h", "grace": "24h"}, START)
    asked = Question.objects.get(match=match)
    assert asked.due_at - asked.grace_from == timedelta(hours=24)
    assert reminded_at(match, START, asked.due_at) == [START + timedelta(hours=16), START + timedelta(hours=18)]
    notice = Outbox.objects.get(kind="your_turn")
    assert reminding.deadline(notice) == asked.grace_from, "a mail that waits for a threshold waits for this one"
    with time_machine.travel(START + timedelta(hours=10), tick=False):
        assert time_left(asked) == 50
    with time_machine.travel(START + timedelta(hours=21), tick=False):
        assert time_left(asked) == 0


def test_what_is_in_time_is_told_and_what_grace_there_is_after_it(toy, anna, ben, client):
    anna.timezone = "UTC"
    anna.save()
    client.force_login(anna)
    match = opened(toy, anna, ben, {"turn": "20h", "grace": "24h"}, START)
    row = Outbox.objects.get(kind="your_turn")
    said = "After that there is grace until Sat 6 Jun"
    with time_machine.travel(START + timedelta(hours=1), tick=False):
        mail = wording.your_turn(row)
        assert ", due Fri 5 Jun" in mail.subject
        assert "\nDue Fri 5 Jun 02:00 UTC\n" in mail.text, "once, for him who lives by UTC"
        page = client.get(f"/matches/{match.number}/").content.decode()
        assert "in 19 h" in page
        assert said in mail.text.replace("\n", " ")
        assert said in mail.html
        assert said.removeprefix("After that ") in strip_tags(page)
    with time_machine.travel(START + timedelta(hours=30), tick=False):
        late = wording.your_turn(row)
        assert ", due Sat 6 Jun" in late.subject
        assert "grace" not in late.text
        page = client.get(f"/matches/{match.number}/").content.decode()
        assert "in 14 h" in page
        assert "this is grace" in page


def test_the_share_that_is_left_is_of_the_time_that_counts(toy, anna, ben):
    match = opened(toy, anna, ben, {"turn": "50h", "days_off": {"weekdays": ["sat", "sun"], "zone": "UTC"}}, START)
    asked = Question.objects.get(match=match)
    shown = {}
    for day, hour in ((4, 6), (5, 7), (6, 3), (7, 23), (8, 3)):
        with time_machine.travel(datetime(2026, 6, day, hour, tzinfo=UTC), tick=False):
            shown[day] = time_left(asked)
    assert shown == {4: 100, 5: 50, 6: 16, 7: 16, 8: 10}


def test_a_pause_and_breaks_are_rebuilt_from_the_events(toy, anna, ben):
    match = opened(toy, anna, ben, {"turn": "50h", "days_off": {"weekdays": ["sat", "sun"], "zone": "UTC"}}, START)
    with time_machine.travel(START + timedelta(hours=8), tick=False) as clock:
        deadlines.pause(match=match, mandate=deadlines.Mandate(Actor("host")))
        clock.shift(timedelta(days=7))
        deadlines.resume(match=match, mandate=deadlines.Mandate(Actor("host")))
    row = Question.objects.get(match=match)
    told = (row.asked_at, row.due_at, row.break_at, row.break_for)
    assert (row.asked_at, row.break_for) == (START + timedelta(days=7, hours=8), [48 * 3600])
    assert projections.rebuild(match.id) == projections.Rebuilt()
    for damage in ({"asked_at": START}, {"break_at": [], "break_for": []}, {"break_for": [7.0]}, None):
        rows = Question.objects.filter(match=match)
        rows.delete() if damage is None else rows.update(**damage)
        assert {one.code for one in projections.rebuild(match.id).found} == {"questions"}
        row = Question.objects.get(match=match)
        assert (row.asked_at, row.due_at, row.break_at, row.break_for) == told


def test_other_breaks_with_the_same_deadline_are_written():
    """After a corrected list of holidays, or a new holder: the same amount does not count, at other times."""
    clock, other = clock_of(1000, spans_of([(60, 600)])), clock_of(1000, spans_of([(600, 600)]))
    assert clock.due == other.due

    def written(was, now):
        asked = {(0, "turn1"): Awaited(0, "turn", "turn1", "turn")}
        accounts = [Account(open={(0, "turn1"): one}) for one in (was, now)]
        return list(question_rows(Change(Match(), (), (), asked, asked, *accounts, START)))

    assert written(clock, replace(clock)) == []
    [statement] = written(clock, other)
    assert statement.params[-2:] == [["{36000.0}"], ["{36000.0}"]]
    assert "break_at = excluded.break_at" in statement.sql
