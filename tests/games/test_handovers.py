"""Hand-overs are counted by one function for all games, and a command publishes the figures."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.management import call_command

from gamesvc.games import catalog
from gamesvc.games.handovers import HandOvers, figures, ninetieth
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Awaited
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.selfplay import play
from tests.games.auction import GAME as AUCTION

pytestmark = pytest.mark.long

SHORT = {
    "stratastar": {"max_rounds": 3},
    "star_commander": {"turn_limit": 6},
    "space_war": {},
    "space_fleet_commander": {"mode": "race", "lockstep": True},
}


@dataclass(frozen=True)
class Moment:
    """A state with nothing but its turn and its awaited seats."""

    turn: int
    seats: str


class Waiting:
    """A game made of such moments."""

    @staticmethod
    def turn(moment: Moment) -> int:
        return moment.turn

    @staticmethod
    def awaited(moment: Moment) -> list[Awaited]:
        return [Awaited(int(seat), "", "") for seat in moment.seats]


def counted(*moments: tuple[int, str] | None) -> list[int]:
    """Return the hand-overs of each turn. None stands for a rewind."""
    game: Any = Waiting
    handed = HandOvers()
    for moment in moments:
        if moment is None:
            handed.go_back()
        else:
            handed.look(game, Moment(*moment))
    return handed.per_turn


def test_a_turn_counts_from_its_first_moment_to_its_end():
    assert counted((1, "0"), (1, "0"), (2, "1")) == [1]
    assert counted((0, "0"), (0, "1"), (1, "0")) == [], "what comes before the first turn is none, one under way is not over"
    assert counted((1, "0"), (1, "1"), (1, "0"), (2, "1"), (3, "0")) == [3, 1]


def test_seats_asked_together_count_once_and_the_last_one_left_does_not_count():
    assert counted((1, "0"), (1, "12"), (1, "2"), (1, "0"), (2, "1")) == [3]
    assert counted((1, "0"), (1, "01"), (1, "0"), (2, "1")) == [2], "who is awaited all the while is handed nothing"


def test_a_seat_that_continues_in_the_next_turn_is_no_hand_over():
    assert counted((1, "0"), (1, "1"), (2, "1"), (3, "0")) == [2, 0]


def test_a_turn_in_which_the_match_goes_back_is_left_out():
    assert counted((1, "0"), (1, "1"), None, (1, "0"), (2, "1"), (3, "0")) == [1]
    assert counted((1, "0"), (2, "1"), None, (1, "0"), (2, "1"), (3, "0")) == [1, 1]
    assert counted((1, "0"), (2, "1"), (1, "0"), (2, "1"), (3, "0")) == [1, 1], "so is one to which a rule of the game goes back"


def test_the_figures():
    assert figures([]) == {"turns": 0, "median": None, "ninetieth": None}
    assert figures([1] * 9 + [8]) == {"turns": 10, "median": 1, "ninetieth": 1}
    assert figures([1] * 8 + [8] * 2) == {"turns": 10, "median": 1, "ninetieth": 8}
    assert ninetieth([3]) == 3


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_game_gives_the_turn_number(game_id):
    game = catalog.game(game_id)
    timeline: Timeline[Any] = Timeline(game)
    timeline.follow(timeline.begin(check_options(game, SHORT[game_id], 2), 2, seeded("turns")))
    before = game.turn(timeline.state)
    record = play(game, options=SHORT[game_id], seats=2, seed="turns", check_every=0, bots=("greedy",))
    turns = []
    timeline = Timeline(game)
    for event in record.events[: record.ends[-2]]:
        timeline.apply(event)
        if event.version in record.ends:
            turns.append(game.turn(timeline.state))
    assert before in (0, 1)
    assert turns == sorted(turns), "nothing goes back here"
    assert len(record.handovers) == len(set(turns) - {0}) - 1 > 1, "each turn but the last, which is not played to its end"


def test_a_game_without_turns_has_no_figures():
    record = play(AUCTION, options={}, seats=2, seed="lots")
    assert record.handovers == []


@pytest.mark.parametrize("game_id", ["space_war", "stratastar"])
def test_the_command_publishes_hand_overs(game_id):
    options = [f"--option={name}={json.dumps(value)}" for name, value in SHORT[game_id].items()]
    arguments = (game_id, "--matches=1", "--seed=hands", "--jobs=1", "--check-every=0", "--interrupt=0", *options)
    out = io.StringIO()
    call_command("selfplay", *arguments, "--json", stdout=out)
    told = json.loads(out.getvalue())["hand_overs"]
    assert told["turns"] > 2
    assert 0 <= told["median"] <= told["ninetieth"]
    out = io.StringIO()
    call_command("selfplay", *arguments, stdout=out)
    [line] = [line for line in out.getvalue().splitlines() if line.startswith("hand overs")]
    assert f"median {told['median']}, 90th percentile {told['ninetieth']}, of {told['turns']} turns" in line


@pytest.mark.parametrize(
    ("game_id", "seats", "options"),
    [
        ("stratastar", 2, {"max_rounds": 15}),
        ("stratastar", 4, {"max_rounds": 12}),
        ("star_commander", 2, {"edition": "classic", "turn_limit": 40}),
        ("star_commander", 4, {"edition": "classic", "turn_limit": 40}),
        ("star_commander", 4, {"edition": "revised", "turn_limit": 40}),
        ("space_war", 2, {}),
    ],
    ids=str,
)
def test_a_turn_has_one_hand_over_and_rarely_more_than_three(game_id, seats, options):
    per_turn: list[int] = []
    for number in range(2):
        seed = f"few {number}"
        record = play(catalog.game(game_id), options=options, seats=seats, seed=seed, check_every=0, bots=("greedy",))
        per_turn += record.handovers
    told = figures(per_turn)
    assert told["median"] <= 1, told
    assert told["ninetieth"] <= 3, told
