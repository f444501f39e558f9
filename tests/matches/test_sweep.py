"""The sweep in critical cases: exactly once, at the right moment, whatever happens at the same time."""

from __future__ import annotations

import uuid
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.db import connection, transaction
from django.utils import timezone

from accounts import absences
from gamesvc.games.kernel.game import Refused
from gamesvc.matches import errors
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Heartbeat, Outage, Question
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import append as recording
from gamesvc.matches.record import loading, service_events
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import deadlines, outages, timeout_sweep, vacations
from gamesvc.time_limits import TimeIsUp
from notifications.inbound import addresses
from notifications.models import Outbox, ReplyAddress
from tests.matches.playing import sends
from tests.racing import at_once

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 8
MONDAY = datetime(2026, 6, 1, 10, 0, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def duels(toy, anna, ben, many_matches):
    return [opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy)) for _ in range(ROUNDS)]


def draw(match, received_at, key):
    return turns.submit(
        match=match,
        sender=sends(match, 0, received_at),
        command={"name": "draw"},
        expected_version=6,
        command_id=key,
    )


def test_a_deadline_that_fires_while_a_command_is_processed_loses_or_wins_but_never_both(duels):
    """The command was received in time; the sweep handles the same question at the same moment."""
    for match in duels:
        due = timezone.now() - timedelta(milliseconds=1)
        Question.objects.filter(match=match).update(due_at=due)
        answers = []

        def play(match=match, due=due, answers=answers):
            try:
                answers.append(draw(match, due - timedelta(seconds=1), uuid.uuid4()))
            except (Refused, errors.Stale) as lost:
                answers.append(lost)

        at_once(play, timeout_sweep.sweep, timeout_sweep.sweep)
        drawn = [one for one in STORE.read(match.id) if one.type == "toy.drew"]
        assert len(drawn) == 1, "one of the two, once"
        won_by = drawn[0].meta["actor"]["kind"]
        assert isinstance(answers[0], turns.Receipt) == (won_by == "seat")
        assert [row.seat for row in match.questions.all()] == [1]
        kept = loading.load(match.id, match.game).account
        assert match.questions.get().due_at == kept.due((1, "turn1"))


def between(monkeypatch, act, kind="clock"):
    """Run `act` after the first append of a kind of actor was decided and before it is made."""
    real, done = recording.STORE.append, []

    def append(stream, events, **more):
        if not done and events[0].meta["actor"]["kind"] == kind:
            done.append(True)
            act()
        return real(stream, events, **more)

    monkeypatch.setattr(recording.STORE, "append", append)


def announce(user, travel, moment):
    """Announce four days of vacation at a moment that may be past."""
    now = timezone.now()
    travel.move_to(moment)
    absences.announce(user=user, first=moment.date(), last=(moment + 3 * DAY).date())
    travel.move_to(now)


def go_on_vacation(travel, user):
    """Announce a vacation a moment before the deadline, and settle it only now."""
    announce(user, travel, MONDAY + DAY - timedelta(seconds=1))
    vacations.settle(user.pk)


@pytest.mark.parametrize("excused", [0, 1])
@pytest.mark.parametrize("what", ["extend", "pause", "take over", "vacation"])
def test_a_time_out_that_loses_to_what_gives_more_time_is_none(toy, anna, ben, player, monkeypatch, what, excused):
    host, cleo = Actor("host"), player("cleo")
    clock = {"turn": "24h", "vacation": True, "excused": excused}
    with time_machine.travel(MONDAY, tick=False) as travel:
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock=clock))
        if what == "take over":
            substitutes.vacate(match=match, seat=0, actor=host)
        acts = {
            "extend": lambda: deadlines.extend(match=match, mandate=deadlines.Mandate(host), seat=0, more=DAY),
            "pause": lambda: deadlines.pause(match=match, mandate=deadlines.Mandate(host)),
            "take over": lambda: substitutes.take_over(by=cleo, match=match, seat=0),
            "vacation": lambda: go_on_vacation(travel, anna),
        }
        travel.move_to(MONDAY + DAY + timedelta(seconds=1))
        between(monkeypatch, acts[what])
        assert timeout_sweep.sweep() == 0
        assert not {"match.timed_out", "toy.drew"} & {one.type for one in STORE.read(match.id)}
        due = match.questions.get().due_at
        assert due is None if what == "pause" else due > timezone.now() + timedelta(hours=20)
        assert timeout_sweep.sweep() == 0


def test_a_time_out_after_something_that_gives_no_time_is_ruled_with_the_seats_as_they_are(toy, anna, ben, player, monkeypatch):
    """The other seat changes hands meanwhile: its new holder is told that it is their turn."""
    cleo = player("cleo")
    with time_machine.travel(MONDAY, tick=False) as travel:
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock={"turn": "24h"}))
        substitutes.vacate(match=match, seat=1, actor=Actor("host"))
        travel.move_to(MONDAY + DAY + timedelta(seconds=1))
        between(monkeypatch, lambda: substitutes.take_over(by=cleo, match=match, seat=1))
        assert timeout_sweep.sweep() == 1
    kinds = [one.type for one in STORE.read(match.id)]
    assert kinds.count("match.timed_out") == kinds.count("toy.drew") == 1
    assert Outbox.objects.filter(user=cleo, kind="your_turn").count() == 1


def test_two_sweeps_after_an_outage_move_each_match_once(duels):
    due = {match.id: match.questions.get().due_at for match in duels}
    started, ended = min(due.values()) - timedelta(hours=1), min(due.values()) + timedelta(hours=1)
    Heartbeat.objects.create(name="service", beat_at=timezone.now())
    Outage.objects.create(started_at=started, ended_at=ended)
    at_once(outages.watch, outages.watch, timeout_sweep.sweep)
    for match in duels:
        assert match.questions.get().due_at == due[match.id] + timedelta(hours=2)
        assert [one.type for one in STORE.read(match.id)].count("match.outage") == 1


def test_a_sweeper_that_died_leaves_its_claims_to_the_next(duels):
    Question.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert len(timeout_sweep.claim_due(5)) == 5, "and dies here"
    assert timeout_sweep.sweep() == ROUNDS - 5
    Question.objects.filter(claimed_until__gt=timezone.now()).update(claimed_until=timezone.now())
    assert timeout_sweep.sweep() == 5
    for match in duels:
        assert [one.type for one in STORE.read(match.id)].count("toy.drew") == 1


def test_a_claim_looks_up_who_opened_each_match_that_is_due(duels, anna, ben):
    """Joined with all matches of those who have had their share, every due one was compared with every one of theirs."""
    Question.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    plans = []

    def explained(execute, statement, params, many, context):
        if statement.startswith("WITH newest"):
            execute(f"EXPLAIN {statement}", params, many, context)
            plans.extend(line for (line,) in context["cursor"].fetchall())
        return execute(statement, params, many, context)

    with transaction.atomic(), connection.execute_wrapper(explained):
        connection.cursor().execute("SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off")
        assert timeout_sweep.claim_due(but=[anna.pk]) == []
        assert len(timeout_sweep.claim_due(but=[ben.pk])) == ROUNDS
    assert plans
    assert not [line for line in plans if "Anti Join" in line]


def test_a_match_whose_time_out_fails_rests_and_the_others_go_on(duels, monkeypatch):
    Question.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    broken, real = duels[0].id, timeout_sweep._time_out

    def time_out(claim, batch):
        if claim.match_id == broken:
            raise RuntimeError("its rules are broken")
        return real(claim, batch)

    monkeypatch.setattr(timeout_sweep, "_time_out", time_out)
    assert timeout_sweep.sweep() == ROUNDS - 1
    rests = Question.objects.get(match=broken).claimed_until - timezone.now()
    assert rests > timedelta(seconds=timeout_sweep.LEASE_SECONDS)


def test_a_match_whose_time_out_takes_all_the_time_of_the_task_rests(duels, monkeypatch):
    Question.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    slow, real = duels[0].id, timeout_sweep._time_out

    def time_out(claim, batch):
        if claim.match_id == slow:
            raise TimeIsUp
        return real(claim, batch)

    monkeypatch.setattr(timeout_sweep, "_time_out", time_out)
    with pytest.raises(TimeIsUp):
        timeout_sweep.sweep()
    rests = Question.objects.get(match=slow).claimed_until - timezone.now()
    assert rests > timedelta(seconds=timeout_sweep.LEASE_SECONDS)
    Question.objects.exclude(match=slow).update(claimed_until=None)
    timeout_sweep.sweep()
    assert set(Question.objects.filter(due_at__lt=timezone.now()).values_list("match", flat=True)) == {slow}


def test_a_long_sweep_keeps_the_heartbeat_from_standing_still(duels):
    Heartbeat.objects.create(name="service", beat_at=timezone.now() - timedelta(seconds=40))
    Question.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert timeout_sweep.sweep() == ROUNDS
    assert timezone.now() - Heartbeat.objects.get().beat_at < timedelta(seconds=20)


def test_a_sweep_at_shut_doors_fires_what_was_due_before_they_last_answered(duels, door):
    door.shut()
    beaten = timezone.now() - timedelta(seconds=10)
    Heartbeat.objects.create(name="service", beat_at=beaten)
    Question.objects.update(due_at=beaten + timedelta(seconds=1))
    Question.objects.filter(match=duels[0]).update(due_at=beaten)
    assert timeout_sweep.sweep() == 1
    assert Heartbeat.objects.get().beat_at == beaten


def test_a_vacation_announced_during_a_long_sweep_counts_in_it(toy, anna, ben, monkeypatch):
    monkeypatch.setattr(timeout_sweep, "BATCH", 1)
    clock = {"turn": "24h", "vacation": True}
    with time_machine.travel(MONDAY, tick=False) as travel:
        first = opening.join_match(by=anna, match=opening.create_match(by=ben, game=toy, clock=clock))
        travel.shift(timedelta(seconds=1))
        second = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock=clock))
        travel.move_to(MONDAY + DAY + timedelta(seconds=2))
        between(monkeypatch, lambda: announce(anna, travel, MONDAY + DAY))
        # A batch of one takes the oldest.
        assert timeout_sweep.sweep() == 1
    assert "match.timed_out" in [one.type for one in STORE.read(first.id)]
    assert "match.timed_out" not in [one.type for one in STORE.read(second.id)]


@contextmanager
def failing(match, fault, monkeypatch):
    """Let no event of the service itself be added to one match."""
    real = service_events.append

    def append(of, *args, **more):
        if of.pk == match.pk:
            raise fault
        return real(of, *args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(service_events, "append", append)
        yield


def test_no_deadline_fires_for_a_player_whose_vacation_cannot_be_counted(toy, anna, ben, monkeypatch, caplog):
    clock = {"turn": "24h", "vacation": True}
    with time_machine.travel(MONDAY, tick=False) as travel:
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock=clock))
        other = opening.join_match(by=anna, match=opening.create_match(by=ben, game=toy, clock=clock))
        announce(anna, travel, MONDAY + timedelta(hours=1))
        travel.move_to(MONDAY + DAY)
        with failing(match, errors.Busy, monkeypatch):
            assert timeout_sweep.sweep() == 1, "the other match goes on"
            travel.shift(timedelta(seconds=5))
            assert timeout_sweep.sweep() == 0
        assert len([one for one in caplog.records if one.levelname == "ERROR"]) == 1, "told once"
        travel.shift(timedelta(seconds=5))
        assert timeout_sweep.sweep() == 0
        assert match.questions.get().due_at > MONDAY + 3 * DAY
        assert other.questions.get().seat == 1


def test_a_vacation_that_takes_all_the_time_of_the_task_holds_up_no_other_deadline(toy, anna, ben, monkeypatch):
    clock = {"turn": "24h", "vacation": True}
    monkeypatch.setattr(vacations, "_resting", {})
    with time_machine.travel(MONDAY, tick=False) as travel:
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock=clock))
        other = opening.join_match(by=anna, match=opening.create_match(by=ben, game=toy, clock=clock))
        announce(anna, travel, MONDAY + timedelta(hours=1))
        travel.move_to(MONDAY + DAY)
        with failing(match, TimeIsUp, monkeypatch):
            with pytest.raises(TimeIsUp):
                timeout_sweep.sweep()
            assert timeout_sweep.sweep() == 1
        assert other.questions.get().seat == 1
        travel.shift(vacations.REST)
        assert timeout_sweep.sweep() == 0
        assert match.questions.get().due_at > MONDAY + 3 * DAY


def test_a_question_asked_while_a_vacation_is_announced_has_it_counted(toy, anna, ben, monkeypatch):
    with time_machine.travel(MONDAY, tick=False) as travel:
        opened = opening.create_match(by=anna, game=toy, clock={"turn": "24h", "vacation": True})
        match = opening.join_match(by=ben, match=opened)

        def meanwhile():
            announce(ben, travel, MONDAY)
            vacations.settle(ben.pk)

        # Ben's time was read before the announcement.
        between(monkeypatch, meanwhile, kind="seat")
        draw(match, timezone.now(), uuid.uuid4())
        assert match.questions.get().due_at == MONDAY + DAY
        travel.shift(timedelta(seconds=61))
        assert timeout_sweep.sweep() == 0
        assert match.questions.get().due_at > MONDAY + 4 * DAY
        assert absences.changes() == []


def test_a_question_asked_meanwhile_has_the_vacation_counted_though_another_match_failed_at_first(toy, anna, ben, monkeypatch):
    with time_machine.travel(MONDAY, tick=False) as travel:
        clock = {"turn": "24h", "vacation": True}
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock=clock))
        other = opening.join_match(by=anna, match=opening.create_match(by=ben, game=toy, clock=clock))
        real, tried = service_events.append, []

        def broken(of, *args, **more):
            tried.append(of.pk)
            if tried == [other.pk]:
                raise errors.Busy
            return real(of, *args, **more)

        def meanwhile():
            monkeypatch.setattr(service_events, "append", broken)
            said = MONDAY - timedelta(minutes=5)  # in a mail that is read only now
            absences.announce(user=ben, first=said.date(), last=(said + 3 * DAY).date(), at=said)
            vacations.settle(ben.pk)

        between(monkeypatch, meanwhile, kind="seat")
        draw(match, timezone.now(), uuid.uuid4())
        travel.shift(timedelta(seconds=1))
        assert vacations.settle().moved == 1
        assert tried == [other.pk, other.pk], "again where it failed, and only there"
        assert match.questions.get().due_at == MONDAY + DAY
        travel.shift(timedelta(seconds=60))
        assert vacations.settle().moved == 1
        assert match.questions.get().due_at > MONDAY + 4 * DAY
        assert absences.changes() == []


def test_two_sweeps_may_settle_the_same_vacation(toy, anna, ben, monkeypatch):
    with time_machine.travel(MONDAY, tick=False) as travel:
        clock = {"turn": "24h", "vacation": True}
        match = opening.join_match(by=anna, match=opening.create_match(by=ben, game=toy, clock=clock))
        announce(ben, travel, MONDAY)
        real = service_events.append

        def slow(of, *args, **more):
            with monkeypatch.context() as patch:
                patch.setattr(service_events, "append", real)
                travel.shift(timedelta(minutes=2))
                assert vacations.settle().moved == 1
            raise errors.Busy

        with monkeypatch.context() as patch:
            patch.setattr(service_events, "append", slow)
            vacations.settle()
        assert match.questions.get().due_at > MONDAY + 4 * DAY
        assert absences.changes() == []


def test_a_sweep_goes_on_where_one_died_in_the_middle_of_a_question(anna, ben):
    """A turn of Stratastar takes several default commands; its sweeper dies after the first."""
    opened = opening.create_match(by=anna, game="stratastar", options={"homeworld_choice": "random"})
    match = opening.join_match(by=ben, match=opened)
    question = match.questions.get()
    Question.objects.filter(pk=question.pk).update(due_at=timezone.now() - timedelta(seconds=1))
    loaded = loading.load(match.id, match.game)
    turns.submit(
        match=match,
        sender=Sender(Actor("clock", question.seat), "clock", timezone.now()),
        command=loaded.game.default_command(loaded.timeline.state, question.seat),
        expected_version=loaded.viewer_version(question.seat),
        command_id=turns.command_id(sender=f"clock {question.pk}", key=str(loaded.version)),
    )
    loading.forget_all()
    assert timeout_sweep.sweep() == 1
    assert match.questions.get().seat != question.seat
    by_clock = [one for one in STORE.read(match.id) if one.meta["actor"]["kind"] == "clock" and "command" in one.meta]
    assert len({one.meta["command_id"] for one in by_clock}) == len(by_clock) == 5


def test_the_append_that_takes_a_seat_drops_the_mails_to_its_player(toy, anna, ben, monkeypatch):
    """Even if the sweeper is killed right after it, the player who lost the seat has no valid reply address for it."""
    clock = {"turn": "24h", "timeout": "bot"}
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock=clock))
    expires = timezone.now() + 30 * DAY
    for user in (anna, ben):
        addresses.make("turn", key=uuid.uuid4(), user=user, expires_at=expires, topic=str(match.id))
    Question.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    real = timeout_sweep._TimingOut._submit

    def killed(*given):
        real(*given)
        raise MemoryError

    monkeypatch.setattr(timeout_sweep._TimingOut, "_submit", killed)
    timeout_sweep.sweep()
    assert match.seats.get(index=0).bot == "greedy"
    living = ReplyAddress.objects.filter(expires_at__gt=timezone.now()).values_list("user__username", flat=True)
    assert list(living) == ["ben"]


def test_a_time_out_is_said_once_though_its_sweeper_dies_in_the_middle(anna, ben, monkeypatch):
    """The game's answer takes several commands; the sweeper dies after the first, which records the timeout."""
    opened = opening.create_match(
        by=anna, game="stratastar", options={"homeworld_choice": "random"}, clock={"turn": "1d", "after": 2}
    )
    match = opening.join_match(by=ben, match=opened)
    question = match.questions.get()
    Question.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    late = Question.objects.get().due_at
    with monkeypatch.context() as patch:
        patch.setattr(timeout_sweep.loading, "after", lambda loaded: 1 / 0)
        assert timeout_sweep.sweep() == 0
    loading.forget_all()
    assert match.questions.get().seat == question.seat, "it is not done"
    Question.objects.update(claimed_until=None)
    assert timeout_sweep.sweep() == 1
    [told] = [one for one in STORE.read(match.id) if one.type == "match.timed_out"]
    assert (told.data["seat"], told.data["in_row"]) == (question.seat, 1)
    assert late < timezone.now()
    assert match.questions.get().seat != question.seat


def test_a_vacation_in_many_matches_is_counted_bit_by_bit_and_delays_nobody_elses(toy, anna, ben, player, monkeypatch, settings):
    settings.MATCHES_PER_MINUTE = 100
    with time_machine.travel(MONDAY, tick=False) as travel:
        clock = {"turn": "24h", "vacation": True}

        def match_of(user):
            return opening.join_match(by=anna, match=opening.create_match(by=user, game=toy, clock=clock)).pk

        mine, cleo, seconds = [match_of(ben) for _ in range(6)], player("cleo"), [1000.0]
        other, looked, real = match_of(cleo), [], service_events.append
        for user in (ben, cleo):
            announce(user, travel, MONDAY + DAY - timedelta(seconds=1))

        def dear(of, *args, **more):
            looked.append(of.pk)
            seconds[0] += 1.0
            return real(of, *args, **more)

        monkeypatch.setattr(service_events, "append", dear)
        monkeypatch.setattr(vacations, "LASTS", 2.5)
        monkeypatch.setattr(vacations.time, "monotonic", lambda: seconds[0])
        travel.move_to(MONDAY + DAY + timedelta(minutes=1))
        settled = vacations.settle()
        assert (looked.index(other), len(looked)) == (1, 3)
        assert settled.failed == {(match_id, ben.pk) for match_id in mine} - {(match_id, ben.pk) for match_id in looked}
        assert timeout_sweep.sweep() == 0, "those that are left wait"
        vacations.settle()
        assert sorted(looked) == sorted([*mine, other])
        assert timeout_sweep.sweep() == 0
        assert {one.due_at > MONDAY + 4 * DAY for one in Question.objects.filter(match__in=[*mine, other])} == {True}


def test_many_vacations_do_not_use_up_the_time_in_which_they_are_counted(toy, anna, ben, player, monkeypatch, settings):
    """Each was prepared by a query of its own, and with enough of them nobody's vacation was ever counted."""
    seconds = [1000.0]

    def dear(execute, *args):
        seconds[0] += 0.1
        return execute(*args)

    with time_machine.travel(MONDAY, tick=False) as travel:
        match = opening.join_match(by=anna, match=opening.create_match(by=ben, game=toy, clock={"turn": "24h", "vacation": True}))
        travel.move_to(MONDAY + DAY - timedelta(seconds=1))
        for day in range(10):
            absences.announce(user=ben, first=(MONDAY + (1 + 2 * day) * DAY).date(), last=(MONDAY + (1 + 2 * day) * DAY).date())
        for user in (anna, ben):
            for absence in absences.absences_of(user)[3:]:
                absences.call_off(absence=absence)
        monkeypatch.setattr(vacations, "LASTS", 1.0)
        monkeypatch.setattr(vacations.time, "monotonic", lambda: seconds[0])
        with connection.execute_wrapper(dear):
            vacations.settle()
        assert match.questions.get().due_at > MONDAY + DAY
