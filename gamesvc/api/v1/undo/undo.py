"""Undo: the offer, the request, the answers of others, redo, and rewinds by the organiser."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.etags import etag, required_version
from gamesvc.api.idempotency import required_key
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, PRIVATE, PROBLEMS, REFUSALS, VERSION, View, documented
from gamesvc.games.kernel.game import Viewer
from gamesvc.json_types import JsonObject
from gamesvc.matches.access import authority
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.models import Match, UndoRequest
from gamesvc.matches.organising import rewinds
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.reading import board
from gamesvc.matches.record import idempotency
from gamesvc.matches.undo import stepping, undoing
from gamesvc.matches.undo.undo_acts import Outcome

CONFLICTS = {**REFUSALS, 412: schemas.Problem, 428: schemas.Problem}


class Answer(schemas.Strict):
    accept = serializers.BooleanField(help_text="False declines a request, or withdraws your own.")
    request = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, help_text="The version of the request."
    )


class Ruling(schemas.Reasoned):
    to = serializers.IntegerField(min_value=1, help_text="The version to rewind to: one before a command.")


class Going(schemas.Strict):
    to = serializers.IntegerField(min_value=1, help_text="A version of the board, also one that was gone back from.")


class UndoRequestShape(schemas.Shape):
    request = serializers.IntegerField(help_text="Its name: the version of its event.")
    seat = serializers.IntegerField()
    asked = serializers.ListField(child=serializers.IntegerField())
    accepted = serializers.ListField(child=serializers.IntegerField())
    to = serializers.IntegerField(help_text="The version that it would lead back to. What you did since may be undone, too.")
    until = serializers.DateTimeField()
    yours_to_answer = serializers.BooleanField()


class OfferShape(schemas.Shape):
    match = serializers.UUIDField()
    version = serializers.IntegerField()
    option = serializers.ChoiceField(Match.Undo.choices)
    how = serializers.ChoiceField(["free", "ask", "no"])
    code = serializers.CharField(help_text="The reason why not; empty where an undo is possible.")
    detail = serializers.CharField()
    to = serializers.IntegerField(allow_null=True, help_text="The version before the events that would be undone.")
    command = serializers.DictField(allow_null=True, help_text="What would be undone.")
    order = serializers.CharField(help_text="The same as text.")
    asks = serializers.ListField(child=serializers.IntegerField(), help_text="The seats that would have to agree.")
    redo = serializers.IntegerField(allow_null=True, help_text="The version that a redo leads back to; null: nothing to redo.")
    may_rewind = serializers.BooleanField(help_text="True if you may rewind the match as its organiser or as an operator.")
    request = UndoRequestShape(allow_null=True)


class UndoneShape(schemas.Shape):
    match = serializers.UUIDField()
    version = serializers.IntegerField()
    done = serializers.BooleanField(help_text="False: the others were asked, or have not all answered.")
    request = serializers.IntegerField(allow_null=True)
    events = schemas.EventShape(many=True)


class Undo(View):
    @documented(responses={200: OfferShape, **PROBLEMS}, operation_id="matches_undo_offer")
    def get(self, request: Request, ident: str) -> Response:
        """Return the command you could undo now, if that is free, and the open undo request."""
        access = self.access(ident)
        return Response(_offer(access), headers=PRIVATE)

    @documented(request=None, responses={200: UndoneShape, **CONFLICTS}, parameters=[KEY, VERSION], operation_id="matches_undo")
    def post(self, request: Request, ident: str) -> Response:
        """Undo your latest command, or ask the others for consent (`done` says which)."""
        return _versioned(self, ident, undoing.undo)


class Redo(View):
    @documented(request=None, responses={200: UndoneShape, **CONFLICTS}, parameters=[KEY, VERSION], operation_id="matches_redo")
    def post(self, request: Request, ident: str) -> Response:
        """Redo what you have undone, as long as nothing else has happened."""
        return _versioned(self, ident, undoing.redo)


class UndoAnswer(View):
    @documented(request=Answer, responses={200: UndoneShape, **REFUSALS}, parameters=[KEY], operation_id="matches_undo_answer")
    def post(self, request: Request, ident: str) -> Response:
        """Accept or decline the open undo request, or withdraw your own. The last consent carries it out."""
        body = self.body(Answer)
        access, seat = self.seated(ident)
        outcome = undoing.answer(
            match=access.match,
            sender=_sender(self, seat),
            accept=body["accept"],
            request=body["request"],
            command_id=_command_id(self, access),
        )
        return _answered(access, outcome)


class Rewind(View):
    @documented(
        request=Ruling, responses={200: UndoneShape, **CONFLICTS}, parameters=[KEY, VERSION], operation_id="matches_rewind"
    )
    def post(self, request: Request, ident: str) -> Response:
        """Rewind the match to a version, with a reason, as an organiser or operator who has never played in it."""
        body = self.body(Ruling)
        access = authority.access_to_rule(by=self.user, ident=ident)
        command_id = _command_id(self, access)
        outcome = rewinds.rewind(
            by=self.user,
            match=access.match,
            to=body["to"],
            code=body["code"],
            reason=body["reason"],
            expected_version=_expected(self, access, command_id, access.viewer),
            command_id=command_id,
            received_at=timezone.now(),
        )
        return _answered(access, outcome)


class GoTo(View):
    @documented(request=Going, responses={200: UndoneShape, **REFUSALS}, parameters=[KEY], operation_id="matches_go_to")
    def post(self, request: Request, ident: str) -> Response:
        """Go back or forth to a version of your analysis board. Nobody has to agree; nothing is deleted."""
        body = self.body(Going)
        access = self.access(ident)
        outcome = stepping.go_to(access=access, to=body["to"], channel="api", command_id=_command_id(self, access))
        return _answered(access, outcome)


def _offer(access: Access) -> JsonObject:
    match = access.match
    loaded = access.load()
    seat = access.viewer
    offer = undoing.offer(loaded, match, seat) if seat is not None else undoing.NO_SEAT
    return {
        "match": str(match.id),
        "version": loaded.viewer_version(seat),
        "option": match.undo,
        "how": offer.how or "no",
        "code": offer.code,
        "detail": offer.detail,
        "to": offer.to,
        "command": offer.command,
        "order": loaded.game.render(offer.command) if offer.command else "",
        "asks": list(offer.asks),
        "redo": offer.redo,
        "may_rewind": authority.may_rule(access.user, match) and loaded.started and not loaded.ended,
        "request": _request(offer.request, seat),
    }


def _request(row: UndoRequest | None, seat: Viewer) -> JsonObject | None:
    if row is None:
        return None
    return {
        "request": row.version,
        "seat": row.seat,
        "asked": row.asked,
        "accepted": row.accepted,
        "to": row.to,
        "until": row.until.isoformat(),
        "yours_to_answer": seat in row.asked and seat not in row.accepted,
    }


def _sender(view: View, seat: int) -> Sender:
    return Sender.player(view.user.pk, seat, "api")


def _command_id(view: View, access: Access) -> uuid.UUID:
    return turns.command_id(sender=f"user {view.user.pk} {access.match.id}", key=required_key(view.request))


def _expected(view: View, access: Access, command_id: uuid.UUID, viewer: Viewer) -> int:
    """Return the version the sender saw. A known key is answered first: retrying a success is stale by its own effect."""
    if view.request.headers.get("If-Match") is None and idempotency.known(access.match, command_id) is not None:
        return 0
    return required_version(view.request, access.match.id, viewer, lambda: board.look(access).version)


def _versioned(view: View, ident: str, service: Callable[..., Outcome]) -> Response:
    access, seat = view.seated(ident)
    sender, command_id = _sender(view, seat), _command_id(view, access)
    expected = _expected(view, access, command_id, access.viewer)
    return _answered(access, service(match=access.match, sender=sender, expected_version=expected, command_id=command_id))


def _answered(access: Access, outcome: Outcome) -> Response:
    answer = Response(outcome.as_json())
    answer["ETag"] = etag(access.match.id, access.viewer, outcome.version)
    answer["Cache-Control"] = "private, no-cache"
    if outcome.repeated:
        answer["Idempotent-Replayed"] = "true"
    return answer
