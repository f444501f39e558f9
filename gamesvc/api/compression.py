"""Answers of the API in Brotli or gzip, for programs that ask for them.

A compressed answer has a strong ETag of its own (RFC 9110 8.8.3): that of the plain one with `;br` or `;gzip`, which requests may
name as well. BREACH reads a secret from the length of answers that hold it beside text of an attacker, whose page makes a browser
send requests with the victim's cookies. So answers to a session are never compressed, nor those that must not be stored: they
show secrets, such as a new token. No page of a stranger sends a program's bearer token. Gzip has random bytes in its head, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import cast

import brotli
from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_sequence, compress_string

from gamesvc.api.unanswered import is_api

SHORTEST = 1000
"""Shorter answers, in bytes, are sent as they are: they fit one packet anyway."""
MOST_RANDOM_BYTES = 100
CODINGS = ("br", "gzip")
"""Of those that a program likes equally, the first is taken."""
BROTLI_QUALITY = 5
"""A tenth less than gzip, in up to twice its time; the usual 11 takes a hundred times as long."""
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
                request.META[header] = re.sub(r';(?:br|gzip)"', '"', request.META[header])
        response = self.get_response(request)
        if request.method not in ("GET", "HEAD"):
            return response
        patch_vary_headers(response, ["Accept-Encoding"])
        if response.status_code == 304 and "ETag" in response:
            response["ETag"] = next((tag for coding in CODINGS if (tag := _marked(response, coding)) in named), response["ETag"])
        if (coding := _coding(request)) and _may_be(request, response):
            _compress(response, coding)
        return response


def _coding(request: HttpRequest) -> str:
    """Return the coding that the request likes best, or nothing. A quality of 0 refuses a coding (RFC 9110 12.5.3)."""
    accepted = {}
    for part in request.headers.get("Accept-Encoding", "").split(","):
        coding, _, quality = part.partition(";")
        accepted[coding.strip().lower()] = _quality(quality)
    best = max(CODINGS, key=lambda coding: accepted.get(coding, 0.0))
    return best if accepted.get(best, 0.0) > 0 else ""


def _quality(text: str) -> float:
    """Return the number in `q=0.5`; 1 where there is none, 0 where it is no number."""
    value = text.partition("=")[2].strip()
    try:
        return float(value) if value else 1.0
    except ValueError:
        return 0.0


def _may_be(request: HttpRequest, response: HttpResponseBase) -> bool:
    # Exports are streams that reflect nothing; they are not stored because they are large.
    shown = response.streaming or "no-store" not in response.headers.get("Cache-Control", "")
    plain = response.status_code == 200 and "Content-Encoding" not in response
    return plain and shown and settings.SESSION_COOKIE_NAME not in request.COOKIES


def _compress(response: HttpResponseBase, coding: str) -> None:
    if isinstance(response, StreamingHttpResponse):
        if response.is_async:
            return
        lines = cast(Iterator[bytes], response.streaming_content)
        response.streaming_content = _packed_lines(lines, coding)
        del response["Content-Length"]
    elif isinstance(response, HttpResponse):
        if len(response.content) < SHORTEST:
            return
        response.content = _packed(response.content, coding)
        response["Content-Length"] = str(len(response.content))
    response["Content-Encoding"] = coding
    if "ETag" in response:
        response["ETag"] = _marked(response, coding)


def _packed(content: bytes, coding: str) -> bytes:
    if coding == "br":
        packed: bytes = brotli.compress(content, quality=BROTLI_QUALITY)
        return packed
    return compress_string(content, max_random_bytes=MOST_RANDOM_BYTES)


def _packed_lines(lines: Iterator[bytes], coding: str) -> Iterator[bytes]:
    """Compress lines as they come."""
    if coding == "gzip":
        yield from compress_sequence(lines, max_random_bytes=MOST_RANDOM_BYTES)
        return
    compressor = brotli.Compressor(quality=BROTLI_QUALITY)
    for line in lines:
        if packed := compressor.process(line):
            yield packed
    yield compressor.finish()


def _marked(response: HttpResponseBase, coding: str) -> str:
    """Return the ETag of the compressed answer."""
    tag = response.headers.get("ETag", "")
    return f'{tag[:-1]};{coding}"' if tag.endswith('"') else tag
