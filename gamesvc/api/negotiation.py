"""Choice of the media type of an answer."""

from __future__ import annotations

from collections.abc import Iterable

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from gamesvc.api.error_responses import MEDIA_TYPE


class Negotiation(DefaultContentNegotiation):
    """As the framework chooses, but who accepts problems accepts JSON: `Accept: application/problem+json` is not refused."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        if MEDIA_TYPE in request.headers.get("Accept", "").lower():
            first = next(iter(renderers))
            return first, first.media_type
        return super().select_renderer(request, renderers, format_suffix)  # type: ignore[no-any-return]
