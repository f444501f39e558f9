"""Acts and records of organisers: measures in a match, looks behind, refused commands, tenures."""

from __future__ import annotations

from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc import paging
from gamesvc.api.errors import BadQuery, beyond_schema
from gamesvc.api.idempotency import required_key
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, PRIVATE, PROBLEMS, REFUSALS, View, documented, whole_parameter
from gamesvc.matches.access import authority, tenures
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.organising import looks, measures
from gamesvc.matches.organising.measures import Measure
from gamesvc.matches.play import turns
from gamesvc.matches.reading import refusals, summaries


class NewMeasure(schemas.Reasoned):
    action = serializers.ChoiceField(list(measures.ACTIONS))
    seat = serializers.IntegerField(required=False, allow_null=True, default=None, help_text="For extend and replace: whose.")
    hours = serializers.IntegerField(required=False, allow_null=True, default=None, help_text="For extend: how much more.")
    to = serializers.IntegerField(required=False, allow_null=True, default=None, help_text="For rewind: the version.")
    bot = serializers.BooleanField(
        required=False, default=False, help_text="For replace: a bot plays on at once; else a substitute is sought."
    )


class Organise(View):
    @documented(
        request=NewMeasure,
        responses={200: schemas.MatchShape, **REFUSALS, 412: schemas.Problem},
        parameters=[KEY],
        operation_id="matches_organise",
    )
    def post(self, request: Request, ident: str) -> Response:
        """Take a measure, as an organiser or operator who has never played in the match: pause, resume, extend, rewind, replace,
        abort.
        """
        received_at = timezone.now()
        body = self.body(NewMeasure)
        match = authority.access_to_rule(by=self.user, ident=ident, link=request.query_params.get("link", "")).match
        key = turns.command_id(sender=f"host {self.user.pk} {match.id}", key=required_key(request))
        measures.organise(by=self.user, match=match, measure=Measure(**body), command_id=key, received_at=received_at)
        return Response(summaries.summary(authority.access_to_rule(by=self.user, ident=str(match.pk))))


class LookShape(schemas.Shape):
    id = serializers.UUIDField()
    by = serializers.CharField(allow_null=True)
    seat = serializers.IntegerField()
    version = serializers.IntegerField()
    reason = serializers.CharField()
    at = serializers.DateTimeField()


class Looks(View):
    @documented(responses={200: LookShape(many=True), **PROBLEMS}, operation_id="matches_looks")
    def get(self, request: Request, ident: str) -> Response:
        """List the looks of operators at what a seat of the running match sees, with their reasons; newest first."""
        return Response([looks.as_json(one) for one in looks.of_match(self.access(ident))])


class RefusalShape(schemas.Shape):
    id = serializers.IntegerField()
    seat = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(allow_null=True)
    channel = serializers.CharField(allow_null=True)
    received_at = serializers.DateTimeField()
    command = serializers.DictField(allow_null=True, help_text="Null while it may give away something hidden.")
    code = serializers.CharField()
    detail = serializers.CharField(allow_null=True)
    parameter = serializers.CharField(allow_null=True)


class RefusalPage(schemas.Shape):
    results = RefusalShape(many=True)
    next = serializers.CharField(allow_null=True)


class Refusals(View):
    @documented(
        parameters=[whole_parameter("before", "From `next` of the page before.", digits=17)],
        responses={200: RefusalPage, **PROBLEMS, 422: schemas.Problem},
        operation_id="matches_refusals",
    )
    def get(self, request: Request, ident: str) -> Response:
        """List the refused commands, newest first: yours in full.

        Organisers and operators who have not played in the match see of others the seat, code and time, and the rest once the
        match is over.
        """
        access = self.access(ident)
        found = refusals.of_match(access)
        if (given := self.number("before", 17)) is not None:
            if (last := refusals.numbered(found, access.match, given)) is None:
                detail = "`before` must be the `next` of the page before."
                raise beyond_schema(BadQuery(detail, "before", code="bad_before"))
            found = found.filter(received_at__lte=last.received_at).exclude(received_at=last.received_at, pk__gte=last.pk)
        page, final = paging.cut(found, paging.REFUSALS)
        following = f"?before={refusals.number_of(final)}" if final is not None else None
        return Response(
            {"results": [refusals.as_json(one, access.match, self.user) for one in page], "next": following},
            headers=PRIVATE,
        )


class TenureShape(schemas.Shape):
    seat = serializers.IntegerField()
    holder = serializers.UUIDField(help_text="The random id by which the events know this tenure.")
    player = serializers.IntegerField(
        allow_null=True, help_text="The same number for all tenures of one player; null where the player was erased."
    )
    holds = serializers.BooleanField(help_text="True while the tenure lasts.")


class Tenures(View):
    @documented(responses={200: TenureShape(many=True), **PROBLEMS}, operation_id="matches_tenures")
    def get(self, request: Request, ident: str) -> Response:
        """List the seat tenures and which of them belong to one player, as an organiser or operator who has not played in the
        match.
        """
        match = authority.access_to_rule(by=self.user, ident=ident).match
        if not authority.may_audit(self.user, match):
            raise Forbidden(
                "Only the organiser of a match, or an operator, reads this; until the end nobody who has played in it."
            )
        return Response(tenures.of_match(match), headers=PRIVATE)
