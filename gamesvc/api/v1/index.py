"""The entry point of the API."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from typing import ClassVar

from django.conf import settings
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response
from django.utils.encoding import force_bytes
from django.utils.http import quote_etag
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import View, documented

PLACES = {
    "openapi": "api/v1/openapi.json",
    "games": "api/v1/games/",
    "clocks": "api/v1/clocks/",
    "matches": "api/v1/matches/",
    "substitutes": "api/v1/substitutes/",
    "me": "api/v1/me/",
    "challenges": "api/v1/challenges/",
    "checkpoints": "api/v1/checkpoints/",
    "exports": "api/v1/exports/matches/",
    "results": "api/v1/exports/results/",
}


class Places(schemas.Shape):
    """Addresses. `openapi` describes all others."""

    openapi = serializers.URLField()
    games = serializers.URLField()
    clocks = serializers.URLField()
    matches = serializers.URLField()
    substitutes = serializers.URLField()
    me = serializers.URLField()
    challenges = serializers.URLField()
    checkpoints = serializers.URLField()
    exports = serializers.URLField()
    results = serializers.URLField()
    sign_in = serializers.CharField(help_text="How a program authenticates.")


class OpenAPI(SpectacularJSONAPIView):
    """The OpenAPI document. It depends on the code alone, so each process builds it once."""

    scopes: Mapping[str, tuple[str, ...]] = {}
    # The document does not describe itself.
    schema = None
    # By media type: the bytes, and their ETag.
    made: ClassVar[dict[str, tuple[bytes, str]]] = {}
    making: ClassVar[threading.Lock] = threading.Lock()

    def get(self, request: Request, *args: object, **kwargs: object) -> HttpResponseBase:
        renderer = request.accepted_renderer
        with self.making:  # it takes seconds, however many ask for it at first
            if renderer.media_type not in self.made:
                described: Response = super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]
                content = force_bytes(renderer.render(described.data, renderer.media_type, {}))
                self.made[renderer.media_type] = content, quote_etag(hashlib.sha256(content).hexdigest()[:32])
        content, etag = self.made[renderer.media_type]
        headers = {"ETag": etag, "Cache-Control": "public, no-cache"}
        answer = HttpResponse(content, content_type=renderer.media_type, headers=headers)
        return get_conditional_response(request._request, etag=etag, response=answer) or answer


class Index(View):
    @documented(responses={200: Places}, operation_id="index")
    def get(self, request: Request) -> Response:
        """Return the addresses to start from, and how to authenticate."""
        places = {name: f"{settings.BASE_URL}/{path}" for name, path in PLACES.items()}
        return Response({**places, "sign_in": "Authorization: Bearer gsk_..., with a token from your profile page."})
