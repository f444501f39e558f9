"""Every version of a recorded match can be shown, including those in the middle of a command, which the game log links to."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamesvc.games import catalog, records
from gamesvc.games.kernel.game import Caption
from gamesvc.games.kernel.timeline import Timeline

pytestmark = pytest.mark.long

FOLDER = Path(__file__).parent
RECORDED = [
    pytest.param(game_id, path, id=f"{game_id}-{path.stem}")
    for game_id in catalog.OFFERED
    for path in sorted((FOLDER / game_id / "playthroughs").glob("*.json"))
]
PICTURES = 10
FIRST = 8
"""The number of versions drawn per match: the first ones, and as many spread over the rest. Every tenth board is written."""


@pytest.mark.parametrize(("game_id", "path"), RECORDED)
def test_every_version_has_a_view_a_board_and_a_picture(game_id, path):
    game = catalog.game(game_id)
    record = records.load(path.read_text(encoding="utf-8"))
    events, viewers = record.events, (None, 0, 1)[: 1 + record.seats]
    timeline = Timeline(game)
    drawn = max(1, len(events) // PICTURES)
    for event in events:
        timeline.apply(event)
        draws = event.version % drawn == 0 or event.version <= FIRST
        if not timeline.started or not (draws or event.version % 10 == 0):
            continue
        for viewer in viewers:
            view = game.view(timeline.state, viewer)
            assert game.board_text(view, Caption("1")).strip()
            if draws:
                assert game.picture(view, Caption("1")).startswith("<svg")
