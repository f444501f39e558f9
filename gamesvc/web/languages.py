"""The language of a page: that of the reader's profile, else the first of the browser's that we speak."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from accounts.models import User


class PageLanguage:
    """Middleware that answers pages in the language of their reader. The API speaks English to all: programs read it.

    Pages name their language in `Content-Language`, and caches keep those of readers without an account apart.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith("/api/"):
            return self.get_response(request)
        with translation.override(language_of(request)):
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language())
        patch_vary_headers(response, ("Accept-Language",))
        return response


def language_of(request: HttpRequest) -> str:
    """Return the language for the reader of a request."""
    user = request.user
    return user.language if isinstance(user, User) else translation.get_language_from_request(request)
