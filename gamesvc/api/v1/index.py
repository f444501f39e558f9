"""Where to begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularJSONAPIView
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.v1.base import View

PLACES = {
    "openapi": "api/v1/openapi.json",
    "games": "api/v1/games/",
    "clocks": "api/v1/clocks/",
    "matches": "api/v1/matches/",
    "substitutes": "api/v1/substitutes/",
    "me": "api/v1/me/",
    "checkpoints": "api/v1/checkpoints/",
}


class Places(serializers.Serializer[Any]):
    """Addresses. `openapi` describes all others."""

    openapi = serializers.URLField()
    games = serializers.URLField()
    clocks = serializers.URLField()
    matches = serializers.URLField()
    substitutes = serializers.URLField()
    me = serializers.URLField()
    checkpoints = serializers.URLField()
    sign_in = serializers.CharField(help_text="How a program says whose it is.")


class OpenAPI(SpectacularJSONAPIView):
    """The description of all endpoints."""

    scopes: Mapping[str, tuple[str, ...]] = {}


class Index(View):
    @extend_schema(responses={200: Places}, operation_id="index")
    def get(self, request: Request) -> Response:
        """Where to begin, and how to sign in."""
        places = {name: f"{settings.BASE_URL}/{path}" for name, path in PLACES.items()}
        return Response({**places, "sign_in": "Authorization: Bearer gsk_..., with a token from your profile page."})
