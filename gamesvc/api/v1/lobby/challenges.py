"""Challenges: to a player or a bot, by name; also the invitations by name that come from the pages."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from gamesvc import paging
from gamesvc.api.errors import BadQuery
from gamesvc.api.idempotency import once
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, PRIVATE, PROBLEMS, REFUSALS, View, documented
from gamesvc.json_types import JsonObject
from gamesvc.matches.clock import words
from gamesvc.matches.lobby import challenges
from gamesvc.matches.models import Invitation, Match

WAYS = ("in", "out")


class NewChallenge(schemas.Strict):
    """A challenge to a match for two."""

    opponent = serializers.CharField(help_text="The name of a player or of a bot account.")
    game = serializers.CharField()
    options = serializers.DictField(required=False, default=dict)
    hours = schemas.hours_to_answer()
    clock = schemas.clock_policy()
    seat = serializers.IntegerField(
        required=False, allow_null=True, default=None, help_text="The seat you take, 0 or 1; null: the first."
    )
    watch = serializers.ChoiceField(Match.Watch.choices, required=False, default=Match.Watch.LINK)


class Acceptance(schemas.Strict):
    """The answer to a challenge that is accepted."""

    contribution = serializers.CharField(required=False, allow_blank=True, default="", max_length=1000)


class ChallengeShape(schemas.Shape):
    """A challenge, and the match to which it leads."""

    id = serializers.UUIDField()
    status = serializers.ChoiceField(["open", "accepted", "declined", "cancelled", "lapsed"])
    challenger = serializers.CharField(allow_null=True)
    challenger_is_bot = serializers.BooleanField(allow_null=True)
    opponent = serializers.CharField()
    opponent_is_bot = serializers.BooleanField()
    match = serializers.UUIDField()
    number = serializers.IntegerField()
    game = serializers.CharField()
    options = serializers.DictField()
    seats = serializers.IntegerField()
    seat = serializers.IntegerField(allow_null=True)
    clock = serializers.DictField()
    pace = serializers.CharField()
    hours = serializers.IntegerField(help_text="Hours to answer each question, as near as the clock policy says it.")
    watch = serializers.CharField()
    created_at = serializers.DateTimeField()


class ChallengesShape(schemas.Shape):
    """Challenges that wait for an answer, newest first."""

    results = ChallengeShape(many=True)


class Challenges(View):
    made_at = "challenges/{id}/"

    @documented(
        responses={200: ChallengesShape, **PROBLEMS},
        parameters=[
            OpenApiParameter("direction", str, enum=WAYS, description="`in`: challenges to you (default); `out`: your own.")
        ],
        operation_id="challenges_list",
    )
    def get(self, request: Request) -> Response:
        """List the challenges that wait for an answer, newest first: to you, or your own."""
        way = request.query_params.get("direction", "in")
        if way not in WAYS:
            raise BadQuery("`direction` is in or out.", "direction")
        listed = challenges.incoming if way == "in" else challenges.outgoing
        return Response({"results": [_shown(row, self.user) for row in listed(self.user, paging.CHALLENGES)]}, headers=PRIVATE)

    @documented(
        request=NewChallenge, responses={201: ChallengeShape, **REFUSALS}, parameters=[KEY], operation_id="challenges_create"
    )
    def post(self, request: Request) -> Response:
        """Challenge a player or a bot to a match for two. It opens the match, with you in your seat, and invites the opponent.

        It counts as a match and as an invitation, within the same limits. The match starts when the opponent accepts. Bots may
        challenge other bots, and players who allow it.
        """
        body = self.body(NewChallenge)
        return once(request, lambda: (201, _shown(challenges.challenge(by=self.user, **body), self.user)))


class ChallengeDetail(View):
    @documented(responses={200: ChallengeShape, **REFUSALS}, operation_id="challenges_retrieve")
    def get(self, request: Request, challenge_id: UUID) -> Response:
        """Return a challenge that you have sent or got, whatever came of it."""
        return Response(_shown(challenges.find(self.user, challenge_id), self.user), headers=PRIVATE)

    @documented(responses={200: ChallengeShape, **REFUSALS}, parameters=[KEY], operation_id="challenges_cancel")
    def delete(self, request: Request, challenge_id: UUID) -> Response:
        """Take your challenge back before it is accepted. Its match is called off."""
        return _done(self, lambda: challenges.cancel(by=self.user, challenge_id=challenge_id))


class AcceptChallenge(View):
    @documented(
        request=Acceptance, responses={200: ChallengeShape, **REFUSALS}, parameters=[KEY], operation_id="challenges_accept"
    )
    def post(self, request: Request, challenge_id: UUID) -> Response:
        """Accept a challenge. The match starts when its last seat is taken; one for two starts at once."""
        text = self.body(Acceptance)["contribution"]
        return _done(self, lambda: challenges.accept(by=self.user, challenge_id=challenge_id, contribution=text))


class DeclineChallenge(View):
    @documented(request=None, responses={200: ChallengeShape, **REFUSALS}, parameters=[KEY], operation_id="challenges_decline")
    def post(self, request: Request, challenge_id: UUID) -> Response:
        """Decline a challenge. A match for two is called off, unless others may still join it."""
        return _done(self, lambda: challenges.decline(by=self.user, challenge_id=challenge_id))


def _done(view: View, act: Callable[[], Invitation]) -> Response:
    def effect() -> tuple[int, JsonObject]:
        return 200, _shown(act(), view.user)

    return once(view.request, effect)


def _shown(row: Invitation, reader: User) -> JsonObject:
    match, hidden = row.match, row.match.hides_names
    own = next((seat.index for seat in match.seats.all() if seat.user_id == row.invited_by_id), None)
    return {
        "id": str(row.pk),
        "status": challenges.status(row, reader),
        "challenger": None if hidden else row.invited_by.username,
        "challenger_is_bot": None if hidden else row.invited_by.is_bot,
        "opponent": row.user.username if row.user is not None else "",
        "opponent_is_bot": row.user is not None and row.user.is_bot,
        "match": str(match.pk),
        "number": match.number,
        "game": match.game,
        "options": match.options,
        "seats": match.seat_count,
        "seat": None if hidden else own,
        "clock": match.clock,
        "pace": words.pace(match.clock),
        "hours": match.hours,
        "watch": match.watch,
        "created_at": row.created_at.isoformat(),
    }
