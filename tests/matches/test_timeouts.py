"""Consequences of timeouts: the match's policy, excuses, free seats, substitutes, and pauses by agreement."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts import erasure
from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.matches import errors, tasks
from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import follows, invitations, opening, substitutes
from gamesvc.matches.models import Match, PauseWish, Question, Seat
from gamesvc.matches.notices import absence_notices
from gamesvc.matches.play import bots
from gamesvc.matches.proof import audit, verification
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.rows import projections
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import deadlines, pauses, timeout_sweep
from notifications.models import Outbox
from notifications.tasks import send_due
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.exports import export_of, node_verify, records_of
from tests.matches.playing import act, play_out
from tests.matches.playing import holder as player_of

pytestmark = pytest.mark.django_db(transaction=True)


def opened(by: User, other: User, **clock: Any) -> Match:
    match = opening.create_match(by=by, game="stratastar", clock={"hours": 24, **clock}, watch="all")
    opening.join_match(by=other, match=match)
    match.refresh_from_db()
    return match


def asked(match: Match) -> Question:
    return Question.objects.filter(match=match).order_by("due_at", "seat")[0]


def run_out(match: Match) -> Question:
    """Let the next question time out, and run the sweep."""
    question = asked(match)
    with time_machine.travel(question.due_at + timedelta(seconds=1), tick=False):
        timeout_sweep.availability.keep_alive()
        timeout_sweep.sweep()
    return question


def events(match: Match, kind: str) -> list[dict[str, Any]]:
    return [one.data for one in STORE.read(match.id) if one.type == kind]


def holder(match: Match, seat: int) -> Seat:
    return Seat.objects.get(match=match, index=seat)


def test_a_time_out_is_an_event_with_deadline_and_policy(anna: User, ben: User) -> None:
    match = opened(anna, ben)
    question = run_out(match)
    [told] = events(match, "match.timed_out")
    assert told["seat"] == question.seat
    assert told["question"] == question.question
    assert told["due_at"] == question.due_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    assert (told["policy"], told["excused"], told["in_row"]) == ("default", False, 1)
    assert Outbox.objects.filter(kind="timed_out", payload__what="default").count() == 1


def test_the_time_out_stands_in_the_append_of_what_the_clock_gave(anna: User, ben: User) -> None:
    match = opened(anna, ben)
    run_out(match)
    stored = STORE.read(match.id)
    at = next(index for index, one in enumerate(stored) if one.type == "match.timed_out")
    first = max(index for index, one in enumerate(stored[: at + 1]) if "command_id" in one.meta)
    assert stored[first].meta["actor"]["kind"] == "clock"
    assert "command" in stored[first].meta


def test_the_mail_about_a_time_out_tells_what_the_clock_gave(anna: User, ben: User) -> None:
    match = opened(anna, ben)
    question = run_out(match)
    row = Outbox.objects.get(kind="timed_out")
    told = absence_notices.word_timed_out(row)
    assert told is not None
    assert re.search(r"given for you: You placed your Homeworld at \w+\. The match goes on\.", " ".join(told.text.split()))
    Seat.objects.filter(match=match, index=question.seat).update(user=None)
    told = absence_notices.word_timed_out(row)
    assert told is not None
    assert "given for you." in told.text, "what a seat does is told to its holder alone"


def test_an_excused_time_out_gives_the_time_again_once(anna: User, ben: User) -> None:
    match = opened(anna, ben, excused=1)
    first = run_out(match)
    again = Question.objects.get(match=match, seat=first.seat, question=first.question)
    assert again.due_at == first.due_at + timedelta(hours=24)
    assert [one["excused"] for one in events(match, "match.timed_out")] == [True]
    run_out(match)
    assert [one["excused"] for one in events(match, "match.timed_out")] == [True, False]


def test_lose_resigns_the_seat(anna: User, ben: User) -> None:
    match = opened(anna, ben, timeout="lose")
    question = run_out(match)
    match.refresh_from_db()
    assert match.status == Match.Status.FINISHED
    assert match.outcome is not None
    assert match.outcome["ranking"][0] == [1 - question.seat]
    assert STORE.read(match.id)[-1].type == "match.ended"


def test_a_bot_takes_the_seat_and_plays_on(anna: User, ben: User) -> None:
    match = opened(anna, ben, timeout="bot")
    question = run_out(match)
    seat = holder(match, question.seat)
    assert (seat.user, bool(seat.bot)) == (None, True)
    assert [one["kind"] for one in events(match, "match.seated")] == ["bot"]
    assert str(seat.holder) == loading.load(match.id, match.game).holders[question.seat]
    bots.play(match.id)
    assert all(one.seat != question.seat for one in loading.load(match.id, match.game).awaited())
    lost = anna if question.seat == 0 else ben
    assert selectors.access_match(user=lost, ident=str(match.number)).seat is None


def test_so_many_in_a_row_vacate_the_seat_and_a_substitute_takes_it(anna: User, ben: User, player: Callable[..., User]) -> None:
    carol, dora = player("carol"), player("dora")
    follows.follow(by=carol, game="stratastar")
    follows.follow(by=dora, organiser="anna")
    match = opened(anna, ben, after=2)
    seats: list[int] = []
    while not events(match, "match.vacated"):
        seats.append(run_out(match).seat)
    gone = events(match, "match.vacated")[0]["seat"]
    assert seats.count(gone) == 2
    assert holder(match, gone).vacated_at is not None
    told = set(Outbox.objects.filter(kind="seat_free").values_list("user__username", flat=True))
    assert {"carol", "dora"} <= told
    assert [(one.match_id, one.index) for one in substitutes.free_seats()] == [(match.id, gone)]
    before = loading.load(match.id, match.game).contributions
    substitutes.take_over(by=carol, match=match)
    assert holder(match, gone).user == carol
    assert not substitutes.free_seats()
    assert loading.load(match.id, match.game).contributions == before
    with pytest.raises(Refused, match="none"):
        substitutes.take_over(by=dora, match=match)


def test_a_match_with_all_of_it_is_proved_by_both(
    toy: str, anna: User, ben: User, player: Callable[..., User], tmp_path: Any
) -> None:
    match = opening.create_match(by=anna, game=toy, clock={"hours": 24, "excused": 1, "after": 1}, watch="all")
    match = opening.join_match(by=ben, match=match)
    pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=True)
    pauses.wish(match=match, by=player_of(match, 1), seat=1, pause=True)
    pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=False)
    pauses.wish(match=match, by=player_of(match, 1), seat=1, pause=False)
    while not events(match, "match.vacated"):
        run_out(match)
    substitutes.take_over(by=player("carol"), match=match)
    play_out(match)
    content = export_of(match)
    types = {record["type"] for record in records_of(content)}
    assert {"match.paused", "match.resumed", "match.timed_out", "match.vacated", "match.seated"} <= types
    report = verification.verify(content)
    assert report.ok, report.as_json()
    [other] = node_verify(tmp_path, content)
    assert other["ok"], other


def test_an_act_of_the_holder_ends_the_row(anna: User, ben: User) -> None:
    match = opened(anna, ben, after=2)
    question = run_out(match)
    while not Question.objects.filter(match=match, seat=question.seat).exists():
        answer(match, asked(match))
    answer(match, Question.objects.get(match=match, seat=question.seat))
    while not Question.objects.filter(match=match, seat=question.seat).exists():
        answer(match, asked(match))
    rest = Question.objects.get(match=match, seat=question.seat)
    while asked(match).pk != rest.pk:
        answer(match, asked(match))
    run_out(match)
    assert [one["in_row"] for one in events(match, "match.timed_out") if one["seat"] == question.seat] == [1, 1]
    assert events(match, "match.vacated") == []


def answer(match: Match, question: Question) -> None:
    """Submit as the player what the clock would submit for them."""
    loaded = loading.load(match.id, match.game)
    moment = question.due_at - timedelta(minutes=1)
    with time_machine.travel(moment, tick=False):
        act(match, question.seat, loaded.game.default_command(loaded.timeline.state, question.seat))


def test_a_bot_plays_on_where_no_substitute_comes(anna: User, ben: User) -> None:
    match = opened(anna, ben)
    substitutes.vacate(match=match, seat=1, actor=Actor("seat", 1))
    assert substitutes.sweep() == 0
    later: datetime = timezone.now() + timedelta(days=4)
    with time_machine.travel(later, tick=False):
        assert substitutes.sweep() == 1
    assert holder(match, 1).bot
    assert [one["kind"] for one in events(match, "match.seated")] == ["bot"]


def test_a_seat_resigns_once_where_no_bot_can_take_it(
    anna: User, ben: User, player: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = catalog.game
    monkeypatch.setattr(catalog, "game", lambda game_id: replace(real(game_id), bots={}))
    match = opening.create_match(by=anna, game="stratastar", seats=3, clock={"hours": 24 * 30})
    cora = player("cora")
    for user in (ben, cora):
        match = opening.join_match(by=user, match=match)
    substitutes.vacate(match=match, seat=1, actor=Actor("seat", 1))
    with time_machine.travel(timezone.now() + timedelta(days=4), tick=False):
        assert [seat.index for seat in substitutes.free_seats()] == [1]
        assert substitutes.sweep() == 1
        match.refresh_from_db()
        assert match.status == Match.Status.RUNNING
        version = match.version
        assert substitutes.sweep() == 0, "it is not asked again"
        assert not substitutes.free_seats()
        with pytest.raises(Refused, match="Seats without a player: none"):
            substitutes.take_over(by=player("dora"), match=match)
    match.refresh_from_db()
    assert match.version == version
    assert audit.check_match(match.id) == []
    assert not projections.rebuild(match.id).found


def test_who_left_a_match_by_invitation_may_come_back_and_strangers_may_not(
    anna: User, ben: User, player: Callable[..., User]
) -> None:
    match = opening.create_match(by=anna, game="stratastar", entry="invited", watch="nobody")
    opening.join_match(by=ben, match=match, link=match.link_token)
    substitutes.vacate(match=match, seat=1, actor=Actor("seat", 1))
    carol = player("carol")
    with pytest.raises(errors.Unknown):
        selectors.access_match(user=carol, ident=str(match.number))
    with pytest.raises(Refused, match="invited"):
        substitutes.take_over(by=carol, match=match)
    assert selectors.access_match(user=ben, ident=str(match.number)).seat is None
    assert not substitutes.free_seats()
    substitutes.take_over(by=ben, match=match)
    assert holder(match, 1).user == ben


def test_who_was_invited_and_took_no_seat_watches_no_private_match(
    anna: User, ben: User, player: Callable[..., User], program: Any
) -> None:
    """Else any player could let others look on where nobody may."""
    match, carol = opening.create_match(by=anna, game="stratastar", entry="invited", watch="nobody"), player("carol")
    invitations.invite(by=anna, match=match, username="carol")

    def found() -> int:
        status: int = program(carol).get(f"/matches/{match.number}/view/").status_code
        return status if status == 404 else program(carol).get(f"/matches/{match.number}/").status_code

    assert program(carol).get(f"/matches/{match.number}/").status_code == 200
    opening.join_match(by=ben, match=match, link=match.link_token)
    assert found() == 404
    substitutes.give_up(by=ben, match=match, seat=1)
    assert found() == 200, "she may take the seat"
    substitutes.take_over(by=ben, match=match)
    act(match, asked(match).seat, {"name": "resign"})
    assert found() == 404


def test_a_pause_needs_every_player_and_so_does_going_on(anna: User, ben: User) -> None:
    match = opened(anna, ben)
    due = asked(match).due_at
    assert pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=True) is False
    assert Outbox.objects.filter(kind="pause", user=ben, payload__what="asked").count() == 1
    assert pauses.wish(match=match, by=player_of(match, 1), seat=1, pause=True) is True
    match.refresh_from_db()
    assert match.paused_at is not None
    assert not PauseWish.objects.filter(match=match).exists()
    with time_machine.travel(due + timedelta(days=3), tick=False):
        timeout_sweep.availability.keep_alive()
        assert timeout_sweep.sweep() == 0
        with pytest.raises(Refused, match="paused since"):
            pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=True)
        pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=False)
        assert pauses.wish(match=match, by=player_of(match, 1), seat=1, pause=False) is True
        assert asked(match).due_at > timezone.now() + timedelta(hours=23)


def test_a_vote_for_a_pause_can_be_withdrawn(anna: User, ben: User) -> None:
    match = opened(anna, ben)
    pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=True)
    pauses.withdraw(match=match, by=player_of(match, 0), seat=0)
    assert pauses.wishes(match) == []
    with pytest.raises(Refused):
        pauses.withdraw(match=match, by=player_of(match, 0), seat=0)


def test_a_request_for_a_pause_lapses_and_one_to_go_on_does_not(anna: User, ben: User, program: Any) -> None:
    """Else Ben would keep the request of a match's first week for the minute in which he loses on time."""
    match = opened(anna, ben)

    def votes(user: User, *, pause: bool) -> dict[str, Any]:
        answer = program(user).post(f"/matches/{match.number}/pause/", {"pause": pause})
        assert answer.status_code == 200, answer.content
        told: dict[str, Any] = answer.json()
        return told

    votes(anna, pause=True)
    with time_machine.travel(timezone.now() + timedelta(days=7), tick=False):
        told = votes(ben, pause=True)
        assert (told["paused_since"], told["agreed"]) == (None, [1]), "now he asks"
        assert Outbox.objects.filter(kind="pause", user=anna, payload__what="asked").count() == 1
    with time_machine.travel(timezone.now() + timedelta(days=13), tick=False):
        assert pauses.sweep() == 0
        assert votes(anna, pause=True)["paused_since"] is not None
        votes(anna, pause=False)
    with time_machine.travel(timezone.now() + timedelta(days=30), tick=False):
        assert pauses.sweep() == 0
        assert votes(ben, pause=False)["paused_since"] is None
        votes(anna, pause=True)
    with time_machine.travel(timezone.now() + timedelta(days=37), tick=False):
        pauses.sweep()
        assert pauses.wishes(match) == []


def test_notices_that_wait_for_a_seat_show_nothing_to_a_player_who_left_it(
    anna: User,
    ben: User,
    player: Callable[..., User],
    mailing: Any,  # noqa: F811
) -> None:
    carol = player("carol")
    verify(anna, ben, carol)
    match = opened(anna, ben)
    gone = asked(match).seat
    left = holder(match, gone).user
    # Two notices have not been sent yet: the start of the match, and the player's turn.
    assert Outbox.objects.filter(user=left, status="queued", kind__in=["match_started", "your_turn"]).count() == 2
    substitutes.vacate(match=match, seat=gone, actor=Actor("seat", gone))
    substitutes.take_over(by=carol, match=match)
    send_due()
    kinds = Outbox.objects.filter(status="sent").values_list("user__username", "kind")
    assert {kind for name, kind in kinds if name == left.username} <= {"seat_taken", "seat_free"}
    assert ("carol", "your_turn") in kinds


def test_a_word_for_a_pause_is_no_word_to_go_on_later(anna: User, ben: User) -> None:
    match = opened(anna, ben)
    pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=True)
    deadlines.pause(match=match, mandate=deadlines.Mandate(Actor("host")))
    assert pauses.wishes(match) == []
    match.refresh_from_db()
    assert pauses.pause_of(match).by == "host"
    with pytest.raises(Refused, match="organiser") as refused:
        pauses.wish(match=match, by=player_of(match, 1), seat=1, pause=False)
    assert refused.value.code == "paused_by_host"
    deadlines.resume(match=match, mandate=deadlines.Mandate(Actor("host")))
    match.refresh_from_db()
    assert pauses.pause_of(match) is None
    for seat in (0, 1):
        pauses.wish(match=match, by=player_of(match, seat), seat=seat, pause=True)
    match.refresh_from_db()
    assert pauses.pause_of(match).by == "seats"
    pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=False)
    deadlines.resume(match=match, mandate=deadlines.Mandate(Actor("host")))
    assert pauses.wish(match=match, by=player_of(match, 1), seat=1, pause=True) is False, (
        "what was said for going on is said for no new pause"
    )


def test_everybody_sees_who_paused(anna: User, ben: User, program: Callable[[User], Any]) -> None:
    match = opened(anna, ben)
    deadlines.pause(match=match, mandate=deadlines.Mandate(Actor("host")))
    assert program(anna).get(f"/matches/{match.number}/").json()["paused_by"] == "host"
    assert program(ben).get(f"/matches/{match.number}/pause/").json()["paused_by"] == "host"
    page = Client()
    page.force_login(ben)
    shown = page.get(f"/matches/{match.number}/").content.decode()
    assert "by its organiser, who alone can resume it" in shown
    assert "Resume the match" not in shown
    deadlines.resume(match=match, mandate=deadlines.Mandate(Actor("host")))
    assert program(anna).get(f"/matches/{match.number}/").json()["paused_by"] is None


def test_who_leaves_holds_no_agreement_up(anna: User, ben: User) -> None:
    match = opened(anna, ben)
    pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=True)
    substitutes.vacate(match=match, seat=1, actor=Actor("seat", 1))
    match.refresh_from_db()
    assert match.paused_at is not None
    assert pauses.wishes(match) == []
    assert Outbox.objects.filter(kind="pause", user=anna, payload__what="paused").exists()


def test_a_substitute_ends_a_pause_they_never_agreed_to(
    anna: User, ben: User, player: Callable[..., User], program: Callable[[User], Any]
) -> None:
    match, carol = opened(anna, ben), player("carol")
    substitutes.give_up(by=player_of(match, 1), match=match, seat=1)
    assert pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=True)
    substitutes.take_over(by=carol, match=match, seat=1)
    assert program(carol).get(f"/matches/{match.number}/pause/").json()["one_resumes"] is True
    page = Client()
    page.force_login(carol)
    assert "A player who has joined since can resume it alone." in page.get(f"/matches/{match.number}/").content.decode()
    told = program(carol).post(f"/matches/{match.number}/pause/", {"pause": False})
    assert told.status_code == 200, told.content
    assert (told.json()["paused_since"], told.json()["one_resumes"]) == (None, False)
    assert [one["by"] for one in events(match, "match.resumed")] == ["seats"]
    for seat in (0, 1):
        pauses.wish(match=match, by=player_of(match, seat), seat=seat, pause=True)
    assert pauses.wish(match=match, by=carol, seat=1, pause=False) is False, "both agreed to this pause"


def test_only_a_player_who_never_agreed_to_a_pause_ends_it_alone(anna: User, ben: User, player: Callable[..., User]) -> None:
    match, carol = opened(anna, ben), player("carol")

    def pause_and_hand_over(leaver: User, successor: User) -> bool:
        for seat in (0, 1):
            pauses.wish(match=match, by=player_of(match, seat), seat=seat, pause=True)
        substitutes.give_up(by=leaver, match=match, seat=1)
        substitutes.take_over(by=successor, match=match, seat=1)
        match.refresh_from_db()
        return pauses.may_resume_alone(match, match.seats.all(), pauses.pause_of(match)) == {1}

    first = player_of(match, 1)
    assert pause_and_hand_over(first, first) is False, "they are back and have agreed"
    assert pauses.wish(match=match, by=first, seat=1, pause=False) is False
    assert pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=False) is True
    assert pause_and_hand_over(first, carol) is True
    assert pauses.wish(match=match, by=carol, seat=1, pause=False) is True
    assert pause_and_hand_over(carol, first) is True, "they have been here before, but not when it began"


def test_a_pause_that_has_lasted_long_is_ended_by_each_player_alone(
    anna: User, ben: User, program: Callable[[User], Any]
) -> None:
    """Else a player who loses would agree on a pause, and never again on going on."""
    match, page = opened(anna, ben), Client()
    page.force_login(anna)

    def told() -> tuple[bool, bool]:
        shown = page.get(f"/matches/{match.number}/").content.decode()
        assert "A player who has joined since" not in shown
        return program(anna).get(f"/matches/{match.number}/pause/").json()["one_resumes"], "on each player can resume it" in shown

    def paused_for(days: int) -> None:
        for seat in (0, 1):
            pauses.wish(match=match, by=player_of(match, seat), seat=seat, pause=True)
        mailed = Outbox.objects.filter(kind="pause", payload__what="paused").latest("created_at")
        assert "After 30 days each player can end the pause alone." in absence_notices.word_pause(mailed).text
        Match.objects.update(paused_at=timezone.now() - timedelta(days=days))

    paused_for(29)
    assert told() == (False, True)
    assert pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=False) is False
    assert pauses.sweep() == 0
    Match.objects.update(paused_at=timezone.now() - timedelta(days=30))
    assert told() == (True, True)
    assert pauses.sweep() == 1, "the vote from before counts now"
    paused_for(30)
    assert pauses.wish(match=match, by=player_of(match, 1), seat=1, pause=False) is True
    assert [one["by"] for one in events(match, "match.resumed")] == ["seats", "seats"]


def test_a_long_pause_by_the_organiser_stays_theirs_to_end(anna: User, ben: User) -> None:
    match = opened(anna, ben)
    deadlines.pause(match=match, mandate=deadlines.Mandate(Actor("host")))
    Match.objects.update(paused_at=timezone.now() - timedelta(days=300))
    with pytest.raises(Refused, match="organiser"):
        pauses.wish(match=match, by=player_of(match, 1), seat=1, pause=False)


@pytest.mark.parametrize("gone", ["suspended", "erased", "seated", "no operator"])
def test_a_pause_by_an_organiser_who_is_gone_is_ended_by_each_player(
    anna: User, ben: User, player: Callable[..., User], program: Callable[..., Any], gone: str
) -> None:
    """Nobody else could end it: the match would stand still for ever."""
    dora = player("dora")
    organiser = player("olga", is_staff=True) if gone == "no operator" else dora
    match = opening.create_match(by=dora, game="stratastar", seats=3, take_seat=False, watch="all")
    for user in (anna, ben, player("cleo")):
        opening.join_match(by=user, match=match)
    told = {"action": "pause", "code": "other", "reason": "A short break."}
    powers = ("organise", "operate") if organiser.is_staff else ("organise",)
    assert program(organiser, *powers).post(f"/matches/{match.number}/organise/", told).status_code == 200
    page = Client()
    page.force_login(anna)

    def resume() -> Any:
        return program(anna).post(f"/matches/{match.number}/pause/", {"pause": False})

    assert resume().json()["code"] == "paused_by_host"
    assert "Resume the match" not in page.get(f"/matches/{match.number}/").content.decode()
    if gone == "erased":
        erasure.erase(dora)
    elif gone == "suspended":
        User.objects.filter(pk=dora.pk).update(is_active=False)
    elif gone == "seated":
        substitutes.give_up(by=player_of(match, 2), match=match, seat=2)
        substitutes.take_over(by=dora, match=match, seat=2)
    else:
        User.objects.filter(pk=organiser.pk).update(is_staff=False)
    shown = page.get(f"/matches/{match.number}/").content.decode()
    assert "an organiser who no longer manages it. Each player can resume it alone." in shown
    assert "Resume the match" in shown
    asked = program(ben).get(f"/matches/{match.number}/pause/").json()
    assert (asked["paused_by"], asked["one_resumes"]) == ("host", True)
    done = resume()
    assert (done.status_code, done.json()["paused_since"]) == (200, None), done.content
    assert [one["by"] for one in events(match, "match.resumed")] == ["seats"]


def test_players_who_agreed_to_a_pause_do_not_end_it_alone_when_another_is_replaced(
    anna: User, ben: User, player: Callable[..., User]
) -> None:
    match, dora = opening.create_match(by=anna, game="stratastar", seats=3), player("dora")
    for user in (ben, player("carol")):
        opening.join_match(by=user, match=match)
    for seat in range(3):
        pauses.wish(match=match, by=player_of(match, seat), seat=seat, pause=True)
    assert pauses.wish(match=match, by=player_of(match, 0), seat=0, pause=False) is False
    substitutes.give_up(by=player_of(match, 2), match=match, seat=2)
    substitutes.take_over(by=dora, match=match, seat=2)
    match.refresh_from_db()
    assert match.paused_at is not None, "the new player has not voted"
    assert pauses.wish(match=match, by=dora, seat=2, pause=False) is True


def test_a_player_removed_by_the_clock_holds_no_agreement_up(anna: User, ben: User) -> None:
    match = opened(anna, ben, after=1)
    gone = asked(match).seat
    pauses.wish(match=match, by=player_of(match, 1 - gone), seat=1 - gone, pause=True)
    run_out(match)
    assert holder(match, gone).vacated_at is not None
    assert tasks.sweep_substitutes() == 1
    match.refresh_from_db()
    assert match.paused_at is not None
    assert [one["by"] for one in events(match, "match.paused")] == ["seats"]
    assert tasks.sweep_substitutes() == 0
    assert len(events(match, "match.paused")) == 1
