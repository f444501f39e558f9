"""Responses outside any view, also without a database: problem details under /api/, a page elsewhere."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import loader
from django.views import defaults

from gamesvc.api import problems
from gamesvc.away import is_away
from gamesvc.games.kernel.intake import Fault
from gamesvc.rate_limits import Exceeded

API = "/api/"
RETRY_SECONDS = 5
UNREADABLE = Fault("bad_request", "The request is not one that can be read. Load the page again and send it once more.")


def is_api(request: HttpRequest) -> bool:
    """Return True for requests by programs, which get problem details instead of a page."""
    return request.path.startswith(API)


def bad_request(request: HttpRequest, exception: Fault | Exception) -> HttpResponse:
    """Refuse an unreadable request: one with forbidden text, or one that Django found suspicious."""
    fault = exception if isinstance(exception, Fault) else UNREADABLE
    if not is_api(request):
        page = render(request, "400.html", {"detail": fault.detail}, status=400)
        page["Cache-Control"] = "no-store"
        return page
    errors = [{"pointer": fault.pointer, "detail": fault.detail}] if fault.path else []
    return _problem(request, 400, fault.code, problems.TITLES[400][1], fault.detail, errors=errors)


def too_many(request: HttpRequest, exceeded: Exceeded) -> HttpResponse:
    """Refuse a request beyond a rate limit, with the seconds to wait in Retry-After."""
    if is_api(request):
        response = _problem(request, 429, "too_many", problems.TITLES[429][1], str(exceeded))
    else:
        # Without the parts of a page that query the database: saving those is the point of the limit.
        page = loader.get_template("429.html").render({"detail": str(exceeded)})
        response = HttpResponse(page, status=429, headers={"Cache-Control": "no-store"})
    response["Retry-After"] = str(exceeded.count.seconds)
    return response


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not is_api(request):
        return defaults.page_not_found(request, exception)
    detail = "There is nothing at this address; GET /api/v1/ says where to begin."
    return _problem(request, 404, "not_found", "Not found", detail)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer for the exception being handled: 503 if the database is away, else 500."""
    if is_away(sys.exc_info()[1]):
        return _unavailable(request)
    if not is_api(request):
        return defaults.server_error(request)
    detail = "The fault is ours and has been noted. Sent again with the same Idempotency-Key the request counts once."
    return _problem(request, 500, "fault", "Something broke here", detail)


def _unavailable(request: HttpRequest) -> HttpResponse:
    if is_api(request):
        detail = "The database does not answer. Send the same request again, with the same Idempotency-Key, in some seconds."
        response = _problem(request, 503, "unavailable", "Not available for the moment", detail)
    else:
        response = HttpResponse(loader.get_template("503.html").render(), status=503, headers={"Cache-Control": "no-store"})
    response["Retry-After"] = str(RETRY_SECONDS)
    return response


def _problem(request: HttpRequest, status: int, code: str, title: str, detail: str, **more: object) -> HttpResponse:
    body = problems.details(status, code, title, detail, instance=request.path, **more)
    return JsonResponse(body, status=status, content_type=problems.MEDIA_TYPE, headers={"Cache-Control": "no-store"})
