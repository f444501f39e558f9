"""The published schemas of each game fit what recorded matches hold: options, commands, events, outcome, positions."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from gamesvc.games import catalog, records
from gamesvc.games.kernel import codec
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.games.schemas import schemas_of
from gamesvc.matches import events as service
from tests.games.test_typed_events import EVERY_GAME, FILES, HERE
from tests.games.view_schemas import played, recorded

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def checked(schema: Any, value: Any) -> None:
    jsonschema_rs.validator_for({"$schema": DRAFT, **schema}).validate(json.loads(json.dumps(value)))


@EVERY_GAME
def test_recorded_matches_fit_the_published_schemas(game_id: str) -> None:
    game = catalog.game(game_id)
    told = schemas_of(game)
    validators = {name: jsonschema_rs.validator_for({"$schema": DRAFT, **one}) for name, one in told["events"].items()}
    met = set()
    for path in FILES[game_id]:
        if path.parent.name != "playthroughs" or not path.is_relative_to(HERE / game_id):
            continue
        record = records.load(path.read_text(encoding="utf-8"))
        checked(told["options"], record.options)
        assert record.outcome is not None
        checked(told["outcome"], record.outcome.as_json())
        for event in record.events:
            if of_service(event.type) or event.type_version != told["events"][event.type]["type_version"]:
                continue
            met.add(event.type)
            validators[event.type].validate(json.loads(json.dumps(event.data)))
    # Most types occur in the recorded matches, so the check has not passed for want of events.
    assert len(met) > len(validators) / 2


@EVERY_GAME
@pytest.mark.long
def test_views_fit_the_published_schema(game_id: str) -> None:
    """Those of recorded matches, from which it was gathered, and of matches that it does not know.

    Where this fails after a change of a view, gather it again: `python -m tests.games.view_schemas`.
    """
    game = catalog.game(game_id)
    schema = schemas_of(game)["view"]
    validator = jsonschema_rs.validator_for({"$schema": DRAFT, **schema})
    assert len(schema["required"]) > 5
    for view in recorded(game):
        validator.validate(view)
    for view in played(game, ("another",)):
        validator.validate(view)
    with pytest.raises(jsonschema_rs.ValidationError):
        validator.validate({})


@EVERY_GAME
def test_they_say_something_of_every_event(game_id: str) -> None:
    told = schemas_of(catalog.game(game_id))["events"]
    assert len(told) > 10
    for name, schema in told.items():
        assert schema["title"] == name
        assert set(schema["required"]) <= set(schema["properties"])
        jsonschema_rs.validator_for({"$schema": DRAFT, **schema})


def test_what_does_not_fit_is_found() -> None:
    schema = schemas_of(catalog.game("stratastar"))["events"]["action_declared"]
    with pytest.raises(jsonschema_rs.ValidationError):
        checked(schema, {"seat": "first"})


def test_the_events_of_the_service_are_described_too(client: Any) -> None:
    told = client.get("/api/v1/games/stratastar/schemas/").json()
    assert told["service_events"].keys() == service.KINDS.keys()
    checked(told["service_events"]["match.left"], {"seat": 0})
    assert client.get("/api/v1/games/chess/schemas/").json()["code"] == "unknown_game"


@EVERY_GAME
def test_positions_fit_the_published_schema(game_id: str) -> None:
    game = catalog.game(game_id)
    validator = jsonschema_rs.validator_for({"$schema": DRAFT, **schemas_of(game)["position"]})
    found = 0
    for path in sorted((HERE / game_id / "playthroughs").glob("*.json")):
        timeline = Timeline(game)
        for event in records.load(path.read_text(encoding="utf-8")).events:
            timeline.apply(event)
            if timeline.started and event.version % 20 == 0:
                position = codec.write_position(game, timeline.state, timeline.version, timeline.keep_marked())
                validator.validate(json.loads(json.dumps(position)))
                found += 1
    assert found > 20
