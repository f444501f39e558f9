"""Responses outside any view, also without a database: problem details under /api/, a page elsewhere."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import loader
from django.views import defaults

from gamesvc.api.error_responses import MEDIA_TYPE, details
from gamesvc.api.errors import BadRequest
from gamesvc.away import is_at_fault, is_contended
from gamesvc.errors import GamesvcError, TooMany
from gamesvc.games.kernel.intake import Fault
from gamesvc.matches.errors import Busy, Unknown

API = "/api/"
DOCUMENTS = "/api/docs/"
UNREADABLE = Fault("bad_request", "The request cannot be read. Load the page again and send it once more.")


class Unavailable(GamesvcError):
    """The database does not answer."""

    code = "unavailable"
    status = 503
    title = "Temporarily unavailable"
    detail = "The database does not answer. Send the same request again in a few seconds, with the same Idempotency-Key."
    advice = "Wait for the seconds that the header Retry-After names, then send it again with the same Idempotency-Key."
    retry_after = 5


def is_api(request: HttpRequest) -> bool:
    """Return True for requests by programs, which get problem details instead of a page. The documents are pages."""
    return request.path.startswith(API) and not request.path.startswith(DOCUMENTS)


def bad_request(request: HttpRequest, exception: Fault | Exception) -> HttpResponse:
    """Refuse an unreadable request: one with forbidden text, or one that Django found suspicious."""
    fault = exception if isinstance(exception, Fault) else UNREADABLE
    if not is_api(request):
        page = render(request, "400.html", {"detail": fault.detail}, status=400)
        page["Cache-Control"] = "no-store"
        return page
    errors = [{"pointer": fault.pointer, "detail": fault.detail}] if fault.path else []
    return _problem(request, BadRequest(fault.detail, code=fault.code, more={"errors": errors}))


def too_many(request: HttpRequest, exceeded: TooMany) -> HttpResponse:
    """Refuse a request beyond a rate limit, with the seconds to wait in Retry-After."""
    if is_api(request):
        return _problem(request, exceeded)
    # Without the parts of a page that ask the database: that is what the limit saves.
    return _page("429.html", exceeded)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not is_api(request):
        return defaults.page_not_found(request, exception)
    return _problem(request, Unknown("There is nothing at this address; GET /api/v1/ says where to begin."))


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer for the exception being handled: 503 if the database is at fault, else 500."""
    fault = sys.exc_info()[1]
    if is_at_fault(fault):
        error = Busy() if is_contended(fault) else Unavailable()
        return _problem(request, error) if is_api(request) else _page("503.html", error)
    if not is_api(request):
        return defaults.server_error(request)
    return _problem(request, GamesvcError())


def _problem(request: HttpRequest, error: GamesvcError) -> HttpResponse:
    body = details(error, instance=request.path)
    return _told(JsonResponse(body, status=error.status, content_type=MEDIA_TYPE), error)


def _page(template: str, error: GamesvcError) -> HttpResponse:
    return _told(HttpResponse(loader.get_template(template).render({"detail": error.sentence}), status=error.status), error)


def _told(response: HttpResponse, error: GamesvcError) -> HttpResponse:
    response["Cache-Control"] = "no-store"
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    return response
