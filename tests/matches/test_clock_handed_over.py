"""The time of a new holder: what an earlier one has used of a question is never missing from theirs."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from gamesvc.games.kernel.game import Awaited
from gamesvc.matches.clock.account import Account
from gamesvc.matches.clock.parsing import parse
from gamesvc.matches.events import Paused, Resumed, Rewound, Seated, Vacated
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.play import bots
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import deadlines
from tests.matches.playing import act
from tests.matches.test_clock_going_back import AT_SIX, played, undone
from tests.matches.test_clock_own_acts import MINUTE, POLICIES, offer, to_trade
from tests.matches.test_clock_policy import DAY, HOUR, Table, at, seated
from tests.matches.test_deadlines import HOST, check_store, due
from tests.matches.test_undo_tenure import BANK, BEGIN, HOURS, begun, play, replace, rewind

service = pytest.mark.django_db(transaction=True)
policies = pytest.mark.parametrize("told", POLICIES.values(), ids=POLICIES)


@pytest.fixture
def clock():
    with time_machine.travel(BEGIN, tick=False) as travel:
        yield travel


@pytest.fixture
def carl(player):
    return player("carl")


@pytest.fixture
def operator(player):
    return player("operator", is_staff=True)


def whole(told, kind="turn") -> timedelta:
    """Return the time of a question, the bank of the start included."""
    policy = parse(told)
    return policy.own_time(kind) + (policy.bank.start if policy.bank is not None else timedelta(0))


def agrees(table: Table) -> None:
    """Check that the log folds to the clocks of the service, and that these are stored as they are."""
    again = table.replayed().as_json()
    assert again == table.account.as_json()
    assert Account.from_json(again, HOUR).as_json() == again


# --- turns that wait behind a window ---


@service
@pytest.mark.parametrize("told", [HOURS, BANK], ids=["hours", "bank"])
@pytest.mark.parametrize("newcomer", ["substitute", "bot", "returns"])
def test_a_new_holder_has_the_whole_time_of_a_turn_that_waits(anna, ben, carl, clock, told, newcomer):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", clock=told))
    seat = to_trade(match)
    clock.move_to(due(match, seat) - 30 * MINUTE)
    number = offer(match, seat)
    leaver = match.seats.get(index=seat).user
    substitutes.give_up(by=leaver, match=match, seat=seat)
    if newcomer == "bot":
        substitutes.seat_bot(match=match, seat=seat, actor=Actor("host"))
    else:
        substitutes.take_over(by=carl if newcomer == "substitute" else leaver, match=match, seat=seat)
    clock.shift(HOUR)
    act(match, 1 - seat, {"name": "reject_offer", "offer": number})
    left = due(match, seat) - timezone.now()
    if newcomer == "returns":
        assert left == HOUR, "nobody gains time by leaving and coming back"
    else:
        assert left == whole(told)
    check_store(match)


@policies
@pytest.mark.parametrize("paused", [False, True], ids=["running", "paused"])
def test_a_turn_behind_a_window_begins_anew_for_a_substitute_under_every_policy(told, paused):
    table = Table(told, at("2026-06-01T10:00"))
    table.ask((0, "a", "turn"))
    fresh = table.account.open[0, "a"]
    table.now = fresh.due - MINUTE
    table.ask((1, "window", "reaction"), by=0)
    table.hold(0)
    table.take([Vacated(0)], "host", None)
    table.hold(0, user_id=9)
    table.take([seated(0)], "seat", 0)
    table.wait(HOUR)
    if paused:
        table.take([Paused("host")], "host", None)
    table.ask((0, "a", "turn"), by=1)
    if paused:
        table.wait(DAY)
        table.take([Resumed("host")], "host", None)
    again = table.account.open[0, "a"]
    assert (again.own, again.left) == (fresh.own, fresh.left)
    assert again.since == table.now
    assert again.fixed == (table.policy.next_adjudication(table.now + table.policy.minimum) if fresh.fixed else None)
    agrees(table)


@policies
def test_a_log_of_the_older_rule_leaves_a_waiting_turn_what_the_earlier_holder_left(told):
    """Until this rule the seat's event did not say `fresh_clocks`, and the log folds to the deadlines it was written with."""
    table = Table(told, at("2026-06-01T10:00"))
    table.ask((0, "a", "turn"))
    table.now = table.due(0, "a") - MINUTE
    table.ask((1, "window", "reaction"), by=0)
    stopped = table.account.stopped[0, "a"]
    table.take([Seated(seat=0, holder="substitute", kind="user")], "seat", 0)
    assert table.account.stopped[0, "a"] == stopped
    table.ask((0, "a", "turn"), by=1)
    assert table.account.open[0, "a"].own == stopped.own
    assert table.account.fresh_clocks == frozenset()
    agrees(table)


# --- pauses ---


@service
@pytest.mark.parametrize("told", [HOURS, BANK], ids=["hours", "bank"])
def test_a_rewind_in_a_pause_brings_a_substitute_no_new_time(toy, anna, ben, carl, operator, clock, told):
    match = begun(anna, ben, clock, told)
    asked = loading.load(match.id, match.game).version
    play(match, 1)
    play(match, 0)
    replace(match, ben, carl)
    rewind(match, operator, asked)
    left = due(match) - timezone.now()
    for number in range(1, 4):
        clock.shift(5 * HOUR)
        play(match, 1)
        deadlines.pause(match=match, mandate=HOST)
        rewind(match, operator, asked)
        check_store(match)
        clock.shift(DAY)
        deadlines.resume(match=match, mandate=HOST)
        assert due(match) - timezone.now() == left - number * 5 * HOUR
        check_store(match)


def test_a_log_of_the_older_rule_gives_a_substitute_a_new_clock_in_a_pause():
    table = played({"hours": 48}, 10)
    table.take([Vacated(0)], "host", None)
    table.take([Seated(seat=0, holder="substitute", kind="user")], "seat", 0)
    back = [Rewound(to=2, cause="host", data={})], "host", None
    table.take(*back, asked=[Awaited(0, "turn", "a", "turn")])
    table.wait(5 * HOUR)
    table.ask((1, "b", "turn"), by=0)
    table.take([Paused("host")], "host", None)
    table.take(*back, asked=[Awaited(0, "turn", "a", "turn")])
    table.take([Resumed("host")], "host", None)
    assert table.due(0, "a") == table.now + 48 * HOUR
    agrees(table)


# --- bots under fixed times ---


@service
def test_a_bots_clock_that_goes_on_under_fixed_times_is_read_as_it_was_written(toy, anna, ben, operator, clock):
    match = begun(anna, ben, clock, {"adjudication": {"at": ["18:00"], "zone": "UTC"}, "minimum": "1h", "grace": "2h"})
    asked = loading.load(match.id, match.game).version
    play(match, 1)
    play(match, 0)
    substitutes.give_up(by=ben, match=match, seat=1)
    substitutes.seat_bot(match=match, seat=1, actor=Actor("host"))
    for _ in range(2):
        rewind(match, operator, asked)
        clock.shift(MINUTE)
        bots.play(match.id)
    rewind(match, operator, asked)
    newest = STORE.read(match.id)[-1]
    assert (newest.type, newest.data["cause"]) == ("match.deadline_set", "continued")
    assert "fixed" not in newest.data["because"], "a bot has no fixed times"
    check_store(match)


def test_no_seat_has_a_fixed_time_that_the_log_does_not_record():
    table = Table(AT_SIX, at("2026-06-01T10:00"))
    table.hold(0, bot="greedy")
    table.take([Seated(seat=0, holder="bot", kind="bot", fresh_clocks=True)], "host", None)
    table.ask((0, "a", "commit"))
    first = table.due(0, "a")
    table.ask((1, "window", "reaction"), by=0)
    table.wait(MINUTE)
    table.ask((0, "a", "commit"), by=0)
    again = table.account.open[0, "a"]
    assert (again.fixed, again.due) == (None, first)
    agrees(table)
    table.ask((1, "b", "commit"), by=0)
    table.wait(MINUTE)
    table.take([undone(len(table.log) - 1, 0)], "seat", 0, asked=[Awaited(0, "commit", "a", "commit")])
    assert table.account.open[0, "a"].fixed is None
    agrees(table)
