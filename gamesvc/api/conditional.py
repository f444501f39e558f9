"""Answers of the API that a program keeps: each has an ETag, and is sent again only if it has changed (RFC 9110 13)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

from gamesvc.api.etags import is_known
from gamesvc.api.unanswered import is_api

KEPT = ("Cache-Control", "Content-Location", "ETag", "Expires", "Vary", "Location")


class Conditional:
    """Middleware that gives each read of the API an ETag, unless its view has, and answers 304 to who has that answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not is_api(request):
            return response
        if "public" not in _directives(response):
            patch_vary_headers(response, ["Authorization", "Cookie"])
        if request.method != "GET" or response.status_code != 200 or not isinstance(response, HttpResponse):
            return response
        if "no-store" in _directives(response):
            return response
        if "ETag" not in response:
            response["ETag"] = f'"{hashlib.sha256(response.content).hexdigest()[:32]}"'
        return _not_modified(response) if is_known(request, response["ETag"]) else response


def _directives(response: HttpResponseBase) -> set[str]:
    return {one.strip().lower() for one in response.headers.get("Cache-Control", "").split(",")}


def _not_modified(response: HttpResponse) -> HttpResponse:
    same = HttpResponse(status=304, headers={name: response[name] for name in KEPT if name in response})
    del same["Content-Type"]
    return same
