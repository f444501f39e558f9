"""Lines of analysis boards: what was played on one, going back and forth, and keeping it as conditional orders of the match."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.idempotency import once
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, PROBLEMS, REFUSALS, View, documented
from gamesvc.api.v1.play.standing_orders import PremoveShape, premove_shape
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.lobby import lines
from gamesvc.matches.record import loading


class StepShape(schemas.Shape):
    version = serializers.IntegerField(help_text="The version after it.")
    seat = serializers.IntegerField(help_text="The seat that acted.")
    order = serializers.CharField(help_text="The command as text.")
    command = serializers.DictField(help_text="The command.")
    ahead = serializers.BooleanField(help_text="It was gone back from, and nothing else was played since.")


class BranchShape(schemas.Shape):
    seat = serializers.IntegerField(help_text="The seat whose act this is.")
    command = serializers.DictField(help_text="What this seat plays.")
    answers = serializers.ListField(child=serializers.DictField(), help_text="Your commands after it.")


class KeepShape(schemas.Shape):
    branches = BranchShape(many=True, help_text="One after the other.")
    ends = serializers.CharField(
        help_text="The order at which chance or something hidden decides; empty if the line is kept whole."
    )


class WhyShape(schemas.Shape):
    code = serializers.CharField()
    detail = serializers.CharField()


class LineShape(schemas.Shape):
    steps = StepShape(many=True, help_text="The acts in their order; those ahead come last.")
    keeps = KeepShape(allow_null=True, help_text="What would be kept as conditional orders of the match.")
    refusal = WhyShape(allow_null=True, help_text="Why nothing would be kept.")


class KeptShape(schemas.Shape):
    match = serializers.UUIDField(help_text="The match that follows them.")
    orders = PremoveShape(many=True, help_text="The whole line; some of it may have been there before.")


class Line(View):
    @documented(responses={200: LineShape, **PROBLEMS}, operation_id="matches_line")
    def get(self, request: Request, ident: str) -> Response:
        """Return the line on your analysis board, and what keeping it as conditional orders of its match would store."""
        access = self.access(ident)
        answer = Response({"steps": _steps(access), **_keeps(access)})
        answer["Cache-Control"] = "private, no-store"
        return answer

    @documented(request=None, responses={201: KeptShape, **REFUSALS}, parameters=[KEY], operation_id="matches_line_keep")
    def post(self, request: Request, ident: str) -> Response:
        """Keep the line on your analysis board as conditional orders of the running match that it began from.

        Each waits for exactly the act that you played for another seat, right after the one before it; any other act ends the
        line. Refused where chance or something that you cannot see decides before your first answer.
        """
        access = self.access(ident)

        def effect() -> tuple[int, JsonObject]:
            kept = lines.keep(access)
            match = kept[0].match
            loaded = loading.load(match.id, match.game)
            return 201, {"match": str(match.id), "orders": [premove_shape(loaded, one) for one in kept]}

        return once(request, effect)


def _steps(access: Access) -> list[JsonObject]:
    loaded = loading.load(access.match.id, access.match.game)
    if not access.match.board:
        return []
    return [
        {
            "version": step.version,
            "seat": step.seat,
            "order": loaded.game.render(step.command),
            "command": step.command,
            "ahead": step.ahead,
        }
        for step in lines.steps(loaded)
    ]


def _keeps(access: Access) -> JsonObject:
    try:
        line = lines.read(access)
    except Refused as refused:
        return {"keeps": None, "refusal": {"code": refused.code, "detail": refused.detail}}
    shown = [{"seat": one.seat, "command": one.command, "answers": one.answers} for one in line.branches]
    return {"keeps": {"branches": shown, "ends": line.ends}, "refusal": None}
