"""Clocks that a seat's own act stops: nothing that the seat does itself gives it more time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest
import time_machine

from events.canonical import write_time
from gamesvc.games.kernel.game import Form, Refused
from gamesvc.matches.access import daily_limits
from gamesvc.matches.clock.account import Account
from gamesvc.matches.clock.fold import follow
from gamesvc.matches.clock.going_on import CONTINUED, GRANTS
from gamesvc.matches.clock.parsing import parse
from gamesvc.matches.clock.policy import TURNS
from gamesvc.matches.clock.spans import counted, merged
from gamesvc.matches.events import DeadlineSet, Outage, Paused, Resumed
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Question
from notifications.wanted import timing
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act, offer_trade, to_trade
from tests.matches.test_clock_going_back import TURN_OF, Match, stand_still
from tests.matches.test_clock_policy import DAY, HOUR, Table, at, seated
from tests.matches.test_deadlines import check_store, due

MINUTE = timedelta(minutes=1)
FIXED = {
    "adjudication": {"at": ["18:00"], "days": ["tue", "fri"], "zone": "UTC"},
    "reaction": "1d",
    "choice": "1d",
    "minimum": "12h",
}
POLICIES: dict[str, dict[str, Any]] = {
    "hours": {"hours": 48},
    "bank": {"bank": {"start": "7d", "increment": "12h", "cap": "10d"}, "reaction": "12h", "choice": "12h"},
    "fixed": FIXED,
    "days off": {"turn": "48h", "days_off": {"weekdays": ["sat", "sun"], "zone": "UTC"}},
    "nights": {"turn": "48h", "quiet_hours": 10, "vacation": True},
    "grace": {"turn": "24h", "reaction": "6h", "grace": "2h"},
}
policies = pytest.mark.parametrize("told", POLICIES.values(), ids=POLICIES)


def asked(told: dict[str, Any]) -> Table:
    """Seat 0 is asked for its turn, on a Monday morning, and sleeps at night where the policy honours that."""
    table = Table(told, at("2026-06-01T10:00"))
    if not table.policy.plain:
        person = table.known(0)
        person.start, person.end = at("2026-06-01T22:00").time(), at("2026-06-01T07:00").time()
    table.ask((0, "a", "turn"))
    return table


def wait_for(table: Table, by: int = 0) -> None:
    """Seat 0 stops its own clock and waits for the answer of seat 1."""
    table.ask((1, f"offer{len(table.log)}", "reaction"), by=by)


def go_on(table: Table, by: int, actor: str = "seat") -> datetime:
    """Ask seat 0 for its turn again. The log folds to the same clocks."""
    table.ask((0, "a", "turn"), by=by, actor=actor)
    again = table.replayed()
    assert again.as_json() == table.account.as_json()
    assert Account.from_json(again.as_json(), HOUR).as_json() == again.as_json()
    found = table.due(0, "a")
    assert found is not None
    return found


@policies
def test_breaking_off_the_own_waiting_leaves_the_deadline_where_it_was(told):
    table = asked(told)
    first = table.due(0, "a")
    table.now = first - 10 * MINUTE
    for _ in range(6):
        wait_for(table)
        table.wait(MINUTE)
        assert go_on(table, by=0) == first
    table.wait(MINUTE)
    wait_for(table)
    table.wait(DAY)
    assert go_on(table, by=0) == first, "waiting is no way around the deadline"
    told_of = [event for step, _ in table.log for event in step.events if isinstance(event, DeadlineSet) and event.seat == 0]
    assert {event.due_at for event in told_of} == {write_time(first)}
    assert [event.cause for event in told_of[-7:]] == [CONTINUED] * 7


@policies
def test_what_others_do_in_between_gives_no_time_either(told):
    table = asked(told)
    first = table.due(0, "a")
    table.now = first - 10 * MINUTE
    table.ask((1, "offer", "reaction"), (2, "other offer", "reaction"), by=0)
    table.wait(MINUTE)
    table.ask((2, "other offer", "reaction"), by=1)
    table.wait(MINUTE)
    table.take([], "seat", 0)
    assert go_on(table, by=0) == first


@policies
def test_a_pause_or_an_outage_while_the_seat_waits_counts_as_while_it_thinks(told):
    for kind in ("pause", "outage"):
        left = {}
        for waits in (False, True):
            table = asked(told)
            table.now = at("2026-06-01T14:00")
            if waits:
                wait_for(table)
            table.wait(HOUR)
            if kind == "pause":
                table.take([Paused("host")], "host", None)
                table.wait(2 * HOUR)
                table.take([Resumed("host")], "host", None)
            elif waits:
                table.wait(2 * HOUR)
                table.take([Outage((table.now - 2 * HOUR).isoformat(), table.now.isoformat())], "system", None)
            else:
                table.wait(2 * HOUR)
                if "adjudication" not in told:
                    stand_still(table, 2, (0, "a"))
            table.wait(HOUR)
            left[waits] = go_on(table, by=0) if waits else table.due(0, "a")
        assert left[True] == left[False], kind


@policies
def test_an_own_answer_to_what_was_asked_in_between_leaves_what_there_was(told):
    table = asked(told)
    first = table.due(0, "a")
    table.now = first - 10 * MINUTE
    for _ in range(6):
        table.ask((0, "window", "reaction"), (1, "window", "reaction"), by=0)
        table.wait(5 * HOUR)
        table.ask((0, "window", "reaction"), by=1)
        table.wait(5 * MINUTE)
        found = go_on(table, by=0)
        if "adjudication" in told:
            assert table.now < found <= table.now + 10 * MINUTE
        else:
            calendar = table.known(0).excluded(table.now, found)
            assert counted(table.now, found, merged(calendar, table.now, found)) <= 10 * MINUTE
        assert table.account.open[0, "a"].granted == 0


@policies
def test_the_minimum_after_anothers_act_is_no_time_without_end(told):
    table = asked(told)
    minimum = table.policy.minimum
    gained = 0
    for number in range(GRANTS + 4):
        table.now = table.due(0, "a") - MINUTE
        wait_for(table)
        table.wait(2 * MINUTE)
        found = go_on(table, by=1, actor="clock" if number % 2 else "seat")
        if number < GRANTS:
            assert found >= table.now + minimum, "a person needs time to react"
        else:
            calendar = table.known(0).excluded(table.now, found)
            assert counted(table.now, found, merged(calendar, table.now, found)) <= MINUTE
        gained += found > table.now + MINUTE
    assert gained >= GRANTS
    table.take([seated(0)], "seat", 0)
    table.now = table.due(0, "a") - MINUTE
    wait_for(table)
    assert go_on(table, by=1) >= table.now + minimum, "who takes the seat over has stopped nothing"


def test_an_answer_while_enough_time_is_left_uses_up_no_minimum():
    table = asked({"hours": 48})
    for _ in range(10):
        wait_for(table)
        table.wait(HOUR)
        assert go_on(table, by=1) == table.now + 48 * HOUR
    assert not any(step.find(DeadlineSet) for step, _ in table.log)
    assert table.account.open[0, "a"].granted == 0


def test_a_clock_that_another_stopped_has_the_minimum_as_ever():
    table = asked({"hours": 48})
    for _ in range(6):
        table.now = table.due(0, "a") - MINUTE
        table.ask((0, "window", "reaction"), by=1)
        assert go_on(table, by=0) == table.now + HOUR


def test_the_bank_pays_for_own_waiting_and_not_for_that_of_another():
    table = asked({"bank": {"start": "20h", "increment": "1h"}})
    table.wait(4 * HOUR)
    wait_for(table)
    assert table.account.bank(0) == 16 * HOUR
    table.wait(3 * HOUR)
    assert go_on(table, by=0) == at("2026-06-02T06:00")
    wait_for(table)
    assert table.account.bank(0) == 13 * HOUR
    table.wait(3 * HOUR)
    assert go_on(table, by=1) == table.now + 13 * HOUR


@policies
def test_a_log_of_the_older_rule_folds_to_the_deadlines_it_was_written_with(told):
    """Until this rule each of these acts gave the minimum, and no event said so."""
    table = asked(told)
    written = {}
    for by in (0, 1, 1, 0, 1, 1, 1):
        table.now = table.due(0, "a") - MINUTE
        wait_for(table)
        table.wait(MINUTE)
        table.account.halted.clear()  # the older rule did not ask who had stopped a clock
        assert all(event.cause == "asked" for event in table.ask((0, "a", "turn"), by=by))
        written[len(table.log)] = table.due(0, "a")
        assert table.due(0, "a") >= table.now + table.policy.minimum
    account, found = Account(), {}
    for number, (step, open_now) in enumerate(table.log, 1):
        follow(account, step, open_now)
        if number in written:
            found[number] = account.due((0, "a"))
    assert found == written
    table.account = account
    table.now = table.due(0, "a") - MINUTE
    wait_for(table)
    assert go_on(table, by=0) == written[len(table.log) - 2], "the next act follows the new rule"


# --- every game ---


@dataclass(frozen=True)
class Stop:
    """The clock of a turn as its own seat stopped it."""

    due: datetime
    at: datetime
    alone: bool = True


class Restless(Match):
    """A match of bots in memory in which seats close their own questions whenever they can, mostly near their deadlines."""

    def __init__(self, game_id: str, seed: int, policy: dict[str, Any]) -> None:
        super().__init__(game_id, seed, policy)
        for seat, person in self.persons.items():
            person.start, person.end = time(20 + seat), time(6 + seat)
        self.stops: dict[tuple[int, Any], Stop] = {}
        self.gains: Counter[tuple[int, Any]] = Counter()
        self.tried: Counter[str] = Counter()

    def turns(self) -> dict[tuple[int, Any], datetime]:
        """Return the deadline of every open turn, by the game's own number of the turn."""
        state = self.timeline.state
        return {
            (seat, TURN_OF[self.game.id](state, seat)): clock.due
            for (seat, _), clock in self.account.open.items()
            if clock.kind in TURNS and clock.due is not None
        }

    def play(self) -> None:
        state = self.timeline.state
        dues = [clock.due for clock in self.account.open.values() if clock.due is not None]
        if dues and self.rng.random() < 0.15:
            self.now = max(self.now, min(dues) - 3 * MINUTE)
        self.now += timedelta(seconds=self.rng.randrange(1, 60))
        late = sorted(seat for (seat, _), clock in self.account.open.items() if clock.due is not None and clock.due <= self.now)
        if late:
            by, actor, command = late[0], "clock", dict(self.game.default_command(state, late[0]))
        else:
            by, actor = self.writer(), "seat"
            command = self.command(by)
        try:
            run = self.timeline.command(by, command, self.dice)
        except Refused:
            return  # the random bot knows the forms, but not every rule beside them
        before = self.turns()
        self.timeline.follow(run)
        self.follow(run.events, by, () if self.over else self.game.awaited(self.timeline.state), actor)
        if not self.over:
            self.judge(by if actor == "seat" else None, before)

    def writer(self) -> int:
        """Return the seat that acts next, often one that is awaited."""
        by = self.rng.randrange(len(self.persons))
        if not self.game.legal_commands(self.timeline.state, by) or self.rng.random() < 0.5:
            by = self.rng.choice(self.game.awaited(self.timeline.state)).seat
        return by

    def command(self, by: int) -> dict[str, Any]:
        return dict(self.game.bots["random"](self.game.view(self.timeline.state, by), (self.choice(by),), self.rng))

    def choice(self, by: int) -> Form:
        """Return a form of a seat, seldom one that ends its turn."""
        forms = [form for form in self.game.legal_commands(self.timeline.state, by) if form.name != "resign"]
        often = [form for form in forms if form.name in OFTEN or "wait" in (form.required or ())]
        going_on = [form for form in forms if not form.name.startswith("end_")]
        chance = self.rng.random()
        return self.rng.choice((often if chance < 0.6 else going_on if chance < 0.9 else []) or forms)

    def judge(self, by: int | None, before: dict[tuple[int, Any], datetime]) -> None:
        """Check that the act gave its own seat no time, and count how often that of another did."""
        after, asked = self.turns(), {seat for seat, _ in self.account.open}
        for turn, ends in after.items():
            own, stop = turn[0] == by, self.stops.pop(turn, None)
            if own and turn in before:
                assert ends <= before[turn], "an own act moved the own deadline"
            elif own and stop is not None and stop.alone:
                self.tried["broke off"] += 1
                assert ends == stop.due, "breaking off the own waiting moved the own deadline"
            elif stop is not None and turn not in before:
                more = self.left(turn[0], self.now, ends) > self.left(turn[0], stop.at, stop.due)
                self.tried["answered" if own else "let go on"] += 1
                self.gains[turn] += more
                assert not (own and more), "an own answer gave the turn more than it had"
        for turn, ends in before.items():
            if turn[0] == by and turn not in after:
                self.stops[turn] = Stop(ends, self.now)
        self.stops = {turn: replace(stop, alone=stop.alone and turn[0] not in asked) for turn, stop in self.stops.items()}

    def left(self, seat: int, since: datetime, due: datetime) -> timedelta:
        """Return how much time counts up to a deadline. Before a fixed time, more than the minimum is as good as the minimum."""
        spans = [] if self.policy.plain else self.persons[seat].excluded(since, due)
        found = counted(since, due, merged(spans, since, due))
        return min(found, self.policy.minimum) if self.policy.adjudication is not None else found


OFTEN = ("withdraw_offer", "reject_offer", "pause", "let_stand", "open_combat", "pass", "develop", "trade_draw", "choose")
WANTED = {"space_war": {"let go on"}, "star_commander": {"let go on", "answered"}, "stratastar": {"let go on", "broke off"}}


@pytest.mark.parametrize("rounds", [1, pytest.param(3, marks=pytest.mark.long)])
@pytest.mark.parametrize("game_id", TURN_OF)
def test_no_own_act_of_any_game_moves_the_own_deadline_back(game_id, rounds):
    tried: Counter[str] = Counter()
    for seed, told in enumerate([*POLICIES.values()] * rounds):
        match = Restless(game_id, seed, told)
        for _ in range(250):
            if match.over:
                break
            match.play()
        assert max(match.gains.values(), default=0) <= GRANTS, "another's act gave the minimum without end"
        tried += match.tried
    assert WANTED.get(game_id, set()) <= set(tried), f"not all was tried out: {tried}"


# --- the service ---


@pytest.fixture
def clock(monkeypatch):
    """A clock for tests that offer more often in one turn than players may."""
    monkeypatch.setattr(daily_limits, "ASKED_PER_TURN", 100)
    with time_machine.travel(datetime(2026, 3, 2, 12, tzinfo=UTC), tick=False) as travel:
        yield travel


def offer(match, seat: int) -> int:
    """Offer a trade, wait for the answer, and return the offer's id."""
    number = offer_trade(match, seat, wait=True)
    assert not Question.objects.filter(match=match, seat=seat).exists()
    return number


@pytest.mark.django_db
@policies
def test_offers_that_are_withdrawn_bring_no_time(anna, ben, clock, told):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", clock=told))
    seat = to_trade(match)
    first = due(match, seat)
    clock.move_to(first - 10 * MINUTE)
    for _ in range(4):
        number = offer(match, seat)
        clock.shift(MINUTE)
        act(match, seat, {"name": "withdraw_offer", "offer": number})
        assert due(match, seat) == first
    check_store(match)


@pytest.mark.django_db
@policies
def test_offers_that_are_rejected_bring_the_minimum_a_few_times(anna, ben, clock, told):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", clock=told))
    seat = to_trade(match)
    minimum = parse(told).minimum
    for number in range(GRANTS + 2):
        clock.move_to(due(match, seat) - MINUTE)
        act(match, 1 - seat, {"name": "reject_offer", "offer": offer(match, seat)})
        left = due(match, seat) - datetime.now(UTC)
        assert left >= minimum if number < GRANTS else left == MINUTE
    check_store(match)


@pytest.mark.django_db
def test_offers_that_are_withdrawn_do_not_mail_the_other_without_end(mailing, anna, ben, clock):  # noqa: F811
    verify(anna, ben)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", clock={"hours": 48}))
    seat = to_trade(match)
    other = match.seats.get(index=1 - seat).user
    clock.shift(DAY)
    mailing.work()

    def all_mails() -> int:
        mailing.work()
        return len(mailing.sink.to(f"{other.username}@players.example"))

    before = all_mails()

    def mailed() -> int:
        return all_mails() - before

    for number in range(1, 9):
        waiting = offer(match, seat)
        clock.shift(timedelta(seconds=5))
        assert mailed() == min(number, timing.MOST_IN_VAIN)
        act(match, seat, {"name": "withdraw_offer", "offer": waiting})
        assert mailed() == min(number, timing.MOST_IN_VAIN)
    waiting = offer(match, seat)
    clock.shift(2 * HOUR)
    assert mailed() == timing.MOST_IN_VAIN + 1, "an offer that stays is mailed"
    act(match, 1 - seat, {"name": "reject_offer", "offer": waiting})
    for number in range(2, 5):
        waiting = offer(match, seat)
        clock.shift(timedelta(seconds=5))
        assert mailed() == timing.MOST_IN_VAIN + number, "whoever answers gets the next at once"
        clock.shift(timedelta(seconds=5))
        act(match, 1 - seat, {"name": "reject_offer", "offer": waiting})
