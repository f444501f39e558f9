"""Answers where no view gives one: under /api/ a problem, elsewhere a page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views import defaults

from gamesvc.api import problems
from gamesvc.games.intake import Fault

API = "/api/"
UNREADABLE = Fault("bad_request", "The request is not one that can be read. Load the page again and send it once more.")


def is_api(request: HttpRequest) -> bool:
    """Return True if a program asks, which is to get a problem instead of a page."""
    return request.path.startswith(API)


def bad_request(request: HttpRequest, error: Fault | Exception = UNREADABLE) -> HttpResponse:
    """Refuse a request that cannot be read: one with a fault of its text, or one that Django found suspicious."""
    fault = error if isinstance(error, Fault) else UNREADABLE
    if not is_api(request):
        page = render(request, "400.html", {"detail": fault.detail}, status=400)
        page["Cache-Control"] = "no-store"
        return page
    errors = [{"pointer": fault.pointer, "detail": fault.detail}] if fault.path else []
    return _problem(request, 400, fault.code, problems.TITLES[400][1], fault.detail, errors=errors)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not is_api(request):
        return defaults.page_not_found(request, exception)
    detail = "There is nothing at this address; GET /api/v1/ says where to begin."
    return _problem(request, 404, "not_found", "Not found", detail)


def server_error(request: HttpRequest) -> HttpResponse:
    if not is_api(request):
        return defaults.server_error(request)
    detail = "The fault is ours and has been noted. Sent again with the same Idempotency-Key the request counts once."
    return _problem(request, 500, "fault", "Something broke here", detail)


def _problem(request: HttpRequest, status: int, code: str, title: str, detail: str, **more: object) -> HttpResponse:
    body = problems.details(status, code, title, detail, instance=request.path, **more)
    return JsonResponse(body, status=status, content_type=problems.MEDIA_TYPE, headers={"Cache-Control": "no-store"})
