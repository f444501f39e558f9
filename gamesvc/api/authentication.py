"""Authentication by a bearer token of the accounts app, or by the session of the web pages (with its CSRF check)."""

from __future__ import annotations

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts import signins, tokens
from accounts.models import User
from accounts.oauth.grants import OFFERED
from gamesvc.json_types import JsonObject


class BearerToken(BaseAuthentication):
    """Authentication by `Authorization: Bearer gsk_...`. `request.auth` is the token with its scopes (`tokens.Bearer`)."""

    def authenticate(self, request: Request) -> tuple[User, tokens.Bearer] | None:
        header = request.META.get("HTTP_AUTHORIZATION", "")
        scheme, _, plain = header.partition(" ")
        if scheme.casefold() != "bearer":
            return None
        bearer = tokens.find_token(plain.strip(), request._request)
        if bearer is None:
            signins.token_refused(request._request)
            raise AuthenticationFailed("This token does not exist, has expired or was revoked.")
        return bearer.user, bearer

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="gamesvc"'


class Session(SessionAuthentication):
    """Authentication by a browser session, which has all scopes. `request.auth` is None."""

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="gamesvc"'


class BearerTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The description of tokens in the OpenAPI schema: those that users make, and those that apps get from them."""

    target_class = "gamesvc.api.authentication.BearerToken"
    name = ["token", "app"]

    def get_security_definition(self, auto_schema: object) -> list[JsonObject]:
        base = settings.BASE_URL
        flow = {
            "authorizationUrl": f"{base}/oauth/authorize/",
            "tokenUrl": f"{base}/oauth/token/",
            "refreshUrl": f"{base}/oauth/token/",
            "scopes": {scope: tokens.SCOPES[scope] for scope in OFFERED},
        }
        return [
            {
                "type": "http",
                "scheme": "bearer",
                "bearerFormat": "gsk_...",
                "description": "A token from your profile page or from `/tokens/`.",
            },
            {
                "type": "oauth2",
                "description": "OAuth 2 with PKCE (S256), for apps that are registered on a profile page.",
                "flows": {"authorizationCode": flow},
            },
        ]

    def get_security_requirement(self, auto_schema: object) -> list[JsonObject]:
        return [{name: []} for name in self.name]


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The description of sessions in the OpenAPI schema."""

    target_class = "gamesvc.api.authentication.Session"
    name = "session"

    def get_security_definition(self, auto_schema: object) -> JsonObject:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}
