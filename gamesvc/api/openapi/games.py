"""The schemas of the games in the OpenAPI document: options, positions, views, commands, events and the outcome.

They are those of `/games/ID/schemas/`, without the keywords that only our forms use. A command or an event is the whole object.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from gamesvc.api.openapi import examples
from gamesvc.games.kernel import vocabulary
from gamesvc.games.kernel.game import Game
from gamesvc.games.schemas import OUTCOME, of_kinds, schemas_of
from gamesvc.matches.events import KINDS

Document = dict[str, Any]
COMPONENT = "#/components/schemas/"
# Where a member holds something of a game: the name of the union over all games.
MEMBERS = {
    "BranchShape.answers": "Command",
    "BranchShape.command": "Command",
    "ChallengeShape.options": "GameOptions",
    "MatchShape.options": "GameOptions",
    "MatchShape.outcome": "Outcome",
    "NewChallenge.options": "GameOptions",
    "NewMatch.options": "GameOptions",
    "NewMatch.position": "GamePosition",
    "NewPremove.commands": "Command",
    "PositionShape.options": "GameOptions",
    "PositionShape.position": "GamePosition",
    "PremoveShape.commands": "Command",
    "View.outcome": "Outcome",
    "View.view": "GameView",
}
_WORDS = {
    "Options": "The options of a match. Each has a default.",
    "Position": "A whole position, hidden things included.",
    "View": "A position as a seat or a spectator sees it. Of places that are rarely filled the keys alone are named.",
    "Command": "A command: its name, and its parameters beside it.",
    "Event": "An event with its content.",
}
_EARLIER = "As an earlier release wrote it."


def add(schemas: Document, games: Iterable[Game[Any]]) -> None:
    """Add the shapes of each game and their unions, and refer to them where members of other shapes hold them."""
    unions: dict[str, list[Document]] = {kind: [] for kind in _WORDS}
    for game in games:
        for kind, shape in shapes_of(game).items():
            name = name_of(game, kind)
            named = {"title": f"{game.manifest.title}: {kind.lower()}", "description": _WORDS[kind]}
            schemas[name] = {**named, **shape, **examples.told(examples.shape(name))}
            unions[kind].append({"$ref": f"{COMPONENT}{name}"})
    schemas["ServiceEvent"] = {"title": "The service: event", "description": _WORDS["Event"], **_events(of_kinds(KINDS))}
    unions["Event"].append({"$ref": f"{COMPONENT}ServiceEvent"})
    schemas["Outcome"] = {"description": "The result of a match.", **_plain(OUTCOME), **examples.told(examples.shape("Outcome"))}
    for kind in ("Options", "Position", "View"):
        schemas[f"Game{kind}"] = {"description": f"{_WORDS[kind]} One of these, by the game.", "anyOf": unions[kind]}
    schemas["Command"] = {"description": schemas["Command"]["description"], "anyOf": unions["Command"]}
    schemas["EventShape"]["anyOf"] = [
        *unions["Event"],
        {"title": "Redacted", "description": "Any key of the content may be missing.", **_with("redacted", {"const": True})},
        {"title": "Sealed", "description": "Digest and hash alone.", "not": _with("data", {"type": "object"})},
    ]
    for member, union in MEMBERS.items():
        name, _, field = member.partition(".")
        _refer(schemas[name]["properties"][field], union)


def name_of(game: Game[Any], kind: str) -> str:
    return "".join(part.capitalize() for part in game.id.split("_")) + kind


def shapes_of(game: Game[Any]) -> dict[str, Document]:
    """Return the shapes of a game by their kind."""
    told = schemas_of(game)
    commands = [
        _command(name, schema) | examples.told(examples.command(game.id, name)) for name, schema in told["commands"].items()
    ]
    return {
        "Options": _plain(told["options"]),
        "Position": _plain(told["position"]),
        "View": _plain(told["view"]),
        "Command": {"oneOf": commands},
        "Event": _events({f"{game.id}.{name}": schema for name, schema in told["events"].items()}),
    }


def _command(name: str, parameters: Document) -> Document:
    made = _plain(parameters)
    properties = {"name": {"const": name}, **made.get("properties", {})}
    return {"title": name, **made, "properties": properties, "required": ["name", *made.get("required", ())]}


def _events(kinds: Mapping[str, Any]) -> Document:
    """Return a union over types of events. Of each, what earlier versions hold is left open."""
    choices = []
    for name, schema in kinds.items():
        data, version = _plain(schema), schema["type_version"]
        told = data.pop("description", "")
        choices.append(_event(name, {"const": version}, data, told or name) | examples.told(examples.event(name)))
        if version > 1:
            choices.append(_event(name, {"type": "integer", "maximum": version - 1}, {"type": "object"}, _EARLIER))
    return {"oneOf": choices}


def _event(name: str, version: Document, data: Document, told: str) -> Document:
    members = {"type": {"const": name}, "type_version": version, "data": data}
    return {"title": name, "description": told, "type": "object", "properties": members, "required": list(members)}


def _with(name: str, schema: Document) -> Document:
    return {"type": "object", "properties": {name: schema}, "required": [name]}


def _refer(member: Document, union: str) -> None:
    """Let a member, or the items of one, be of a union. Where null was allowed it stays so."""
    if member.get("type") == "array":
        _refer(member["items"], union)
        return
    nullable = "null" in member.pop("type")
    member.pop("additionalProperties", None)
    there = {"$ref": f"{COMPONENT}{union}"}
    member.update({"anyOf": [there, {"type": "null"}]} if nullable else there)


def _plain(schema: Document) -> Document:
    """Return a schema without our own keywords, which tools for OpenAPI refuse. It asks for a little less without them."""
    made: Document = _without_own(copy.deepcopy(schema))
    return made


def _without_own(schema: Any, named: bool = False) -> Any:
    """Drop the keywords from a schema, or from each in a table (`named`) or list of schemas."""
    if isinstance(schema, list):
        return [_without_own(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if named:
        return {name: _without_own(one) for name, one in schema.items()}
    made = {
        key: _without_own(value, named=key == "properties") if key in _OF_SCHEMAS else value
        for key, value in schema.items()
        if key in _KNOWN
    }
    # Said outright, since many tools want it of every array.
    return {**made, "items": made.get("items", {})} if "array" in made.get("type", ()) else made


_OF_SCHEMAS = {"properties", "items", "prefixItems", "additionalProperties", "propertyNames", "oneOf", "anyOf", "not"}
_KNOWN = vocabulary.STANDARD | _OF_SCHEMAS | {"format"}
