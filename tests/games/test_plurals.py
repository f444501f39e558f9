"""Counts in texts for players are in good English: `1 colony`, never `1 colonies`."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from gamesvc.games import catalog, records
from gamesvc.games.kernel.game import Caption, see_event
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.games.stratastar import GAME
from tests.games.stratastar.table import Table

pytestmark = pytest.mark.long

FILES = sorted(Path(__file__).parent.glob("*/playthroughs/*.json"))
NOUNS = (
    "cards|colonies|counters|credits|developments|dice|fleets|hits|offers|rounds|seats|ships|stars|systems|turns|warfleets|worlds"
)
ONE_OF_MANY = re.compile(rf"(?<![\w.,/+-])1 (?:{NOUNS})\b", re.IGNORECASE)
NAMES = ("Ann", "Bob", "Cy", "Dee", "Eve", "Fay")


def test_the_pattern_finds_a_wrong_plural():
    assert ONE_OF_MANY.search("Ann paid 1 credits.")
    assert not ONE_OF_MANY.search("11 credits, 0.1 stars, 2/1 cards, 1 credit")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_a_count_of_one_is_never_plural(path):
    record = records.load(path.read_text(encoding="utf-8"))
    game, rng = catalog.game(record.game), random.Random(path.stem)
    timeline, texts = Timeline(game), []
    for event in map(game.lift, record.events):
        timeline.apply(event)
        for viewer in (None, *range(record.seats)):
            seen = see_event(game, event, viewer)
            texts += [game.tell(seen, viewer, NAMES)] if seen is not None else []
            if rng.random() < 0.02:
                view = game.view(timeline.state, viewer)
                texts += [
                    game.board_text(view, Caption("", NAMES)),
                    re.sub("<[^>]*>", " ", game.picture(view, Caption("", NAMES))),
                ]
    assert not [text for text in texts if ONE_OF_MANY.search(text)]


def test_a_board_shows_how_many_colonies_of_a_space_are_raided():
    table = Table()
    for space, colonies, raided in (("F5", 2, 1), ("C3", 2, 2), ("D4", 1, 1)):
        table.put(0, space, colonies=colonies)
        table.raw["players"][0]["raided"][space] = raided
    table.start()
    text = " ".join(GAME.board_text(GAME.view(table.state, 0), Caption()).split())
    assert "F5 2 colonies (1 raided)" in text
    assert "C3 2 colonies raided" in text
    assert "D4 colony raided" in text
