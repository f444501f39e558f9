"""One match with everything that the service knows: every check of a history finds it valid."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
import time_machine
from django.core.management import call_command

from gamesvc.games.kernel.events import of_service
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.events import read_event
from gamesvc.matches.lobby import forks, opening, substitutes
from gamesvc.matches.models import Match, PauseWish, Premove, Question, Seat
from gamesvc.matches.organising import looks, measures
from gamesvc.matches.organising.measures import Measure
from gamesvc.matches.play import conditional_orders, standing_orders
from gamesvc.matches.proof import audit, verification
from gamesvc.matches.record import loading
from gamesvc.matches.record.rows import projections
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import pauses, timeout_sweep
from gamesvc.matches.undo import undoing
from tests.matches.exports import export_of, node_verify
from tests.matches.playing import act, holder, play_out, sends

pytestmark = pytest.mark.django_db(transaction=True)

ANNA_DRAWS = {"event": {"type": "drew", "data": {"seat": 0}}}


def sound(match, tmp_path=None):
    """Run the audit, the rebuild, the proof, and the JavaScript verifier."""
    loading.forget_all()
    assert audit.check_match(match.id) == []
    assert projections.rebuild(match.id) == projections.Rebuilt()
    for one in STORE.read(match.id):
        said = read_event(one)
        assert (said.as_json() if said is not None else None) == (one.data if of_service(one.type) else None)
    report = verification.verify(export_of(match))
    assert report.ok, report.as_json()
    if tmp_path is not None:
        [other] = node_verify(tmp_path, export_of(match))
        assert other["ok"], other
    return True


def run_out(match):
    due = Question.objects.filter(match=match).order_by("due_at")[0].due_at
    with time_machine.travel(due + timedelta(seconds=1), tick=False):
        timeout_sweep.availability.keep_alive()
        assert timeout_sweep.sweep() == 1


def measure(by, match, action, **more):
    told = Measure(action, "dispute", "Said by phone", **more)
    return measures.organise(by=by, match=match, measure=told, command_id=uuid.uuid4())


def hand(match, seat):
    return loading.load(match.id, match.game).timeline.state.hands[seat]


def lay(match, seat):
    row = Seat.objects.get(match=match, index=seat)
    return standing_orders.lay_by(match=match, seat=row.index, user=row.user, condition=ANNA_DRAWS, commands=[{"name": "draw"}])


def undo(match, seat):
    loaded = loading.load(match.id, match.game)
    sender = sends(match, seat, loaded.head.occurred_at)
    return undoing.undo(match=match, sender=sender, expected_version=loaded.viewer_version(seat), command_id=uuid.uuid4())


@pytest.fixture
def operator(player):
    return player("operator", is_staff=True)


@pytest.fixture
def match(toy, anna, ben):
    made = opening.create_match(
        by=anna, game=toy, options={"points": 9}, clock={"hours": 24, "excused": 1, "after": 2}, watch="all"
    )
    return opening.join_match(by=ben, match=made)


def test_a_match_with_everything_in_it_is_sound_at_every_stage(match, anna, player, operator, tmp_path):
    run_out(match)  # excused: the time is given again
    lay(match, 1)
    act(match, 0, {"name": "play", "card": hand(match, 0)[0]})
    assert undo(match, 0).done
    act(match, 0, {"name": "draw"})
    conditional_orders.sweep()
    given = [one for one in STORE.read(match.id) if one.meta.get("channel") == "standing"]
    assert [one.meta["actor"] for one in given] == [{"kind": "seat", "seat": 1}]
    assert sound(match)
    before = loading.load(match.id, match.game).version
    act(match, 0, {"name": "play", "card": hand(match, 0)[0]})
    measure(operator, match, "rewind", to=before)
    measure(operator, match, "extend", seat=0, hours=5)
    looks.look_behind(by=operator, match=match, seat=1, version=before, reason="A complaint")
    measure(operator, match, "pause")
    match.refresh_from_db()
    assert match.paused_at is not None
    assert sound(match)
    measure(operator, match, "resume")
    board = forks.fork(access=access_match(user=anna, ident=str(match.pk)), version=before, board=True, bots={1: "random"})
    play_out(board, most=2)
    assert sound(board)
    measure(operator, match, "replace", seat=1)
    assert Seat.objects.get(match=match, index=1).vacated_at is not None
    assert sound(match)
    substitutes.take_over(by=player("carol"), match=match)
    measure(operator, match, "replace", seat=0, bot=True)
    assert sound(match)
    fate = Match.objects.get(pk=match.pk)
    play_out(fate)
    kinds = {one.type for one in STORE.read(match.id)}
    assert {"match.timed_out", "match.rewound", "match.deadline_set", "match.looked", "match.paused", "match.resumed"} <= kinds
    assert {"match.vacated", "match.seated", "match.ended"} <= kinds
    assert sound(fate, tmp_path)
    call_command("audit", "--match", str(match.id))


def test_premoves_and_pause_wishes_do_not_pass_to_a_substitute(match, operator, player):
    lay(match, 1)
    pauses.wish(match=match, by=holder(match, 1), seat=1, pause=True)
    measure(operator, match, "replace", seat=1)
    assert not Premove.objects.exists()
    assert not PauseWish.objects.exists()
    substitutes.take_over(by=player("carol"), match=match)
    act(match, 0, {"name": "draw"})
    assert loading.load(match.id, match.game).awaited()[0].seat == 1, "nothing was given in the name of him who came after"
    assert pauses.wish(match=match, by=holder(match, 0), seat=0, pause=True) is False, "nor has he agreed to a pause"


DAMAGES = {
    "paused": lambda match: Match.objects.filter(pk=match.pk).update(paused_at=None),
    "status": lambda match: Match.objects.filter(pk=match.pk).update(status="finished"),
    "free": lambda match: Seat.objects.filter(match=match, index=1).update(vacated_at=None),
    "bot": lambda match: Seat.objects.filter(match=match, index=0).update(bot=""),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_measures_left_in_the_rows_is_audited_and_made_again(match, operator, damage):
    measure(operator, match, "replace", seat=0, bot=True)
    measure(operator, match, "replace", seat=1)
    measure(operator, match, "pause")
    if damage == "status":
        measure(operator, match, "abort")
    rows = [
        list(Match.objects.filter(pk=match.pk).values("status", "paused_at")),
        list(match.seats.order_by("index").values_list("user", "bot")),
    ]
    DAMAGES[damage](match)
    assert [finding.code for finding in audit.check_match(match.id)] == ["match_row"]
    rebuilt = projections.rebuild(match.id)
    assert rebuilt.found
    assert not rebuilt.left
    assert rows == [
        list(Match.objects.filter(pk=match.pk).values("status", "paused_at")),
        list(match.seats.order_by("index").values_list("user", "bot")),
    ]
    assert Seat.objects.get(match=match, index=1).vacated_at is not None
    assert sound(match)
