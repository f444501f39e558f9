"""The data files: ships, maps, and the refusals of the map validator. Also the speed of replaying recorded matches."""

from __future__ import annotations

import copy
import tomllib

import pytest

from gamesvc.games.space_fleet_commander import data, manifest
from gamesvc.games.space_fleet_commander.rules.missions import met

MAPS = data.HERE / "maps"
STANDARD = tomllib.loads((MAPS / "standard.toml").read_text(encoding="utf-8"))
CROSSING = tomllib.loads((MAPS / "crossing.toml").read_text(encoding="utf-8"))


def test_the_option_lists_the_maps_of_the_folder():
    assert list(data.BOARDS) == ["standard", "crossing"]
    assert manifest.OPTIONS["properties"]["map"]["enum"] == ["standard", "crossing"]


@pytest.mark.parametrize("board", data.BOARDS.values(), ids=lambda board: board.id)
def test_every_hex_is_reachable_and_maps_have_enough_stars(board):
    stars = sum(board.kind(place).stars for place in board.places if place != board.start)
    assert stars > board.stars_to_win
    assert all(board.neighbours[place] for place in board.places)
    assert all(place in board.neighbours[near] for place in board.places for near in board.neighbours[place])


def broken(change, raw=STANDARD):
    copied = copy.deepcopy(raw)
    change(copied)
    with pytest.raises(data.BadData) as caught:
        data.parse_board(copied, "test.toml", STANDARD)
    return str(caught.value)


def test_wrong_totals_are_refused():
    assert "missions" in broken(lambda raw: raw["map"].update(stars=5))
    assert "missions" in broken(lambda raw: raw["map"]["hex"].pop(0))


def test_unreachable_hexes_are_refused():
    assert "A1" in broken(lambda raw: raw["map"]["hex"][0].update(q=-9))


def test_unknown_kinds_doubles_and_starts_are_refused():
    assert "nebula" in broken(lambda raw: raw["map"]["hex"][0].update(kind="nebula"))
    assert "twice" in broken(lambda raw: raw["map"]["hex"][1].update(id="A1"))
    assert "start" in broken(lambda raw: raw["map"].update(start="A1"))
    assert "lacks" in broken(lambda raw: raw["map"].pop("name"))


def test_a_requirement_of_an_unknown_type_is_refused():
    rule = {"type": "prime", "n": 3}
    assert "one of sum_at_least" in broken(lambda raw: raw["kinds"]["survey"].update(requirement=rule))


def test_a_map_may_replace_kinds_and_tracks():
    raw = copy.deepcopy(CROSSING)
    raw["kinds"] = {"defend": STANDARD["kinds"]["defend"] | {"requirement": {"type": "every", "values": [4, 5]}}}
    raw["tracks"] = {"time_boxes": 10}
    board = data.parse_board(raw, "own.toml", STANDARD)
    assert (board.time_boxes, board.stars_to_win) == (10, 70)
    assert met(board.kinds["defend"].requirement, (0, 0, 1, 2, 0))
    assert not met(board.kinds["defend"].requirement, (1, 0, 1, 2, 0))


def test_the_rules_text_names_the_designer_and_every_ship_and_kind():
    text = manifest.rules_help()
    assert "Mike Heim" in text
    assert "unofficial" in text
    board = data.BOARDS["standard"]
    assert all(name in text for name in [*(s.name for s in data.SHIPS.values()), *(k.name for k in board.kinds.values())])
