"""Responses made for one reader, kept out of shared caches."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse

PRIVATE = "private, no-cache"
UNSTORED = "private, no-store"
SECRETS = "/accounts/"
"""Addresses of pages and texts with the secret of a second factor, recovery codes, addresses of mail."""


class Private:
    """Middleware that marks every response for which a user was looked up, unless its view says how it may be kept.

    It stands right behind the sessions: an answer that asked nothing of them, and came without a token, is the same for all.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if request.session.accessed or "HTTP_AUTHORIZATION" in request.META:
            response.headers.setdefault("Cache-Control", UNSTORED if _is_personal(request, response) else PRIVATE)
        return response


def _is_personal(request: HttpRequest, response: HttpResponse) -> bool:
    """Return True for a page of a user: once they have signed out, nobody else at the computer must find it.

    Browsers keep a page that may be stored as it stood, and show it to the next person who goes back.
    """
    page = response.headers.get("Content-Type", "").startswith("text/html") and SESSION_KEY in request.session
    return page or request.path_info.startswith(SECRETS)
