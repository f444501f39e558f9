"""Acting for a seat: a command, or an order as text."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.etags import etag, named_seat, required_version
from gamesvc.api.idempotency import required_key
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import KEY, REFUSALS, VERSION, View, documented
from gamesvc.games.kernel.timeline import read_order
from gamesvc.json_types import JsonObject
from gamesvc.matches.access.selectors import Access, access_seat
from gamesvc.matches.play import turns
from gamesvc.matches.play.suggestions import read_for
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.reading import board
from gamesvc.matches.record import idempotency, loading

FORMS = OpenApiParameter("forms", bool, description="Also return the forms of what you can do next.")


class Commands(View):
    @documented(
        request=schemas.Command,
        responses={200: schemas.Receipt, **REFUSALS, 412: schemas.Problem, 428: schemas.Problem},
        parameters=[KEY, VERSION, FORMS],
        operation_id="matches_commands",
    )
    def post(self, request: Request, ident: str) -> Response:
        """Submit one command for your seat, as offered by one of the forms. A repeated key gets the first response again.

        `resign` is carried out at once: a program that a person uses asks them first, as pages and mails do.
        """
        received_at = timezone.now()
        access = access_seat(user=self.user, ident=ident, as_seat=named_seat(request))
        return submit_command(self, access, dict(request.data), received_at)


class Orders(View):
    @documented(
        request=schemas.Order,
        responses={200: schemas.Receipt, **REFUSALS, 412: schemas.Problem, 428: schemas.Problem},
        parameters=[KEY, VERSION, FORMS],
        operation_id="matches_orders",
    )
    def post(self, request: Request, ident: str) -> Response:
        """Submit a command as text in the game's notation, as in a mail."""
        received_at = timezone.now()
        access = access_seat(user=self.user, ident=ident, as_seat=named_seat(request))
        return submit_command(self, access, _read(self, access, self.body(schemas.Order)["text"]), received_at)


def _read(view: View, access: Access, text: str) -> JsonObject:
    """Return the command that a text means. A repetition is parsed as the first time: its effect may have made it unreadable."""
    seen = board.look(access)
    before = idempotency.known(access.match, _command_id(view, access))
    if before is None:
        return read_for(seen.loaded, access.viewer, text, seen.view or {})
    if before.before is None:
        return before.command
    state = loading.state_at(seen.loaded.game, access.match.id, before.before)
    return dict(read_order(seen.loaded.game, text, seen.loaded.game.view(state, access.viewer)))


def _command_id(view: View, access: Access) -> UUID:
    return turns.command_id(sender=f"user {view.user.pk} {access.match.id}", key=required_key(view.request))


def submit_command(view: View, access: Access, command: JsonObject, received_at: datetime) -> Response:
    """Answer a request with a command for the caller's seat. Its headers hold the key and the version."""
    assert access.seat is not None
    seat = access.seat.index
    command_id = _command_id(view, access)
    sender = Sender.player(view.user.pk, seat, "api", received_at)
    # A known key is answered before the version is checked: retrying a success is stale by its own effect.
    repeated = "If-Match" not in view.request.headers and idempotency.known(access.match, command_id) is not None
    version = 0 if repeated else required_version(view.request, access.match.id, seat, lambda: board.look(access).version)
    receipt = turns.submit(
        match=access.match, sender=sender, command=command, expected_version=version, command_id=command_id, seats=access.seats
    )
    body = {**receipt.as_json(), "etag": etag(access.match.id, seat, receipt.version)}
    if view.wants_forms:
        seen = board.look(access)
        body |= {"forms": seen.forms_as_json, "etag": etag(access.match.id, seat, seen.version)}
    answer = Response(body)
    answer["ETag"] = etag(access.match.id, seat, receipt.version)
    answer["Cache-Control"] = "private, no-cache"
    if receipt.repeated:
        answer["Idempotent-Replayed"] = "true"
    return answer
