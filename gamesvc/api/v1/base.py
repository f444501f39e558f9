"""What the views of version 1 share: scopes, the caller, his body, and the words of the schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.models import User
from gamesvc.api.v1 import schemas
from gamesvc.matches.selectors import Access, Forbidden, access_match

T = TypeVar("T", bound=serializers.Serializer[Any])
KEY = OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, required=True)
VERSION = OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, required=True, description="The ETag of the view answered.")
PROBLEMS = {400: schemas.Problem, 401: schemas.Problem, 403: schemas.Problem, 404: schemas.Problem}
PRIVATE = {"Cache-Control": "private, no-store"}
REFUSALS = {**PROBLEMS, 422: schemas.Problem, 429: schemas.Problem}


class Scope(BasePermission):
    """A token needs the scope of what it does: `read` to look, `play` to change. A session has all."""

    message = "This token lacks the scope for this; make one with it on your account page."

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.user, User):
            return False
        scopes = request.auth if isinstance(request.auth, frozenset) else None
        needed = getattr(view, "scope", None) or ("read" if request.method in ("GET", "HEAD", "OPTIONS") else "play")
        return scopes is None or needed in scopes or "admin" in scopes


class View(APIView):
    """What all views share: scopes, and how a body is validated."""

    permission_classes: Sequence[type[BasePermission]] = (Scope,)

    @property
    def user(self) -> User:
        assert isinstance(self.request.user, User)
        return self.request.user

    def body(self, kind: type[T]) -> Any:
        serializer = kind(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    def access(self, ident: str) -> Access:
        query = self.request.query_params
        seat = int(given) if (given := query.get("as", "")).isdecimal() and len(given) <= 2 else None
        return access_match(user=self.user, ident=ident, link=query.get("link", ""), as_seat=seat)

    def seated(self, ident: str, *, boards: bool = True) -> tuple[Access, int]:
        """A match the caller has a seat in, and that seat. Raises `Forbidden`; without `boards` also on a what-if board."""
        access = self.access(ident)
        if access.seat is None or (access.match.board and not boards):
            raise Forbidden("You have no seat in this match.")
        return access, access.seat.index
