"""Previews reveal nothing hidden, however often they are repeated."""

from __future__ import annotations

import dataclasses

import pytest

from gamesvc.games import dealing
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.matches.play import previews
from gamesvc.matches.play.previews import Preview
from tests.games.space_war.table import table
from tests.games.toy import GAME, State

# It reveals the drawn card to viewers who may know it.
TALKING = dataclasses.replace(GAME, tell=lambda event, viewer, names: f"{event.type} {event.data.get('card', '')}".strip())


def previewed(deck: tuple[int, ...], *commands: str) -> list[str]:
    state = State(deck=deck, hands=((1, 1), (1, 1)))
    timeline: Timeline[State] = Timeline.resume(
        TALKING, version=4, state=state, draws=1, kept={}, recall=lambda version: state, log=lambda until: []
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


def test_an_answer_that_goes_back_is_tried_on_no_hidden_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ben cancels a Great Plan: what anna holds at the version he goes back to is dealt in each trial, as it is now."""
    t = table(a={"hand": ["great_plan", "titan", "luck"]}, b={"hand": ["cancel"]})
    t.do(0, "play_card", card=t["a.great_plan"])
    timeline, [item] = t.session.timeline, [one.n for one in t.state.items]
    [(version, marked)] = timeline.keep_marked().items()
    deal, dealt = dealing.deal, []

    def noted(*arguments):
        state, kept = deal(*arguments)
        dealt.append(kept[version])
        return state, kept

    monkeypatch.setattr(dealing, "deal", noted)
    told = Preview(timeline, 1, ("anna", "ben")).tell({"name": "react", "item": item, "play": {"card": t["b.cancel"]}})
    assert told == ["From here chance decides, or something that you cannot see."]
    assert len(dealt) == previews.DEALS
    assert marked not in dealt
    assert len({tuple(then.cards[card] for card in then.sides[0].hand) for then in dealt}) > 1


def test_after_a_refusal_nothing_more_is_tried() -> None:
    deck = (1, 2, 1, 2)
    timeline: Timeline[State] = Timeline.resume(
        TALKING, version=4, state=State(deck=deck, hands=((1, 1), (1, 1))), draws=1, kept={}, log=lambda until: []
    )
    preview = Preview(timeline, 0, ("anna", "ben"))
    with pytest.raises(Refused):
        preview.tell({"name": "play", "card": 9})
    assert preview.over


def test_a_preview_stops_at_its_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    timeline: Timeline[State] = Timeline.resume(
        TALKING, version=4, state=State(deck=(1, 2, 1, 2), hands=((1, 1), (1, 1))), draws=1, kept={}, log=lambda until: []
    )
    preview = Preview(timeline, 0, ("anna", "ben"))
    monkeypatch.setattr(previews, "CPU_SECONDS", 0.0)
    assert not preview.over
    assert preview.tell({"name": "play", "card": 1}) == ["played 1", "turn_ended"]
    assert preview.over
    assert Preview(timeline, 0, ("anna", "ben")).over, "not even the deals are made"


def test_what_hangs_on_nothing_hidden_is_told_whole():
    assert previewed((1, 2, 1, 2), "play") == ["played 1", "turn_ended"]
