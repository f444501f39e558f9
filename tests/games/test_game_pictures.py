"""The pictures of the games on pages, and the part of a picture that thumbnails show."""

from __future__ import annotations

import pytest

from gamesvc.games import catalog, records
from gamesvc.games.drawing.thumbnails import thumbnail
from gamesvc.games.kernel.game import Caption
from gamesvc.games.kernel.timeline import replay
from tests.games.game_pictures import FOLDER, MOMENTS, PICTURES, drawn

# The things of the board by the kinds of their targets.
ON_BOARD = {"stratastar": "cell:", "space_fleet_commander": "cell:", "star_commander": "cell:", "space_war": "card:"}
FOUR = ("star_commander", "classic_4_turn_limit")
MOST_BYTES = 50_000


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_the_picture_of_a_game_is_drawn_as_today_and_light(game_id: str) -> None:
    assert (PICTURES / f"{game_id}.svg").read_text(encoding="utf-8") == drawn(game_id), "python -m tests.games.game_pictures"
    assert len(drawn(game_id).encode()) < MOST_BYTES


@pytest.mark.parametrize(("game_id", "name"), [*((game_id, name) for game_id, (name, _share) in MOMENTS.items()), FOUR])
def test_a_thumbnail_shows_the_whole_board(game_id: str, name: str) -> None:
    recorded = records.load((FOLDER / game_id / "playthroughs" / f"{name}.json").read_text(encoding="utf-8"))
    game = catalog.game(game_id)
    for share in (0.3, 0.6, 0.9):
        state = replay(game, recorded.events[: round(share * len(recorded.events))]).state
        picture = game.picture(game.view(state, 0), Caption("m", header=False))
        left, top, width, height = picture.board
        boxes = [box for target, box in picture.boxes.items() if target.startswith(ON_BOARD[game_id])]
        assert boxes or game_id == "space_war"
        assert all(left <= x and top <= y and x + w <= left + width and y + h <= top + height for x, y, w, h in boxes)
        assert len(thumbnail(picture).encode()) < MOST_BYTES
