"""Undo while others act: one wins, the other is told; each with its own connection."""

from __future__ import annotations

import uuid

import pytest

from gamesvc.games.kernel.game import Refused
from gamesvc.matches import errors
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import UndoRequest
from gamesvc.matches.play import turns
from gamesvc.matches.proof import audit
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.undo import undoing
from tests.matches.playing import act, sends
from tests.racing import at_once

pytestmark = pytest.mark.django_db(transaction=True)
MATCHES = 8


def duel(game, anna, ben):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=game, options={"points": 9}))


def version_of(match, seat):
    return loading.load(match.id, match.game).viewer_version(seat)


def told(caught, name, attempt):
    """Run an attempt, and note its result."""

    def run() -> None:
        try:
            attempt()
            caught[name] = "done"
        except errors.Stale:
            caught[name] = "stale"
        except Refused as refused:
            caught[name] = refused.code

    return run


def test_an_undo_and_a_move_at_once_one_wins(toy, anna, ben, many_matches):
    for _ in range(MATCHES):
        match = duel(toy, anna, ben)
        act(match, 0, {"name": "play", "card": loading.load(match.id, toy).timeline.state.hands[0][0]})
        mine, theirs = version_of(match, 0), version_of(match, 1)
        caught: dict[str, str] = {}

        def undo(match=match, mine=mine) -> None:
            undoing.undo(match=match, sender=sends(match, 0), expected_version=mine, command_id=uuid.uuid4())

        def move(match=match, theirs=theirs) -> None:
            turns.submit(
                match=match, sender=sends(match, 1), command={"name": "draw"}, expected_version=theirs, command_id=uuid.uuid4()
            )

        at_once(told(caught, "undo", undo), told(caught, "move", move))
        assert sorted(caught.values()) == ["done", "stale"], caught
        new = [one.type for one in STORE.read(match.id, mine)]
        assert new == (["match.rewound"] if caught["undo"] == "done" else ["toy.drew", "toy.turn_ended"])
        assert audit.check_match(match.id) == []


def test_one_request_sent_many_times_at_once_undoes_once(toy, anna, ben):
    match = duel(toy, anna, ben)
    act(match, 0, {"name": "play", "card": loading.load(match.id, toy).timeline.state.hands[0][0]})
    version, key = version_of(match, 0), uuid.uuid4()

    def undo() -> None:
        assert undoing.undo(match=match, sender=sends(match, 0), expected_version=version, command_id=key).done

    at_once(*[undo] * 4)
    assert [one.type for one in STORE.read(match.id, version)] == ["match.rewound"]


def test_a_request_is_settled_once(toy, anna, ben, many_matches):
    """The last consent, a withdrawal and the sweep at once: one of them counts."""
    for _ in range(MATCHES):
        match = duel(toy, anna, ben)
        act(match, 0, {"name": "draw"})
        version = version_of(match, 0)
        asked = undoing.undo(match=match, sender=sends(match, 0), expected_version=version, command_id=uuid.uuid4())
        caught: dict[str, str] = {}

        def accept(match=match, request=asked.request) -> None:
            undoing.answer(match=match, sender=sends(match, 1), accept=True, request=request)

        def withdraw(match=match, request=asked.request) -> None:
            undoing.answer(match=match, sender=sends(match, 0), accept=False, request=request)

        at_once(told(caught, "accept", accept), told(caught, "withdraw", withdraw), lambda: undoing.lapse_requests())
        assert sorted(caught.values()) == ["done", "no_request"], caught
        answers = [one.data["answer"] for one in STORE.read(match.id) if one.type == "match.undo_answered"]
        assert answers == ["accepted" if caught["accept"] == "done" else "withdrawn"]
        assert UndoRequest.objects.get(match=match).settled_at is not None
        assert audit.check_match(match.id) == []
