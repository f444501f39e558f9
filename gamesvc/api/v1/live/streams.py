"""The addresses of streams on the web server. Its workers wait for nothing: they hand over to the live process (`LIVE_URL`).

A proxy in front sends these addresses to the live process itself, which then knows its callers by their own credentials.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from gamesvc.api.live import callers, tickets
from gamesvc.api.live.errors import NoStreams
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PROBLEMS, View, documented, whole_parameter
from gamesvc.matches.access.selectors import access_match

SINCE = OpenApiParameter("Last-Event-ID", str, OpenApiParameter.HEADER, description="The `id` of the last message you got.")
ANSWERS: dict[Any, Any] = {
    (200, "text/event-stream"): OpenApiTypes.STR,
    (200, "application/x-ndjson"): OpenApiTypes.STR,
    307: None,
    **PROBLEMS,
    429: schemas.Problem,
}


class _Door(View):
    """A view that hands over to the live process, which alone writes streams and knows their formats."""

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        return super().perform_content_negotiation(request, force=True)


class MatchStream(_Door):
    @documented(
        responses=ANSWERS,
        parameters=[
            SINCE,
            OpenApiParameter("events", bool, description="Also send the events, as `events/` has them."),
            whole_parameter("after", "As Last-Event-ID: the version you know."),
            OpenApiParameter("link", str, description="The watch link of the match, for guests."),
        ],
        operation_id="matches_stream",
    )
    def get(self, request: Request, ident: str) -> Response | HttpResponse:
        """Follow a match: a message `{match, version, awaited}` at once, and whenever your version of it changes.

        Server-Sent Events, or with `Accept: application/x-ndjson` a JSON object a line. `version` is your version, as in the ETag
        of the view; `awaited` says whether the match waits for you. `messages` changes with each message between players that you
        may read, and `after_end` with the ratings and the rematch of a match that is over; both are missing while there is none,
        and with `events`. The id of a message is the version: send the last one as Last-Event-ID to go on without a gap. Every
        15 seconds a comment shows that the stream is alive. It ends with your token or session, or when you see the match from
        another seat than before.
        """
        user = request.user if isinstance(request.user, User) else None
        access_match(user=user, ident=ident, link=request.query_params.get("link", ""))
        return _hand_over(self)


class UserStream(_Door):
    @documented(responses=ANSWERS, parameters=[SINCE], operation_id="me_stream")
    def get(self, request: Request) -> Response | HttpResponse:
        """Follow all your unfinished matches: a message `{match, version, awaited}` for each at once, and for each that changes.

        Matches to which you are invited by name are among them, with the id of the `challenge`: see `/challenges/`.
        As the stream of a match; the id of a message is an opaque cursor.
        """
        return _hand_over(self)


def _hand_over(view: View) -> HttpResponse:
    """Redirect to the live process, with a ticket. Raises `NoStreams`."""
    if not settings.LIVE_URL:
        raise NoStreams
    request = view.request
    ticket = tickets.issue(callers.caller_of(request._request, request.user, request.auth), request.path)
    query = {name: value for name, value in request.query_params.items() if name != "ticket"}
    answer = HttpResponse(status=307)
    del answer["Content-Type"]
    answer["Location"] = f"{settings.LIVE_URL}{request.path}?{urlencode({**query, 'ticket': ticket})}"
    answer["Cache-Control"] = "no-store"
    return answer
