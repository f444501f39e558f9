"""Conditional orders: played by a worker right after their condition is met, private, dropped when they do not fit."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from time import sleep
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from events.store import DuplicateCommand
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import daily_limits
from gamesvc.matches.access.selectors import records_for
from gamesvc.matches.clock.account import Step
from gamesvc.matches.clock.fold import follow
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Match, Premove, Question, Seat
from gamesvc.matches.notices import standing_notices, wording
from gamesvc.matches.organising import rewinds
from gamesvc.matches.play import branches, conditional_orders, standing_orders, turns
from gamesvc.matches.proof import verification
from gamesvc.matches.record import conditions, loading
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.rows.reckoning import Reckoning
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.story import sentences
from gamesvc.matches.timekeeping import timeout_sweep
from gamesvc.matches.undo import undoing
from notifications.models import Outbox
from notifications.parsing.limits import cpu_limit
from tests.conftest import Program
from tests.games.toy import GAME as TOY
from tests.matches import playing
from tests.matches.exports import export_of, node_verify
from tests.matches.playing import DRAW, holder, play_out, sends
from tests.matches.test_clock_policy import ran_out

pytestmark = pytest.mark.django_db(transaction=True)

HE_DRAWS = {"event": {"type": "drew", "data": {"seat": 0}}}


@pytest.fixture
def match(toy: str, anna: User, ben: User) -> Match:
    made = opening.create_match(by=anna, game=toy, watch="all")
    return opening.join_match(by=ben, match=made)


def act(match: Match, seat: int, command: Mapping[str, Any] = DRAW) -> turns.Receipt:
    """Submit a command, then run the worker that its hint wakes."""
    receipt = playing.act(match, seat, command)
    conditional_orders.play(match.id)
    return receipt


def lay(match: Match, seat: int, condition: dict[str, Any], *commands: dict[str, Any]) -> Premove:
    row = Seat.objects.get(match=match, index=seat)
    return standing_orders.lay_by(match=match, seat=row.index, user=row.user, condition=condition, commands=commands)


def acts(match: Match) -> list[tuple[str, int | None, str]]:
    """Return the commands after the start: channel, seat and name."""
    stored = [one for one in STORE.read(match.id) if "command" in one.meta]
    return [(one.meta["command"]["name"], one.meta["actor"].get("seat"), one.meta["channel"]) for one in stored]


def rewind(match: Match, operator: User, to: int) -> None:
    rewinds.rewind(
        by=operator,
        match=match,
        to=to,
        code="dispute",
        reason="Said by phone",
        expected_version=loading.load(match.id, match.game).viewer_version(None),
        command_id=uuid.uuid4(),
        received_at=timezone.now(),
    )


def test_it_is_given_with_what_brings_its_case(match: Match) -> None:
    lay(match, 1, HE_DRAWS, {"name": "draw"})
    act(match, 0)
    assert acts(match) == [("draw", 0, "api"), ("draw", 1, "standing")]
    stored = STORE.read(match.id)
    triggering = next(one for one in stored if one.meta.get("command"))
    answer = next(one for one in stored if one.meta.get("channel") == "standing")
    assert answer.version > triggering.version
    assert loading.load(match.id, match.game).awaited()[0].seat == 0
    assert Premove.objects.get(match=match).status == Premove.Status.DONE


def test_orders_are_laid_by_and_cancelled_without_end_but_not_kept(match: Match) -> None:
    for _ in range(standing_orders.MOST + 5):
        standing_orders.cancel(match=match, seat=1, number=lay(match, 1, HE_DRAWS, DRAW).number, user=holder(match, 1))
    assert Premove.objects.count() == standing_orders.MOST + 1, "the last one, and those before it that were listed then"
    Premove.objects.filter(number=standing_orders.MOST + 5).update(number=standing_orders.MOST_EVER)
    with pytest.raises(Refused) as refused:
        lay(match, 1, HE_DRAWS, DRAW)
    assert refused.value.code == "too_many"


def test_an_undo_brings_back_the_last_orders_alone(
    match: Match, player: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each act is tried with all orders that wait, so an undo of very much does not bring back all that there ever were."""
    monkeypatch.setattr(branches, "MOST_ENDED", 1)
    begun = loading.load(match.id, match.game).version
    for _ in range(2):
        lay(match, 1, HE_DRAWS, DRAW)
        act(match, 0)
    lay(match, 1, HE_DRAWS, DRAW)
    rewind(match, player("operator", is_staff=True), begun)
    waiting = Premove.objects.filter(status=Premove.Status.WAITING).order_by("number")
    assert list(waiting.values_list("number", flat=True)) == [2, 3]


def test_an_act_is_tried_with_many_orders_as_with_few(anna: User, ben: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep tries the orders of all matches in turns: the many of one would delay those of all others."""
    views: list[object] = []
    counted = replace(TOY, view=lambda state, viewer: views.append(viewer) or TOY.view(state, viewer))
    monkeypatch.setattr(catalog, "game", lambda game_id: counted)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy"))
    costs = []
    for number in (2, standing_orders.MOST - 2):
        for _ in range(number):
            lay(match, 1, {"view": [{"path": "turn", "op": "=", "value": 99}]}, DRAW)
        playing.act(match, len(costs))
        views.clear()
        with CaptureQueriesContext(connection) as asked:
            conditional_orders.play(match.id)
        costs.append((len(views), len(asked)))
    assert costs[0] == costs[1]


def test_too_many_orders_in_a_line_are_counted_before_they_are_read(match: Match) -> None:
    asked = standing_orders.parse_text(match, 1, "if  card   then draw ; draw")
    assert [command["name"] for command in asked.commands] == ["draw", "draw"]
    with pytest.raises(Refused, match="one to 5 commands"):
        standing_orders.parse_text(match, 1, "if card then " + "nonsense;" * 6)


def test_it_waits_until_its_seat_is_asked_and_may_have_several_commands(match: Match) -> None:
    # The condition is met by the seat's own draw, the commands follow in its next two turns.
    lay(match, 1, {"event": {"type": "drew", "data": {"seat": 1}}}, {"name": "draw"}, {"name": "draw"})
    act(match, 0)
    act(match, 1)
    assert Premove.objects.get(match=match).status == Premove.Status.ARMED
    act(match, 0)
    assert acts(match)[-1] == ("draw", 1, "standing")
    assert Premove.objects.get(match=match).given == 1


def test_what_does_not_fit_is_dropped_and_its_owner_told(match: Match) -> None:
    lay(match, 1, HE_DRAWS, {"name": "counter", "item": 99}, {"name": "draw"})
    act(match, 0)
    assert acts(match) == [("draw", 0, "api")]
    row = Premove.objects.get(match=match)
    assert (row.status, row.given) == (Premove.Status.DROPPED, 0)
    assert "not open to you" in row.why
    notice = Outbox.objects.get(kind="standing_dropped")
    message = standing_notices.word_dropped(notice)
    assert message is not None
    assert "could not be played" in message.subject
    assert "if drew seat=0 then" in message.text


def test_a_condition_sees_only_what_its_seat_sees(match: Match) -> None:
    """The drawn card is hidden from seat 1: no condition on it is ever met, whatever the card is."""
    for card in (1, 2):
        lay(match, 1, {"event": {"type": "drew", "data": {"seat": 0, "card": card}}}, {"name": "draw"})
        lay(match, 1, {"view": [{"path": "hands.0.0", "op": "=", "value": card}]}, {"name": "draw"})
    act(match, 0)
    assert acts(match) == [("draw", 0, "api")]
    assert set(Premove.objects.values_list("status", flat=True)) == {Premove.Status.WAITING}


@pytest.mark.parametrize(
    ("op", "value", "given"),
    [("=", 1, True), ("=", 2, False), (">=", 1, True), ("<", 1, False), ("!=", 0, True), (">", "x", False)],
)
def test_comparisons_on_the_view(match: Match, op: str, value: Any, given: bool) -> None:
    lay(match, 1, {"view": [{"path": "turn", "op": op, "value": value}], **HE_DRAWS}, {"name": "draw"})
    act(match, 0)
    assert (acts(match)[-1] == ("draw", 1, "standing")) is given


def test_orders_that_trigger_each_other_stop(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditional_orders, "MOST_AUTOMATIC", 2)
    for seat in (0, 1):
        for _ in range(2):
            lay(match, seat, {"event": {"type": "drew", "data": {"seat": 1 - seat}}}, {"name": "draw"})
    act(match, 0)
    assert [how for *_, how in acts(match)] == ["api", "standing", "standing"]


def test_who_takes_a_seat_over_inherits_no_orders(match: Match, ben: User, player: Callable[..., User]) -> None:
    lay(match, 1, HE_DRAWS, {"name": "draw"})
    substitutes.vacate(match=match, seat=1, actor=Actor("seat", 1))
    substitutes.take_over(by=player("cleo"), match=match)
    assert standing_orders.laid_by(match, 1) == []
    act(match, 0)
    assert acts(match) == [("draw", 0, "api")]


def test_what_had_its_case_waits_for_it_again_after_an_undo(match: Match, anna: User) -> None:
    both = {"event": HE_DRAWS["event"], "view": [{"path": "turn", "op": ">=", "value": 0}]}
    row = lay(match, 0, both, {"name": "draw"})
    before = loading.load(match.id, match.game)
    act(match, 0)
    row.refresh_from_db()
    assert row.status == "armed", "the other is asked now"
    sender = sends(match, 0)
    taken = undoing.undo(
        match=match,
        sender=sender,
        expected_version=loading.load(match.id, match.game).viewer_version(0),
        command_id=uuid.uuid4(),
    )
    assert taken.version > before.version
    if not taken.done:
        answer = sends(match, 1)
        undoing.answer(match=match, sender=answer, accept=True, command_id=uuid.uuid4())
    row.refresh_from_db()
    assert (row.status, row.armed_version) == ("waiting", None)


def test_what_was_half_given_is_given_anew_after_the_match_was_rewound(match: Match, player: Callable[..., User]) -> None:
    operator = player("operator", is_staff=True)
    row = lay(match, 1, HE_DRAWS, {"name": "draw"}, {"name": "draw"})
    before = loading.load(match.id, match.game).viewer_version(None)
    act(match, 0)
    row.refresh_from_db()
    assert (row.status, row.given) == ("armed", 1)
    rewind(match, operator, before)
    row.refresh_from_db()
    assert (row.status, row.given) == ("waiting", 0)
    act(match, 0)
    assert acts(match) == [("draw", 0, "api"), ("draw", 1, "standing")] * 2
    row.refresh_from_db()
    assert (row.status, row.given) == ("armed", 1)


def test_what_was_given_is_not_given_again_where_the_match_goes_back_to_it(match: Match, player: Callable[..., User]) -> None:
    """Given on two ways, of which the match leaves the second one for the first."""
    operator = player("operator", is_staff=True)
    row = lay(match, 1, HE_DRAWS, DRAW)
    begun = loading.load(match.id, match.game).viewer_version(None)
    act(match, 0)
    given = loading.load(match.id, match.game).viewer_version(None)
    rewind(match, operator, begun)
    act(match, 0)
    rewind(match, operator, given)
    row.refresh_from_db()
    assert (row.status, row.given) == ("done", 1)


def test_what_was_given_on_several_ways_is_given_again_on_none(match: Match, player: Callable[..., User]) -> None:
    """Given on three ways, of which the match goes back to the first one, and from there to the second one."""
    operator = player("operator", is_staff=True)
    row = lay(match, 1, HE_DRAWS, DRAW)
    begun, given = loading.load(match.id, match.game).viewer_version(None), []
    for _way in range(3):
        act(match, 0)
        given.append(loading.load(match.id, match.game).viewer_version(None))
        act(match, 0)
        rewind(match, operator, begun)
    for version in given[:2]:
        rewind(match, operator, version)
        row.refresh_from_db()
        assert (row.status, row.given) == ("done", 1)
        act(match, 0)
        assert acts(match)[-1] == ("draw", 0, "api")


def test_what_an_earlier_version_has_noted_of_a_way_counts(match: Match, player: Callable[..., User]) -> None:
    """It noted the last way alone, and not in a list."""
    operator = player("operator", is_staff=True)
    row = lay(match, 1, HE_DRAWS, DRAW)
    begun = loading.load(match.id, match.game).viewer_version(None)
    act(match, 0)
    given = loading.load(match.id, match.game).viewer_version(None)
    act(match, 0)
    rewind(match, operator, begun)
    row.refresh_from_db()
    assert row.before is not None
    Premove.objects.filter(pk=row.pk).update(before=row.before["ways"][0])
    rewind(match, operator, given)
    row.refresh_from_db()
    assert (row.status, row.given) == ("done", 1)


def test_what_was_given_waits_on_a_way_on_which_it_was_not(match: Match, player: Callable[..., User]) -> None:
    """The match goes back to the way with it, and from there to the one without."""
    operator = player("operator", is_staff=True)
    row = lay(match, 1, HE_DRAWS, DRAW)
    begun = loading.load(match.id, match.game).viewer_version(None)
    act(match, 0)
    given = loading.load(match.id, match.game).viewer_version(None)
    act(match, 0)
    rewind(match, operator, begun)
    act(match, 0, {"name": "play", "card": loading.load(match.id, match.game).timeline.state.hands[0][0]})
    without = loading.load(match.id, match.game).viewer_version(None)
    act(match, 1)
    rewind(match, operator, given)
    rewind(match, operator, without)
    row.refresh_from_db()
    assert (row.status, row.given) == ("waiting", 0)


@pytest.mark.parametrize("stands", [0, 1])
def test_what_was_given_waits_again_where_its_case_stands_and_the_match_was_rewound_behind_that(
    match: Match, player: Callable[..., User], stands: int
) -> None:
    operator = player("operator", is_staff=True)
    row = lay(match, 1, HE_DRAWS, {"name": "draw"}, {"name": "draw"}, {"name": "draw"})
    act(match, 0)
    act(match, 0)
    row.refresh_from_db()
    assert (row.status, row.given) == ("armed", 2)
    given = [one.version for one in STORE.read(match.id) if one.meta.get("channel") == "standing"]
    rewind(match, operator, given[stands] - 1)
    row.refresh_from_db()
    assert (row.status, row.given, row.armed_version, row.given_version) == ("waiting", 0, None, None)
    act(match, 1)
    assert [one for one in acts(match) if one[2] == "standing"] == [("draw", 1, "standing")] * 2, "the case did not come again"


def test_what_was_given_before_the_match_went_back_stands(match: Match, player: Callable[..., User]) -> None:
    operator = player("operator", is_staff=True)
    row = lay(match, 1, HE_DRAWS, {"name": "draw"})
    act(match, 0)
    after = loading.load(match.id, match.game).viewer_version(None)
    act(match, 0)
    rewind(match, operator, after)
    row.refresh_from_db()
    assert (row.status, row.given) == ("done", 1)


@pytest.mark.parametrize("fault", [RuntimeError("broken"), DatabaseError("broken"), DuplicateCommand(1, 1)], ids=repr)
def test_a_fault_in_one_takes_nothing_of_others_with_it(match: Match, monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    lay(match, 1, HE_DRAWS, {"name": "draw"})
    real = turns.give

    def breaks(*args: Any, **more: Any) -> Any:
        real(*args, **more)
        raise fault

    monkeypatch.setattr(turns, "give", breaks)
    receipt = act(match, 0)
    assert receipt.events
    assert acts(match) == [("draw", 0, "api")]
    row = Premove.objects.get(match=match)
    assert (row.status, row.given, row.why) == (Premove.Status.DROPPED, 0, conditions.FAULT)
    assert Outbox.objects.filter(kind="standing_dropped").count() == 1
    assert act(match, 1).events


def test_an_order_is_kept_while_its_worker_stands_still(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that sleeps: the database ends the transaction meanwhile."""
    lay(match, 1, HE_DRAWS, DRAW)
    playing.act(match, 0, DRAW)
    give = turns.give

    def sleeping(**given: Any) -> Any:
        done = give(**given)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '10ms'")
        sleep(0.2)
        return done

    with monkeypatch.context() as patched:
        patched.setattr(turns, "give", sleeping)
        with pytest.raises(DatabaseError):
            conditional_orders.play(match.id)
    connection.close()
    assert Premove.objects.get(match=match).status in conditions.OPEN
    conditional_orders.play(match.id)
    assert acts(match) == [("draw", 0, "api"), ("draw", 1, "standing")]


def test_an_order_is_kept_between_the_halves_of_an_update(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(match, 1, HE_DRAWS, DRAW)
    playing.act(match, 0, DRAW)

    def older(**_given: Any) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SELECT column_of_another_version FROM matches_match")

    with monkeypatch.context() as patched:
        patched.setattr(turns, "give", older)
        with pytest.raises(DatabaseError):
            conditional_orders.play(match.id)
    assert Premove.objects.get(match=match).status in conditions.OPEN
    conditional_orders.play(match.id)
    assert acts(match) == [("draw", 0, "api"), ("draw", 1, "standing")]


def test_a_condition_that_cannot_be_read_takes_nothing_of_others_with_it(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, whole = lay(match, 1, HE_DRAWS, {"name": "draw"}), lay(match, 1, HE_DRAWS, {"name": "draw"})
    Premove.objects.filter(pk=broken.pk).update(condition={"event": {}})
    act(match, 0)
    assert acts(match) == [("draw", 0, "api"), ("draw", 1, "standing")]
    assert Premove.objects.get(pk=broken.pk).status == Premove.Status.DROPPED
    assert Premove.objects.get(pk=whole.pk).status == Premove.Status.DONE


class Death(BaseException):
    """The death of a worker."""


@pytest.mark.parametrize("where", ["_advance", "_keep", "_look"])
def test_a_worker_that_dies_gives_nothing_twice_and_the_sweep_goes_on(
    match: Match, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    lay(match, 1, HE_DRAWS, {"name": "draw"}, {"name": "draw"})

    def dies(*args: Any) -> None:
        raise Death

    with monkeypatch.context() as patched:
        patched.setattr(conditional_orders, where, dies)
        with pytest.raises(Death):
            act(match, 0)
    assert acts(match).count(("draw", 1, "standing")) == (1 if where == "_keep" else 0)
    for _ in range(2):
        conditional_orders.sweep()
        assert acts(match) == [("draw", 0, "api"), ("draw", 1, "standing")]
    row = Premove.objects.get(match=match)
    assert (row.status, row.given) == (Premove.Status.ARMED, 1)


def test_a_match_with_automatic_acts_is_proved_by_both(match: Match, tmp_path: Any) -> None:
    lay(match, 1, HE_DRAWS, {"name": "draw"})
    act(match, 0)
    play_out(match)
    content = export_of(match)
    report = verification.verify(content)
    assert report.ok, report.as_json()
    assert {check.name: check.status for check in report.checks}["decisions"] == "proved"
    [other] = node_verify(tmp_path, content)
    assert other["ok"], other


@pytest.mark.parametrize(
    ("condition", "commands", "code"),
    [
        ({}, [{"name": "draw"}], "bad_condition"),
        ({"event": {}}, [{"name": "draw"}], "bad_condition"),
        ({"event": {"type": "drew", "data": {"seat": 1.5}}}, [{"name": "draw"}], "bad_condition"),
        ({"event": {"type": "drawn"}}, [{"name": "draw"}], "bad_condition"),
        ({"view": [{"path": "turn", "op": "~", "value": 1}]}, [{"name": "draw"}], "bad_condition"),
        (HE_DRAWS, [], "bad_commands"),
        (HE_DRAWS, ["draw"], "bad_commands"),
        (HE_DRAWS, [{"name": "draw"}] * 6, "bad_commands"),
        (HE_DRAWS, [{"name": "dance"}], "unknown_command"),
        (HE_DRAWS, [{"name": "play"}], "bad_parameter"),
    ],
)
def test_what_cannot_be_read_is_refused(match: Match, condition: Any, commands: Any, code: str) -> None:
    with pytest.raises(Refused) as refused:
        lay(match, 1, condition, *commands)
    assert refused.value.code == code
    assert not Premove.objects.exists()


def test_as_text(match: Match) -> None:
    asked = standing_orders.parse_text(match, 1, "if drew seat=0 and turn >= 1 then draw; draw")
    assert asked.condition == {
        "event": {"type": "drew", "data": {"seat": 0}},
        "view": [{"path": "turn", "op": ">=", "value": 1}],
    }
    assert [one["name"] for one in asked.commands] == ["draw", "draw"]
    assert standing_orders.parse_text(match, 1, "").what == "list"
    assert standing_orders.parse_text(match, 1, "cancel 3") == standing_orders.Asked("cancel", 3)
    for text in ("if drew", "when he draws then draw", "if seat=0 drew twice then draw"):
        with pytest.raises(Refused):
            standing_orders.parse_text(match, 1, text)


@pytest.mark.parametrize("length", [900, 20_000])
def test_blanks_cost_no_time(match: Match, length: int) -> None:
    """Without this limit a line of a mail, or a field of a form, kept its process busy for hours."""
    for text in ("if" + " " * length + "x", "if a" + " " * length + "then" + "\t" * length, "if a" + " and" * (length // 4)):
        with cpu_limit(), pytest.raises(Refused) as refused:
            standing_orders.parse_text(match, 0, text)
        assert refused.value.code == ("unreadable" if len(text) <= standing_orders.LONGEST_TEXT else "too_long")


def test_recent_events_are_worded_as_conditions_of_the_seat_that_saw_them(match: Match) -> None:
    act(match, 0)
    card = next(one.data["card"] for one in STORE.read(match.id) if one.type == "toy.drew")
    loaded = loading.load(match.id, match.game)
    told = [standing_orders.lately(loaded, seat) for seat in (0, 1)]
    own, others = (next(line for line in lines if line.startswith("drew")) for lines in told)
    assert f"card={card}" in own
    assert others.startswith("drew seat=0")
    assert f"card={card}" not in others
    asked = standing_orders.parse_text(match, 1, f"if {others} then draw")
    assert asked.condition is not None
    assert asked.condition["event"]["type"] == "drew"


def test_through_the_api(match: Match, anna: User, ben: User, program: Callable[[User], Program]) -> None:
    first, second = program(anna), program(ben)
    place = f"/matches/{match.number}/standing/"
    made = second.post(place, {"order": "if drew seat=0 then draw"})
    assert made.status_code == 201, made.content
    assert made.json()["order"] == "if drew seat=0 then draw"
    assert [one["number"] for one in second.get(place).json()["laid_by"]] == [1]
    assert first.get(place).json()["laid_by"] == []
    changed = second.call("PUT", f"{place}1/", {"when": HE_DRAWS, "commands": [{"name": "draw"}, {"name": "draw"}]})
    assert (changed.status_code, changed.json()["number"]) == (200, 2)
    assert second.call("DELETE", f"{place}1/").status_code == 422
    assert second.call("DELETE", f"{place}9/").status_code == 404
    assert first.call("DELETE", f"{place}2/").status_code == 404
    assert second.call("DELETE", f"{place}2/").status_code == 204
    bad = second.post(place, {"order": "whenever"})
    assert (bad.status_code, bad.json()["code"]) == (422, "unreadable")
    act(match, 0)
    assert acts(match) == [("draw", 0, "api")]


def test_the_games_own_orders(anna: User, ben: User, program: Callable[[User], Program]) -> None:
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    player = program(anna)
    place = f"/matches/{match.number}/standing/"
    shown = player.get(place)
    own = shown.json()["own"]
    assert (own["command"], own["orders"]["fight"]) == ("set_orders", "ask")
    assert player.call("PUT", f"{place}own/", {"orders": {"offers": "reject"}}).status_code == 428
    answer = player.call("PUT", f"{place}own/", {"orders": {"offers": "reject"}}, etag=shown["ETag"])
    assert answer.status_code == 200, answer.content
    assert player.get(place).json()["own"]["orders"]["offers"] == "reject"
    answer = player.call("DELETE", f"{place}own/", etag=player.get(place)["ETag"])
    assert answer.status_code == 200, answer.content
    assert player.get(place).json()["own"]["orders"] == own["orders"]
    assert program(ben).get(place).json()["own"]["orders"]["offers"] == "ask"


def test_an_open_match_has_no_orders_to_return_to(anna: User, program: Callable[[User], Program]) -> None:
    match, player = opening.create_match(by=anna, game="stratastar"), program(anna)
    place = f"/matches/{match.number}/standing/"
    shown = player.get(place)
    assert shown.json()["own"]["orders"] is None
    answer = player.call("DELETE", f"{place}own/", etag=shown["ETag"])
    assert (answer.status_code, answer.json()["code"]) == (422, "not_started")


def test_a_game_without_orders_of_its_own_says_so(anna: User, program: Callable[[User], Program]) -> None:
    match, player = opening.create_match(by=anna, game="space_fleet_commander"), program(anna)
    place = f"/matches/{match.number}/standing/"
    shown = player.get(place)
    assert shown.json()["own"] is None
    for answer in (
        player.call("PUT", f"{place}own/", {"orders": {}}, etag=shown["ETag"]),
        player.call("DELETE", f"{place}own/", etag=shown["ETag"]),
    ):
        assert (answer.status_code, answer.json()["code"]) == (422, "no_standing_orders")


def undo(match: Match) -> None:
    loaded = loading.load(match.id, match.game)
    mine, other = (sends(match, seat) for seat in (0, 1))
    expected = loaded.viewer_version(0)
    if not undoing.undo(match=match, sender=mine, expected_version=expected, command_id=uuid.uuid4()).done:
        undoing.answer(match=match, sender=other, accept=True, command_id=uuid.uuid4())


def test_what_was_given_whole_waits_again_after_an_undo(match: Match) -> None:
    lay(match, 1, HE_DRAWS, {"name": "draw"})
    act(match, 0)
    assert Premove.objects.get().status == Premove.Status.DONE
    undo(match)
    assert (Premove.objects.get().status, Premove.objects.get().ended_at) == (Premove.Status.WAITING, None)


@pytest.mark.parametrize("commands", [1, 3])
def test_what_is_done_again_with_the_match_is_not_given_twice(match: Match, commands: int) -> None:
    row = lay(match, 1, HE_DRAWS, *[{"name": "draw"}] * commands)
    act(match, 0)
    row.refresh_from_db()
    course = (row.status, row.given, row.armed_version, row.given_version, row.ended_at)
    assert course[:2] == ("done" if commands == 1 else "armed", 1)
    undo(match)
    row.refresh_from_db()
    assert (row.status, row.given) == ("waiting", 0)
    again = sends(match, 0)
    seen = loading.load(match.id, match.game).viewer_version(0)
    undoing.redo(match=match, sender=again, expected_version=seen, command_id=uuid.uuid4())
    row.refresh_from_db()
    assert (row.status, row.given, row.armed_version, row.given_version, row.ended_at) == course
    act(match, 0)
    assert acts(match).count(("draw", 1, "standing")) == (1 if commands == 1 else 2)


def test_a_hidden_act_of_another_seat_brings_nothing(anna: User, ben: User) -> None:
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    loaded = loading.load(match.id, match.game)
    seat = loaded.awaited()[0].seat
    # It is met already: the first event its seat sees triggers it.
    lay(match, seat, {"view": [{"path": "nothing", "op": "!=", "value": 1}]}, {"name": "set_orders", "orders": {}})
    seen = loaded.viewer_version(seat)
    act(match, 1 - seat, {"name": "set_orders", "orders": {"fight": "peace"}})
    assert Premove.objects.get().status == Premove.Status.WAITING
    assert loading.load(match.id, match.game).viewer_version(seat) == seen
    # An order whose condition was met before, but could not be played then, reveals no more.
    Premove.objects.update(status=Premove.Status.ARMED, armed_version=seen)
    act(match, 1 - seat, {"name": "set_orders", "orders": {"fight": "fight"}})
    assert Premove.objects.get().status == Premove.Status.ARMED


@pytest.mark.parametrize("late", [True, False])
def test_a_player_who_cancels_too_late_is_told_so(match: Match, monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    row = lay(match, 1, HE_DRAWS, {"name": "draw"})
    module, name = (conditional_orders, "_advance") if late else (conditions, "holds")
    real, heard, threads = getattr(module, name), [], []

    def cancel() -> None:
        with contextlib.closing(connection):
            try:
                standing_orders.cancel(match=match, seat=1, number=row.number, user=holder(match, 1))
                heard.append("cancelled")
            except Refused as refused:
                heard.append(refused.code)

    def in_between(*args: Any) -> Any:
        result = real(*args)
        if not threads:
            threads.append(threading.Thread(target=cancel))
            threads[0].start()
            threads[0].join(0.3)  # it waits for us, or has answered
        return result

    monkeypatch.setattr(module, name, in_between)
    act(match, 0)
    threads[0].join()
    row.refresh_from_db()
    assert (heard, row.status) == ((["unknown_order"], "done") if late else (["cancelled"], "dropped"))
    assert acts(match)[-1] == (("draw", 1, "standing") if late else ("draw", 0, "api"))


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("what", ["act", "rewound", "leave"])
def test_an_order_is_changed_while_the_match_goes_on(
    match: Match, player: Callable[..., User], monkeypatch: pytest.MonkeyPatch, what: str, when: str
) -> None:
    """Both lock the rows in the same order, so that neither fails."""
    operator = player("operator", is_staff=True)
    begun = loading.load(match.id, match.game).viewer_version(None)
    row = lay(match, 0, HE_DRAWS, {"name": "draw"})
    act(match, 0)
    row.refresh_from_db()
    assert row.status == Premove.Status.ARMED
    real, failed = standing_orders.cancel, []
    goes_on = {
        "act": lambda: act(match, 1),
        "rewound": lambda: rewind(match, operator, begun),
        "leave": lambda: substitutes.vacate(match=match, seat=0, actor=Actor("seat", 0)),
    }

    def go_on() -> None:
        with contextlib.closing(connection):
            try:
                goes_on[what]()
            except Exception as error:
                failed.append(error)

    other = threading.Thread(target=go_on)

    def cancel(**given: Any) -> None:
        if when == "after":
            real(**given)
        other.start()
        other.join(0.5)  # it waits for us
        if when == "before":
            real(**given)

    monkeypatch.setattr(standing_orders, "cancel", cancel)
    changed = standing_orders.change(premove=row, user=row.user, condition=HE_DRAWS, commands=[{"name": "draw"}])
    other.join()
    assert not failed
    assert changed.number == 2


def test_it_is_marked_for_all_who_see_it_and_is_no_act_of_the_player(match: Match) -> None:
    lay(match, 1, HE_DRAWS, {"name": "draw"})
    act(match, 0)
    loaded = loading.load(match.id, match.game)
    for viewer in (0, 1, None):
        records = records_for(loaded, viewer, 0, 100)
        marked = [one["data"].get("seat") for one in records if one.get("meta", {}).get("automatic")]
        assert marked[0] == 1, viewer
        told = [one.sentence for one in sentences.tell(loaded, viewer, ("anna", "ben"), 0, loaded.version)]
        assert sum("(A conditional order.)" in sentence for sentence in told) == 1
    reckoning = Reckoning(loading.fresh(loaded.game, match.id)).fold(STORE.read(match.id))
    assert {numbers.seat: numbers.answers for numbers in reckoning.numbers.values()} == {0: 1, 1: 0}


def test_time_outs_in_a_row_are_not_broken_by_it(match: Match) -> None:
    now = timezone.now()
    step = Step([ran_out((1, "q"), now, excused=False)], "clock", 1, now, now)
    account = loading.load(match.id, match.game).account.copy()
    follow(account, step, [])
    for automatic, left in ((True, {1: 1}), (False, {})):
        follow(account, Step([], "seat", 1, timezone.now(), timezone.now(), automatic), [])
        assert account.missed == left


def test_what_is_laid_by_while_a_sweep_is_at_work_is_given(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    Question.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    real = timeout_sweep.Batch.of

    def and_then(claims: Any) -> timeout_sweep.Batch:
        batch = real(claims)
        lay(match, 1, {"event": {"type": "drew"}}, {"name": "draw"})
        return batch

    monkeypatch.setattr(timeout_sweep.Batch, "of", and_then)
    assert timeout_sweep.sweep() == 1
    assert conditional_orders.sweep() == 1
    assert acts(match) == [("draw", 0, "clock"), ("draw", 1, "standing")]


# --- a late worker ---


def test_each_act_is_tried_by_itself_however_late_the_worker_is(match: Match) -> None:
    """A condition that was met only between two acts triggers, one that was met at no act does not."""
    turn = loading.load(match.id, match.game).timeline.state.turn
    held = lay(match, 1, {"event": {"type": "drew"}, "view": [{"path": "turn", "op": "=", "value": turn + 1}]}, {"name": "pass"})
    other = lay(match, 1, {"event": {"type": "drew"}, "view": [{"path": "turn", "op": "=", "value": turn}]}, {"name": "pass"})
    for seat in (0, 1, 0):
        playing.act(match, seat)
    versions = [one.version for one in STORE.read(match.id)]
    conditional_orders.play(match.id)
    held.refresh_from_db()
    other.refresh_from_db()
    assert held.armed_version is not None
    assert held.armed_version < versions[-1]
    assert (other.status, other.looked_version) == ("waiting", loading.load(match.id, match.game).version)


@pytest.fixture
def views(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The viewers for whom a view of the toy game was made."""
    made: list[object] = []
    counted = replace(TOY, view=lambda state, viewer: made.append(viewer) or TOY.view(state, viewer))
    monkeypatch.setattr(catalog, "game", lambda game_id: counted)
    return made


PASS = {"name": "pass"}
NEVER = {"view": [{"path": "turn", "op": "=", "value": 999}]}


def test_a_late_worker_looks_at_each_act_once_however_many_there_are(
    anna: User, ben: User, views: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that is late by many acts must not be late by ever more: it delays the orders and the notices of everybody."""
    monkeypatch.setattr(conditional_orders, "MOST_ACTS", 4)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy"))
    for _ in range(3):
        lay(match, 1, NEVER, DRAW)
    late = lay(match, 1, {"view": [{"path": "turn", "op": ">", "value": 0}]}, DRAW)
    for number in range(10):
        playing.act(match, number % 2, PASS)
    views.clear()
    given = loading.load_at
    loads: list[int] = []
    monkeypatch.setattr(loading, "load_at", lambda *args: loads.append(args[2]) or given(*args))
    assert conditional_orders.play(match.id) == 0, "its owner is not asked"
    assert (len(views), len(loads)) == (10, 3), "one view an act, and the match is folded on from act to act"
    late.refresh_from_db()
    assert late.status == Premove.Status.ARMED
    act(match, 0, PASS)
    assert acts(match)[-1] == ("draw", 1, "standing")


def test_a_match_that_goes_on_while_it_is_searched_is_searched_once(
    anna: User, ben: User, views: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy"))
    order = lay(match, 1, NEVER, DRAW)
    playing.act(match, 0, PASS)
    searched: list[int] = []
    holds = conditions.holds

    def meanwhile(*given: Any) -> bool:
        searched.append(len(searched))
        if len(searched) < 8:
            playing.act(match, len(searched) % 2, PASS)
        return holds(*given)

    monkeypatch.setattr(conditions, "holds", meanwhile)
    conditional_orders.play(match.id)
    order.refresh_from_db()
    assert (len(searched), order.looked_version) == (8, loading.load(match.id, match.game).version)


def test_an_act_that_is_undone_while_the_match_is_searched_brings_nothing(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    row = lay(match, 1, HE_DRAWS, DRAW)
    playing.act(match, 0)
    holds = conditions.holds

    def meanwhile(*given: Any) -> bool:
        monkeypatch.setattr(conditions, "holds", holds)
        undo(match)
        return holds(*given)

    monkeypatch.setattr(conditions, "holds", meanwhile)
    conditional_orders.play(match.id)
    row.refresh_from_db()
    assert (row.status, acts(match)) == ("waiting", [("draw", 0, "api")])


def test_an_object_of_the_view_equals_no_value(match: Match) -> None:
    """Written out it may be most of a view, for each of many comparisons."""
    assert not conditions.COMPARE["="]({"a": 1}, "{'a': 1}")
    assert conditions.COMPARE["="]([{"a": 1}, "b"], "B")


def test_what_was_undone_before_the_worker_came_brings_nothing(match: Match) -> None:
    row = lay(match, 1, HE_DRAWS, {"name": "draw"})
    playing.act(match, 0)
    undo(match)
    conditional_orders.play(match.id)
    row.refresh_from_db()
    assert (row.status, acts(match)) == ("waiting", [("draw", 0, "api")])
    again = sends(match, 0)
    seen = loading.load(match.id, match.game).viewer_version(0)
    undoing.redo(match=match, sender=again, expected_version=seen, command_id=uuid.uuid4())
    act(match, 1)
    act(match, 0)
    assert acts(match)[-1] == ("draw", 1, "standing")


def test_an_act_done_again_before_the_worker_came_brings_it(match: Match) -> None:
    lay(match, 1, HE_DRAWS, {"name": "draw"})
    playing.act(match, 0)
    undo(match)
    again = sends(match, 0)
    seen = loading.load(match.id, match.game).viewer_version(0)
    undoing.redo(match=match, sender=again, expected_version=seen, command_id=uuid.uuid4())
    conditional_orders.play(match.id)
    assert acts(match) == [("draw", 0, "api"), ("draw", 1, "standing")]


def test_neither_the_clock_nor_a_turn_mail_comes_before_what_a_seat_has_laid_by(match: Match) -> None:
    lay(match, 1, HE_DRAWS, {"name": "draw"})
    playing.act(match, 0)
    notice = Outbox.objects.get(kind="your_turn", user__username="ben")
    assert wording.your_turn(notice) is None
    assert acts(match) == [("draw", 0, "api"), ("draw", 1, "standing")]
    lay(match, 1, HE_DRAWS, {"name": "draw"})
    playing.act(match, 0)
    Question.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    timeout_sweep.sweep()
    assert acts(match)[-1] == ("draw", 1, "standing")
    assert not [one for one in STORE.read(match.id) if one.type == "match.timed_out"]


@pytest.mark.parametrize("later", [DRAW, "play"], ids=["its case", "another act"])
def test_an_order_that_an_undo_meets_between_two_reads_of_a_worker_waits_as_it_says(
    match: Match, player: Callable[..., User], monkeypatch: pytest.MonkeyPatch, later: Any
) -> None:
    """The worker reads the orders, the match is rewound and goes on, and then the worker reads the match."""
    operator = player("operator", is_staff=True)
    begun = loading.load(match.id, match.game).version
    row = lay(match, 0, HE_DRAWS, DRAW)
    act(match, 0)
    row.refresh_from_db()
    assert row.status == "armed"
    load = loading.load

    def late(match_id: uuid.UUID, game_id: str) -> loading.Loaded:
        monkeypatch.setattr(conditional_orders.loading, "load", load)
        rewind(match, operator, begun)
        card = load(match.id, match.game).timeline.state.hands[0][0]
        playing.act(match, 0, DRAW if later == DRAW else {"name": "play", "card": card})
        if later != DRAW:
            playing.act(match, 1)
        return load(match_id, game_id)

    playing.act(match, 1, {"name": "set_orders", "text": "hush"})
    monkeypatch.setattr(conditional_orders.loading, "load", late)
    conditional_orders.play(match.id)
    conditional_orders.sweep()
    row.refresh_from_db()
    assert row.status == ("armed" if later == DRAW else "waiting")


def test_two_workers_give_an_order_once(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(match, 1, HE_DRAWS, {"name": "draw"}, {"name": "draw"})
    playing.act(match, 0)
    real, threads = conditional_orders._give, []

    def another() -> None:
        with contextlib.closing(connection):
            conditional_orders.play(match.id)

    def give(*args: Any) -> int:
        if not threads:
            threads.append(threading.Thread(target=another))
            threads[0].start()
            threads[0].join()
        return real(*args)

    monkeypatch.setattr(conditional_orders, "_give", give)
    conditional_orders.play(match.id)
    assert acts(match) == [("draw", 0, "api"), ("draw", 1, "standing")]
    assert Premove.objects.get(match=match).status == Premove.Status.ARMED
    assert not Outbox.objects.filter(kind="standing_dropped").exists()


def test_what_was_laid_by_is_dropped_with_the_end(match: Match) -> None:
    lay(match, 1, {"view": [{"path": "nothing", "op": "=", "value": 1}]}, {"name": "draw"})
    play_out(match)
    conditional_orders.sweep()
    row = Premove.objects.get(match=match)
    assert (row.status, row.why) == ("dropped", "The match is over.")


def test_conditional_orders_count_against_the_limits(match: Match, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily_limits, "UNSEEN_PER_HOUR", 2)
    words = [{"name": "set_orders", "text": str(number)} for number in range(5)]
    row = lay(match, 1, {"event": {"type": "drew", "data": {}}}, *words)
    act(match, 0)
    row.refresh_from_db()
    assert (row.status, row.given) == (Premove.Status.DROPPED, 2)
    assert "2 times an hour" in row.why
