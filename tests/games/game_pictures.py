"""The pictures of the games on pages, drawn from recorded matches: `python -m tests.games.game_pictures` writes them."""

from __future__ import annotations

import json
from pathlib import Path

from gamesvc.games import catalog, records
from gamesvc.games.drawing.thumbnails import thumbnail
from gamesvc.games.kernel.game import Caption
from gamesvc.games.kernel.timeline import replay

FOLDER = Path(__file__).parent
PICTURES = FOLDER.parents[1] / "gamesvc" / "web" / "static" / "games"
MOMENTS = {
    "stratastar": ("worlds_two_seats", 0.7),
    "space_fleet_commander": ("classic_crossing", 0.6),
    "star_commander": ("revised_2_homeworld", 0.6),
    "space_war": ("busy_swarm_terrans", 0.6),
}
"""For each game a recorded match, and the share of its events after which it is shown."""


def drawn(game_id: str) -> str:
    """Return the picture of a game: the board of a recorded match, as a spectator sees it."""
    name, share = MOMENTS[game_id]
    recorded = records.load((FOLDER / game_id / "playthroughs" / f"{name}.json").read_text(encoding="utf-8"))
    game = catalog.game(game_id)
    state = replay(game, recorded.events[: round(share * len(recorded.events))]).state
    return thumbnail(game.picture(json.loads(json.dumps(game.view(state, None))), Caption(game_id, header=False)))


if __name__ == "__main__":
    for game_id in MOMENTS:
        (PICTURES / f"{game_id}.svg").write_text(drawn(game_id), encoding="utf-8")
