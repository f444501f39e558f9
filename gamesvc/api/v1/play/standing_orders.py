"""Standing orders: the game's own, and conditional orders. They are private to their seat until they are played."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.etags import etag
from gamesvc.api.idempotency import once
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, PROBLEMS, REFUSALS, VERSION, View, documented
from gamesvc.api.v1.play.commands import submit_command
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.errors import Unknown
from gamesvc.matches.models import Premove
from gamesvc.matches.play import standing_orders
from gamesvc.matches.record import loading
from gamesvc.matches.record.loading import Loaded

CONFLICTS = {**REFUSALS, 412: schemas.Problem, 428: schemas.Problem}


class NewPremove(schemas.Strict):
    when = serializers.DictField(
        required=False,
        default=None,
        allow_null=True,
        help_text="The condition: an `event` (type, data to compare) as you will see it, a `view` (path, op, value), or both.",
    )
    commands = serializers.ListField(child=serializers.DictField(), required=False, default=list, max_length=20)
    order = serializers.CharField(
        required=False, default="", max_length=1000, help_text="The same as text, instead: if EVENT NAME=VALUE then ORDER; ORDER"
    )


@extend_schema_field({"not": {"type": "null"}})
class GameOrders(serializers.JSONField):
    """Standing orders in the form of a game."""


class OwnOrders(schemas.Strict):
    orders = GameOrders(help_text="As the game's command for standing orders takes them.")


class PremoveShape(schemas.Shape):
    number = serializers.IntegerField()
    order = serializers.CharField(help_text="In words.")
    after = serializers.IntegerField(allow_null=True, help_text="In a tree, the number of the order that must be done before.")
    when = serializers.DictField()
    commands = serializers.ListField(child=serializers.DictField())
    status = serializers.ChoiceField(
        Premove.Status.choices,
        help_text="armed: its condition is met, and you are not awaited yet. lapsed: the match took another way.",
    )
    given = serializers.IntegerField(help_text="Commands of it that were given.")
    why = serializers.CharField(help_text="Why it was dropped.")
    made_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class OwnShape(schemas.Shape):
    command = serializers.CharField()
    orders = serializers.JSONField(help_text="Null before the match starts.")
    schema = serializers.DictField(help_text="JSON Schema of the orders.")


class StandingShape(schemas.Shape):
    own = OwnShape(allow_null=True, help_text="The game's own; null where the game asks no player between their turns.")
    laid_by = PremoveShape(many=True)
    schema = serializers.DictField(help_text="JSON Schema of `when`.")
    shows = serializers.CharField(help_text="What an instant answer tells the others.")


class Standing(View):
    @documented(responses={200: StandingShape, **PROBLEMS}, operation_id="matches_standing")
    def get(self, request: Request, ident: str) -> Response:
        """Return your standing orders: the game's own, your conditional orders, and the results of the last ones."""
        access, loaded, seat = _loaded(self, ident)
        own = standing_orders.own_orders(loaded, seat)
        laid_by = [premove_shape(loaded, one) for one in standing_orders.laid_by(access.match, seat)]
        shown = {"own": own, "laid_by": laid_by, "schema": standing_orders.CONDITION, "shows": standing_orders.SHOWS}
        answer = Response(shown)
        answer["Cache-Control"] = "private, no-store"
        answer["ETag"] = etag(access.match.id, seat, loaded.viewer_version(seat))
        return answer

    @documented(
        request=NewPremove, responses={201: PremoveShape, **REFUSALS}, parameters=[KEY], operation_id="matches_standing_create"
    )
    def post(self, request: Request, ident: str) -> Response:
        """Create a conditional order. Its commands are played once the condition is met and you are asked."""
        body = self.body(NewPremove)
        access, loaded, seat = _loaded(self, ident)

        def effect() -> tuple[int, JsonObject]:
            condition, commands = _read(access, seat, body)
            made = standing_orders.lay_by(match=access.match, seat=seat, user=self.user, condition=condition, commands=commands)
            return 201, premove_shape(loaded, made)

        return once(request, effect)


class StandingDetail(View):
    @documented(
        request=NewPremove, responses={200: PremoveShape, **REFUSALS}, parameters=[KEY], operation_id="matches_standing_change"
    )
    def put(self, request: Request, ident: str, number: int) -> Response:
        """Replace a conditional order. The new one gets a new number."""
        body = self.body(NewPremove)
        access, loaded, seat = _loaded(self, ident)

        def effect() -> tuple[int, JsonObject]:
            condition, commands = _read(access, seat, body)
            premove = _find(access, seat, number)
            made = standing_orders.change(premove=premove, user=self.user, condition=condition, commands=commands)
            return 200, premove_shape(loaded, made)

        return once(request, effect)

    @documented(responses={204: None, **REFUSALS}, operation_id="matches_standing_delete")
    def delete(self, request: Request, ident: str, number: int) -> Response:
        """Cancel a conditional order."""
        access, seat = self.seated(ident)
        _find(access, seat, number)
        standing_orders.cancel(match=access.match, seat=seat, number=number, user=self.user)
        return Response(status=204)


class Own(View):
    @documented(
        request=OwnOrders,
        responses={200: schemas.Receipt, **CONFLICTS},
        parameters=[KEY, VERSION],
        operation_id="matches_standing_own",
    )
    def put(self, request: Request, ident: str) -> Response:
        """Set the game's own standing orders, like the game's command for them."""
        received_at, orders = timezone.now(), self.body(OwnOrders)["orders"]
        access, loaded, _seat = _loaded(self, ident)
        return submit_command(self, access, standing_orders.own_command(loaded, orders), received_at)

    @documented(
        request=None,
        responses={200: schemas.Receipt, **CONFLICTS},
        parameters=[KEY, VERSION],
        operation_id="matches_standing_own_reset",
    )
    def delete(self, request: Request, ident: str) -> Response:
        """Reset the game's own standing orders to those at the start of the match."""
        received_at = timezone.now()
        access, loaded, seat = _loaded(self, ident)
        orders = standing_orders.first_orders(loaded, seat)
        return submit_command(self, access, standing_orders.own_command(loaded, orders), received_at)


def _loaded(view: View, ident: str) -> tuple[Access, Loaded, int]:
    access, seat = view.seated(ident)
    return access, loading.load(access.match.id, access.match.game), seat


def _read(access: Access, seat: int, body: JsonObject) -> tuple[Any, Any]:
    """Return condition and commands, given as such or as text. Raises `Refused`."""
    if not body["order"]:
        if body["when"] is None:
            raise Refused("bad_condition", "Give `when` and `commands`, or the same as text in `order`.", "when")
        return body["when"], body["commands"]
    asked = standing_orders.parse_text(access.match, seat, body["order"])
    if asked.condition is None:
        raise Refused("unreadable", f"This is not a conditional order. {standing_orders.HOW}", "order")
    return asked.condition, asked.commands


def _find(access: Access, seat: int, number: int) -> Premove:
    found = Premove.objects.select_related("match", "user").filter(match=access.match, seat=seat, number=number).first()
    if found is None:
        raise Unknown(f"You have no conditional order {number}.", code="unknown_order")
    return found


def premove_shape(loaded: Loaded, one: Premove) -> JsonObject:
    return {
        "number": one.number,
        "order": standing_orders.words(loaded, one),
        "after": one.after.number if one.after is not None else None,
        "when": one.condition,
        "commands": one.commands,
        "status": one.status,
        "given": one.given,
        "why": one.why,
        "made_at": one.made_at.isoformat(),
        "ended_at": one.ended_at.isoformat() if one.ended_at is not None else None,
    }
