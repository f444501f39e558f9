"""The user's own notices and their delivery, notification settings, the calendar address; and presence."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc import paging
from gamesvc.api.idempotency import once
from gamesvc.api.v1 import places, schemas
from gamesvc.api.v1.base import KEY, PROBLEMS, REFUSALS, View, documented, place_parameter
from gamesvc.json_types import JsonObject
from gamesvc.matches.access import selectors
from notifications import ledger
from notifications.sending import calendar
from notifications.wanted import presence, wishes


class DeliveryStep(schemas.Shape):
    state = serializers.CharField(help_text="queued, sent, refused, bounced, planned, dropped or acted upon.")
    channel = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField(allow_null=True)
    detail = serializers.CharField(allow_blank=True)


class NoticeShape(schemas.Shape):
    """A notice and its delivery. `told_by` is the notice whose mail also contained this one."""

    id = serializers.UUIDField()
    kind = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    match = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(["queued", "sent", "dropped", "failed", "merged"])
    due_at = serializers.DateTimeField()
    reason = serializers.CharField(allow_blank=True)
    told_by = serializers.UUIDField(allow_null=True)
    steps = DeliveryStep(many=True)


class NoticePage(schemas.Shape):
    results = NoticeShape(many=True)
    next = serializers.CharField(allow_null=True)


class Points(schemas.Strict):
    reminders = serializers.ListField(
        child=serializers.CharField(max_length=12),
        max_length=schemas.MOST_ITEMS,
        required=False,
        allow_null=True,
        help_text="Points of a deadline: `80%` of its time gone, or `2h`, `30m`, `1d` before it; null for the default. If your"
        " time runs out, the record of the match says which of them were sent (`match.timed_out`), to all who may read it.",
    )
    batch_minutes = serializers.IntegerField(
        required=False, allow_null=True, help_text="How long turn notices gather while a turn mail is unanswered; 0: never."
    )


class PreferencesChange(Points):
    receipt_minutes = serializers.IntegerField(
        required=False,
        allow_null=True,
        help_text="How long receipts gather after one that was sent. A refusal, an answer, something revealed and the end of a"
        " turn do not wait; 0: every receipt at once.",
    )
    subject_per_turn = serializers.BooleanField(
        required=False,
        allow_null=True,
        help_text="True: each mail about a match has a subject of its own. False: all have the same, and mail programs show one"
        " conversation.",
    )
    immediate_below = serializers.IntegerField(
        required=False, allow_null=True, help_text="Mail at once only with fewer hours left than this; null: always at once."
    )
    digest_hour = serializers.IntegerField(
        required=False, allow_null=True, help_text="The hour of the daily digest in your time zone; null: no digest."
    )
    channels = serializers.ListField(
        child=serializers.CharField(max_length=20),
        max_length=schemas.MOST_ITEMS,
        required=False,
        allow_null=True,
        help_text="In the order they are tried: each only if nothing has happened by then.",
    )
    channel_minutes = serializers.IntegerField(
        required=False, allow_null=True, help_text="How long one channel waits for the one before it."
    )


class Effective(schemas.Shape):
    reminders = serializers.ListField(child=serializers.CharField())
    batch_minutes = serializers.IntegerField()
    receipt_minutes = serializers.IntegerField()
    subject_per_turn = serializers.BooleanField()
    immediate_below = serializers.IntegerField(allow_null=True)
    digest_hour = serializers.IntegerField(allow_null=True)
    channels = serializers.ListField(child=serializers.CharField())
    channel_minutes = serializers.IntegerField()


class PreferencesShape(schemas.Shape):
    """`own`: your settings, null for the default. `effective`: the values in force."""

    own = PreferencesChange()
    effective = Effective()


class MatchPreferences(schemas.Shape):
    own = Points()
    effective = Effective()


class Feed(schemas.Shape):
    address = serializers.CharField(
        allow_null=True, help_text="Anyone who knows it can read your deadlines; null: there is none."
    )


class Notices(View):
    @documented(
        parameters=[place_parameter(places.PATTERN)],
        responses={200: NoticePage, **PROBLEMS},
        operation_id="me_notices",
    )
    def get(self, request: Request) -> Response:
        """List your notices, newest first, each with its delivery: queued, sent, refused, bounced, acted upon."""
        notices = ledger.notices(self.user, before=places.read(request.query_params.get("cursor")))
        rows, last = paging.cut(notices, paging.NOTICES)
        return Response({"results": ledger.entries(rows), "next": places.after(last)})


class Preferences(View):
    @documented(responses={200: PreferencesShape, **PROBLEMS}, operation_id="me_preferences")
    def get(self, request: Request) -> Response:
        """Return when and by which channel you get notices."""
        return Response(_wishes_json(self))

    @documented(
        request=PreferencesChange,
        responses={200: PreferencesShape, **PROBLEMS, 422: schemas.Problem},
        operation_id="me_preferences_change",
    )
    def patch(self, request: Request) -> Response:
        """Change some notification settings; null restores the default."""
        changes = self.body(PreferencesChange)
        wishes.set_wishes(self.user, changes)
        return Response(_wishes_json(self))


class OfMatch(View):
    @documented(responses={200: MatchPreferences, **PROBLEMS}, operation_id="matches_preferences")
    def get(self, request: Request, ident: str) -> Response:
        """Return your reminders and your batch window in this match."""
        return Response(_wishes_json(self, _topic(self, ident)))

    @documented(
        request=Points,
        responses={200: MatchPreferences, **PROBLEMS, 422: schemas.Problem},
        operation_id="matches_preferences_change",
    )
    def patch(self, request: Request, ident: str) -> Response:
        """Change them for this match; null restores your general setting."""
        topic, changes = _topic(self, ident), self.body(Points)
        wishes.set_wishes(self.user, changes, topic=topic)
        return Response(_wishes_json(self, topic))


def _topic(view: View, ident: str) -> str:
    """Return the topic of a match in which the caller has a seat. Raises `Unknown` or `Forbidden`."""
    return str(selectors.access_seat(user=view.user, ident=ident).match.id)


def _wishes_json(view: View, topic: str = "") -> JsonObject:
    own = wishes.own_wishes(view.user, topic)
    return {"own": own, "effective": wishes.wishes_of(view.user.pk, topic).as_json()}


class Presence(View):
    @documented(request=None, responses={204: None, **PROBLEMS}, operation_id="matches_presence")
    def post(self, request: Request, ident: str) -> Response:
        """Report that your match page is in view. A notice about this match then waits for you to act, at most five minutes.

        Send it once a minute while the page is in view. Repeating it changes nothing, so it needs no key.
        """
        presence.note(self.user, _topic(self, ident))
        return Response(status=204)

    @documented(responses={204: None, **PROBLEMS}, operation_id="matches_presence_end")
    def delete(self, request: Request, ident: str) -> Response:
        """Report that your match page is closed or hidden. Notices no longer wait for you. Repeating it changes nothing."""
        presence.leave(self.user, _topic(self, ident))
        return Response(status=204)


class Calendar(View):
    @documented(responses={200: Feed, **PROBLEMS}, operation_id="me_calendar")
    def get(self, request: Request) -> Response:
        """Return the address of your calendar of deadlines."""
        return Response({"address": calendar.address(self.user)})

    @documented(request=None, responses={201: Feed, **REFUSALS}, parameters=[KEY], operation_id="me_calendar_renew")
    def post(self, request: Request) -> Response:
        """Create a calendar address, or replace it: the old one stops working."""

        def renew() -> tuple[int, JsonObject]:
            calendar.renew_address(self.user)
            return 201, {}

        # Stored responses may be replayed for a day. An address or a secret must not be stored among them.
        answer = once(request, renew)
        return Response({"address": calendar.address(self.user)}, status=201) if answer.status_code == 201 else answer

    @documented(responses={204: None, **PROBLEMS}, operation_id="me_calendar_withdraw")
    def delete(self, request: Request) -> Response:
        """Remove the calendar address: it stops working."""
        calendar.withdraw_address(self.user)
        return Response(status=204)
