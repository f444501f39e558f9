"""Reports to the operators."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.errors import BadRequest, beyond_schema
from gamesvc.api.idempotency import once
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, REFUSALS, View, documented
from gamesvc.json_types import JsonObject
from gamesvc.matches.access.selectors import Access, access_match
from gamesvc.matches.models import Report
from gamesvc.matches.organising import reports
from gamesvc.matches.organising.reports import Subject


class NewReport(schemas.Strict):
    kind = serializers.ChoiceField(choices=Report.Kind.choices)
    words = serializers.CharField(required=False, default="", allow_blank=True, max_length=10_000)
    player = serializers.CharField(required=False, max_length=150, help_text="A user name; or name a match.")
    match = serializers.CharField(required=False, max_length=40, help_text="Number or id; with `message` or `seat`.")
    message = serializers.UUIDField(required=False, help_text="Of the match; the operators get a copy.")
    seat = serializers.IntegerField(required=False, min_value=0, max_value=99)
    link = serializers.CharField(required=False, default="", allow_blank=True, max_length=43, help_text="The watch link's token.")


class ReportShape(schemas.Shape):
    id = serializers.UUIDField()
    created_at = serializers.DateTimeField()


class Reports(View):
    @documented(request=NewReport, responses={201: ReportShape, **REFUSALS}, parameters=[KEY], operation_id="reports_create")
    def post(self, request: Request) -> Response:
        """Report a message, or the player of a seat, or a player by name to the operators. The player is not told."""
        body = self.body(NewReport)

        def effect() -> tuple[int, JsonObject]:
            access, subject = self._subject(body)
            row = reports.report(by=self.user, subject=subject, kind=body["kind"], words=body["words"], access=access)
            return 201, {"id": str(row.pk), "created_at": row.created_at.isoformat()}

        return once(request, effect)

    def _subject(self, body: JsonObject) -> tuple[Access | None, Subject]:
        named = {name for name in ("player", "match", "message", "seat") if name in body}
        if named == {"player"}:
            return None, reports.of_player(self.user, body["player"])
        if named not in ({"match", "message"}, {"match", "seat"}):
            detail = "Name a `player`, or a `match` with a `message` or a `seat`."
            raise beyond_schema(BadRequest(detail, code="bad_report"))
        access = access_match(user=self.user, ident=body["match"], link=body["link"])
        if "message" in body:
            return access, reports.of_message(access, body["message"])
        return access, reports.of_seat(access, body["seat"])
