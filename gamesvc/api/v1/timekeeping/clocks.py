"""Clocks: the policies for new matches, and the time account of a match."""

from __future__ import annotations

from urllib.parse import urlencode

from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.errors import BadQuery, beyond_schema
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PROBLEMS, View, documented, whole_parameter
from gamesvc.matches.clock import words
from gamesvc.matches.clock.notation import PRESETS, SCHEMA
from gamesvc.matches.reading import board
from gamesvc.matches.timekeeping import explanation


class Preset(schemas.Shape):
    name = serializers.CharField()
    title = serializers.CharField()
    policy = serializers.DictField()
    words = serializers.ListField(child=serializers.CharField())


class ClockChoice(schemas.Shape):
    schema = serializers.DictField(help_text="JSON Schema of a policy.")
    presets = Preset(many=True)


class Because(schemas.Shape):
    """The inputs of a deadline: `left` seconds from `since`, without the excluded spans, or a fixed time."""

    since = serializers.DateTimeField()
    own = serializers.IntegerField(help_text="Seconds of the question's own time.")
    left = serializers.IntegerField(
        help_text="Seconds altogether: own time, bank, at least the minimum. Below zero once the grace has begun."
    )
    excluded = serializers.ListField(child=serializers.ListField(child=serializers.DateTimeField()))
    fixed = serializers.DateTimeField(required=False)
    put_off = serializers.IntegerField(
        required=False, help_text="Seconds by which the fixed time is later than in the calendar: outages, extensions."
    )


class RunningClock(schemas.Shape):
    seat = serializers.IntegerField()
    question = serializers.CharField()
    kind = serializers.CharField()
    asked_at = serializers.DateTimeField()
    due_at = serializers.DateTimeField(allow_null=True, help_text="Null while the match is paused.")
    grace_from = serializers.DateTimeField(allow_null=True)
    stands_until = serializers.DateTimeField(allow_null=True, help_text="The clock is stopped and runs again from this moment.")
    because = Because()


class SeatBank(schemas.Shape):
    seat = serializers.IntegerField()
    seconds = serializers.IntegerField()


class ClockLine(schemas.Shape):
    """A change of a clock by the append that ends at `version`. Times in seconds."""

    version = serializers.IntegerField()
    at = serializers.DateTimeField()
    seat = serializers.IntegerField()
    question = serializers.CharField()
    what = serializers.CharField(
        help_text="asked, continued, stopped, ran out, excused, paused, pause (it goes on), waits, undo, moved, extended,"
        " vacation, outage."
    )
    used = serializers.IntegerField(help_text="Seconds counted since the clock last began to run.")
    left = serializers.IntegerField(help_text="Seconds left of the question's own time.")
    bank = serializers.IntegerField()
    due_at = serializers.DateTimeField(allow_null=True)
    because = Because(allow_null=True)


class ClockAccount(schemas.Shape):
    policy = serializers.DictField()
    words = serializers.ListField(child=serializers.CharField())
    paused_since = serializers.DateTimeField(allow_null=True)
    clocks = RunningClock(many=True)
    banks = SeatBank(
        many=True, help_text="Missing: seats never asked, and other players' seats without a line in the last part of the log."
    )
    lines = ClockLine(many=True)
    next = serializers.CharField(allow_null=True, help_text="The query for the part before this one; null at the beginning.")


class Clocks(View):
    @documented(responses={200: ClockChoice}, operation_id="clocks_list")
    def get(self, request: Request) -> Response:
        """List the clock policies: presets by name, and the schema of a policy in parts."""
        presets = [
            {"name": name, "title": title, "policy": policy, "words": words.sentences(policy)}
            for name, (title, policy) in PRESETS.items()
        ]
        return Response({"schema": SCHEMA, "presets": presets})


class MatchClock(View):
    @documented(
        parameters=[
            whole_parameter("seat", "Only the clocks of this seat.", digits=2),
            whole_parameter("before", "Only lines with a lower version."),
        ],
        responses={200: ClockAccount, **PROBLEMS, 422: schemas.Problem},
        operation_id="matches_clock",
    )
    def get(self, request: Request, ident: str) -> Response:
        """Return the last lines of the match's time account, computed again from the log, as far as they are not hidden from you.

        One response covers a limited part of the log. If it has few lines of a seat, or none, continue with `next`.
        """
        access = self.access(ident)
        seat, before = self.number("seat", 2), self.number("before", 9)
        if seat is not None and seat >= access.match.seat_count:
            raise beyond_schema(BadQuery(f"`seat` is a number from 0 to {access.match.seat_count - 1}.", "seat", code="bad_seat"))
        found = explanation.explain(access.match, seat, viewer=access.viewer, before=before, loaded=access.load())
        told, now = found.as_json(), timezone.now()
        for shown, clock in zip(told["clocks"], found.clocks.values(), strict=True):
            until = board.stands_until(clock, now)
            shown["stands_until"] = until.isoformat() if until is not None else None
        wanted = {"seat": seat, "before": found.older}
        following = urlencode({name: value for name, value in wanted.items() if value is not None})
        more = {"words": words.sentences(found.policy) if found.policy else [], "next": f"?{following}" if found.older else None}
        answer = Response({**told, **more})
        answer["Cache-Control"] = "private, no-cache"
        return answer
