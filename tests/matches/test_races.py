"""Several workers at the same work, each with its own connection."""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts import absences, erasure
from gamesvc.errors import TooMany
from gamesvc.games.kernel.game import Refused
from gamesvc.matches import erasing, errors
from gamesvc.matches.lobby import invitations, opening, press, substitutes
from gamesvc.matches.models import Holding, Match, Question
from gamesvc.matches.play import bots, turns
from gamesvc.matches.record import availability, loading, service_events
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.statistics import totals
from gamesvc.matches.timekeeping import pauses, timeout_sweep
from gamesvc.matches.undo import undoing
from notifications.models import Outbox
from tests.matches.playing import act, holder, sends
from tests.racing import at_once, impatient, is_waited_for

pytestmark = pytest.mark.django_db(transaction=True)
MATCHES = 12


def test_two_sweepers_racing_fire_each_deadline_once(toy, anna, ben, many_matches):
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy)) for _ in range(MATCHES)]
    late, young = matches[: MATCHES // 2], matches[MATCHES // 2 :]
    Question.objects.filter(match__in=late).update(due_at=timezone.now() - timedelta(seconds=1))
    at_once(timeout_sweep.sweep, timeout_sweep.sweep, timeout_sweep.sweep)
    for match in late:
        by_clock = [one for one in STORE.read(match.id) if one.meta["actor"]["kind"] == "clock"]
        assert [one.type for one in by_clock] == ["toy.drew", "toy.turn_ended", "match.timed_out"]
        assert list(Question.objects.filter(match=match).values_list("seat", flat=True)) == [1]
    for match in young:
        assert not [one for one in STORE.read(match.id) if one.meta["actor"]["kind"] == "clock"]


def test_a_timeout_that_frees_a_seat_waits_for_the_vote_that_has_locked_the_seats(toy, anna, ben, monkeypatch, caplog):
    """The seats, then the record: in another order the two would wait for each other, and the database would end one of them."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock={"hours": 24, "after": 1}))
    pauses.wish(match=match, by=anna, seat=0, pause=True)
    Question.objects.filter(match=match).update(due_at=timezone.now() - timedelta(seconds=1))
    availability.keep_alive()
    locked, real, answer = threading.Event(), pauses._do, timeout_sweep._TimingOut._answer
    answering = threading.Event()

    def slowly(*given):
        locked.set()
        answering.wait(10)
        time.sleep(0.3)
        return real(*given)

    def answered(timing_out):
        answering.set()
        return answer(timing_out)

    def sweep() -> None:
        locked.wait(10)
        timeout_sweep.sweep()

    monkeypatch.setattr(pauses, "_do", slowly)
    monkeypatch.setattr(timeout_sweep._TimingOut, "_answer", answered)
    at_once(lambda: pauses.wish(match=match, by=ben, seat=1, pause=True), sweep)
    assert answering.is_set()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert [one.type for one in STORE.read(match.id)][-1] == "match.paused"


def say_while(monkeypatch, match, by, act, begun) -> None:
    """Send a message that keeps its locks until another act, which sets `begun`, waits for some of them."""
    locked, check = threading.Event(), press._check_text

    def slowly(text):
        locked.set()
        assert begun.wait(10)
        time.sleep(0.3)
        return check(text)

    def second() -> None:
        locked.wait(10)
        act()

    monkeypatch.setattr(press, "_check_text", slowly)
    at_once(lambda: press.say(match=match, by=by, by_seat=0, to=[1], text="hello", channel="web"), second)


def test_a_message_and_a_player_who_joins_do_not_wait_for_each_other(anna, ben, player, monkeypatch):
    """A message locks the seats and then needs the match to be there; who joins locks the match and then the seats."""
    cleo = player("cleo")
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", seats=3))
    joining, take = threading.Event(), opening._take

    def taking(*given):
        joining.set()
        return take(*given)

    monkeypatch.setattr(opening, "_take", taking)
    say_while(monkeypatch, match, anna, lambda: opening.join_match(by=cleo, match=match), joining)
    assert match.press_messages.count() == 1
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING


def test_who_erases_their_account_does_not_wait_for_a_message_of_theirs_that_waits_for_them(toy, anna, ben, monkeypatch):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    leaving = threading.Event()

    def begun(user):
        leaving.set()
        erasing.leave_matches(user)

    monkeypatch.setattr(erasure, "_before", [begun])
    say_while(monkeypatch, match, anna, lambda: erasure.erase(anna), leaving)
    assert match.press_messages.count() == 0
    assert match.seats.get(index=0).vacated_at is not None


def test_nobody_waits_for_the_erasure_of_a_player_in_another_match(toy, anna, ben, monkeypatch):
    """All in one transaction, the matches of a busy player stood still for seconds, with the threads of all who asked for one."""
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy)) for _ in range(3)]
    erase, done = erasing.erase_from_matches, []

    def beside(user):
        erase(user)
        done.extend(at_once(*[impatient(lambda one=one: pauses.wish(match=one, by=ben, seat=1, pause=True)) for one in matches]))

    monkeypatch.setitem(erasure._erasers, "matches", beside)
    erasure.erase(anna)
    assert done == [True] * 3
    assert not any(match.seats.filter(user=anna).exists() for match in matches)


def test_an_erasure_and_the_statistics_do_not_wait_for_each_other(feed, toy, anna, ben, monkeypatch):
    """Each of them changes the figures of several matches, in an order of its own."""
    first, second = (opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy)) for _ in range(2))
    while totals.follow():
        pass
    act(second, 0)
    act(first, 0)
    saved, save = threading.Event(), totals._save

    def slowly(row, reckoning):
        save(row, reckoning)
        if row.match_id == second.pk and not saved.is_set():
            saved.set()
            until = time.monotonic() + 10
            while not is_waited_for():
                assert time.monotonic() < until
                time.sleep(0.02)

    monkeypatch.setattr(totals, "_save", slowly)
    at_once(totals.follow, lambda: saved.wait(10) and erasure.erase(anna))
    assert not Holding.objects.filter(user=anna).exists()


def test_a_vacation_is_called_off_once_by_two_clicks(anna):
    day = timezone.now().date() + timedelta(days=9)
    absence, said = absences.announce(user=anna, first=day, last=day), []

    def call_off() -> None:
        try:
            absences.call_off(absence=absence)
        except absences.AbsenceRefused as refused:
            said.append(refused.code)

    at_once(call_off, call_off)
    assert said == ["over"]
    assert absences.absences_of(anna) == []


def test_two_workers_at_one_match_of_bots_play_one_match(toy, anna):
    match = opening.create_match(by=anna, game=toy, take_seat=False, bots={0: "random", 1: "greedy"})
    at_once(*[lambda: bots.play(match.id)] * 3)
    match.refresh_from_db()
    assert match.status == Match.Status.FINISHED
    loading.forget_all()
    assert loading.load(match.id, toy).version == match.version


def test_matches_opened_at_once_count_one_by_one(toy, anna, settings):
    settings.MATCHES_PER_DAY = 2

    def open_match() -> int:
        try:
            opening.create_match(by=anna, game=toy)
        except TooMany:
            return 0
        return 1

    assert sum(at_once(*[open_match] * 6)) == 2
    assert Match.objects.count() == 2


def test_one_seat_is_taken_by_one_of_many(toy, anna, player):
    match = opening.create_match(by=anna, game=toy)
    people = [player(f"guest{number}") for number in range(6)]

    refused: list[str] = []

    def join(user) -> None:
        try:
            opening.join_match(by=user, match=match)
        except opening.Refused as refusal:
            refused.append(refusal.code)

    at_once(*[lambda user=user: join(user) for user in people])
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    assert refused == ["not_open"] * 5
    assert [one.type for one in STORE.read(match.id)].count("match.joined") == 2


def test_one_link_seats_one_of_many(toy, anna, player, monkeypatch):
    match = opening.create_match(by=anna, game=toy, entry="invited", take_seat=False)
    _invitation, token = invitations.invite(by=anna, match=match, address="carl@elsewhere.example")
    people = [player(f"guest{number}") for number in range(4)]
    found, here = invitations.find_invitation, threading.Barrier(len(people))

    def together(given: str) -> object:
        invitation = found(given)
        here.wait()
        return invitation

    monkeypatch.setattr(invitations, "find_invitation", together)
    refused: list[str] = []

    def accept(user) -> None:
        try:
            invitations.accept_invitation(by=user, token=token)
        except opening.Refused as refusal:
            refused.append(refusal.code)

    at_once(*[lambda user=user: accept(user) for user in people])
    assert refused == ["bad_invitation"] * 3
    assert match.seats.exclude(user=None).count() == 1


def test_a_user_is_invited_once(toy, anna, ben):
    match = opening.create_match(by=anna, game=toy)
    refused: list[str] = []

    def invite() -> None:
        try:
            invitations.invite(by=anna, match=match, username="ben")
        except opening.Refused as refusal:
            refused.append(refusal.code)

    at_once(*[invite] * 4)
    assert refused == ["invited_already"] * 3
    assert match.invitations.count() == 1


def submit(match, seat, seats=None):
    loaded = loading.load(match.id, match.game)
    return turns.submit(
        match=match,
        sender=sends(match, seat),
        command={"name": "draw"},
        expected_version=loaded.viewer_version(seat),
        command_id=uuid.uuid4(),
        seats=seats,
    )


@pytest.fixture
def vacant(toy, anna, ben):
    """A match with a free seat 1."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    substitutes.vacate(match=match, seat=1, actor=Actor("seat", 1))
    return match


def test_a_bot_that_sat_down_after_a_request_had_read_the_seats_is_asked_as_a_bot(vacant):
    seats = list(vacant.seats.all())
    substitutes.seat_bot(match=vacant, seat=1, actor=Actor("system"))
    submit(vacant, 0, seats)
    asked = Question.objects.get(match=vacant)
    assert (asked.seat, asked.bot) == (1, True)
    Question.objects.update(asked_at=timezone.now() - timedelta(minutes=1))
    assert bots.forgotten() == [(vacant.creator_id, vacant.id)]


def test_a_substitute_who_came_after_a_request_had_read_the_seats_hears_of_their_turn(vacant, player):
    cleo = player("cleo")
    seats = list(vacant.seats.all())
    substitutes.take_over(by=cleo, match=vacant, seat=1)
    submit(vacant, 0, seats)
    assert Outbox.objects.filter(user=cleo, kind="your_turn").count() == 1


def test_a_bot_plays_for_nobody_who_has_taken_its_seat(toy, anna, player, monkeypatch):
    """The organiser removes the bot and a player sits down while a worker plays the bot's turn."""
    cleo = player("cleo")
    match = opening.create_match(by=anna, game=toy, bots={1: "greedy"})
    submit(match, 0)
    real, done = turns.submit, []

    def slowly(**more):
        if not done:
            done.append(True)
            substitutes.vacate(match=match, seat=1, actor=Actor("host"))
            substitutes.take_over(by=cleo, match=match, seat=1)
            raise errors.Busy
        return real(**more)

    monkeypatch.setattr(turns, "submit", slowly)
    assert bots.play(match.id) == 1
    assert not [one for one in STORE.read(match.id) if one.meta["actor"]["kind"] == "bot"]


def test_an_undo_while_a_seat_changes_hands_asks_its_new_holder(toy, anna, ben, player, monkeypatch):
    cleo = player("cleo")
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, undo="consent"))
    submit(match, 0)
    substitutes.vacate(match=match, seat=1, actor=Actor("host"))
    real, done = loading.load, []

    def load(match_id, game, **more):
        if not done:
            done.append(True)
            substitutes.take_over(by=cleo, match=match, seat=1)
        return real(match_id, game, **more)

    version = real(match.id, match.game).viewer_version(0)
    monkeypatch.setattr(loading, "load", load)
    sender = sends(match, 0)
    outcome = undoing.undo(match=match, sender=sender, expected_version=version, command_id=uuid.uuid4())
    assert not outcome.done
    assert Outbox.objects.filter(user=cleo, kind__startswith="undo").exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda match, _other: substitutes.give_up(by=holder(match, 0), match=match, seat=0),
        lambda match, other: substitutes.take_over(by=other, match=match, seat=1),
        lambda match, _other: substitutes.seat_bot(match=match, seat=1, actor=Actor("system")),
        lambda match, _other: erasing.erase_from_matches(holder(match, 0)),
    ],
)
def test_nothing_is_recorded_after_the_end_that_comes_meanwhile(toy, anna, ben, player, monkeypatch, change):
    """Who changes a seat looks whether the match runs; it may end before their event is appended to it."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    substitutes.give_up(by=ben, match=match, seat=1)
    looked = substitutes._check_running

    def look_and_end(found):
        looked(found)
        monkeypatch.setattr(substitutes, "_check_running", looked)
        end = [turns.ended(match, "aborted")]
        service_events.append(match, lambda *_: end, actor=Actor("host"), channel="test")
        over.append(loading.load(match.id, toy).ended)

    over = []
    monkeypatch.setattr(substitutes, "_check_running", look_and_end)
    with contextlib.suppress(Refused):
        change(match, player("carol"))
    assert over == [True]
    assert "match.ended" not in [one.type for one in STORE.read(match.id)][:-1]
