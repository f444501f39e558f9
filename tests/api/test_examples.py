"""The examples of the OpenAPI document: each operation that answers in JSON has one, each fits, and they are of real matches.

`EXAMPLES=write uv run pytest tests/api/test_examples.py` records them anew.
"""

from __future__ import annotations

import os

import pytest

from gamesvc.api.openapi import examples, games
from gamesvc.api.openapi.document import operations
from gamesvc.games import catalog
from notifications.tasks import sweep_channels
from tests.answers import document, misfits
from tests.api import examples as recorder
from tests.api.tour import Tour, everywhere
from tests.mailing import verify

ANSWERED = sorted(
    f"{method} {path} {status}"
    for path, method, operation in operations(document())
    for status, answer in operation["responses"].items()
    if examples.JSON in answer.get("content", {})
)
# What neither recorded matches nor those of bots come to.
RARE = {
    *("border_raids", "diplomacy_block", "form_fleet", "go_on", "hyper_jump"),
    *(f"stratastar.{name}" for name in ("action_failed", "battle_cancelled", "colony_raided", "move_blocked", "offer_void")),
    *("stratastar.reaction_prepared", "space_fleet_commander.time_ignored", "star_commander.damage_redirected"),
    *("star_commander.deck_reshuffled", "space_war.control_changed", "space_war.transformed"),
}


@pytest.mark.django_db
@pytest.mark.usefixtures("many_matches")
def test_the_tour_makes_every_request_that_is_answered_in_json(anna, ben, player, program, receiver):
    verify(anna, ben)
    tour = Tour(program(anna, "account", "organise"), program(ben), program(player("olga")))
    everywhere(tour, receiver.url, sweep_channels)
    assert sorted(tour.taken) == ANSWERED
    if os.environ.get("EXAMPLES") == "write":
        recorder.write(tour.taken)


@pytest.mark.parametrize("name", ANSWERED)
def test_an_operation_has_examples_of_its_request_and_answer_that_fit(name: str) -> None:
    method, path, status = name.split()
    operation = document()["paths"][path][method]
    place = ("responses", status, "content", examples.JSON)
    example = operation["responses"][status]["content"][examples.JSON]["example"]
    assert misfits(example, "paths", path, method, *place, "schema") == []
    sent = operation.get("requestBody", {}).get("content", {}).get(examples.JSON)
    if sent is not None:
        assert misfits(sent["example"], "paths", path, method, "requestBody", "content", examples.JSON, "schema") == []


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_the_shapes_of_a_game_have_examples_that_fit(game_id: str) -> None:
    for kind in ("Options", "Position", "View"):
        name = games.name_of(catalog.game(game_id), kind)
        for example in document()["components"]["schemas"][name]["examples"]:
            assert misfits(example, "components", "schemas", name) == []


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_commands_and_events_of_a_game_have_examples_that_fit(game_id: str) -> None:
    for kind in ("Command", "Event"):
        name = games.name_of(catalog.game(game_id), kind)
        choices = document()["components"]["schemas"][name]["oneOf"]
        for at, choice in enumerate(choices):
            for example in choice.get("examples", []):
                assert misfits(example, "components", "schemas", name, "oneOf", str(at)) == []
        assert {one["title"] for one in choices} - {one["title"] for one in choices if one.get("examples")} <= RARE
