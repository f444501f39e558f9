"""What is answered where no view does, at an address that is none or by a fault of ours: under /api/ a problem, else a page."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults

from gamesvc.api import problems

API = "/api/"


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not request.path.startswith(API):
        return defaults.page_not_found(request, exception)
    detail = "There is nothing at this address; GET /api/v1/ says where to begin."
    return _problem(request, 404, "not_found", "Not found", detail)


def server_error(request: HttpRequest) -> HttpResponse:
    if not request.path.startswith(API):
        return defaults.server_error(request)
    detail = "The fault is ours and has been noted. Sent again with the same Idempotency-Key the request counts once."
    return _problem(request, 500, "fault", "Something broke here", detail)


def _problem(request: HttpRequest, status: int, code: str, title: str, detail: str) -> HttpResponse:
    body = problems.details(status, code, title, detail, instance=request.path)
    return JsonResponse(body, status=status, content_type=problems.MEDIA_TYPE, headers={"Cache-Control": "no-store"})
