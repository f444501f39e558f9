"""Reminders of open questions: at the points each player chose, once each, again when a deadline moves, none after the turn."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts import absences
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Awaited
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Question
from gamesvc.matches.notices import reminding
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import deadlines, timeout_sweep, vacations
from notifications import registry
from notifications.models import Outbox, Preference, Reminder, Status
from notifications.sending import digests
from notifications.tasks import send_due
from notifications.wanted import reminders, wishes
from tests.games.toy import GAME as TOY
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act

pytestmark = pytest.mark.django_db


@pytest.fixture
def duel(toy, anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=anna, game=toy, hours=48, contribution_text="tea")
    match = opening.join_match(by=ben, match=match, contribution_text="coffee")
    send_due()
    return match


def at(match, **delta):
    """Travel to this long after the question was asked."""
    asked = Question.objects.get(match=match).asked_at
    return time_machine.travel(asked + timedelta(**delta), tick=True)


def reminded(mailing, name="anna"):  # noqa: F811
    return [mail for mail in mailing.sink.to(f"{name}@players.example") if mail.message["X-Game-Reason"] == "reminder"]


def test_by_default_at_80_percent_and_two_hours_before(duel, mailing):  # noqa: F811
    with at(duel, hours=38):
        assert reminding.sweep() == 0
    with at(duel, hours=38.5):
        assert (reminding.sweep(), reminding.sweep()) == (1, 0)
        send_due()
    with at(duel, hours=46.1):
        assert (reminding.sweep(), reminding.sweep()) == (1, 0)
        send_due()
    first, second = reminded(mailing)
    assert "Reminder: your turn ends" in first.subject
    assert "You may answer this mail" in first.text
    assert first.message["Reply-To"] != second.message["Reply-To"]
    question = Question.objects.get(match=duel)
    sent = reminders.sent(topic=str(duel.id), subject=f"{question.seat} {question.question}", deadline=question.due_at)
    assert [(one["point"], one["status"]) for one in sent] == [("80%", "sent"), ("2h", "sent")]
    assert reminded(mailing, "ben") == []


def test_of_several_points_missed_only_the_last_is_told(duel, mailing):  # noqa: F811
    with at(duel, hours=47.5):
        assert (reminding.sweep(), reminding.sweep()) == (1, 0)
        send_due()
    assert len(reminded(mailing)) == 1
    assert {(row.point, row.notice is None) for row in Reminder.objects.all()} == {("80%", True), ("2h", False)}


def test_none_for_a_turn_that_is_done_nor_after_the_deadline(duel, mailing):  # noqa: F811
    with at(duel, hours=38.5):
        reminding.sweep()
        act(duel, 0)
        send_due()
    assert reminded(mailing) == []
    assert Outbox.objects.get(kind="reminder").status == Status.DROPPED
    with at(duel, hours=49):
        assert reminding.sweep() == 0


def test_a_deadline_that_moves_is_reminded_of_anew(duel, mailing):  # noqa: F811
    with at(duel, hours=38.5):
        assert reminding.sweep() == 1
        # Moved after the reminder was queued and before it was sent: its text is no longer true.
        Question.objects.update(due_at=Question.objects.get(match=duel).asked_at + timedelta(hours=96))
        send_due()
        assert reminding.sweep() == 0
    assert reminded(mailing) == []
    with at(duel, hours=77):
        assert (reminding.sweep(), reminding.sweep()) == (1, 0)
        send_due()
    assert len(reminded(mailing)) == 1


def test_points_of_ones_own_and_for_one_match(duel, anna, mailing):  # noqa: F811
    wishes.set_wishes(anna, {"reminders": ["1d"]})
    with at(duel, hours=23.9):
        assert reminding.sweep() == 0
    wishes.set_wishes(anna, {"reminders": ["50%", " 30M "]}, topic=str(duel.id))
    with at(duel, hours=24.1):
        assert reminding.sweep() == 1
    assert Reminder.objects.get().point == "50%"
    with at(duel, hours=47.6):
        assert reminding.sweep() == 1
    wishes.set_wishes(anna, {"reminders": []}, topic=str(duel.id))
    Reminder.objects.all().delete()
    with at(duel, hours=47.6):
        assert reminding.sweep() == 0


def test_a_point_before_the_question_was_asked_says_nothing(duel, anna):
    wishes.set_wishes(anna, {"reminders": ["3d", "48h"]})
    with at(duel, hours=47):
        assert reminding.sweep() == 0


def test_bots_and_empty_seats_are_not_reminded(toy, anna):
    opening.create_match(by=anna, game=toy, bots={0: "random"}, take_seat=True)
    with time_machine.travel(timezone.now() + timedelta(hours=47), tick=True):
        reminding.sweep()
    assert not Outbox.objects.filter(kind="reminder").exclude(user=anna).exists()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    points=st.lists(st.sampled_from(["10%", "50%", "80%", "99%", "1h", "2h", "30m", "1d"]), unique=True, max_size=6),
    looks=st.lists(st.floats(0, 60), max_size=8),
    moves=st.lists(st.tuples(st.floats(0, 60), st.floats(1, 96)), max_size=3),
)
def test_each_point_of_each_deadline_is_reached_once(duel, anna, points, looks, moves):
    """For any times of sweeps and any moves of the deadline: no point twice, none too early, none too late."""
    Reminder.objects.all().delete()
    Outbox.objects.filter(kind="reminder").delete()
    wishes.set_wishes(anna, {"reminders": points})
    question = Question.objects.get(match=duel)
    asked = question.asked_at
    Question.objects.update(due_at=asked + timedelta(hours=48))
    steps = sorted([(hour, None) for hour in looks] + list(moves), key=lambda step: step[0])
    for hour, moved in steps:
        with time_machine.travel(asked + timedelta(hours=hour), tick=False):
            if moved is not None:
                Question.objects.update(due_at=asked + timedelta(hours=moved))
            due = Question.objects.get(match=duel).due_at
            before = set(Reminder.objects.values_list("point", "deadline"))
            queued = reminding.sweep()
            found = set(Reminder.objects.values_list("point", "deadline")) - before
            assert queued == (1 if found else 0), "one mail speaks for all points reached since the last look"
            now = timezone.now()
            for point, deadline in found:
                assert deadline == due > now
                assert asked < moment_of(point, asked, due) <= now
    guards = list(Reminder.objects.values_list("point", "deadline"))
    assert len(guards) == len(set(guards))


def moment_of(point, asked, due):
    number, unit = int(point[:-1]), point[-1]
    if unit == "%":
        return asked + (due - asked) * number / 100
    return due - timedelta(minutes=number * {"m": 1, "h": 60, "d": 1440}[unit])


# --- the last one ---


def three(game=TOY):
    """The toy for three, in which all write their orders at once."""

    def evolve(state, event):
        after = game.evolve(state, event)
        return replace(after, orders=("", "", "")) if state is None else after

    return replace(
        game,
        manifest=replace(game.manifest, min_seats=3, max_seats=3),
        evolve=evolve,
        seats=lambda state: 3,
        awaited=lambda state: tuple(
            Awaited(seat, "plan", f"plan{seat}", "commit") for seat in range(3) if not state.orders[seat]
        ),
        legal_commands=lambda state, seat: (),
    )


@pytest.fixture
def trio(toy, anna, ben, player, mailing, monkeypatch):  # noqa: F811
    offered = catalog.game
    game = three()
    monkeypatch.setattr(catalog, "game", lambda game_id: game if game_id == "toy" else offered(game_id))
    carl = player("carl")
    verify(anna, ben, carl)
    match = opening.create_match(by=anna, game=toy, seats=3)
    for user in (ben, carl):
        match = opening.join_match(by=user, match=match)
    send_due()
    return match


def test_the_last_player_is_told_that_all_wait_for_them(trio, mailing):  # noqa: F811
    act(trio, 0, {"name": "set_orders", "text": "a"})
    assert not Outbox.objects.filter(kind="last_one").exists()
    act(trio, 2, {"name": "set_orders", "text": "c"})
    send_due()
    [mail] = [mail for mail in mailing.sink.messages if mail.message["X-Game-Reason"] == "last-one"]
    assert mail.recipients == ("ben@players.example",)
    assert "Everyone else is waiting for you" in mail.subject
    assert "You may answer this mail" in mail.text


def test_a_player_who_answers_first_gets_no_such_mail(trio, mailing):  # noqa: F811
    act(trio, 0, {"name": "set_orders", "text": "a"})
    act(trio, 2, {"name": "set_orders", "text": "c"})
    act(trio, 1, {"name": "set_orders", "text": "b"})
    send_due()
    assert [mail for mail in mailing.sink.messages if mail.message["X-Game-Reason"] == "last-one"] == []
    assert Outbox.objects.get(kind="last_one").status == Status.DROPPED


def test_with_two_seats_nobody_is_the_last_one(duel):
    act(duel, 0)
    assert not Outbox.objects.filter(kind="last_one").exists()


# --- several matches in one mail, and the digest ---


def test_turns_of_several_matches_in_one_mail_can_each_be_answered(duel, anna, ben, toy, mailing, settings):  # noqa: F811
    settings.NOTICE_BATCH_MINUTES = 10
    act(duel, 0)
    for _ in range(2):
        match = opening.create_match(by=anna, game=toy)
        opening.join_match(by=ben, match=match)
    act(duel, 1)
    send_due()
    [mail] = [mail for mail in mailing.sink.to("anna@players.example") if mail.message["X-Game-Reason"] == "summary"]
    assert "3 matches wait for you" in mail.subject
    assert "- drew" in mail.text, "what happened since she last looked"
    addresses = [line for line in mail.text.splitlines() if line.startswith("turn+")]
    assert len(set(addresses)) == 3
    mailing.write("draw\nEND\n", to=addresses[0])
    mailing.work()
    receipt = mailing.receipt()
    assert "1 order done" in receipt.subject


def test_the_digest_tells_what_waits_and_what_happened(duel, anna, mailing):  # noqa: F811
    act(duel, 0)
    wishes.set_wishes(anna, {"digest_hour": 7})
    Preference.objects.update(digest_at=timezone.now())
    assert digests.sweep() == 1
    send_due()
    [mail] = [mail for mail in mailing.sink.to("anna@players.example") if mail.message["X-Game-Reason"] == "digest"]
    assert mail.subject == "What happened in your matches"
    assert "- drew" in mail.text
    act(duel, 1)
    Preference.objects.update(digest_at=timezone.now())
    digests.sweep()
    send_due()
    digest = [mail for mail in mailing.sink.to("anna@players.example") if mail.message["X-Game-Reason"] == "digest"][-1]
    assert digest.subject.startswith("1 match waits for you, until ")
    assert str(digest.message["Reply-To"]).startswith("turn+"), "one match alone can be answered like its own mail"


def test_a_digest_of_very_many_matches_tells_the_most_urgent_and_counts_the_rest(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    verify(anna, ben)
    monkeypatch.setattr(digests, "MOST_BRIEFS", 2)
    made = [opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=hours)) for hours in (90, 40, 70, 50)]
    act(opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=48)), 0)  # waits for Ben
    wishes.set_wishes(anna, {"digest_hour": 7})
    Preference.objects.update(digest_at=timezone.now())
    assert digests.sweep() == 1
    send_due()
    [mail] = [mail for mail in mailing.sink.to("anna@players.example") if mail.message["X-Game-Reason"] == "digest"]
    assert mail.subject.startswith("4 matches wait for you, the first until ")
    told = [mail.text.find(f"#{match.number}:") for match in made]
    assert told[0] == told[2] == -1
    assert 0 < told[1] < told[3] < mail.text.index("More matches: 2 matches wait for you")


def test_a_program_is_told_which_match_and_version_and_nothing_of_the_position(duel, anna):
    row = Outbox.objects.get(kind="your_turn")
    told = registry.facts_of(row)
    assert told == {"match": str(duel.id), "number": duel.number, "seat": 0, "version": 6}
    row.user_id = anna.pk + 1000
    assert registry.facts_of(row) == {}


def test_a_player_who_left_the_seat_is_reminded_of_nothing(duel, mailing):  # noqa: F811
    with at(duel, hours=38.5):
        reminding.sweep()
        duel.seats.filter(index=0).update(user=None, bot="random")
        send_due()
    assert reminded(mailing) == []


def test_of_the_many_that_are_due_after_an_outage_one_statement_takes_few(toy, anna, ben, monkeypatch, django_assert_num_queries):
    """Acts on them wait for it, and so do the reminders of others: one player may have thousands."""
    monkeypatch.setattr(reminding, "BATCH", 2)
    opened = [opening.create_match(by=anna, game=toy, hours=48) for _ in range(5)]
    matches = [opening.join_match(by=ben, match=match) for match in opened]
    with at(matches[0], hours=38.5):
        points_and_batches = 1 + 3
        with django_assert_num_queries(points_and_batches):
            assert reminding.sweep() == 5
        assert reminding.sweep() == 0
    assert {row.topic for row in Outbox.objects.filter(kind="reminder")} == {str(match.pk) for match in matches}


# --- pauses and breaks ---


def test_a_player_who_comes_back_to_their_seat_is_reminded_again(toy, anna, ben):
    """The seat was empty when the reminders were checked, and its deadline has not moved since."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=48))
    with at(match, hours=1):
        substitutes.vacate(match=match, seat=0, actor=Actor("seat", 0))
        assert reminding.sweep() == 0
        substitutes.take_over(by=anna, match=match, seat=0)
    with at(match, hours=38.5):
        assert reminding.sweep() == 1


def reminded_at(match, first, until):
    """Return the moments, to the half hour, at which a sweep finds something."""
    found, moment = [], first
    while moment < until:
        with time_machine.travel(moment, tick=False):
            found += [moment] * reminding.sweep()
        moment += timedelta(minutes=30)
    return found


def test_after_a_pause_shares_are_of_what_was_left(toy, anna, ben):
    start = datetime(2026, 6, 1, 8, 0, tzinfo=UTC)
    wishes.set_wishes(anna, {"reminders": ["80%"]})
    with time_machine.travel(start, tick=False) as clock:
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=48))
        clock.shift(timedelta(hours=8))
        deadlines.pause(match=match, mandate=deadlines.Mandate(Actor("host")))
        clock.shift(timedelta(days=30))
        deadlines.resume(match=match, mandate=deadlines.Mandate(Actor("host")))
    goes_on = start + timedelta(days=30, hours=8)
    assert reminded_at(match, goes_on, goes_on + timedelta(hours=41)) == [goes_on + timedelta(hours=32)]


def test_a_break_of_days_is_no_time_of_the_clock(toy, anna, ben):
    friday = datetime(2026, 6, 5, 12, 0, tzinfo=UTC)
    wishes.set_wishes(anna, {"reminders": ["80%"]})
    anna.timezone = "UTC"
    anna.save()
    policy = {"turn": "50h", "vacation": True, "days_off": {"weekdays": ["sat", "sun"], "zone": "UTC"}}
    with time_machine.travel(friday, tick=False):
        match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock=policy))
        absences.announce(user=anna, first=date(2026, 6, 8), last=date(2026, 6, 12))
        vacations.settle(anna.pk)
    # Twelve hours on Friday the 5th, the rest from Monday the 15th on.
    due = datetime(2026, 6, 16, 14, 0, tzinfo=UTC)
    assert Question.objects.get(match=match).due_at == due
    assert reminded_at(match, friday, due) == [due - timedelta(hours=10)]


def test_a_time_out_tells_what_reminders_were_sent(duel, mailing):  # noqa: F811
    with at(duel, hours=39):
        reminding.sweep()
        send_due()
    with at(duel, hours=49):
        assert timeout_sweep.sweep() == 1
    [told] = [one.data for one in STORE.read(duel.id) if one.type == "match.timed_out"]
    [reminder] = told["reminders"]
    assert reminder["point"] == "80%"
    assert datetime.fromisoformat(reminder["sent_at"]) < datetime.fromisoformat(told["due_at"])


def test_a_time_out_tells_of_reminders_before_the_deadline_was_moved(duel, mailing):  # noqa: F811
    first = Question.objects.get(match=duel).due_at
    with at(duel, hours=39):
        reminding.sweep()
        send_due()
        deadlines.extend(match=duel, mandate=deadlines.Mandate(Actor("host")), seat=0, more=timedelta(hours=24))
    moved = Question.objects.get(match=duel).due_at
    with at(duel, hours=70.5):
        reminding.sweep()
        send_due()
    with at(duel, hours=73):
        assert timeout_sweep.sweep() == 1
    [told] = [one.data for one in STORE.read(duel.id) if one.type == "match.timed_out"]
    assert [datetime.fromisoformat(one["deadline"]) for one in told["reminders"]] == [first, moved]
    assert told["reminders"][0]["point"] == "80%"
