"""The common base of all views in version 1: scopes, the caller, the request body, and the text of the schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from django.core.exceptions import ImproperlyConfigured
from django.urls import URLPattern, path
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import User
from accounts.oauth.grants import OFFERED
from accounts.signing_in import proving
from accounts.tokens import SCOPES, Bearer
from gamesvc.api.errors import BadQuery
from gamesvc.api.idempotency import KEY_PATTERN, LONGEST_KEY
from gamesvc.api.openapi.sections import section
from gamesvc.api.v1 import schemas
from gamesvc.games.kernel.intake import LARGEST
from gamesvc.json_types import JsonObject
from gamesvc.matches.access.selectors import Access, access_match
from gamesvc.matches.errors import Forbidden, Unknown
from gamesvc.request_limits import adds_to_record, folds_history

F = TypeVar("F", bound=Callable[..., object])
NOT_BLANK = r"[^\s\u001c-\u001f\u0085]"
"""A character that Python does not strip, in the syntax of ECMA-262."""
KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": KEY_PATTERN, "maxLength": LONGEST_KEY},
    OpenApiParameter.HEADER,
    required=True,
)
VERSION = OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, required=True, description="The ETag of the view answered.")
PROBLEMS = {400: schemas.Problem, 401: schemas.Problem, 403: schemas.Problem, 404: schemas.Problem}
PRIVATE = {"Cache-Control": "private, no-store"}
REFUSALS = {**PROBLEMS, 422: schemas.Problem, 429: schemas.Problem}


# The scope of addresses that need no token.
PUBLIC = "public"
# The query of every address below a match: a watch link, and the seat to look as.
OF_MATCHES = ("link", "as")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
# The scopes that the token of a user, and that of an app they allowed, can have.
SCOPED = {"token": tuple(SCOPES), "app": OFFERED}


def endpoint(
    route: str,
    view: type[APIView],
    *,
    name: str | None = None,
    folds: tuple[str, ...] = (),
    adds: bool = False,
    **scopes: str | tuple[str, ...],
) -> URLPattern:
    """Return an address of the API with the scopes for each method. A token needs one of them.

    `folds`: the query parameters that make it look at the past, so that the limit for that applies (`request_limits`).
    `adds`: what is posted adds to the record of a match, which has a limit, too.

    Raises `ImproperlyConfigured` if a method of the view has no scope here, or a scope has no method.
    """
    named = {method: (given,) if isinstance(given, str) else given for method, given in scopes.items()}
    served = {method for method in METHODS if hasattr(view, method.lower())}
    if served != set(named) or not {scope for given in named.values() for scope in given} <= {PUBLIC, *SCOPES}:
        raise ImproperlyConfigured(
            f"{route}: declare one of the scopes {', '.join(SCOPES)} for each of {', '.join(sorted(served))}."
        )
    served_view = view.as_view(scopes=named)
    served_view = adds_to_record(served_view) if adds else served_view
    return path(route, folds_history(*folds)(served_view) if folds else served_view, name=name)


def documented(*, responses: Mapping[Any, Any], **more: Any) -> Callable[[F], F]:
    """Describe a method in the OpenAPI document, and render its answers with the serializers named in `responses`.

    Problems are not rendered this way: RFC 9457 lets each type have members of its own.
    """
    shapes = {status: _shape(kind) for status, kind in responses.items() if isinstance(status, int) and status < 300}

    def mark(method: F) -> F:
        named = [one for one in more.get("parameters", ()) if one.location == OpenApiParameter.QUERY]
        method.query = {one.name: one for one in named}  # type: ignore[attr-defined]
        method.shapes = {status: shape for status, shape in shapes.items() if shape is not None}  # type: ignore[attr-defined]
        described: F = extend_schema(responses=responses, **more)(method)
        return described

    return mark


def whole_parameter(name: str, description: str, *, digits: int = 9) -> OpenApiParameter:
    """Return the query parameter that `View.number` reads."""
    return OpenApiParameter(name, {"type": "integer", "minimum": 0, "maximum": 10**digits - 1}, description=description)


def place_parameter(
    pattern: str, *, name: str = "cursor", description: str = "From `next` of the page before."
) -> OpenApiParameter:
    """Return the query parameter that says where a page begins."""
    return OpenApiParameter(name, {"type": "string", "pattern": pattern}, description=description)


def _shape(kind: Any) -> serializers.BaseSerializer[Any] | None:
    """Return a serializer to share between answers; None for an answer without content."""
    return kind() if isinstance(kind, type) and issubclass(kind, serializers.BaseSerializer) else kind


class Scope(BasePermission):
    """The permission to call a method: a token needs the scope declared in `urls.py`. A session has all scopes."""

    message = "This address declares no scope, so it is closed."

    def has_permission(self, request: Request, view: APIView) -> bool:
        scopes: Mapping[str, tuple[str, ...]] = getattr(view, "scopes", {})
        if not scopes:
            return False
        method = "GET" if request.method == "HEAD" else str(request.method)
        # A method that the view lacks is refused later. The options of an address are open to everyone who may read.
        needed = scopes.get(method, ("read",))
        if PUBLIC in needed:
            return True
        if not isinstance(request.user, User):
            return False
        self.message = f"This token lacks the scope {' or '.join(needed)}; make one with it on your account page."
        return not isinstance(request.auth, Bearer) or not request.auth.scopes.isdisjoint(needed)


class Described(AutoSchema):
    """The schema of an endpoint, with its scopes in the description and in the security requirement."""

    def get_summary(self) -> str:
        """Return the first sentence of the description."""
        told = " ".join(str(super().get_description()).split("\n\n")[0].split())
        return re.split(r"[.:;](?= |$)", told, maxsplit=1)[0]

    def get_tags(self) -> list[str]:
        """Return the section: the first part of the address below the version."""
        return [section(self.path)]

    def get_description(self) -> str:  # type: ignore[override]
        told = super().get_description()
        needed = self._needed()
        scope = self._open() if PUBLIC in needed else " or ".join(f"`{one}`" for one in needed) + "."
        return f"{told}\n\nScope: {scope}"

    def _map_serializer_field(self, field: Any, direction: str, bypass_extensions: bool = False) -> Any:
        """Say of the values of requests what is refused besides: blank text, and numbers that JSON cannot hold exactly."""
        told: Any = super()._map_serializer_field(field, direction, bypass_extensions)  # type: ignore[no-untyped-call]
        if direction == "request" and isinstance(told, dict):
            if isinstance(field, serializers.CharField) and not field.allow_blank:
                told |= {"minLength": 1} if not field.trim_whitespace else {"pattern": told.get("pattern", NOT_BLANK)}
                if told.get("default") == "":
                    del told["default"]  # it stands for a member left out, and cannot be sent
            elif isinstance(field, serializers.IntegerField):
                told = {"minimum": -LARGEST, "maximum": LARGEST, **told}
        return told

    def get_auth(self) -> list[JsonObject]:
        needed = self._needed()
        found: list[JsonObject] = super().get_auth()
        if PUBLIC in needed:
            return [*found, {}]
        scoped = [{name: [scope]} for name, offered in SCOPED.items() for scope in needed if scope in offered]
        return scoped + [auth for auth in found if auth.keys().isdisjoint(SCOPED)]

    def _open(self) -> str:
        """Return what an address without a scope shows to callers without a token."""
        if "{ident}" not in self.path:
            return "none; open to all."
        return "none; without a token you see what a spectator sees of a match that everyone may watch."

    def _needed(self) -> tuple[str, ...]:
        view = self.view
        assert isinstance(view, View)
        return view.scopes[self.method]


class View(APIView):
    """The base of all views: scopes, the validation of the body, and the rendering of the answer."""

    permission_classes: Sequence[type[BasePermission]] = (Scope,)
    schema = Described()
    # By method; set by `endpoint`.
    scopes: Mapping[str, tuple[str, ...]] = {}
    # The address of what a POST makes, with names from the answer; empty if it has none of its own.
    made_at: str = ""

    @property
    def user(self) -> User:
        assert isinstance(self.request.user, User)
        return self.request.user

    @property
    def reader(self) -> User | None:
        """Return the user who reads; None for a guest, at an address that needs no token."""
        return self.request.user if isinstance(self.request.user, User) else None

    @property
    def bearer(self) -> Bearer | None:
        """Return the caller's token; None in a session of the pages."""
        return self.request.auth if isinstance(self.request.auth, Bearer) else None

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        """Refuse a query that the method does not document: a filter that is misspelt would silently let everything through."""
        super().initial(request, *args, **kwargs)
        method = getattr(self, "get" if request.method == "HEAD" else str(request.method).lower(), None)
        if method is None:
            return  # refused as such
        known: Mapping[str, OpenApiParameter] = getattr(method, "query", {})
        for name, value in request.query_params.items():
            if name not in known and not (name in OF_MATCHES and "ident" in kwargs):
                listed = ", ".join(f"`{one}`" for one in sorted(known)) or "none"
                raise BadQuery(f"`{name[:40]}` is not in the query of this address; known: {listed}.", name[:40])
            if name in known:
                self._check_value(name, str(value), known[name].type)

    def _check_value(self, name: str, value: str, kind: Any) -> None:
        """Refuse a value that is none of its parameter's, even where another parameter makes it needless."""
        if kind is bool and value not in ("true", "false"):
            raise BadQuery(f"`{name}` is true or false.", name)
        if isinstance(kind, dict) and kind["type"] == "integer":
            self.number(name, len(str(kind["maximum"])))

    def finalize_response(self, request: Request, response: Any, *args: object, **kwargs: object) -> Any:
        """Render the data of an answer with the serializer that describes it."""
        if isinstance(response, Response):
            method = getattr(self, "get" if request.method == "HEAD" else str(request.method).lower(), None)
            shape = getattr(method, "shapes", {}).get(response.status_code)
            if shape is not None:
                response.data = shape.to_representation(response.data)
            if response.status_code == 201 and self.made_at:
                response["Location"] = f"/api/v1/{self.made_at.format_map(response.data)}"
        return super().finalize_response(request, response, *args, **kwargs)

    def body(self, kind: type[schemas.Shape]) -> Any:
        serializer = kind(data=self.request.data)
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    @property
    def wants_forms(self) -> bool:
        """Return True if the caller wants forms with the answer (`?forms=true`)."""
        return self.request.query_params.get("forms") == "true"

    def number(self, name: str, digits: int) -> int | None:
        """Return a whole number from the query; None if it is missing. Raises `BadQuery`."""
        given = self.request.query_params.get(name)
        if given is not None and (not given.isdecimal() or len(given) > digits):
            raise BadQuery(f"`{name}` must be a whole number.", name, code=f"bad_{name}")
        return None if given is None else int(given)

    def access(self, ident: str) -> Access:
        """Return a match as the caller may use it. Raises `Unknown`; for a guest `NotAuthenticated`, also if there is none."""
        query = self.request.query_params
        seat = int(given) if (given := query.get("as", "")).isdecimal() and len(given) <= 2 else None
        try:
            return access_match(user=self.reader, ident=ident, link=query.get("link", ""), as_seat=seat)
        except Unknown:
            if self.reader is None:
                raise NotAuthenticated("There is no such match, or it is not open to everyone. Send a token.") from None
            raise

    def seated(self, ident: str, *, boards: bool = True) -> tuple[Access, int]:
        """Return a match and the caller's seat in it. Raises `Forbidden` without a seat and, unless `boards`, on an analysis
        board.
        """
        access = self.access(ident)
        if access.seat is None or (access.match.board and not boards):
            raise Forbidden("You have no seat in this match.")
        return access, access.seat.index


def check_proof(user: User, password: str | None, *, lately: bool, title: str, how: str) -> None:
    """Raise `ProofNeeded` or `ProofRefused` unless it is surely the user who asks, by their password now or lately: a token may
    be stolen, a browser left open. `title` says what was not done, `how` what to send."""
    try:
        if password is not None:
            proving.check_password(user, password)
        elif not lately:
            raise proving.ProofNeeded(how)
    except (proving.ProofNeeded, proving.ProofRefused) as refused:
        refused.title = title
        raise
