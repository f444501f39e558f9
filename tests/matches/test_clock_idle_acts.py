"""Clocks of a seat that acts alone: acts that lead back to what it has seen before give it no time for any question."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from tests.matches.test_clock_going_back import TURN_OF
from tests.matches.test_clock_own_acts import POLICIES, Restless


class Alone(Restless):
    """A match in which a seat often acts several times in a row, with commands that do little, or again with its last one.

    Its view tells whether its acts have changed anything.
    """

    def __init__(self, game_id: str, seed: int, policy: dict[str, Any]) -> None:
        super().__init__(game_id, seed, policy)
        self.by: int | None = None
        self.met: dict[str, datetime] = {}
        self.sent: dict[str, Any] = {}
        self.again = 0

    def writer(self) -> int:
        waits = self.by in {one.seat for one in self.game.awaited(self.timeline.state)}
        return self.by if self.by is not None and waits and self.rng.random() < 0.8 else super().writer()

    def command(self, by: int) -> dict[str, Any]:
        if by != self.by or not self.sent or self.rng.random() < 0.7:
            self.sent = super().command(by)
            if self.rng.random() < 0.3:
                self.sent = {name: type(one)() if isinstance(one, (dict, list)) else one for name, one in self.sent.items()}
        return self.sent

    def judge(self, by: int | None, before: dict[tuple[int, Any], datetime]) -> None:
        """Check that a seat whose acts have led back to a view has no later deadline than it had there, of any question."""
        if by is None or by != self.by:
            self.by, self.met = by, {}
        dues = [clock.due for (seat, _), clock in self.account.open.items() if seat == by and clock.due is not None]
        if by is None or not dues or looks_again(self.timeline.state):
            return
        view = json.dumps(without_numbers(self.game.view(self.timeline.state, by)), sort_keys=True)
        self.again += view in self.met
        assert min(dues) <= self.met.setdefault(view, min(dues)), "acts that have changed nothing moved the own deadline"


NUMBERS = {"id", "n", "seq", "number", "question", "item", "version", "upto", "prompt", "waiting", "last"}


def without_numbers(value: Any) -> Any:
    """Return a view without the numbers that only count what has happened."""
    if isinstance(value, dict):
        kept = {name: one for name, one in value.items() if name != "awaited" and not (name in NUMBERS and isinstance(one, int))}
        return {name: without_numbers(one) for name, one in kept.items()}
    return [without_numbers(one) for one in value] if isinstance(value, (list, tuple)) else value


def looks_again(state: Any) -> bool:
    """Return True for a look at a card in Star Commander: one for each copy of a technology, also if the card is kept."""
    return getattr(getattr(state, "prompt", None), "what", "") == "keep_or_discard"


@pytest.mark.parametrize("rounds", [1, pytest.param(5, marks=pytest.mark.long)])
@pytest.mark.parametrize("game_id", TURN_OF)
def test_no_own_acts_that_change_nothing_move_any_own_deadline(game_id, rounds):
    again = 0
    for seed, told in enumerate([*POLICIES.values()] * rounds):
        match = Alone(game_id, seed, told)
        for _ in range(200):
            if match.over:
                break
            match.play()
        again += match.again
    assert again > 0


def test_a_question_that_is_asked_anew_after_each_own_act_is_found(monkeypatch):
    def awaited(state):
        return tuple(replace(one, id=f"{one.id} {match.timeline.version}") for one in game.awaited(state))

    def play():
        for _ in range(200):
            match.play()

    match = Alone("stratastar", 0, POLICIES["hours"])
    game = match.game
    match.game = replace(game, awaited=awaited)
    with pytest.raises(AssertionError, match="moved the own deadline"):
        play()
