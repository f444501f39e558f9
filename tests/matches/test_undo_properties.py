"""Acts in any order: nothing revealed is undone without consent, and nothing can be rolled again."""

from __future__ import annotations

import contextlib
import uuid

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from gamesvc.games.kernel.dice import DrawNeeded
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.play import turns
from gamesvc.matches.play.previews import Preview
from gamesvc.matches.proof import audit, verification
from gamesvc.matches.record import loading
from gamesvc.matches.undo import undoing
from tests.games.paths import effective
from tests.matches import exports, playing
from tests.matches.playing import log_of, sends

pytestmark = [pytest.mark.django_db, pytest.mark.long]
DEEDS = ("play", "draw", "undo", "undo", "undo", "redo", "preview", "try", "fork", "again", "orders", "accept", "decline")


def attempt(match, seat, deed, sent):
    """Do it as the seat would through any channel. A refusal changes nothing. `sent`: the seat's commands so far, as sent."""
    loaded = loading.load(match.id, match.game)
    sender = sends(match, seat)
    named = {"match": match, "sender": sender, "command_id": uuid.uuid4()}
    version = loaded.viewer_version(seat)
    hand = loaded.timeline.state.hands[seat]
    commands = {
        "play": {"name": "play", "card": hand[0] if hand else 1},
        "draw": {"name": "draw"},
        "orders": {"name": "set_orders", "text": "x"},
    }
    try:
        match deed:
            case "play" | "draw" | "orders":
                sent.append({**named, "command": commands[deed], "expected_version": version})
                turns.submit(**sent[-1])
            case "again":
                for one in sent[-3:]:
                    with contextlib.suppress(Refused):
                        assert turns.submit(**one).repeated
                assert loading.load(match.id, match.game).version == loaded.version, "what was sent is done once"
            case "try":
                Preview(loaded.copy().timeline, seat, ("anna", "ben")).tell(commands["draw"])
                assert loading.load(match.id, match.game).version == loaded.version
            case "fork":
                look_on_a_board(match, seat, version)
            case "preview":
                loaded.timeline.preview(seat, {"name": "draw"})
            case "undo":
                undoing.undo(expected_version=version, **named)
            case "redo":
                undoing.redo(expected_version=version, **named)
            case _:
                undoing.answer(accept=deed == "accept", **named)
    except (Refused, DrawNeeded):
        assert loading.load(match.id, match.game).version == loaded.version


def look_on_a_board(match, seat, version):
    """Play on from a version the seat saw, on an analysis board: the match itself does not change."""
    access = selectors.access_match(user=match.seats.get(index=seat).user, ident=str(match.pk))
    before = loading.load(match.id, match.game)
    then, _shown = forks.settled_version(before, seat, version)
    board = forks.fork(access=access, version=version, board=True)
    there = loading.load(board.id, board.game)
    assert there.opened.commitment != before.opened.commitment, "it has draws of its own"
    there_seen = there.game.view(there.timeline.state, seat)
    seen = before.game.view(loading.state_at(before.game, match.id, then), seat)
    assert (there_seen["hands"], there_seen["deck"]) == (seen["hands"], seen["deck"])
    playing.play_out(board, most=3)
    after = loading.load(match.id, match.game)
    assert (after.head, after.timeline.draws) == (before.head, before.timeline.draws)


@examples(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=st.lists(st.tuples(st.integers(0, 1), st.sampled_from(DEEDS)), min_size=4, max_size=24))
def test_no_sequence_peeks_or_rolls_again(toy, anna, ben, many_matches, deeds):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    sent = [[], []]
    for seat, deed in deeds:
        before = loading.load(match.id, toy)
        log = log_of(match)
        drawn = [at for at in effective(log, len(log)) if log[at - 1].type == "drew"]
        known = undoing.offer(before, match, seat)
        attempt(match, seat, deed, sent[seat])
        log = log_of(match)
        new = log[before.version :]
        path = set(effective(log, len(log)))
        for event in new:
            if event.type != "match.rewound" or event.data["cause"] == "redo":
                continue
            lost = [at for at in drawn if at not in path]
            if event.data["cause"] == "undo" and lost:
                assert deed == "accept", "what was drawn is given back with leave alone"
                assert event.draws, "and then the pile lies anew"
        if deed == "undo" and known.how == "free":
            assert any(event.type == "match.rewound" for event in new), "what is offered is done"
        numbers = [draw["i"] for event in log for draw in event.draws]
        assert numbers == list(range(len(numbers))), "draw numbers never repeat"
    state = loading.load(match.id, toy).timeline.state
    loading.forget_all()
    assert loading.load(match.id, toy).timeline.state == state
    assert audit.check_match(match.id) == []
    assert verification.verify(exports.export_of(match, 0)).ok
