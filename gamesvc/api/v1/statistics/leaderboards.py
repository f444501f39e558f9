"""The best players and the bots of a game."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PROBLEMS, View, documented
from gamesvc.api.v1.statistics.players import RatingShape
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches.errors import Unknown
from gamesvc.matches.statistics import leaderboards
from gamesvc.matches.statistics.leaderboards import Standing

MOST = 100


class RankedShape(RatingShape):
    place = serializers.IntegerField()
    name = serializers.CharField()


class LeaderboardShape(schemas.Shape):
    game = serializers.CharField()
    players = RankedShape(
        many=True, help_text=f"The best {MOST} with a rated match in the last year, by the low end of their range."
    )
    bots = RankedShape(many=True, help_text="From matches with people and among bots. These never change the ratings of players.")


class Leaderboard(View):
    @documented(responses={200: LeaderboardShape, **PROBLEMS}, operation_id="games_leaderboard")
    def get(self, request: Request, game_id: str) -> Response:
        """Return the best players of a game, and its bots."""
        try:
            game = catalog.game(game_id).id
        except Refused as refused:
            raise Unknown(refused.detail, code=refused.code) from None
        players, bots = leaderboards.top(game, MOST), leaderboards.of_bots(game)
        return Response({"game": game, "players": list(map(_ranked, players)), "bots": list(map(_ranked, bots))})


def _ranked(standing: Standing) -> JsonObject:
    return {"place": standing.place, "name": standing.name, **standing.as_json()}
