"""Addresses with a missing or extra slash at the end: one redirect that keeps method and body (RFC 9110 15.4.9)."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase
from django.middleware.common import CommonMiddleware
from django.urls import is_valid_path
from django.utils.http import escape_leading_slashes


class Slashes(CommonMiddleware):
    """Middleware that redirects with 308. After Django's own 301 most programs repeat a POST as a GET without its body."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.status_code == 404 and (path := _other_form(request)):
            return HttpResponsePermanentRedirect(path, preserve_request=True)
        return super().process_response(request, response)


def _other_form(request: HttpRequest) -> str:
    """Return the address with or without its last slash if only that one exists; else an empty text."""
    path = request.path_info
    other = path[:-1] if path.endswith("/") else f"{path}/"
    if is_valid_path(path) or not is_valid_path(other):
        return ""
    asked, mark, query = request.get_full_path().partition("?")
    asked = asked[:-1] if path.endswith("/") else f"{asked}/"
    # Two slashes at the beginning would name another host.
    return escape_leading_slashes(asked) + mark + query
