"""Answers of the API in gzip, for programs that ask for it.

A compressed answer has a strong ETag of its own (RFC 9110 8.8.3): that of the plain one with `;gzip`, which requests may name as
well. BREACH reads a secret from the length of answers that hold it beside text of an attacker, whose page makes a browser send
requests with the victim's cookies. So answers to a session are never compressed, nor those that must not be stored: they show
secrets, such as a new token. No page of a stranger sends a program's bearer token; random bytes in the head hide the length, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_sequence, compress_string

from gamesvc.api.unanswered import is_api

SHORTEST = 1000
"""Shorter answers, in bytes, are sent as they are: they fit one packet anyway."""
MOST_RANDOM_BYTES = 100
MARK = ";gzip"
_CONDITIONS = ("HTTP_IF_MATCH", "HTTP_IF_NONE_MATCH")


class Compressed:
    """Middleware that compresses the answers to reads of the API."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_api(request):
            return self.get_response(request)
        named = request.META.get("HTTP_IF_NONE_MATCH", "")
        for header in _CONDITIONS:
            if header in request.META:
                request.META[header] = request.META[header].replace(f'{MARK}"', '"')
        response = self.get_response(request)
        if request.method not in ("GET", "HEAD"):
            return response
        patch_vary_headers(response, ["Accept-Encoding"])
        if response.status_code == 304 and (marked := _marked(response)) in named:
            response["ETag"] = marked
        if _wanted(request) and _may_be(request, response):
            _compress(response)
        return response


def _wanted(request: HttpRequest) -> bool:
    """Return True if the request accepts gzip. A quality of 0 refuses it (RFC 9110 12.5.3)."""
    for part in request.headers.get("Accept-Encoding", "").split(","):
        coding, _, quality = part.partition(";")
        if coding.strip().lower() == "gzip":
            return quality.strip().lower().rstrip("0.") not in ("q=",)
    return False


def _may_be(request: HttpRequest, response: HttpResponseBase) -> bool:
    # Exports are streams that reflect nothing; they are not stored because they are large.
    shown = response.streaming or "no-store" not in response.headers.get("Cache-Control", "")
    plain = response.status_code == 200 and "Content-Encoding" not in response
    return plain and shown and settings.SESSION_COOKIE_NAME not in request.COOKIES


def _compress(response: HttpResponseBase) -> None:
    if isinstance(response, StreamingHttpResponse):
        if response.is_async:
            return
        lines = cast(Iterator[bytes], response.streaming_content)
        response.streaming_content = compress_sequence(lines, max_random_bytes=MOST_RANDOM_BYTES)
        del response["Content-Length"]
    elif isinstance(response, HttpResponse):
        if len(response.content) < SHORTEST:
            return
        response.content = compress_string(response.content, max_random_bytes=MOST_RANDOM_BYTES)
        response["Content-Length"] = str(len(response.content))
    response["Content-Encoding"] = "gzip"
    if "ETag" in response:
        response["ETag"] = _marked(response)


def _marked(response: HttpResponseBase) -> str:
    """Return the ETag of the compressed answer."""
    tag = response.headers.get("ETag", "")
    return f'{tag[:-1]}{MARK}"' if tag.endswith('"') else tag
