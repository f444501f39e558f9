"""Admission to a stream: what a request asks for, whether its caller may follow that, or the problem that it gets."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.core.handlers.asgi import ASGIRequest

from accounts.models import User
from gamesvc import request_limits
from gamesvc.api.error_responses import details, translate
from gamesvc.api.errors import NotAcceptable, NotSignedIn, WrongMethod
from gamesvc.api.live import callers, tickets
from gamesvc.api.live.callers import Caller
from gamesvc.api.live.looking import in_thread
from gamesvc.api.live.messages import Format, LinesOfJSON, ServerSentEvents
from gamesvc.api.live.streams import Wish
from gamesvc.api.unanswered import Unavailable
from gamesvc.away import is_at_fault
from gamesvc.errors import GamesvcError
from gamesvc.json_types import JsonObject
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.errors import Unknown

log = logging.getLogger(__name__)

_MATCH = re.compile(r"^/api/v1/matches/(?P<ident>[0-9a-fA-F-]{1,36})/stream/?$")
_ME = re.compile(r"^/api/v1/me/stream/?$")
_SSE, _NDJSON = ServerSentEvents(), LinesOfJSON()
_FORMATS: dict[str, Format] = {
    "application/x-ndjson": _NDJSON,
    "text/event-stream": _SSE,
    "text/*": _SSE,
    "*/*": _SSE,
    "": _SSE,
}


@in_thread
def admit(scope: Mapping[str, Any]) -> Wish:
    """Count a request and return the stream that it asks for. Raises the error to answer with."""
    path, request = scope["path"], ASGIRequest(dict(scope), io.BytesIO())
    # Before anything is refused, as on the web server: refused requests count too.
    request_limits.count(request, request_limits.of_network(request, "address"), guest=True)
    match = _MATCH.match(path)
    if match is None and not _ME.match(path):
        raise Unknown("There is nothing at this address; GET /api/v1/ says where to begin.")
    if scope["method"] not in ("GET", "HEAD"):
        raise WrongMethod
    form = chosen_format(request.headers.get("Accept", ""))
    caller, user = _caller(request, path)
    since = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    wish = Wish(caller, form, since=since, link=request.GET.get("link", ""), events=request.GET.get("events") == "true")
    if match is None:
        if caller.user_id is None:
            raise NotSignedIn
        return wish
    access = access_match(user=user, ident=match["ident"], link=wish.link)
    return replace(wish, match_id=access.match.id)


def _caller(request: ASGIRequest, path: str) -> tuple[Caller, User | None]:
    """Return the caller of a request, by its ticket or by its own credentials, and count it. Raises `Exceeded` and others."""
    if ticket := request.GET.get("ticket"):
        caller = tickets.redeem(ticket, path)
        _count(request, caller)
        valid = callers.still_valid([caller])
        if caller not in valid:
            raise NotSignedIn
        return caller, valid[caller]
    caller, user = callers.identify(request)
    _count(request, caller)
    return caller, user


def _count(request: ASGIRequest, caller: Caller) -> None:
    """Count a request for its user and token. One with a ticket counts too: the ticket can be shown many times while it lasts."""
    request_limits.count(request, {"token": caller.limited_as, "user": caller.user_id})


def chosen_format(accept: str) -> Format:
    """Return the format that an Accept header prefers: the first one named that we write. Raises `NotAcceptable`."""
    for part in accept.split(","):
        if form := _FORMATS.get(part.partition(";")[0].strip().lower()):
            return form
    raise NotAcceptable("A stream is text/event-stream or application/x-ndjson.")


def refuse(error: Exception, path: str) -> tuple[int, JsonObject, Mapping[str, str]]:
    """Return the answer for an error: its status, problem details and headers."""
    ours = translate(error) or (Unavailable() if is_at_fault(error) else GamesvcError())
    if ours.status == GamesvcError.status:
        log.error("A stream could not be opened.", exc_info=error)
    headers = {} if ours.retry_after is None else {"Retry-After": str(ours.retry_after)}
    if ours.status == NotSignedIn.status:
        headers["WWW-Authenticate"] = 'Bearer realm="gamesvc"'
    return ours.status, details(ours, instance=path), headers
