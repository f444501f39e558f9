"""Forks, analysis boards and positions."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.errors import BadQuery
from gamesvc.api.idempotency import once
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, PROBLEMS, REFUSALS, View, documented, whole_parameter
from gamesvc.json_types import JsonObject
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import forks
from gamesvc.matches.models import Match
from gamesvc.matches.reading import summaries


class NewFork(schemas.Strict):
    """The version to fork, and the kind of match to make of it."""

    version = serializers.IntegerField(min_value=1)
    kind = serializers.ChoiceField(
        ["match", "board"],
        help_text="`match`: a new match with free seats; `board`: a private analysis board, on which you play all seats "
        "without a bot.",
    )
    seat = serializers.IntegerField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        help_text="Of a match that is over: as this seat saw it, the rest redealt. Without it the whole position.",
    )
    hours = schemas.hours_to_answer()
    entry = serializers.ChoiceField(Match.Entry.choices, required=False, default=Match.Entry.INVITED)
    watch = serializers.ChoiceField(Match.Watch.choices, required=False, default=Match.Watch.LINK)
    bots = schemas.SeatedBots()
    contribution = serializers.CharField(required=False, allow_blank=True, default="", max_length=1000)


class ForkPage(schemas.Shape):
    """The forks of a match that you may know of."""

    results = schemas.MatchShape(many=True)


class PositionShape(schemas.Shape):
    """A position in the format of `POST /matches/`."""

    game = serializers.CharField()
    options = serializers.DictField()
    position = serializers.DictField()


class Forks(View):
    made_at = "matches/{id}/"

    @documented(responses={200: ForkPage, **PROBLEMS}, operation_id="matches_forks_list")
    def get(self, request: Request, ident: str) -> Response:
        """List the forks of this match that you may know of, newest first."""
        return Response({"results": summaries.of(forks.forks_of(self.access(ident)))})

    @documented(
        request=NewFork, responses={201: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_forks_create"
    )
    def post(self, request: Request, ident: str) -> Response:
        """Fork a version of this match into a new one. Forks count in no statistics.

        While the match runs, only its players can fork it, each from what their seat sees: everything else is dealt again, so
        nothing hidden can be learned. You take the same seat in the fork. When the fork is over, it shows what that seat saw
        here.
        """
        body = self.body(NewFork)
        access = self.access(ident)

        def effect() -> tuple[int, JsonObject]:
            made = forks.fork(
                access=access,
                version=body["version"],
                board=body["kind"] == "board",
                as_seat=body["seat"],
                hours=body["hours"],
                entry=body["entry"],
                watch=body["watch"],
                bots=body["bots"],
                contribution_text=body["contribution"],
            )
            return 201, summaries.summary(access_match(user=self.user, ident=str(made.pk)))

        return once(request, effect)


class Position(View):
    @documented(
        responses={200: PositionShape, **PROBLEMS, 422: schemas.Problem},
        parameters=[whole_parameter("version", "At this version; the newest without it.")],
        operation_id="matches_position",
    )
    def get(self, request: Request, ident: str) -> Response:
        """Return the whole position of a finished match, to begin another match from (`position` of `POST /matches/`)."""
        access = self.access(ident)
        asked = request.query_params.get("version", str(access.match.version))
        if not asked.isdecimal() or len(asked) > 9:
            raise BadQuery("`version` must be a whole number.", "version", code="bad_version")
        position = forks.position_at(access, int(asked))
        return Response({"game": access.match.game, "options": access.match.options, "position": position})


class CloseBoard(View):
    @documented(request=None, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_close")
    def post(self, request: Request, ident: str) -> Response:
        """Close your analysis board. You can still look at it and export it."""
        access = self.access(ident)

        def effect() -> tuple[int, JsonObject]:
            closed = forks.close_board(access=access)
            return 200, summaries.summary(access_match(user=self.user, ident=str(closed.pk)))

        return once(request, effect)
