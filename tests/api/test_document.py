"""The OpenAPI document says enough that nobody needs the source: what each field, parameter and answer means."""

from __future__ import annotations

import re
from typing import Any

import jsonschema_rs
import pytest
from django.test import Client
from drf_spectacular.validation import validate_schema

from gamesvc.api.openapi import answers as statuses
from gamesvc.api.openapi import games, glossary
from gamesvc.api.openapi.document import operations
from gamesvc.games import catalog
from notifications.other_channels import subscriptions
from tests.answers import OF_TESTS, document, fits


def shapes() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = document()["components"]["schemas"]
    return found


def test_it_is_openapi_3_1() -> None:
    assert document()["openapi"].startswith("3.1")
    validate_schema(document())


def test_every_operation_parameter_and_answer_is_described() -> None:
    silent = []
    for path, method, operation in operations(document()):
        described = {
            "operation": operation,
            **{one["name"]: one for one in operation.get("parameters", ())},
            **operation["responses"],
        }
        silent += [
            f"{method} {path} {name}" for name, one in described.items() if "$ref" not in one and not one.get("description")
        ]
    assert silent == []


def test_every_operation_has_a_summary_and_its_section_is_described() -> None:
    made = [operation for _path, _method, operation in operations(document())]
    made += [methods["post"] for methods in document()["webhooks"].values()]
    assert [one["operationId"] for one in made if not one["summary"] or len(one["summary"]) > 130] == []
    assert {tag for one in made for tag in one["tags"]} == {one["name"] for one in document()["tags"]}


def test_an_app_gets_a_token_by_what_the_document_says(client: Client) -> None:
    known = client.get("/.well-known/oauth-authorization-server").json()
    flow = document()["components"]["securitySchemes"]["app"]["flows"]["authorizationCode"]
    assert (flow["authorizationUrl"], flow["tokenUrl"]) == (known["authorization_endpoint"], known["token_endpoint"])
    assert list(flow["scopes"]) == known["scopes_supported"]
    asked = {scope for *_, one in operations(document()) for way in one["security"] for scope in way.get("app", ())}
    assert asked == set(flow["scopes"])


def test_every_type_of_webhook_is_described_and_its_example_fits() -> None:
    webhooks = document()["webhooks"]
    sent = {kind.name for kind in subscriptions.offered()} | {"ping", *subscriptions.NEWS}
    assert set(webhooks) == sent
    for name, methods in webhooks.items():
        operation = methods["post"]
        assert {one["name"] for one in operation["parameters"]} == {"webhook-id", "webhook-timestamp", "webhook-signature"}
        assert fits(name, operation["requestBody"]["content"]["application/json"]["example"]) == []
    assert fits("ping", {"type": "your_turn", "timestamp": "2026-11-24T10:00:00Z", "data": {}}) != []


def test_every_shape_and_field_is_described() -> None:
    """What a position or a view of a game has, its rules explain."""
    silent = [name for name, shape in shapes().items() if shape.get("type") == "object" and not shape.get("description")]
    of_games = {games.name_of(game, kind) for game in (*catalog.games(), *OF_TESTS) for kind in games.shapes_of(game)}
    assert of_games < shapes().keys()
    for name in shapes().keys() - of_games - {"Outcome"}:
        shape = shapes()[name]
        silent += [f"{name}.{field}" for field, one in shape.get("properties", {}).items() if not one.get("description")]
    assert silent == []


def misfit(name: str, value: object) -> bool:
    whole = {"$ref": f"#/components/schemas/{name}", "components": document()["components"]}
    return not jsonschema_rs.validator_for(whole).is_valid(value)


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_a_client_knows_what_a_game_takes_and_gives(game_id: str) -> None:
    game = catalog.game(game_id)
    for kind in ("View", "Position", "Options"):
        assert {"$ref": f"#/components/schemas/{games.name_of(game, kind)}"} in shapes()[f"Game{kind}"]["anyOf"]
    commands = shapes()[games.name_of(game, "Command")]["oneOf"]
    assert [one["properties"]["name"]["const"] for one in commands] == list(game.commands)
    events = shapes()[games.name_of(game, "Event")]["oneOf"]
    assert {one["properties"]["type"]["const"] for one in events} == {f"{game_id}.{name}" for name in game.events}
    assert not misfit("Command", {"name": "resign"})
    assert misfit("Command", {"name": "resign", "at": "once"})
    assert misfit("GameView", {"turn": 1})


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (False, {"type": "match.left", "type_version": 1, "data": {"seat": 0}}),
        (True, {"type": "match.left", "type_version": 1, "data": {"seat": "first"}}),
        (True, {"type": "match.leaped", "type_version": 1, "data": {}}),
        (False, {"type": "match.left", "type_version": 1, "data": {}, "redacted": True}),
        (False, {}),
    ],
    ids=["whole", "other content", "unknown type", "redacted", "sealed"],
)
def test_an_event_is_of_its_type_unless_it_is_redacted_or_sealed(fault: bool, told: dict[str, Any]) -> None:
    event = {"match": "52c8a1de-3c7f-4f5e-8a2b-90d1c2e3f4a5", "version": 7, "digest": "", "hash": "", **told}
    assert misfit("EventShape", event) == fault


def test_every_problem_of_an_operation_has_its_meaning_and_headers() -> None:
    for _path, _method, operation in operations(document()):
        problems = {status for status in operation["responses"] if status >= "400"}
        assert set(statuses.ANYWHERE) <= problems <= set(statuses.STATUSES)
    answers = document()["components"]["responses"]
    assert set(answers["Problem429"]["headers"]) == {"Retry-After"}
    assert list(answers["Problem422"]["content"]) == ["application/problem+json"]


@pytest.mark.parametrize("name", sorted(glossary.FIELDS))
def test_the_glossary_explains_only_fields_that_exist(name: str) -> None:
    shape, _, field = name.rpartition(".")
    told = {
        one["properties"][field].get("description")
        for known, one in shapes().items()
        if field in one.get("properties", {}) and shape in ("", known)
    }
    assert glossary.FIELDS[name] in told


def test_the_glossary_explains_only_what_exists() -> None:
    named = {one["name"] for _path, _method, operation in operations(document()) for one in operation.get("parameters", ())}
    assert set(glossary.PARAMETERS) <= named
    assert set(glossary.SHAPES) <= set(shapes())


MOMENTS = re.compile(r"(_at|_since|_until)$|^(at|since|until|free_since|stands_until)$")
# Ends of a span in local days or hours, or versions.
NO_MOMENTS = {"Days", "Quiet"}
PLACES = {"cursor", "before", "after"}


def test_there_is_one_format_of_time() -> None:
    odd = [
        f"{name}.{field}"
        for name, shape in shapes().items()
        for field, one in shape.get("properties", {}).items()
        if MOMENTS.search(field) and name not in NO_MOMENTS and one.get("format") != "date-time"
    ]
    assert odd == []


def test_there_is_one_way_through_pages() -> None:
    """A page has `results` and `next`, and `next` is the value of the one parameter that names a place."""
    pages = {name for name, shape in shapes().items() if "next" in shape.get("properties", {})}
    assert len(pages) > 8
    # Of these the page is one part: the events of a match up to a version, and the account of its clocks.
    for name in pages - {"Events", "ClockAccount"}:
        assert "results" in shapes()[name]["properties"], name
        assert "null" in shapes()[name]["properties"]["next"]["type"], name
    for path, _method, operation in operations(document()):
        content = operation["responses"].get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
        shown = content.get("$ref", "").rpartition("/")[2]
        if not shown:
            continue  # lines, which end with a place of their own
        places = PLACES & {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
        assert (len(places) == 1) == (shown in pages), f"{path} {shown} {places}"
