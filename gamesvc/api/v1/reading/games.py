"""The games on offer."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import View, documented
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches.errors import Unknown


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


class GameDetail(View):
    @documented(responses={200: schemas.GameDetail, 404: schemas.Problem}, operation_id="games_retrieve")
    def get(self, request: Request, game_id: str) -> Response:
        """Return one game with the JSON Schemas of its options and commands, its order notation and its rules."""
        try:
            game = catalog.game(game_id)
        except Refused as refused:
            raise Unknown(refused.detail, code=refused.code) from None
        schema = {"options": game.manifest.options, "commands": game.commands}
        return Response(
            {**game_json(game), "schema": schema, "order_help": game.order_help(None), "rules_help": game.rules_help()}
        )
