"""Two copies of one request race with a third writer: in any order, both are told of the applied command."""

from __future__ import annotations

import uuid

import pytest

from events.store import VersionConflict
from gamesvc.games.kernel.game import Refused
from gamesvc.matches import errors
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Refusal
from gamesvc.matches.play import turns
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.undo import undoing
from tests.matches.playing import act, sends

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def match(toy, anna, ben):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))


def send(match, command, command_id, version=6):
    return turns.submit(
        match=match,
        sender=sends(match, 0),
        command=command,
        expected_version=version,
        command_id=command_id,
    )


def overtaken(monkeypatch, third_writer, twin):
    """Let a third writer win the first race of a request, and its twin be stored before the request reads the match again."""
    append, load, steps = STORE.append, loading.load, [third_writer, twin]

    def losing_append(*args, **more):
        if len(steps) == 2:
            steps.pop(0)()
        return append(*args, **more)

    def late_load(*args, **more):
        if len(steps) == 1 and STORE.append is not losing_append:
            steps.pop()()
        return load(*args, **more)

    def conflicting_append(*args, **more):
        try:
            return losing_append(*args, **more)
        except VersionConflict:
            monkeypatch.setattr(STORE, "append", append)
            monkeypatch.setattr(loading, "load", late_load)
            raise

    monkeypatch.setattr(STORE, "append", conflicting_append)


def test_a_copy_that_lost_to_a_third_writer_and_to_its_twin_is_answered_with_the_event(match, monkeypatch):
    command, command_id = {"name": "draw"}, uuid.uuid4()
    told = []
    # The third writer gives a secret order, so that neither copy is stale; then the twin draws, and it is seat 1's turn.
    overtaken(
        monkeypatch,
        lambda: act(match, 1, {"name": "set_orders", "text": "secret"}),
        lambda: told.append(send(match, command, command_id)),
    )
    late = send(match, command, command_id)
    assert late.as_json() == told[0].as_json()
    assert late.repeated
    assert not Refusal.objects.exists()


def test_an_event_wins_over_a_refusal_that_was_kept_for_the_same_command(match):
    command, command_id = {"name": "draw"}, uuid.uuid4()
    first = send(match, command, command_id)
    sender = sends(match, 0)
    turns.remember_refusal(match, sender, command, command_id, Refused("not_your_turn", "It is the other player's turn."))
    assert send(match, command, command_id).as_json() == first.as_json()


def test_a_copy_of_an_undo_that_lost_to_its_twin_is_answered_with_the_undo(match, monkeypatch):
    act(match, 0, {"name": "play", "card": loading.load(match.id, match.game).timeline.state.hands[0][0]})
    version, command_id = loading.load(match.id, match.game).viewer_version(0), uuid.uuid4()

    def undo():
        sender = sends(match, 0)
        return undoing.undo(match=match, sender=sender, expected_version=version, command_id=command_id)

    told = []
    overtaken(
        monkeypatch,
        lambda: act(match, 1, {"name": "set_orders", "text": "secret"}),
        lambda: told.append(undo()),
    )
    late = undo()
    assert late.as_json() == told[0].as_json()
    assert not Refusal.objects.exists()


def test_one_key_cannot_both_accept_and_decline(toy, anna, ben, player):
    match = opening.create_match(by=anna, game=toy, undo="consent")
    match = opening.join_match(by=ben, match=match)
    act(match, 0)
    asked = undoing.undo(
        match=match,
        sender=sends(match, 0),
        expected_version=loading.load(match.id, match.game).viewer_version(0),
        command_id=uuid.uuid4(),
    )
    assert not asked.done
    key = uuid.uuid4()

    def answer(accept: bool):
        sender = sends(match, 1)
        return undoing.answer(match=match, sender=sender, accept=accept, command_id=key)

    declined = answer(False)
    assert answer(False).as_json() == declined.as_json()
    with pytest.raises(errors.KeyReused):
        answer(True)


@pytest.mark.parametrize("broken", ["gamesvc.matches.record.append.save_at_mark", "gamesvc.matches.hints.notices"])
def test_what_fails_after_the_commit_does_not_fail_the_command(match, monkeypatch, program, anna, broken):
    """The command is stored; its sender must not get an error for something that only costs a snapshot or a hint."""
    caller = program(anna)
    tag = caller.get(f"/matches/{match.number}/view/")["ETag"]
    monkeypatch.setattr(broken, lambda *_args: 1 / 0)
    answer = caller.post(f"/matches/{match.number}/commands/", {"name": "draw"}, etag=tag)
    assert answer.status_code == 200
    assert loading.load(match.id, match.game).version == 8
