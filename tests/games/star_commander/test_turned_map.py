"""Each player sees the map from their own Homeworld: it lies at the foot, with their vessels below it."""

import pytest

from gamesvc.games.kernel.game import Caption
from gamesvc.games.protocol import Session
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.state import corners

GRIDS = {2: 3, 3: 4, 4: 5}


def boxes(seats: int, viewer: int | None) -> dict[str, tuple[float, float, float, float]]:
    session = Session(GAME)
    session.answer({"op": "new", "seats": seats, "seed": "turned"})
    view = GAME.view(session.match.state, viewer)
    return dict(GAME.picture(view, Caption("1", header=False)).boxes)


@pytest.mark.parametrize(("seats", "viewer"), [(seats, viewer) for seats in GRIDS for viewer in range(seats)])
def test_the_own_homeworld_lies_at_the_foot(seats, viewer):
    found = boxes(seats, viewer)
    home = f"cell:{corners(GRIDS[seats], seats)[viewer]}"
    cells = {target: box for target, box in found.items() if target.startswith("cell:")}
    assert cells[home][1] == max(box[1] for box in cells.values())
    vessels = [box for target, box in found.items() if target.startswith("vessel:") and box[1] > cells[home][1]]
    assert vessels, "the own vessels are drawn below it"


def test_neighbours_stay_neighbours():
    found = boxes(2, 1)
    assert found["cell:0,0"][1] > found["cell:0,1"][1] == found["cell:1,0"][1] > found["cell:1,1"][1]


def test_an_observer_sees_it_as_the_first_seat_does():
    assert boxes(2, None) == boxes(2, 0)


@pytest.mark.parametrize("viewer", [0, 1])
def test_bands_lie_below_the_map_the_own_one_last(viewer):
    found = boxes(2, viewer)
    lowest = max(box[1] for target, box in found.items() if target.startswith("cell:"))
    assert lowest < found[f"seat:{1 - viewer}"][1] < found[f"seat:{viewer}"][1]
