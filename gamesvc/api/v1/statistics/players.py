"""Figures about players: timeouts, answer times, finished matches, results, ratings."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PROBLEMS, View, documented
from gamesvc.matches.errors import Unknown
from gamesvc.matches.statistics import leaderboards, rating_rules, totals


class PlayerRecord(schemas.Shape):
    matches = serializers.IntegerField(help_text="Matches in which the player has answered, timed out or come to an end.")
    finished = serializers.IntegerField(help_text="Matches played to the end.")
    given_up = serializers.IntegerField(help_text="The seat was vacated after timeouts, or given up.")
    finished_percent = serializers.IntegerField(allow_null=True)
    timeouts = serializers.IntegerField()
    excused = serializers.IntegerField()
    answers = serializers.IntegerField()
    average_answer_seconds = serializers.IntegerField(allow_null=True)


class GameRecord(schemas.Shape):
    game = serializers.CharField()
    played = serializers.IntegerField(help_text="Finished matches that started with at least one other user.")
    won = serializers.IntegerField()
    shared = serializers.IntegerField(help_text="First together with others.")
    lost = serializers.IntegerField()


class RatingShape(schemas.Shape):
    game = serializers.CharField()
    rating = serializers.IntegerField(allow_null=True, help_text="Null while it is provisional.")
    range = serializers.IntegerField(
        allow_null=True,
        help_text="The strength is within rating ± range about nine times in ten. Null while provisional.",
    )
    provisional = serializers.BooleanField(help_text=f"Fewer than {rating_rules.RATED_FROM} rated matches.")
    matches = serializers.IntegerField(help_text="Rated matches: between people, from the start, to a result.")
    won = serializers.IntegerField(help_text="Of these, won alone.")


class PlayerShape(schemas.Shape):
    name = serializers.CharField()
    window_days = serializers.IntegerField(help_text="How many days `lately` goes back.")
    lately = PlayerRecord()
    ever = PlayerRecord()
    games = GameRecord(many=True)
    ratings = RatingShape(many=True)


class Player(View):
    @documented(responses={200: PlayerShape, **PROBLEMS}, operation_id="players_retrieve")
    def get(self, request: Request, name: str) -> Response:
        """Return a player's figures and ratings. Forks, analysis boards and described positions do not count."""
        user = User.named(name)
        if user is None:
            raise Unknown(f"There is no player {name!r}.", code="unknown_user")
        ratings = [standing.as_json() for standing in leaderboards.of_player(user)]
        return Response(totals.player_json(user) | {"ratings": ratings})
