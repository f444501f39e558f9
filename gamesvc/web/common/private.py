"""Responses made for one reader, kept out of shared caches."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

PRIVATE = "private, no-cache"
UNSTORED = "private, no-store"
SECRETS = "/accounts/"
"""Pages that show the secret of a second factor, recovery codes, addresses: the next user of a computer must not find them."""


class Private:
    """Middleware that marks every response for which a user was looked up, unless its view says how it may be kept.

    It stands right behind the sessions: an answer that asked nothing of them, and came without a token, is the same for all.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.session.accessed or "HTTP_AUTHORIZATION" in request.META:
            response.headers.setdefault("Cache-Control", UNSTORED if request.path_info.startswith(SECRETS) else PRIVATE)
        return response
