"""The games on offer."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import View, documented
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.games.schemas import of_kinds, schemas_of
from gamesvc.json_types import JsonObject
from gamesvc.matches.errors import Unknown
from gamesvc.matches.events import KINDS


def game_json(game: Game) -> JsonObject:
    manifest = game.manifest
    return {
        "id": manifest.id,
        "title": manifest.title,
        "designer": manifest.designer,
        "credit": manifest.credit,
        "rules_link": manifest.rules_link,
        "rules": manifest.rules,
        "summary": manifest.summary,
        "seats": {"min": manifest.min_seats, "max": manifest.max_seats},
        "bots": list(game.bots),
    }


class Games(View):
    @documented(responses={200: schemas.Game(many=True)}, operation_id="games_list")
    def get(self, request: Request) -> Response:
        """List the games on offer."""
        return Response([game_json(game) for game in catalog.games()])


class SchemasShape(schemas.Shape):
    """The JSON Schemas (draft 2020-12) of a game: what goes in, and what comes out."""

    game = serializers.CharField()
    rules = serializers.CharField()
    options = serializers.DictField(help_text="The schema of the options of a match.")
    position = serializers.DictField(help_text="The schema of a position, the whole state.")
    commands = serializers.DictField(help_text="A schema for the parameters of each command.")
    view = serializers.DictField(
        help_text="The schema of a view, of any seat and of spectators. It states what holds in all views; of places that are"
        " rarely filled it names the keys alone."
    )
    events = serializers.DictField(
        help_text="A schema for `data` of each type of the game's events (without the game's id before it), with the"
        " `type_version` that it describes. Of a redacted event any key may be missing; earlier versions of a type may have"
        " other keys."
    )
    service_events = serializers.DictField(help_text="The same for the events of the service, which all games share.")
    outcome = serializers.DictField(help_text="The schema of the outcome.")


class GameSchemas(View):
    @documented(responses={200: SchemasShape, 404: schemas.Problem}, operation_id="games_schemas")
    def get(self, request: Request, game_id: str) -> Response:
        """Return the JSON Schemas of a game's options, positions, commands, views, events and outcome."""
        game = _game(game_id)
        told = {"game": game.id, "rules": game.manifest.rules, **schemas_of(game), "service_events": of_kinds(KINDS)}
        return Response(told)


class GameDetail(View):
    @documented(responses={200: schemas.GameDetail, 404: schemas.Problem}, operation_id="games_retrieve")
    def get(self, request: Request, game_id: str) -> Response:
        """Return one game with the JSON Schemas of its options and commands, its order notation and its rules."""
        game = _game(game_id)
        schema = {"options": game.manifest.options, "commands": game.commands}
        return Response(
            {**game_json(game), "schema": schema, "order_help": game.order_help(None), "rules_help": game.rules_help()}
        )


def _game(game_id: str) -> Game:
    """Return a game on offer. Raises `Unknown`."""
    try:
        return catalog.game(game_id)
    except Refused as refused:
        raise Unknown(refused.detail, code=refused.code) from None
