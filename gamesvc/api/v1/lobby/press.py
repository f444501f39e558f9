"""Press: messages between the players of a match."""

from __future__ import annotations

import uuid

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc import paging
from gamesvc.api.errors import BadQuery, beyond_schema
from gamesvc.api.idempotency import once
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, PRIVATE, PROBLEMS, REFUSALS, View, documented
from gamesvc.json_types import JsonObject
from gamesvc.matches.access import holders
from gamesvc.matches.lobby import press
from gamesvc.matches.models import Press as Message

LAST_SEAT = 99
RECEIVERS = {
    "oneOf": [
        {"const": "all"},
        {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": LAST_SEAT}, "minItems": 1},
    ]
}


@extend_schema_field(RECEIVERS)
class Receivers(serializers.Field):  # type: ignore[type-arg]
    """`"all"`, or a list of seats."""

    def to_internal_value(self, data: object) -> list[int] | str:
        if data == press.ALL:
            return press.ALL
        given = [schemas.as_whole(one) for one in data] if isinstance(data, list) else []
        seats = [one for one in given if type(one) is int and 0 <= one <= LAST_SEAT]
        if seats and len(seats) == len(given):
            return seats
        raise serializers.ValidationError('`to` is "all" or a list of seat numbers, like [1].')

    def to_representation(self, value: object) -> object:
        return value


class NewPress(schemas.Strict):
    to = Receivers()
    text = serializers.CharField(max_length=10_000, help_text=f"At most {press.LONGEST} characters.")


class PressShape(schemas.Shape):
    id = serializers.UUIDField()
    seat = serializers.IntegerField()
    name = serializers.CharField()
    to = Receivers()
    text = serializers.CharField()
    said_at = serializers.DateTimeField()


class PressPage(schemas.Shape):
    results = PressShape(many=True)
    next = serializers.CharField(allow_null=True)


class MatchPress(View):
    @documented(
        parameters=[OpenApiParameter("before", uuid.UUID, description="From `next` of the page before.")],
        responses={200: PressPage, **PROBLEMS, 422: schemas.Problem},
        operation_id="matches_press_list",
    )
    def get(self, request: Request, ident: str) -> Response:
        """List the messages you may read, newest first: those to everyone, and with a seat also those you sent or received."""
        access = self.access(ident)
        found = press.messages(access, access.user)
        if (given := request.query_params.get("before")) is not None:
            found = press.before(found, _message(found, given))
        page, last = paging.cut(found, paging.MESSAGES)
        following = f"?before={last.id}" if last is not None else None
        return Response({"results": [press.as_json(one) for one in page], "next": following}, headers=PRIVATE)

    @documented(request=NewPress, responses={201: PressShape, **REFUSALS}, parameters=[KEY], operation_id="matches_press_create")
    def post(self, request: Request, ident: str) -> Response:
        """Send a message to everyone, or to chosen seats if the match allows it."""
        body = self.body(NewPress)
        access = self.access(ident)

        def effect() -> tuple[int, JsonObject]:
            if access.seat is None:
                raise holders.no_seat()
            message = press.say(
                match=access.match,
                by=self.user,
                by_seat=access.seat.index,
                to=body["to"],
                text=body["text"],
                channel="api",
            )
            return 201, press.as_json(message)

        return once(request, effect)


def _message(found: QuerySet[Message], given: str) -> Message:
    try:
        place = uuid.UUID(given)
    except ValueError:
        raise _bad_before() from None
    if (message := found.filter(pk=place).first()) is None:
        raise beyond_schema(_bad_before())
    return message


def _bad_before() -> BadQuery:
    return BadQuery("`before` must be the `next` of the page before.", "before", code="bad_before")
