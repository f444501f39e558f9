"""The authorization server: answers to requests for permission, for tokens, and for their revocation.

A code holds for a minute and once; a second use ends the permission (RFC 6749 4.1.2). Every app proves itself by PKCE with S256
(RFC 7636). A refresh token is replaced each time; using an earlier one again ends the permission (RFC 9700 4.14.2).
"""

from __future__ import annotations

import hmac
import re
import secrets
from base64 import b64decode
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote_plus, urlencode
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from oauthlib.common import Request
from oauthlib.oauth2 import (
    AccessDeniedError,
    FatalClientError,
    InvalidRequestError,
    OAuth2Error,
    RequestValidator,
    TemporarilyUnavailableError,
    WebApplicationServer,
)

from accounts import tokens
from accounts.models import ApiToken, App, Authorization, User
from accounts.oauth import apps
from accounts.throttling import throttle, throttle_in_turn
from gamesvc.errors import GamesvcError

OFFERED = ("read", "play", "organise")
"""The scopes that apps can be given. The others do lasting harm, so they need a token that the user makes themselves."""
CODE_LASTS = timedelta(minutes=1)
TOKEN_LASTS = timedelta(hours=1)
REFRESH_LASTS = timedelta(days=90)
ALLOWED_PER_DAY = 100
"""Permissions that a user gives. Each stays for months, also one of which no app makes use."""
REFRESHED_PER_DAY = 300
"""New tokens that one app gets itself for one user: the one before stays for months."""
REFRESHED_BY_ALL_PER_DAY = 2000
"""The same of all apps together."""
REFRESH_PREFIX = "gsr_"
_DAY = 86_400
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
"""A challenge of S256: a SHA-256 in base64url (RFC 7636 4.2)."""
_REFRESH = re.compile(rf"{REFRESH_PREFIX}(?P<secret>(?P<permission>[0-9a-f]{{32}})[0-9a-f]{{64}})(?P<seal>[0-9a-f]{{64}})")


Answer = tuple[dict[str, str], str, int]


class _Store(RequestValidator):  # type: ignore[misc]
    """The callbacks of oauthlib, under its names for them. `request.grant` is the permission in question, locked."""

    # --- a request for permission ---

    def validate_client_id(self, client_id: str, request: Request, *args: Any, **kwargs: Any) -> bool:
        request.client = _app(client_id)
        return request.client is not None

    def validate_redirect_uri(self, client_id: str, redirect_uri: str, request: Request, *args: Any, **kwargs: Any) -> bool:
        return apps.may_return_to(request.client, redirect_uri)

    def get_default_redirect_uri(self, client_id: str, request: Request, *args: Any, **kwargs: Any) -> str | None:
        uris = request.client.redirect_uris
        return uris[0] if len(uris) == 1 else None

    def validate_response_type(self, client_id: str, kind: str, client: App, request: Request, *args: Any, **kw: Any) -> bool:
        return kind == "code"

    def get_default_scopes(self, client_id: str, request: Request, *args: Any, **kwargs: Any) -> list[str]:
        return ["read"]

    def validate_scopes(self, client_id: str, scopes: list[str], client: App, request: Request, *args: Any, **kw: Any) -> bool:
        return set(scopes) <= set(OFFERED)

    def is_pkce_required(self, client_id: str, request: Request) -> bool:
        return True

    def save_authorization_code(self, client_id: str, code: dict[str, str], request: Request, *args: Any, **kwargs: Any) -> None:
        now = timezone.now()
        Authorization.objects.create(
            user=request.user,
            app=request.client,
            scopes=tokens.in_order({*request.scopes, "read"}),
            redirect_uri=request.redirect_uri,
            code_challenge=request.code_challenge,
            code_digest=tokens.digest(code["code"]),
            code_expires_at=now + CODE_LASTS,
            created_at=now,
            expires_at=now + CODE_LASTS,
        )

    # --- a request for tokens ---

    def client_authentication_required(self, request: Request, *args: Any, **kwargs: Any) -> bool:
        app = _app(_credentials(request)[0])
        return app is None or app.confidential

    def authenticate_client(self, request: Request, *args: Any, **kwargs: Any) -> bool:
        client_id, secret = _credentials(request)
        request.client = _app(client_id)
        if request.client is None:
            return False
        # oauthlib compares later with the id in the body, which a client that uses the header leaves out.
        request.client_id = str(request.client.pk)
        request.client.client_id = request.client_id
        return not request.client.confidential or hmac.compare_digest(request.client.secret_digest, tokens.digest(secret))

    def authenticate_client_id(self, client_id: str, request: Request, *args: Any, **kwargs: Any) -> bool:
        request.client = _app(client_id)
        if request.client is not None:
            request.client.client_id = client_id
        return request.client is not None and not request.client.confidential

    def validate_grant_type(self, client_id: str, kind: str, client: App, request: Request, *args: Any, **kwargs: Any) -> bool:
        return kind in ("authorization_code", "refresh_token")

    def validate_code(self, client_id: str, code: str, client: App, request: Request, *args: Any, **kwargs: Any) -> bool:
        grant = _locked(client, code_digest=tokens.digest(code))
        if grant is None:
            return False
        if grant.code_used_at is not None:
            _end(grant)
            return False
        request.grant, request.user, request.scopes = grant, grant.user, grant.scopes
        return _holds(grant) and grant.code_expires_at > timezone.now()

    def get_code_challenge(self, code: str, request: Request) -> str:
        return str(request.grant.code_challenge)

    def get_code_challenge_method(self, code: str, request: Request) -> str:
        return "S256"

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: App, request: Request, *args: Any, **kwargs: Any
    ) -> bool:
        return bool(request.grant.redirect_uri == redirect_uri)

    def validate_refresh_token(self, refresh_token: str, client: App, request: Request, *args: Any, **kwargs: Any) -> bool:
        grant = _locked(client, refresh_digest=tokens.digest(refresh_token))
        if grant is None:
            stolen = _replaced(client, refresh_token)
            if stolen is not None:
                _end(stolen)
            return False
        if not _holds(grant) or grant.expires_at <= timezone.now():
            return False
        _count_refresh(grant)
        request.grant, request.user = grant, grant.user
        return True

    def get_original_scopes(self, refresh_token: str, request: Request, *args: Any, **kwargs: Any) -> list[str]:
        return list(request.grant.scopes)

    def save_bearer_token(self, token: dict[str, Any], request: Request, *args: Any, **kwargs: Any) -> None:
        grant, now = request.grant, timezone.now()
        tokens.create_for_app(grant, token["access_token"], {*request.scopes, "read"}, now + TOKEN_LASTS)
        grant.previous_refresh_digest = grant.refresh_digest
        grant.refresh_digest = tokens.digest(token["refresh_token"])
        grant.expires_at = now + REFRESH_LASTS
        grant.save(update_fields=["previous_refresh_digest", "refresh_digest", "expires_at"])

    def invalidate_authorization_code(self, client_id: str, code: str, request: Request, *args: Any, **kwargs: Any) -> None:
        request.grant.code_used_at = timezone.now()
        request.grant.save(update_fields=["code_used_at"])

    # --- revocation (RFC 7009) ---

    def revoke_token(self, token: str, token_type_hint: str, request: Request, *args: Any, **kwargs: Any) -> None:
        hashed = tokens.digest(token)
        grant = _locked(request.client, refresh_digest=hashed)
        if grant is not None:
            _end(grant)
        own = ApiToken.objects.filter(digest=hashed, authorization__app=request.client, revoked_at=None)
        own.update(revoked_at=timezone.now())


def _app(client_id: str | None) -> App | None:
    """Return the app with this id, if its owner is active."""
    try:
        return App.objects.filter(pk=UUID(client_id or ""), owner__is_active=True).first()
    except ValueError:
        return None


def _credentials(request: Request) -> tuple[str, str]:
    """Return id and secret of a client, from the header (RFC 6749 2.3.1) or the body; empty texts where they lack."""
    scheme, _, encoded = str(request.headers.get("Authorization", "")).partition(" ")
    if scheme.lower() == "basic":
        try:
            client_id, _, secret = b64decode(encoded, validate=True).decode().partition(":")
        except ValueError:  # letters beyond ASCII, no base64, or no UTF-8 in it
            return "", ""
        return unquote_plus(client_id), unquote_plus(secret)
    return request.client_id or "", request.client_secret or ""


def _locked(app: App, **fields: str | UUID) -> Authorization | None:
    """Return the app's permission with this code, refresh token or id, locked until the end of the transaction with its user.

    First the user, as for an erasure: else it would delete the permission, and know nothing of a token made for it meanwhile.
    """
    own = Authorization.objects.filter(app=app, **fields)
    list(User.objects.select_for_update(no_key=True).filter(pk__in=own.values("user")).values_list("pk"))
    return own.select_for_update(of=("self",)).select_related("user", "app").first()


def _refresh_text(grant: Authorization) -> str:
    """Return the text of a new refresh token. It names its permission, under our seal: only the last one is stored."""
    secret = f"{grant.pk.hex}{secrets.token_hex(32)}"
    return f"{REFRESH_PREFIX}{secret}{_seal(secret, settings.SECRET_KEY)}"


def _seal(secret: str, key: str) -> str:
    return salted_hmac("accounts.oauth.refresh", secret, secret=key, algorithm="sha256").hexdigest()


def _replaced(app: App, refresh_token: str) -> Authorization | None:
    """Return the app's permission whose refresh token this was before, locked. A thief may have replaced it many times since."""
    if (found := _REFRESH.fullmatch(refresh_token)) is not None:
        keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
        ours = any(constant_time_compare(found["seal"], _seal(found["secret"], str(key))) for key in keys)
        return _locked(app, pk=UUID(found["permission"])) if ours else None
    # One that was made before they named it.
    return _locked(app, previous_refresh_digest=tokens.digest(refresh_token))


def _holds(grant: Authorization) -> bool:
    return grant.revoked_at is None and grant.user.is_active


def _count_refresh(grant: Authorization) -> None:
    """Count one more token that an app gets itself. Raises an error of oauthlib, with 429, beyond the limits."""
    full = throttle_in_turn(
        [
            (f"refreshed by {grant.app_id} for {grant.user_id}", REFRESHED_PER_DAY, _DAY),
            (f"refreshed for {grant.user_id}", REFRESHED_BY_ALL_PER_DAY, _DAY),
        ]
    )
    if full is not None:
        raise TemporarilyUnavailableError(f"An app gets at most {REFRESHED_PER_DAY} tokens a day for a user.", status_code=429)


def _end(grant: Authorization) -> None:
    """End a permission with its tokens."""
    now = timezone.now()
    Authorization.objects.filter(pk=grant.pk, revoked_at=None).update(revoked_at=now)
    grant.tokens.filter(revoked_at=None).update(revoked_at=now)


@cache
def _server() -> WebApplicationServer:
    server = WebApplicationServer(
        _Store(),
        token_generator=lambda request, refresh_token=False: tokens.new_text(),
        token_expires_in=int(TOKEN_LASTS.total_seconds()),
        refresh_token_generator=lambda request, refresh_token=True: _refresh_text(request.grant),
    )
    # Without `plain`: the challenge would be the secret itself.
    server.auth_grant._code_challenge_methods = {"S256": server.auth_grant._code_challenge_methods["S256"]}
    return server


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for permission as its page shows it: the app, the scopes, and where the user goes with the answer."""

    app: App
    scopes: list[str]
    redirect_uri: str


class BadRequest(GamesvcError):
    """A request for permission that cannot be answered, since it is not certain where its answer would go."""

    code = "bad_authorization_request"
    status = 400
    title = "This app cannot ask for your permission"
    detail = "The link names no registered app, or an address that its developer has not registered."
    advice = "Tell the developer of the app. Nothing was allowed."


class SentBack(GamesvcError):
    """A faulty request for permission whose app is certain: the fault is told to it, at `address`."""

    def __init__(self, address: str) -> None:
        super().__init__("The app asked in a wrong way.")
        self.address = address


def asked(query: str) -> Asked:
    """Return what the query of a request for permission asks for. Raises `BadRequest` or `SentBack`."""
    try:
        scopes, credentials = _server().validate_authorization_request(_address(query))
        if not _CHALLENGE.fullmatch(credentials["code_challenge"]):
            raise InvalidRequestError("The code_challenge is not one of S256.", request=credentials["request"])
    except FatalClientError as fault:
        raise BadRequest from fault
    except OAuth2Error as fault:
        raise SentBack(fault.in_uri(fault.redirect_uri)) from fault
    return Asked(credentials["request"].client, tokens.in_order({*scopes, "read"}), credentials["redirect_uri"])


def allow(query: str, user: User) -> str:
    """Give the permission. Return the address that takes the user back to the app. Raises as `asked` does."""
    what = asked(query)
    if throttle(f"permissions by {user.pk}", ALLOWED_PER_DAY, _DAY):
        fault = TemporarilyUnavailableError("The user has given too many permissions today.", state=_state(query))
        raise SentBack(fault.in_uri(what.redirect_uri))
    with transaction.atomic():
        User.lock(user.pk)
        headers, _body, _status = _server().create_authorization_response(
            _address(query), scopes=what.scopes, credentials={"user": user}
        )
    return str(headers["Location"])


def deny(query: str) -> str:
    """Return the address that takes the user back to the app with their refusal. Raises as `asked` does."""
    what = asked(query)
    return str(AccessDeniedError(state=_state(query)).in_uri(what.redirect_uri))


def _state(query: str) -> str | None:
    return parse_qs(query).get("state", [None])[-1]


def answer_token_request(body: str, authorization: str) -> Answer:
    """Answer a request for tokens: headers, JSON text, status."""
    with transaction.atomic():
        return _answered(_server().create_token_response(_address(""), "POST", body, _headers(authorization)))


def answer_revocation(body: str, authorization: str) -> Answer:
    """Answer a request to revoke a token: headers, JSON text, status."""
    with transaction.atomic():
        return _answered(_server().create_revocation_response(_address(""), "POST", body, _headers(authorization)))


def _answered(answer: tuple[dict[str, str], str | None, int]) -> Answer:
    headers, body, status = answer
    return headers, body or "", status


def _headers(authorization: str) -> dict[str, str]:
    return {"Content-Type": "application/x-www-form-urlencoded", **({"Authorization": authorization} if authorization else {})}


def _address(query: str) -> str:
    """Return an address for oauthlib, which reads only its query. Whether the service is reached by TLS is settled elsewhere.

    The query is written again: oauthlib fails at characters that every other reader takes, such as quotation marks.
    """
    return f"https://oauth.invalid/?{urlencode(parse_qsl(query, keep_blank_values=True))}"
