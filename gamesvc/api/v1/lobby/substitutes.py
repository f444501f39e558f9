"""Free seats of running matches: substitutes, giving up a seat, and subscriptions to free seats."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc import paging
from gamesvc.api.idempotency import once
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, PRIVATE, PROBLEMS, REFUSALS, View, documented
from gamesvc.games import catalog
from gamesvc.json_types import JsonObject
from gamesvc.matches.lobby import follows, substitutes
from gamesvc.matches.models import Follow, Seat
from gamesvc.matches.reading import summaries


class FreeSeat(schemas.Shape):
    match = serializers.UUIDField()
    number = serializers.IntegerField()
    game = serializers.CharField()
    title = serializers.CharField()
    seat = serializers.IntegerField()
    seats = serializers.IntegerField()
    free_since = serializers.DateTimeField()


class FreeSeats(schemas.Shape):
    results = FreeSeat(many=True)


class TakeOver(schemas.Strict):
    seat = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0, help_text="Any, without it.")


class NewFollow(schemas.Strict):
    game = serializers.CharField(required=False, default="", max_length=40)
    organiser = serializers.CharField(required=False, default="", max_length=150, help_text="A user name.")


class FollowShape(schemas.Shape):
    id = serializers.IntegerField()
    game = serializers.CharField(allow_null=True)
    organiser = serializers.CharField(allow_null=True)


class FollowsShape(schemas.Shape):
    results = FollowShape(many=True)


class Substitutes(View):
    @documented(responses={200: FreeSeats, **PROBLEMS}, operation_id="substitutes_list")
    def get(self, request: Request) -> Response:
        """List the seats of running public matches that wait for a substitute, the longest waiting first."""
        return Response(
            {"results": [_free_seat(seat) for seat in substitutes.free_seats(self.user)[: paging.FREE_SEATS]]}, headers=PRIVATE
        )


class Substitute(View):
    @documented(
        request=TakeOver, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_substitute"
    )
    def post(self, request: Request, ident: str) -> Response:
        """Take a free seat of a running match. You see what the seat may see, and get the full time of its turn.

        On a seat that you held before, you get the time that is left.
        """
        body, link = self.body(TakeOver), request.query_params.get("link", "")

        def effect() -> tuple[int, JsonObject]:
            match = substitutes.take_over(by=self.user, match=self.access(ident).match, seat=body["seat"], link=link)
            return 200, summaries.summary(self.access(str(match.id)))

        return once(request, effect)


class GiveUp(View):
    @documented(request=None, responses={200: schemas.MatchShape, **REFUSALS}, parameters=[KEY], operation_id="matches_give_up")
    def post(self, request: Request, ident: str) -> Response:
        """Give up your seat in a running match. Until a substitute takes it, the clock answers for the seat."""

        def effect() -> tuple[int, JsonObject]:
            access, seat = self.seated(ident, boards=False)
            substitutes.give_up(match=access.match, by=self.user, seat=seat)
            return 200, summaries.summary(self.access(ident))

        return once(request, effect)


class Follows(View):
    made_at = "me/follows/{id}/"

    @documented(responses={200: FollowsShape, **PROBLEMS}, operation_id="me_follows_list")
    def get(self, request: Request) -> Response:
        """List the games and organisers whose free seats you are notified of."""
        return Response({"results": [_follow(one) for one in follows.of(self.user)]}, headers=PRIVATE)

    @documented(request=NewFollow, responses={201: FollowShape, **REFUSALS}, parameters=[KEY], operation_id="me_follows_create")
    def post(self, request: Request) -> Response:
        """Subscribe to free seats: in matches of a game, or of an organiser."""
        body = self.body(NewFollow)

        def effect() -> tuple[int, JsonObject]:
            return 201, _follow(follows.follow(by=self.user, game=body["game"], organiser=body["organiser"]))

        return once(request, effect)


class FollowDetail(View):
    @documented(responses={204: None, **REFUSALS}, operation_id="me_follows_delete")
    def delete(self, request: Request, follow_id: int) -> Response:
        """End a subscription."""
        follows.stop(by=self.user, follow_id=follow_id)
        return Response(status=204)


def _free_seat(seat: Seat) -> JsonObject:
    match = seat.match
    assert seat.vacated_at is not None
    return {
        "match": str(match.id),
        "number": match.number,
        "game": match.game,
        "title": catalog.game(match.game).manifest.title,
        "seat": seat.index,
        "seats": match.seat_count,
        "free_since": seat.vacated_at.isoformat(),
    }


def _follow(row: Follow) -> JsonObject:
    return {"id": row.pk, "game": row.game or None, "organiser": row.organiser.username if row.organiser is not None else None}
