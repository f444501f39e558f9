"""No answer to a guessed command tells whether the guess was right (`guessing`)."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Command, Refused
from gamesvc.games.kernel.timeline import Run
from tests.games.guessing import guess
from tests.games.toy import GAME as TOY

GUESSES = 1_500
LONG = int(os.environ.get("GUESSES", "40000"))
"""The guesses of the long test, in each game."""


@pytest.mark.parametrize("game_id", catalog.OFFERED)
@pytest.mark.parametrize("most", [GUESSES, pytest.param(LONG, marks=pytest.mark.long)])
def test_guesses_are_answered_alike_whatever_is_hidden(game_id: str, most: int) -> None:
    answers = guess(catalog.game(game_id), "guess", most)
    assert min(answers["accepted"], answers["refused"]) > most / 20


def test_a_refusal_that_tells_what_another_seat_holds_is_found() -> None:
    def tells(run: Run[Any], seat: int, command: Command) -> None:
        if command["name"] == "play" and command["card"] in run.state.hands[1 - seat]:
            raise Refused("not_owned", "The other seat holds this card.", "card")
        TOY.decide(run, seat, command)

    with pytest.raises(AssertionError, match="with hidden things redealt"):
        guess(replace(TOY, decide=tells), "guess", GUESSES)
