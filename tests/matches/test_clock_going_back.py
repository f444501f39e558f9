"""Time after an undo: what it restores, and that nothing else gives a clock any time."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts import absences
from gamesvc.games import catalog
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.events import REWOUND, SERVICE_CAUSES
from gamesvc.games.kernel.game import Awaited, Event
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.selfplay import bounded
from gamesvc.matches.clock.account import Account, Step
from gamesvc.matches.clock.compute import NOTHING_KNOWN, Surroundings, put_off
from gamesvc.matches.clock.fold import follow
from gamesvc.matches.clock.parsing import parse
from gamesvc.matches.clock.policy import TURNS
from gamesvc.matches.clock.spans import Span
from gamesvc.matches.events import Outage, Paused, Resumed, Rewound, Vacated, read_events
from gamesvc.matches.lobby import opening
from gamesvc.matches.play.turns import command_id
from gamesvc.matches.record import loading
from gamesvc.matches.record.surroundings import deadline_set
from gamesvc.matches.timekeeping import deadlines
from gamesvc.matches.undo import undoing
from tests.matches.playing import sends
from tests.matches.test_clock_policy import DAY, HOUR, Nights, Table, at, opened, outlast, seated
from tests.matches.test_deadlines import HOST, act, check_store, due

BEGIN = datetime(2026, 6, 1, 10, tzinfo=UTC)


def undone(to: int, seat: int) -> Rewound:
    return Rewound(to=to, data={}, cause="undo", seat=seat)


def played(told: dict[str, Any], hours: int = 1) -> Table:
    """Seat 0 was asked at version 2 and acted after some hours; seat 1 is asked."""
    table = Table(told, at("2026-06-01T10:00"))
    table.ask((0, "a", "turn"))
    table.wait(hours * HOUR)
    table.ask((1, "b", "turn"), by=0)
    return table


def undo(table: Table, by: int = 0) -> timedelta:
    """Undo that act and return what is left of the clock. The log replays to the same clocks."""
    table.take([undone(2, 0)], "seat", by, asked=[Awaited(0, "turn", "a", "turn")])
    assert table.replayed().as_json() == table.account.as_json()
    return table.due(0, "a") - table.now


@pytest.mark.parametrize("told", [{"turn": "24h"}, {"turn": "24h", "quiet_hours": 10}, {"turn": "4h", "bank": {"start": "20h"}}])
def test_a_pause_does_not_run_down_what_is_given_back(told):
    table = played(told)
    table.take([Paused("host")], "host", None)
    table.wait(20 * HOUR)
    table.take([Resumed("host")], "host", None)
    assert undo(table) == 23 * HOUR
    table.wait(7 * HOUR)
    table.ask((1, "b", "turn"), by=0)
    assert table.account.bank(0) == (16 * HOUR if "bank" in told else timedelta(0))


def test_what_is_given_back_in_a_pause_waits_with_what_was_left_as_it_began():
    table = played({"turn": "24h"})
    table.wait(2 * HOUR)
    table.take([Paused("host")], "host", None)
    table.wait(DAY)
    table.take([undone(2, 0)], "seat", 0, asked=[Awaited(0, "turn", "a", "turn")])
    assert table.due(0, "a") is None
    table.wait(HOUR)
    table.take([Resumed("host")], "host", None)
    assert table.due(0, "a") == table.now + 21 * HOUR
    assert table.replayed().as_json() == table.account.as_json()


def test_who_acted_in_a_pause_has_used_the_time_since_its_end():
    table = Table({"turn": "24h"}, at("2026-06-01"))
    table.ask((0, "a", "turn"))
    table.wait(4 * HOUR)
    table.take([Paused("host")], "host", None)
    table.wait(DAY)
    table.ask((1, "b", "turn"), by=0)
    table.wait(DAY)
    table.take([Resumed("host")], "host", None)
    table.wait(3 * HOUR)
    table.take([undone(3, 0)], "seat", 0, asked=[Awaited(0, "turn", "a", "turn")])
    assert table.due(0, "a") == table.now + 17 * HOUR
    assert table.replayed().as_json() == table.account.as_json()


def stand_still(table: Table, hours: float, of: tuple[int, str]) -> None:
    """An outage that ends now, and the deadline that it moves."""
    span = Span(table.now - hours * HOUR, table.now)
    events = [
        Outage(span.start.isoformat(), span.end.isoformat()),
        deadline_set(of, outlast(table.policy, table.account.open[of], span, table.known(of[0])), "outage"),
    ]
    table.take(events, "system", None)


def test_an_outage_does_not_run_down_what_is_given_back():
    table = played({"turn": "24h"}, 20)
    table.wait(10 * HOUR)
    stand_still(table, 9, (1, "b"))
    assert undo(table) == 3 * HOUR


AT_SIX = {"adjudication": {"at": ["18:00"], "zone": "UTC"}, "minimum": "1h"}


@pytest.mark.parametrize("ends", [7, 9])
def test_an_outage_moves_the_fixed_time_of_a_player_who_undoes_like_that_of_the_others(ends):
    table = Table(AT_SIX, at("2026-06-01T10:00"))
    table.ask((0, "a", "commit"), (1, "b", "commit"))
    table.wait(2 * HOUR)
    table.ask((1, "b", "commit"), by=0)
    table.wait((ends - 2) * HOUR)
    stand_still(table, 2, (1, "b"))
    table.wait(HOUR / 2)
    asked = [Awaited(0, "commit", "a", "commit"), Awaited(1, "commit", "b", "commit")]
    table.take([undone(2, 0)], "seat", 0, asked=asked)
    assert table.due(0, "a") == table.due(1, "b") == at("2026-06-01T20:00")
    assert table.replayed().as_json() == table.account.as_json()


def test_a_fixed_time_knows_nothing_of_an_outage_long_before_it():
    table = played(AT_SIX)
    table.wait(3 * HOUR)
    stand_still(table, 1, (1, "b"))
    undo(table)
    assert table.due(0, "a") == at("2026-06-01T18:00")


def test_a_vacation_does_not_run_down_what_is_given_back():
    table = played({"turn": "24h", "vacation": True})
    table.known(0).away = [Span(table.now + HOUR, table.now + 5 * DAY)]
    table.wait(5 * DAY + HOUR)
    assert undo(table) == 21 * HOUR


def test_what_an_organiser_gave_stays_given():
    table = played({"turn": "24h", "reaction": "6h"})
    table.ask((0, "a", "turn"), by=1)
    deadlines_of = table.account.open[0, "a"]
    longer = deadline_set((0, "a"), deadlines_of, "extended")
    because = longer.because
    because = {**because, "own": because["own"] + 7200, "left": because["left"] + 7200}
    due_at = (deadlines_of.due + 2 * HOUR).isoformat()
    table.take([replace(longer, because=because, due_at=due_at)], "host", None)
    assert table.due(0, "a") == table.now + 25 * HOUR
    table.ask((1, "c", "turn"), by=0)
    assert undo(table) == 25 * HOUR, "24 hours and the two that were given, less the one before"


@pytest.mark.parametrize("cause", ["undo", "host"])
def test_a_fixed_time_that_an_organiser_put_off_stays_put_off(cause):
    table = Table(AT_SIX, at("2026-06-01T10:00"))
    table.ask((0, "a", "turn"))
    table.take([deadline_set((0, "a"), put_off(table.account.open[0, "a"], DAY), "extended")], "host", None)
    assert table.due(0, "a") == at("2026-06-02T18:00")
    table.wait(2 * HOUR)
    table.take([Paused("host")], "host", None)
    table.wait(HOUR)
    table.take([Resumed("host")], "host", None)
    assert table.due(0, "a") == at("2026-06-02T18:00"), "a pause leaves it where it is"
    table.ask((1, "b", "turn"), by=0)
    table.wait(HOUR)
    back = Rewound(to=2, data={}, cause=cause, seat=0 if cause == "undo" else None)
    table.take([back], *(("seat", 0) if cause == "undo" else ("host", None)), asked=[Awaited(0, "turn", "a", "turn")])
    assert table.due(0, "a") == at("2026-06-02T18:00"), "though it goes back to before that"
    assert table.replayed().as_json() == table.account.as_json()


def test_the_word_of_another_leaves_the_minimum():
    table = played({"turn": "24h"}, 23)
    table.wait(HOUR - timedelta(seconds=20))
    assert undo(table, by=1) == HOUR
    table = played({"turn": "24h"}, 23)
    table.wait(HOUR - timedelta(seconds=20))
    assert undo(table) == timedelta(seconds=20), "by oneself as if nothing had been sent"


def test_the_word_of_another_leaves_the_minimum_before_a_fixed_time():
    told = {"adjudication": {"at": ["18:00"], "days": ["tue", "fri"], "zone": "UTC"}, "minimum": "12h"}
    table = played(told)
    table.wait(DAY)
    assert table.now + undo(table, by=1) == at("2026-06-05T18:00")
    table = played(told)
    table.wait(DAY)
    assert table.now + undo(table) == at("2026-06-02T18:00")


def test_who_took_the_seat_over_has_used_none_of_it_when_an_organiser_goes_back():
    table = played({"bank": {"start": "20h", "increment": "1h"}}, 19)
    table.take([Vacated(0)], "host", None)
    table.take([seated(0)], "seat", 0)
    table.take([Rewound(to=2, cause="host", data={})], "host", None, asked=[Awaited(0, "turn", "a", "turn")])
    assert table.due(0, "a") >= table.now + 20 * HOUR
    assert table.replayed().as_json() == table.account.as_json()


def test_a_question_asked_anew_has_the_clock_of_its_turn():
    """After a reaction that goes back while the turn goes on, or that came in a window."""
    for window in (False, True):
        table = Table({"turn": "24h", "reaction": "6h", "bank": {"start": "2h", "increment": "1h"}}, at("2026-06-01"))
        table.take([], "seat", 1, asked=[Awaited(0, "play", "turn1.0", "turn", "turn1")])
        table.wait(10 * HOUR)
        if window:
            table.take([], "seat", 0, asked=[Awaited(1, "barrier", "barrier1.0", "reaction", "barrier1")])
            table.wait(2 * HOUR)
        again = [Awaited(0, "play", "turn1.1", "turn", "turn1")]
        table.take([Rewound(to=2, data={})], "seat", 1, asked=again)
        assert table.due(0, "turn1.1") == table.now + 16 * HOUR
        assert table.account.bank(0) == 2 * HOUR, "and the turn brings the bank nothing more"
        table.wait(16 * HOUR - timedelta(minutes=5))
        again = [Awaited(0, "play", "turn1.2", "turn", "turn1")]
        table.take([Rewound(to=2, data={})], "seat", 1, asked=again)
        assert table.due(0, "turn1.2") == table.now + HOUR, "whom another's act asks again has the minimum"
        table.wait(HOUR - timedelta(minutes=5))
        again = [Awaited(0, "play", "turn1.3", "turn", "turn1")]
        table.take([undone(2, 0)], "seat", 0, asked=again)
        assert table.due(0, "turn1.3") == table.now + timedelta(minutes=5), "his own act leaves him what he had"
        assert table.replayed().as_json() == table.account.as_json()


# --- every game ---

TURN_OF = {
    "space_war": lambda state, seat: state.turn,
    "star_commander": lambda state, seat: state.turn,
    "stratastar": lambda state, seat: (state.turn.phase == "setup", state.turn.number),
    "space_fleet_commander": lambda state, seat: state.sheets[seat].turn,
}
POLICY = {"turn": "100h", "bank": {"start": "50h", "increment": "5h"}, "reaction": "100h", "choice": "100h"}
Left = dict[tuple[int, Any], timedelta]


class Match:
    """A match of bots in memory with its clocks. Now and then a player undoes something."""

    def __init__(self, game_id: str, seed: int, policy: dict[str, Any] = POLICY) -> None:
        self.game, self.policy = catalog.game(game_id), parse(policy)
        self.rng, self.dice, self.now = random.Random(f"{game_id} {seed}"), seeded(str(seed)), BEGIN
        self.timeline: Timeline[Any] = Timeline(self.game)
        self.account, self.past, self.known = Account(), dict[int, Account](), dict[int, Left]()
        self.last: Left = {}
        self.rewinds: list[str] = []
        self.acts: list[tuple[int, int]] = []  # the version before each act, and its seat
        seats = self.game.manifest.min_seats
        self.persons = {seat: Nights(self.policy) for seat in range(seats)}
        self.follow([opened(policy, seats).event()], None, [])
        run = self.timeline.begin(check_options(self.game, bounded(self.game), seats), seats, self.dice)
        self.timeline.follow(run)
        self.first = self.timeline.version
        self.follow(run.events, None, self.game.awaited(self.timeline.state))

    def follow(self, events, seat, asked, actor: str = "seat") -> None:
        step = Step(read_events(events), "host" if seat is None else actor, seat, self.now, self.now)
        follow(self.account, step, asked, surroundings=self.known_of, recall=self.past.__getitem__)
        self.past[self.timeline.version] = self.account.copy()

    def known_of(self, seat: int) -> Surroundings:
        return NOTHING_KNOWN if self.policy.plain else self.persons[seat]

    def left(self) -> Left:
        """Return what every open turn has left now, by the game's own number of the turn."""
        state, found = self.timeline.state, {}
        for (seat, _), clock in self.account.open.items():
            if clock.kind in TURNS:
                found[seat, TURN_OF[self.game.id](state, seat)] = clock.left - clock.used(self.now)
        return found

    def play(self) -> None:
        self.now += timedelta(minutes=self.rng.randrange(1, 90))
        before, version, open_before = self.left(), self.timeline.version, set(self.account.open)
        self.last |= before
        back = [one for one in self.acts[-6:] if one[0] >= self.first]
        if back and self.rng.random() < 0.06:
            to, seat = self.rng.choice(back)
            why: dict[str, Any] = self.rng.choice([{"cause": "undo", "seat": seat}, {"cause": "host"}])
            run = self.timeline.rewind(to, self.dice, **why)
            by = why.get("seat")
        else:
            by = self.rng.choice(self.game.awaited(self.timeline.state)).seat
            forms = self.game.legal_commands(self.timeline.state, by)
            forms = tuple(form for form in forms if form.name != "resign")
            command = self.game.bots["random"](self.game.view(self.timeline.state, by), forms, self.rng)
            run = self.timeline.command(by, dict(command), self.dice)
        self.timeline.follow(run)
        self.follow(run.events, by, () if self.over else self.game.awaited(self.timeline.state))
        for event in run.events:
            if event.type == REWOUND:
                self.check(event, before, open_before)
        self.acts = [*self.acts, (version, by)] if by is not None else []
        self.last |= self.left()
        self.known[self.timeline.version] = dict(self.last)

    def check(self, event: Event, before: Left, open_before: set[Any]) -> None:
        cause, to = event.data.get("cause"), int(event.data["to"])
        minimum = parse(POLICY).minimum
        person = cause in SERVICE_CAUSES
        if person:
            then, elapsed = self.known.get(to, {}), self.now - (self.past[to].at or self.now)
            # A turn that is not open after the undo gets back what it had then, like any turn of which an act is undone.
            asked = self.left()
            self.last = dict(then) | {turn: left for turn, left in self.last.items() if turn in before and turn in asked}
        self.rewinds.append(cause if person else "reaction")
        for turn, left in self.left().items():
            if not person:
                most = max(self.last.get(turn, left), minimum)
            elif turn in before:
                most = max(before[turn], minimum if cause == "host" else timedelta(0))
            elif cause == "undo" and turn[0] == event.data["seat"]:
                most = then.get(turn, left) - elapsed
            else:
                most = max(then.get(turn, left), minimum)
            assert left <= most, f"{self.rewinds[-1]} gave {left - most} to {turn}"

    @property
    def over(self) -> bool:
        return self.game.outcome(self.timeline.state) is not None


@pytest.mark.long
@pytest.mark.parametrize("game_id", TURN_OF)
def test_no_rewind_of_any_game_gives_a_turn_more_than_an_undo_gives_back(game_id):
    rewinds: list[str] = []
    for seed in range(4):
        match = Match(game_id, seed)
        for _ in range(250):
            if match.over:
                break
            match.play()
        rewinds += match.rewinds
    wanted = {"undo", "host"} | ({"reaction"} if game_id == "space_war" else set())
    assert wanted <= set(rewinds), "nothing was tried out"


# --- the service ---


@pytest.fixture
def clock():
    with time_machine.travel(BEGIN, tick=False) as travel:
        yield travel


def regret(match, seat: int) -> undoing.Outcome:
    version = loading.load(match.id, match.game).viewer_version(seat)
    sender = sends(match, seat)
    return undoing.undo(
        match=match, sender=sender, expected_version=version, command_id=command_id(sender=seat, key=str(version))
    )


@pytest.mark.django_db
def test_an_undo_after_a_long_pause_is_not_too_late(toy, anna, ben, clock):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, options={"points": 9}, clock={"hours": 24}))
    clock.shift(HOUR)
    card = loading.load(match.id, match.game).timeline.state.hands[0][0]
    act(match, 0, {"name": "play", "card": card})
    deadlines.pause(match=match, mandate=HOST)
    clock.shift(3 * DAY)
    deadlines.resume(match=match, mandate=HOST)
    offered = undoing.offer(loading.load(match.id, match.game), match, 0)
    assert (offered.how, offered.code) == ("free", "")
    assert regret(match, 0).done
    assert due(match) == timezone.now() + 23 * HOUR
    check_store(match)


@pytest.mark.django_db
@pytest.mark.parametrize("zones", [["UTC"], ["UTC", "Etc/GMT-12"]])
def test_quiet_hours_moved_before_each_undo_stop_no_clock(toy, anna, ben, clock, zones):
    """A match that goes back reads the nights of today: whoever moved them to the next hours each time had time without end."""
    policy = {"turn": "24h", "quiet_hours": 12}
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, options={"points": 9}, clock=policy))
    found = set()
    for number in range(4):
        clock.move_to(BEGIN + number * timedelta(hours=11, minutes=30))
        anna.timezone = zones[number % len(zones)]
        anna.save()
        night = timezone.now().astimezone(anna.zone)
        with suppress(absences.AbsenceRefused):
            absences.set_quiet_hours(user=anna, start=night.time(), end=(night + 12 * HOUR).time())
        act(match, 0, {"name": "play", "card": loading.load(match.id, match.game).timeline.state.hands[0][0]})
        assert regret(match, 0).done
        found.add(due(match))
    assert len(found) == 1, "the nights that were set at first count throughout"
    check_store(match)


@pytest.mark.django_db
@pytest.mark.parametrize("policy", [{"turn": "48h"}, {"turn": "48h", "quiet_hours": 10}])
def test_an_undo_in_the_space_war_brings_no_time(anna, ben, clock, policy):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="space_war", clock=policy))
    rng = random.Random(3)
    for _ in range(60):
        loaded = loading.load(match.id, match.game)
        [seat] = {one.seat for one in loaded.awaited()} if len(loaded.awaited()) == 1 else {loaded.awaited()[0].seat}
        question = next(one.id for one in loaded.awaited() if one.seat == seat)
        if question.startswith("turn") and undoing.offer(loaded, match, seat).how == "free":
            break
        forms = loaded.game.legal_commands(loaded.timeline.state, seat)
        clock.shift(timedelta(minutes=20))
        act(match, seat, dict(loaded.game.bots["random"](loaded.game.view(loaded.timeline.state, seat), forms, rng)))
    before = due(match)
    clock.shift(30 * HOUR)
    assert regret(match, seat).done
    assert due(match) == before
    [row] = match.questions.all()
    assert row.question != question, "an answer to what was undone is told apart"
    check_store(match)
