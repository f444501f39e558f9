"""The arithmetic of clocks: examples computed by hand, and laws over random policies, zones and logs."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.canonical import write_time
from gamesvc.games.kernel.game import Awaited, Refused
from gamesvc.matches.clock import words
from gamesvc.matches.clock.account import Account, Key, Step
from gamesvc.matches.clock.compute import Clock, Spliced, absent, outlast, put_off, run, within
from gamesvc.matches.clock.fold import follow
from gamesvc.matches.clock.going_on import CONTINUED, GRANTS
from gamesvc.matches.clock.notation import PRESETS, SCHEMA, WEEKDAYS
from gamesvc.matches.clock.parsing import nominal_hours, parse
from gamesvc.matches.clock.policy import KINDS, Policy
from gamesvc.matches.clock.spans import Span, advance, counted, merged, nightly, whole_days
from gamesvc.matches.events import (
    DeadlineSet,
    Opened,
    Outage,
    Paused,
    Resumed,
    Rewound,
    Seated,
    TimedOut,
    Vacated,
)
from gamesvc.matches.lobby import choices
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.record import surroundings

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
BERLIN = ZoneInfo("Europe/Berlin")
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Chatham", "America/St_Johns")


def at(text: str, zone: str = "UTC") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


# --- spans ---


def test_a_night_is_a_night_on_both_sides_of_a_change_to_daylight_saving_time():
    found = list(nightly(time(22), time(7), BERLIN, 12 * HOUR, at("2026-03-28"), at("2026-03-30")))
    lengths = {span.start.astimezone(BERLIN).date(): span.end - span.start for span in found}
    assert lengths[date(2026, 3, 27)] == 9 * HOUR
    assert lengths[date(2026, 3, 28)] == 8 * HOUR, "the clocks go forward"
    assert {span.end.astimezone(BERLIN).time() for span in found} == {time(7)}


def test_a_deadline_that_runs_out_as_a_night_begins_is_the_end_of_that_night():
    def nights(since, until):
        return nightly(time(22), time(7), BERLIN, 12 * HOUR, since, until)

    due, spans = advance(at("2026-06-01T10:00", "Europe/Berlin"), 12 * HOUR, nights)
    assert due == at("2026-06-02T07:00", "Europe/Berlin")
    assert len(spans) == 1
    due, _ = advance(at("2026-06-01T10:00", "Europe/Berlin"), 15 * HOUR, nights)
    assert due == at("2026-06-02T10:00", "Europe/Berlin")


def test_quiet_hours_are_honoured_up_to_the_cap_of_the_match():
    [span] = merged(
        nightly(time(20), time(8), BERLIN, 10 * HOUR, at("2026-06-01"), at("2026-06-01T23:00")),
        at("2026-06-01T12:00"),
        at("2026-06-01T23:00"),
    )
    assert span.end - span.start == 10 * HOUR


moments = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC))  # noqa: DTZ001 - naive, as it asks


@given(
    moments,
    st.timedeltas(timedelta(0), timedelta(days=20)),
    st.lists(
        st.tuples(st.timedeltas(timedelta(-3), timedelta(days=30)), st.timedeltas(timedelta(0), timedelta(days=6))), max_size=12
    ),
)
def test_what_is_advanced_is_what_is_counted_and_never_within_a_span(since, left, spans):
    excluded = [Span(since + start, since + start + length) for start, length in spans]
    due, passed = advance(since, left, lambda begin, until: excluded)
    assert counted(since, due, merged(excluded, since, due)) == left
    assert counted(since, due, passed) == left
    assert not within(tuple(excluded), due)
    again, _ = advance(since, left, lambda begin, until: passed)
    assert again == due, "the spans passed are all that has to be recorded"


@given(moments, st.sampled_from(ZONES), st.times(), st.times(), st.integers(1, 12))
def test_nights_stand_at_the_same_local_time_all_year(since, zone, start, end, cap):
    local = ZoneInfo(zone)
    for span in nightly(start, end, local, cap * HOUR, since, since + 3 * DAY):
        assert timedelta(0) < span.end - span.start <= cap * HOUR
        begins = span.start.astimezone(local)
        exists = datetime.combine(begins.date(), start, local).astimezone(UTC).astimezone(local).time() == start
        assert begins.time() == start or not exists


@given(moments, st.sampled_from(ZONES), st.sets(st.integers(0, 6), min_size=1))
def test_whole_days_begin_and_end_at_midnight_of_their_zone(since, zone, weekdays):
    local = ZoneInfo(zone)
    for span in whole_days(lambda day: day.weekday() in weekdays, local, since, since + 9 * DAY):
        assert span.start.astimezone(local).weekday() in weekdays
        assert 23 * HOUR <= span.end - span.start <= 25 * HOUR


# --- policies ---


@pytest.mark.parametrize(
    ("told", "code", "parameter"),
    [
        ({"vacation": True}, "bad_clock", "clock"),
        ({"turn": "2 days"}, "bad_clock", "clock.turn"),
        ({"turn": ""}, "bad_clock", "clock.turn"),
        ({"hours": 0}, "bad_clock", "clock.hours"),
        ({"hours": True}, "bad_clock", "clock.hours"),
        ({"hours": 4, "turn": "3h"}, "bad_clock", "clock.hours"),
        ({"turn": "1h", "speed": 3}, "bad_clock", "clock.speed"),
        ({"turn": "4m"}, "no_time", "clock.turn"),
        ({"turn": "1d", "minimum": "1m"}, "no_time", "clock.minimum"),
        ({"turn": "1d", "adjudication": {"at": ["18:00"], "zone": "UTC"}}, "bad_clock", "clock.turn"),
        ({"adjudication": {"at": ["25:00"], "zone": "UTC"}}, "bad_clock", "clock.adjudication.at.0"),
        ({"adjudication": {"at": ["18:00"], "zone": "Mars/Olympus"}}, "bad_clock", "clock.adjudication.zone"),
        ({"bank": {"start": "7d"}}, "no_time", "clock.bank.increment"),
        ({"bank": {"start": "7d", "increment": "1d", "cap": "3d"}}, "bad_clock", "clock.bank.cap"),
        ({"turn": "1d", "timeout": "lose", "after": 2}, "bad_clock", "clock.after"),
        ({"turn": "1d", "timeout": "bot", "after": 1}, "bad_clock", "clock.after"),
        ({"turn": "1d", "days_off": {"weekdays": list(WEEKDAYS), "zone": "UTC"}}, "no_time", "clock"),
        ({"turn": "1d", "days_off": {"holidays": "DE-XX", "zone": "UTC"}}, "bad_clock", "clock.days_off.holidays"),
        (
            {"adjudication": {"at": ["18:00"], "days": ["sat"], "zone": "UTC"}, "days_off": {"weekdays": ["sat"], "zone": "UTC"}},
            "no_time",
            "clock",
        ),
    ],
)
def test_a_policy_that_makes_no_sense_or_leaves_no_time_is_refused_with_the_part_at_fault(told, code, parameter):
    with pytest.raises(Refused) as refused:
        parse(told)
    assert (refused.value.code, refused.value.parameter) == (code, parameter)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_policies_with_words(name):
    told = choices.choose_clock(name, 48)
    assert parse(told).told == told
    assert all(sentence.endswith((".", ").")) for sentence in words.sentences(told))
    assert nominal_hours(told) > 0
    assert set(told) <= set(SCHEMA["properties"])


def test_fixed_times_are_local_times_and_pass_over_days_that_do_not_count():
    policy = parse(
        {
            "adjudication": {"at": ["18:00"], "days": ["tue", "fri"], "zone": "Europe/Berlin"},
            "days_off": {"holidays": "DE", "zone": "Europe/Berlin"},
        }
    )
    assert policy.next_adjudication(at("2026-03-27T18:00", "Europe/Berlin")) == at("2026-03-27T17:00")
    assert policy.next_adjudication(at("2026-03-28T12:00", "Europe/Berlin")) == at("2026-03-31T16:00"), "summer time"
    assert policy.next_adjudication(at("2026-12-25T00:00")) == at("2026-12-29T17:00"), "Christmas is a Friday that year"


# --- one clock after another ---


def opened(clock: dict[str, Any], seats: int) -> Opened:
    return Opened(game="toy", rules="toy/1", options={}, seats=seats, clock=clock, commitment="")


def ran_out(key: Key, due: datetime, *, excused: bool) -> TimedOut:
    return TimedOut(
        seat=key[0], question=key[1], due_at=write_time(due), policy="default", excused=excused, in_row=0, reminders=[]
    )


def seated(seat: int) -> Seated:
    return Seated(seat=seat, holder=f"substitute {seat}", kind="user", fresh_clocks=True)


@dataclass
class Table:
    """A match without a game: its log of steps, the service's clocks, and the facts about seats outside the log."""

    told: dict[str, Any]
    now: datetime
    persons: dict[int, Nights] = field(default_factory=dict)
    account: Account = field(default_factory=Account)
    log: list[tuple[Step, tuple[Awaited, ...]]] = field(default_factory=list)
    past: dict[int, Account] = field(default_factory=dict)
    asked: dict[Key, Awaited] = field(default_factory=dict)
    gaps: list[Span] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seats = [Seat(index=index, user_id=index + 1) for index in range(3)]
        self.take([opened(self.told, 3)], "host", None)

    @property
    def policy(self) -> Policy:
        assert self.account.policy is not None
        return self.account.policy

    def known(self, seat: int):
        holder = self.seats[seat]
        if self.policy.plain or holder.user_id is None:
            return surroundings.around(self.policy, self.seats)(seat)
        return self.persons.setdefault(seat, Nights(self.policy))

    def hold(self, seat: int, *, bot: str = "", user_id: int | None = None) -> None:
        """Give a seat another holder, or none."""
        self.seats[seat] = Seat(index=seat, user_id=user_id, bot=bot)
        self.persons.pop(seat, None)

    def take(self, events, actor, seat, *, received_at=None, asked=None):
        """Make one append, like `record.append`."""
        if asked is not None:
            self.asked = {(one.seat, one.id): one for one in asked}
        for event in events:
            if isinstance(event, Outage):
                self.gaps.append(Span(datetime.fromisoformat(event.from_), datetime.fromisoformat(event.until)))
            elif isinstance(event, Resumed):
                assert self.account.paused_since is not None
                self.gaps.append(Span(self.account.paused_since, self.now))
        step = Step(events, actor, seat, received_at or self.now, self.now)
        open_now = tuple(self.asked.values())
        changed = follow(self.account, step, open_now, surroundings=self.known, recall=self.past.__getitem__)
        more = list(surroundings.told(self.account, changed, self.seats, events))
        step = replace(step, events=[*events, *more])
        self.log.append((step, open_now))
        self.past[len(self.log)] = self.account.copy()
        return more

    def ask(self, *questions, by=None, actor="seat", received_at=None):
        return self.take(
            [], actor, by, received_at=received_at, asked=[Awaited(seat, kind, name, kind) for seat, name, kind in questions]
        )

    def wait(self, length) -> None:
        self.now += length

    def due(self, seat, name):
        return self.account.due((seat, name))

    def replayed(self) -> Account:
        """Return the account folded from the log alone."""
        account, past = Account(), {}
        for number, (step, open_now) in enumerate(self.log, 1):
            follow(account, step, open_now, recall=past.__getitem__)
            past[number] = account.copy()
        return account


class Nights:
    """A player's quiet hours and vacations, which may change at any time."""

    def __init__(self, policy: Policy) -> None:
        self.policy, self.zone, self.start, self.end = policy, "UTC", None, None
        self.away: list[Span] = []

    def excluded(self, since, until):
        spans = self.policy.days_off.spans(since, until) if self.policy.days_off else []
        if self.policy.quiet is not None and self.start is not None:
            spans += nightly(self.start, self.end, ZoneInfo(self.zone), self.policy.quiet, since, until)
        return spans + (self.away if self.policy.vacation else [])

    def fixed(self, after):
        return self.policy.next_adjudication(after)


def test_a_window_stops_the_turn_clock_which_goes_on_with_what_was_left():
    table = Table({"turn": "48h", "reaction": "6h"}, at("2026-06-01"))
    table.ask((0, "turn1", "turn"))
    table.wait(10 * HOUR)
    table.ask((1, "window1", "reaction"), by=0)
    assert table.due(1, "window1") == table.now + 6 * HOUR
    table.wait(5 * HOUR)
    table.ask((0, "turn1", "turn"), by=1)
    assert table.due(0, "turn1") == table.now + 38 * HOUR
    table.wait(38 * HOUR - timedelta(minutes=10))
    table.ask((1, "window2", "reaction"), by=0)
    table.ask((0, "turn1", "turn"), by=1)
    assert table.due(0, "turn1") == table.now + HOUR, "never less than the minimum"


def test_time_outs_do_not_drift():
    table = Table({"turn": "24h"}, at("2026-06-01"))
    table.ask((0, "turn0", "turn"))
    for turn in range(1, 6):
        due = table.due((turn - 1) % 2, f"turn{turn - 1}")
        table.now = due + timedelta(seconds=2)
        table.ask((turn % 2, f"turn{turn}", "turn"), by=(turn - 1) % 2, actor="clock", received_at=due)
    assert table.due(1, "turn5") == at("2026-06-07")


def test_a_bank_is_used_after_the_time_of_the_turn_and_gains_up_to_its_cap():
    table = Table({"turn": "1h", "bank": {"start": "10h", "increment": "2h", "cap": "11h"}}, at("2026-06-01"))
    table.ask((0, "a", "turn"))
    assert table.due(0, "a") == table.now + 11 * HOUR
    table.wait(4 * HOUR)
    table.ask((1, "b", "turn"), by=0)
    assert table.account.bank(0) == 7 * HOUR
    table.ask((0, "c", "turn"), by=1)
    assert table.account.bank(0) == 9 * HOUR
    table.ask((1, "d", "turn"), by=0)
    table.ask((0, "e", "turn"), by=1)
    assert table.account.bank(0) == 11 * HOUR, "the cap"
    table.wait(100 * HOUR)
    table.ask((1, "f", "turn"), by=0)
    assert table.account.bank(0) == timedelta(0)


def test_an_act_counts_from_when_the_border_took_it_and_the_next_seat_from_when_it_was_done():
    table = Table({"bank": {"start": "10h", "increment": "1h"}}, at("2026-06-01"))
    table.ask((0, "a", "turn"))
    table.wait(3 * HOUR)
    table.ask((1, "b", "turn"), by=0, received_at=table.now - HOUR)
    assert table.account.bank(0) == 8 * HOUR
    assert table.due(1, "b") == table.now + 10 * HOUR


def test_a_pause_stops_every_clock_and_gives_the_minimum_back():
    table = Table({"turn": "48h", "minimum": "2h"}, at("2026-06-01"))
    table.ask((0, "a", "commit"), (1, "b", "commit"))
    table.wait(47 * HOUR)
    table.take([Paused("seats")], "seat", 0)
    assert table.due(0, "a") is None
    table.wait(30 * DAY)
    table.take([Resumed("seats")], "seat", 0)
    assert table.due(0, "a") == table.due(1, "b") == table.now + 2 * HOUR


def test_an_undo_lets_the_undoers_clock_run_on_and_gives_the_others_theirs_back_but_a_reaction_gives_nothing():
    for cause, left in (("undo", 30), (None, 25)):
        table = Table({"turn": "30h", "minimum": "1h"}, at("2026-06-01"))
        table.ask((0, "a", "turn"))
        before = len(table.log)
        due = table.due(0, "a")
        table.wait(4 * HOUR)
        table.ask((1, "b", "turn"), by=0)
        table.wait(5 * HOUR)
        rewound = Rewound(to=before, data={}, cause=cause, seat=0) if cause else Rewound(to=before, data={})
        table.take([rewound], "seat", 0 if cause else 1, asked=[Awaited(0, "turn", "a", "turn")])
        if cause:
            assert table.due(0, "a") == due, "as if nothing had been sent"
        else:
            assert table.due(0, "a") == table.now + 26 * HOUR, "used time stays used, the time of the other is not counted"
        table.wait(HOUR)
        table.ask((1, "b", "turn"), by=0)
        assert table.due(1, "b") == table.now + (30 if cause else left) * HOUR


def test_redoing_an_own_undo_uses_up_the_time_between():
    table = Table({"bank": {"start": "20h", "increment": "1h"}}, at("2026-06-01"))
    table.ask((0, "a", "turn"))
    before = len(table.log)
    table.wait(HOUR)
    table.ask((1, "b", "turn"), by=0)
    played = len(table.log)
    table.wait(2 * HOUR)
    table.take([Rewound(to=before, data={}, cause="undo", seat=0)], "seat", 0, asked=[Awaited(0, "turn", "a", "turn")])
    table.wait(6 * HOUR)
    table.take([Rewound(to=played, data={}, cause="redo", seat=0)], "seat", 0, asked=[Awaited(1, "turn", "b", "turn")])
    assert table.account.bank(0) == 11 * HOUR, "nine hours have gone since he was asked"
    assert table.due(1, "b") == table.now + 20 * HOUR


def test_others_get_back_the_time_that_an_undone_command_cost_them():
    table = Table({"bank": {"start": "20h", "increment": "1h"}}, at("2026-06-01"))
    table.ask((1, "b", "turn"))
    table.wait(2 * HOUR)
    before = len(table.log)
    table.ask((1, "b", "turn"), (0, "a", "turn"), by=0)
    table.wait(3 * HOUR)
    table.ask((0, "a", "turn"), by=1)
    table.wait(HOUR)
    table.take(
        [Rewound(to=before, cause="host", data={})],
        "host",
        None,
        asked=[Awaited(1, "turn", "b", "turn")],
    )
    assert table.due(1, "b") == table.now + 20 * HOUR, "what he had at that version"


def test_grace_comes_after_the_deadline_and_fixed_times_leave_the_minimum():
    told = {"adjudication": {"at": ["18:00"], "zone": "UTC"}, "grace": "2h", "minimum": "6h"}
    table = Table(told, at("2026-06-01T10:00"))
    table.ask((0, "a", "commit"))
    clock = table.account.open[0, "a"]
    assert (clock.grace_from, clock.due) == (at("2026-06-01T18:00"), at("2026-06-01T20:00"))
    table.wait(4 * HOUR)
    table.ask((1, "b", "commit"), by=0)
    assert table.account.open[1, "b"].grace_from == at("2026-06-02T18:00")


def test_quiet_hours_change_from_the_next_deadline_on():
    table = Table({"turn": "24h", "quiet_hours": 10}, at("2026-06-01T08:00"))
    person = table.known(0)
    person.start, person.end = time(22), time(6)
    [told] = table.ask((0, "a", "turn"))
    assert table.due(0, "a") == at("2026-06-02T16:00")
    assert told.due_at == "2026-06-02T16:00:00.000000Z"
    assert told.because["excluded"] == [["2026-06-01T22:00:00.000000Z", "2026-06-02T06:00:00.000000Z"]]
    person.start = person.end = None
    assert table.replayed().due((0, "a")) == at("2026-06-02T16:00"), "the log knows"
    table.wait(HOUR)
    table.ask((0, "c", "turn"), by=0)
    assert table.due(0, "c") == table.now + 24 * HOUR


def test_an_empty_seat_has_the_fixed_times_and_days_off_of_the_match():
    table = Table({"adjudication": {"at": ["18:00"], "days": ["tue", "fri"], "zone": "UTC"}}, at("2026-06-01T10:00"))
    table.hold(1)
    [told] = table.ask((1, "a", "turn"))
    assert table.due(1, "a") == at("2026-06-02T18:00")
    assert told.because["fixed"] == "2026-06-02T18:00:00.000000Z"
    assert table.replayed().as_json() == table.account.as_json()
    table = Table({"turn": "1d", "days_off": {"weekdays": ["sat", "sun"], "zone": "UTC"}}, at("2026-06-05T20:00"))
    table.hold(1)
    table.ask((1, "a", "turn"))
    assert table.due(1, "a") == at("2026-06-08T20:00"), "it does not time out over the week-end"
    table.hold(1, bot="greedy")
    assert table.ask((1, "b", "turn"), by=1, actor="bot") == [], "a bot answers itself"
    assert table.replayed().as_json() == table.account.as_json()


BANK = {"bank": {"start": "7d", "increment": "12h", "cap": "10d"}, "excused": 1, "after": 1}


def test_who_is_excused_has_what_a_turn_brings_the_bank():
    table = Table(BANK, at("2026-06-01"))
    table.ask((0, "a", "turn"))
    table.wait(7 * DAY)
    table.take([ran_out((0, "a"), table.now, excused=True)], "clock", 0)
    assert table.due(0, "a") == table.now + 12 * HOUR
    assert "Once for each player this is excused: the bank has at least 12 hours again." in words.sentences(BANK)
    assert table.replayed().as_json() == table.account.as_json()
    table = Table({"turn": "1d", "bank": {"start": "7d"}, "excused": 1}, at("2026-06-01"))
    table.ask((0, "a", "turn"))
    table.wait(8 * DAY)
    table.take([ran_out((0, "a"), table.now, excused=True)], "clock", 0)
    assert table.due(0, "a") == table.now + DAY, "the time of the turn once more, and no bank"


def test_a_substitute_has_the_bank_of_the_start():
    table = Table(BANK, at("2026-06-01"))
    table.ask((0, "a", "turn"))
    table.wait(7 * DAY)
    table.take([Vacated(0)], "clock", 0, asked=[Awaited(1, "turn", "b", "turn")])
    table.ask((0, "c", "turn"), by=1)
    table.wait(11 * HOUR)
    table.take([seated(0)], "seat", 0)
    assert table.due(0, "c") == table.now + 7 * DAY
    assert "A substitute starts with a bank of 7 days." in words.sentences(BANK)
    assert table.replayed().as_json() == table.account.as_json()


def test_a_vacation_leaves_the_days_off_before_a_fixed_time_as_they_are():
    told = {
        "adjudication": {"at": ["18:00"], "days": ["thu"], "zone": "UTC"},
        "minimum": "66h",
        "vacation": True,
        "days_off": {"weekdays": ["tue", "wed"], "zone": "UTC"},
    }
    table = Table(told, at("2026-06-05T12:00"))
    table.ask((0, "a", "turn"))
    assert table.due(0, "a") == at("2026-06-11T18:00"), "the 66 hours end on Monday at six; then come two days off"
    person = table.known(0)
    person.away = [Span(at("2026-06-07"), at("2026-06-09"))]
    clock = absent(table.policy, table.account.open[0, "a"], person.away[0], table.now, person)
    # 36 of 66 hours are over on Sunday; the other 30 begin on Thursday and end on Friday at six.
    assert clock.due == at("2026-06-18T18:00")


def test_a_fixed_time_that_was_put_off_stays_put_off_when_a_vacation_moves_it():
    told = {"adjudication": {"at": ["18:00"], "days": ["tue", "fri"], "zone": "UTC"}, "minimum": "12h", "vacation": True}
    table = Table(told, at("2026-06-01T10:00"))
    table.ask((0, "a", "turn"))
    clock = outlast(table.policy, table.account.open[0, "a"], Span(table.now, table.now + 5 * HOUR), table.known(0))
    table.take([surroundings.deadline_set((0, "a"), clock, "extended")], "host", None)
    assert table.due(0, "a") == at("2026-06-02T23:00")
    person = table.known(0)
    for days, due in ((0, "2026-06-02T23:00"), (2, "2026-06-05T23:00")):
        away = Span(table.now, table.now + days * DAY)
        person.away = [away]
        assert absent(table.policy, table.account.open[0, "a"], away, table.now, person).due == at(due)


def test_plain_policies_need_no_events():
    table = Table({"hours": 48}, at("2026-06-01"))
    assert table.ask((0, "a", "turn")) == []
    assert table.ask((1, "b", "turn"), by=0) == []


# --- laws ---

lengths = st.sampled_from(["30m", "1h", "5h", "12h", "1d", "2d", "1d12h30m", "5d"])
zones = st.sampled_from(ZONES)
weekdays = st.lists(st.sampled_from(WEEKDAYS), max_size=5, unique=True)


@st.composite
def told_policies(draw):
    told: dict[str, Any] = {}
    match draw(st.sampled_from(["turn", "bank", "both", "fixed"])):
        case "turn":
            told["turn"] = draw(lengths)
        case "bank":
            told["bank"] = {"start": draw(lengths), "increment": draw(st.sampled_from(["30m", "6h"])), "cap": "9d"}
        case "both":
            told |= {"turn": draw(lengths), "bank": {"start": draw(lengths)}}
        case "fixed":
            told["adjudication"] = {"at": draw(st.sampled_from([["18:00"], ["02:30", "14:00"]])), "zone": draw(zones)}
    for name in ("reaction", "choice", "commit", "minimum", "grace"):
        if draw(st.booleans()):
            told[name] = draw(lengths)
    if draw(st.booleans()):
        told["days_off"] = {
            "weekdays": draw(weekdays),
            "zone": draw(zones),
            "holidays": draw(st.sampled_from(["", "DE", "US-NY"])),
        }
    if draw(st.booleans()):
        told["quiet_hours"] = draw(st.integers(1, 12))
    if draw(st.booleans()):
        told["vacation"] = True
    return told


any_length = st.builds("{}{}".format, st.integers(1, 999), st.sampled_from("dddh"))


@st.composite
def long_policies(draw):
    """Policies whose parts may each be as long as the notation allows."""
    told = draw(told_policies())
    for name in ("turn", "commit", "reaction", "choice", "grace", "minimum"):
        if draw(st.booleans()) and not (name == "turn" and "adjudication" in told):
            told[name] = draw(any_length)
    if "bank" in told:
        start = draw(any_length)
        told["bank"] = {"start": start, "increment": "1h", "cap": draw(st.sampled_from([start, "999d"]))}
    return told


@settings(max_examples=300, deadline=None)
@given(
    long_policies(),
    moments,
    zones,
    st.times(),
    st.times(),
    st.lists(st.tuples(st.integers(0, 2 * 366), st.integers(1, 400)), max_size=4),
)
@pytest.mark.long
def test_every_policy_that_is_accepted_computes_every_clock(told, since, zone, start, end, vacations):
    try:
        policy = parse(told)
    except Refused:
        return
    person = Nights(policy)
    person.zone, person.start, person.end = zone, start, end
    # A vacation ends within two years, whatever the setting for its length; here all of them may be vacation.
    latest = since + timedelta(days=2 * 366)
    person.away = [Span(since + first * DAY, min(since + (first + days) * DAY, latest)) for first, days in vacations]
    person.away = [span for span in person.away if span.start < span.end]
    for kind in KINDS:
        own = policy.own_time(kind)
        bank = policy.bank.cap if policy.bank is not None and policy.banked(kind) else timedelta(0)
        clock = Clock(kind, since, since, own, max(own + bank, policy.minimum))
        due = run(policy, clock, person).due
        assert due is not None
        assert due > since


@pytest.mark.parametrize("part", [{"grace": "950d"}, {"bank": {"start": "950d"}}, {"reaction": "950d"}, {"minimum": "950d"}])
def test_a_clock_whose_deadline_could_not_be_computed_is_refused_when_it_is_chosen(part):
    off = {"weekdays": list(WEEKDAYS[:6]), "zone": "UTC"}
    with pytest.raises(Refused) as refused:
        choices.choose_clock({"turn": "1d", "days_off": off, **part}, 48)
    assert refused.value.code in ("bad_clock", "no_time")


@pytest.mark.django_db
@pytest.mark.parametrize("part", [{"grace": "950d"}, {"bank": {"start": "950d"}}])
def test_a_program_that_asks_for_such_a_clock_is_told_so(toy, anna, program, part):
    off = {"weekdays": list(WEEKDAYS[:6]), "zone": "UTC"}
    answer = program(anna).post("/matches/", {"game": "toy", "clock": {"turn": "1d", "days_off": off, **part}})
    assert (answer.status_code, answer.json()["code"] in ("bad_clock", "no_time")) == (422, True)
    assert not Match.objects.exists()


def test_a_clock_that_a_match_was_opened_with_in_its_day_is_still_read():
    told = {"turn": "1d", "grace": "950d"}
    with pytest.raises(Refused):
        parse(told)
    table = Table(told, at("2026-06-01"))
    table.ask((0, "a", "turn"))
    assert table.account.open[0, "a"].grace_from == at("2026-06-02")


def chance_act(table: Table, rng: random.Random, number: int) -> None:
    """Do something random in a match. The next questions follow no game."""
    kinds = ["turn", "commit", "reaction", "choice"]
    asked = list(table.asked.values())
    often = ["answer", "answer", "answer", "resume", "resume", "regret", "regret", "regret", "excuse", "excuse"]
    hands = ["window", "window", "hand over", "hand over", "behind", "behind", "behind", "vacate", "seat", "return", "pause"]
    act = rng.choice([*often, *hands, "late", "pause", "outage", "vacation", "quiet", "extend", "undo"])
    clocks = {key: clock for key, clock in table.account.open.items() if clock.due is not None}
    match act:
        case "answer":
            seat = rng.choice(asked).seat if asked else 0
            rest = [one for one in asked if one.seat != seat]
            rest += [
                Awaited((seat + step) % 3, "ask", f"q{number}.{step}", rng.choice(kinds)) for step in range(rng.choice([1, 1, 2]))
            ]
            table.take([], "seat", seat, asked=rest, received_at=table.now - timedelta(seconds=rng.randrange(900)))
        case "window":
            seat = rng.choice(asked).seat if asked else 0
            back = [Awaited(key[0], "ask", key[1], clock.kind) for key, clock in table.account.stopped.items()]
            rng.shuffle(back)
            table.take([], "seat", seat, asked=[*asked[1:], *back[:1]])
        case "hand over" if asked:
            # A seat opens a window, in which its own question waits, and leaves.
            seat = asked[0].seat
            rest = [one for one in asked if one.seat != seat]
            table.take([], "seat", seat, asked=[*rest, Awaited((seat + 1) % 3, "ask", f"q{number}", "reaction")])
            table.hold(seat, **rng.choice([{"bot": "greedy"}, {"user_id": 9}]))
            table.take([Vacated(seat), seated(seat)], "host", None)
        case "late" if clocks:
            key = min(clocks, key=lambda one: clocks[one].due)
            due = clocks[key].due
            table.now = max(table.now, due + timedelta(seconds=rng.randrange(5)))
            rest = [one for one in asked if (one.seat, one.id) != key]
            table.take(
                [], "clock", key[0], received_at=due, asked=[*rest, Awaited((key[0] + 1) % 3, "ask", f"q{number}", "turn")]
            )
        case "pause" if table.account.paused_since is None:
            table.take([Paused("host")], "host", None)
        case "resume" if table.account.paused_since is not None:
            table.take([Resumed("host")], "host", None)
        case "outage" if clocks:
            span = Span(table.now - timedelta(hours=rng.randrange(1, 40)), table.now)
            moved = {key: outlast(table.policy, clock, span, table.known(key[0])) for key, clock in clocks.items()}
            outage = Outage(write_time(span.start), write_time(span.end))
            events = [surroundings.deadline_set(key, one, "outage") for key, one in moved.items()]
            table.take([outage, *events], "system", None)
        case "vacation":
            seat = rng.randrange(3)
            if table.policy.vacation and table.seats[seat].user_id is not None:
                person = table.known(seat)
                changed, person.away = person.away, []
                if not changed:
                    starts = table.now + rng.choice([0, 0, 30]) * HOUR
                    changed = person.away = [Span(starts, starts + rng.randrange(1, 9) * DAY)]
                events = [
                    surroundings.deadline_set(key, absent(table.policy, clock, changed[0], table.now, person), "vacation")
                    for key, clock in clocks.items()
                    if key[0] == seat and clock.due > table.now
                ]
                table.take(events, "system", None)
        case "quiet":
            seat = rng.randrange(3)
            if not table.policy.plain and table.seats[seat].user_id is not None:
                person = table.known(seat)
                person.zone, person.start, person.end = rng.choice(ZONES), time(rng.randrange(24)), time(rng.randrange(24), 30)
        case "undo" if len(table.log) > 2:
            to = rng.randrange(2, len(table.log))
            cause = rng.choice([{"cause": "undo", "seat": rng.randrange(3)}, {"cause": "host"}, {}])
            table.take([Rewound(to=to, data={}, **cause)], "seat", 0, asked=table.log[to - 1][1])
        case "regret" if len(table.log) > 2:
            # A seat undoes its answer, freely or with consent, after other things have happened.
            to = max(rng.randrange(len(table.log) - 5, len(table.log)), 2)
            gone = [one for one in table.log[to - 1][1] if (one.seat, one.id) not in table.asked]
            if gone:
                undoer = gone[0].seat
                by = rng.choice([undoer, (undoer + 1) % 3])
                rewound = Rewound(to=to, data={}, cause="undo", seat=undoer)
                table.take([rewound], "seat", by, asked=table.log[to - 1][1])
        case "behind":
            # The match goes back to a question from before its seat changed hands.
            now = table.account.seated
            back = {
                to
                for to, (_, open_then) in enumerate(table.log, 1)
                if any(table.past[to].seated.get(one.seat) != now.get(one.seat) for one in open_then)
            }
            if back:
                to = rng.choice(sorted(back))
                table.take([Rewound(to=to, data={}, cause="host")], "host", None, asked=table.log[to - 1][1])
        case "vacate":
            seat = rng.randrange(3)
            table.hold(seat)
            table.take([Vacated(seat)], "host", None)
        case "seat":
            seat = rng.randrange(3)
            table.hold(seat, **rng.choice([{"bot": "greedy"}, {"user_id": 9}]))
            table.take([seated(seat)], "seat", seat)
        case "return":
            seat = rng.randrange(3)
            table.hold(seat, user_id=seat + 1)
            table.take([Seated(seat=seat, holder="x", kind="user", returns={"excused": 0})], "seat", seat)
        case "excuse" if clocks:
            key = min(clocks, key=lambda one: clocks[one].due)
            due = clocks[key].due
            table.now = max(table.now, due + timedelta(seconds=rng.randrange(5)))
            table.take([ran_out(key, due, excused=True)], "clock", key[0], received_at=due)
        case "extend" if clocks:
            key, clock = rng.choice(list(clocks.items()))
            if clock.fixed is not None:
                longer = put_off(clock, HOUR)
            else:
                longer = replace(clock, own=clock.own + HOUR, left=clock.left + HOUR)
                longer = run(table.policy, longer, Spliced(clock.excluded, clock.due, table.known(key[0])))
            table.take([surroundings.deadline_set(key, longer, "extended")], "host", None)


TELLING = (Paused, Resumed, Rewound, DeadlineSet, Seated, TimedOut)


@settings(max_examples=150, deadline=None)
@given(told_policies(), st.integers(0, 2**32), moments)
def test_laws_of_the_account_over_random_policies_zones_absences_and_pauses(told, seed, begin):
    try:
        table = Table(told, begin)
    except Refused:
        return  # a policy without time to act, or a bank over its cap: refused before any match
    rng = random.Random(seed)
    for seat in range(3):
        if not table.policy.plain:
            person = table.known(seat)
            person.zone, person.start, person.end = rng.choice(ZONES), time(rng.randrange(24)), time(rng.randrange(24))
    again, past = Account(), dict[int, Account]()
    had = {seat: dict[str, timedelta]() for seat in range(3)}
    for number in range(40):
        table.wait(timedelta(minutes=rng.choice([1, 30, 300, 2000])))
        before, steps = dict(table.account.open), len(past)
        chance_act(table, rng, number)
        told_of = any(isinstance(event, TELLING) for step, _ in table.log[steps:] for event in step.events)
        for key, clock in table.account.open.items():
            if key in before and clock.due != before[key].due:
                assert told_of, "a deadline moved without an event"
            check_clock(table, key, clock, before)
        if len(table.log) > steps:
            check_step(table, before)
        check_banks(table)
        for version, (step, open_now) in enumerate(table.log[steps:], steps + 1):
            follow(again, step, open_now, recall=past.__getitem__)
            past[version] = again.copy()
            check_holders(table, version, had)
        assert again.as_json() == table.account.as_json()
    assert Account.from_json(again.as_json(), HOUR).as_json() == again.as_json()


def check_clock(table: Table, key: Key, clock: Clock, before: dict[Key, Clock]) -> None:
    assert (clock.due is None) == (table.account.paused_since is not None)
    if clock.due is None or before.get(key) == clock:
        return
    if clock.fixed is None:
        assert not within(clock.excluded, clock.due), "a deadline within excluded time"
        whole = clock.left + (table.policy.grace or timedelta(0))
        assert counted(clock.since, clock.due, clock.excluded) == whole
        newest = table.log[-1][0].find(DeadlineSet)
        if newest is not None and newest.cause == "asked":
            around = tuple(table.known(key[0]).excluded(clock.due - 2 * DAY, clock.due + 2 * DAY))
            assert not within(around, clock.due), "a deadline within excluded time of this seat"
    said = [event for step, _ in table.log for event in step.events if isinstance(event, DeadlineSet)]
    told = [event for event in said if event.key == key]
    if not table.policy.plain and not table.seats[key[0]].bot:
        assert told[-1].due_at == write_time(clock.due), "the newest event tells the deadline"


def check_step(table: Table, before: dict[Key, Clock]) -> None:
    """Check the time that an append leaves to the seats it asks, excuses, fills or rewinds."""
    [step, _], policy, account = table.log[-1], table.policy, table.account
    substitute, timed_out, rewound = (step.find(kind) for kind in (Seated, TimedOut, Rewound))
    if substitute is not None and substitute.returns is None and policy.bank is not None:
        assert account.bank(substitute.seat) == policy.bank.start
    for key, clock in account.open.items():
        if clock.due is None:
            continue
        ends = clock.grace_from or clock.due
        # A timeout recorded at once counts from the deadline, and so does what begins then.
        now = table.now if step.actor != "clock" else min(table.now, max(clock.since, step.received_at))
        continued = any(event.key == key and event.cause == CONTINUED for event in step.events if isinstance(event, DeadlineSet))
        # A substitute's clock goes on where the match goes back to before their tenure.
        in_tenure = rewound is not None and account.seated.get(key[0], 0) > 0
        assert not continued or step.seat == key[0] or clock.granted == GRANTS or in_tenure
        if key not in before and not continued and (step.seat != key[0] or step.actor != "seat"):
            assert counted(now, ends, clock.excluded) >= policy.minimum, "asked by another's act, with less than the minimum"
        begun = key not in before and rewound is None and clock.asked >= table.now - timedelta(seconds=10)
        if begun and not table.seats[key[0]].bot:
            around = tuple(table.known(key[0]).excluded(ends - 2 * DAY, ends + 2 * DAY))
            assert clock.fixed is not None or clock.grace_from is not None or not within(around, ends), "within excluded time"
            assert clock.fixed is None or policy.next_adjudication(clock.fixed) == clock.fixed
        if timed_out is not None and key == timed_out.key:
            whole = policy.own_time(clock.kind) or (policy.bank.increment if policy.bank is not None else timedelta(0))
            assert clock.left >= whole, "excused, and less than a turn brings"
    if rewound is not None and rewound.cause == "undo" and account.paused_since is None:
        check_undo(table, before, table.past[rewound.to], rewound.seat)


def check_holders(table: Table, version: int, had: dict[int, dict[str, timedelta]]) -> None:
    """Check that each holder has the whole time of a question once, also of one that waited for an earlier holder.

    `had`: the own time that each seat's holder has left of the clocks they have had.
    """
    [step, _], account, policy = table.log[version - 1], table.past[version], table.policy
    for event in step.events:
        if isinstance(event, Seated) and event.returns is None:
            had[event.seat] = {}
    rewound = step.find(Rewound)
    person = rewound is not None and rewound.cause in ("undo", "host")
    then = table.past[rewound.to].seated if rewound is not None and person else account.seated
    for (seat, _), clock in account.open.items():
        if clock.name not in had[seat]:
            assert clock.own >= policy.own_time(clock.kind), "an earlier holder has used a part of it"
            if clock.due is not None:
                assert clock.left >= max(clock.own, policy.minimum)
                assert clock.fixed is None or clock.put_off or policy.next_adjudication(clock.fixed) == clock.fixed
        elif then.get(seat) != account.seated.get(seat):
            assert clock.own <= had[seat][clock.name], "they have had a part of it, before the match went back"
    for clocks in (account.open, account.stopped):
        for (seat, _), clock in clocks.items():
            if clocks is account.open or clock.name in had[seat]:
                had[seat][clock.name] = clock.own


def check_undo(table: Table, before: dict[Key, Clock], then: Account, undoer: int) -> None:
    """Check that the undoer has no less than if nothing had been sent: no pause or outage has reduced their clock."""
    gaps = [span for span in table.gaps if span.end > (then.at or table.now)]
    for key, was in then.open.items():
        clock = table.account.open.get(key)
        same = then.seated == table.account.seated
        if key[0] != undoer or key in before or clock is None or was.due is None or was.fixed is not None or not same:
            continue
        ends = clock.grace_from or clock.due
        assert counted(was.since, ends, merged([*clock.excluded, *gaps], was.since, ends)) >= was.left


def check_banks(table: Table) -> None:
    bank = table.policy.bank
    for left in table.account.banks.values():
        assert bank is not None
        assert timedelta(0) <= left <= bank.cap
