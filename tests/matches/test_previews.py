"""Previews reveal nothing hidden, however often they are repeated."""

from __future__ import annotations

import dataclasses

import pytest

from gamesvc.games.kernel.timeline import Timeline
from gamesvc.matches.play.previews import Preview
from tests.games.toy import GAME, State

# It reveals the drawn card to viewers who may know it.
TALKING = dataclasses.replace(GAME, tell=lambda event, viewer, names: f"{event.type} {event.data.get('card', '')}".strip())


def previewed(deck: tuple[int, ...], *commands: str) -> list[str]:
    state = State(deck=deck, hands=((1, 1), (1, 1)))
    timeline: Timeline[State] = Timeline.resume(
        TALKING, version=4, state=state, draws=1, kept={}, recall=lambda version: state, log=list
    )
    preview = Preview(timeline, 0, ("anna", "ben"))
    told: list[str] = []
    for name in commands:
        told += preview.tell({"name": name, "card": 1} if name == "play" else {"name": name})
    assert (timeline.state, timeline.version) == (state, 4), "the match itself does not change"
    return told


@pytest.mark.parametrize("commands", [("draw",), ("play",)])
def test_what_is_told_is_the_same_whatever_lies_hidden(commands):
    """Of six hidden cards one is a 2. Wherever it lies, the outcomes have the same frequencies: a 1, or nothing."""
    on_top, below = ({"; ".join(previewed(deck, *commands)) for _ in range(150)} for deck in ((2, 1, 1, 1), (1, 1, 2, 1)))
    assert on_top == below
    if commands == ("draw",):
        assert any(told.startswith("drew 1") for told in on_top), "also where the card on top is the 2"
        assert not any("drew 2" in told for told in on_top)


def test_what_hangs_on_nothing_hidden_is_told_whole():
    assert previewed((1, 2, 1, 2), "play") == ["played 1", "turn_ended"]
