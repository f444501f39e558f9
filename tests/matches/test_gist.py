"""The gist of an act: what matters most, its price, and nothing of the game's course where there is more to tell."""

from typing import NamedTuple

import pytest

from gamesvc.games.kernel.telling import Part
from gamesvc.matches.story.gist import gist, outcome_first


class Line(NamedTuple):
    words: str
    part: Part | None = None


DECLARED, PASSED, PAID = Line("declared", "announcement"), Line("passed", "course"), Line("paid", "price")
TERMS, DONE, MORE, LOST = Line("terms", "terms"), Line("done"), Line("more"), Line("lost", "decisive")


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([DECLARED, PASSED, PAID, DONE, MORE], "done paid more"),
        ([DECLARED, PASSED], "declared passed"),
        ([TERMS, DONE], "done terms"),
        ([DONE, PASSED, LOST], "lost done"),
        ([PASSED], "passed"),
    ],
)
def test_the_gist_is_the_outcome_and_its_price(lines, told):
    assert " ".join(line.words for line in gist(lines)) == told


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([DECLARED, PASSED, PAID, DONE], "done declared passed paid"),
        ([TERMS, DONE], "done terms"),
        ([DECLARED, PASSED], "declared passed"),
        ([DONE, MORE], "done more"),
        ([PASSED, DONE], "done passed"),
        ([DONE, PASSED, LOST], "lost done passed"),
    ],
)
def test_the_log_leaves_out_nothing(lines, told):
    assert " ".join(line.words for line in outcome_first(lines)) == told
