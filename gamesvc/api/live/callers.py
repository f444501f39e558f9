"""The callers of streams: who they are when they come, and whether they are still believed.

Functions block: call them in a thread.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings
from django.contrib import auth
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.handlers.asgi import ASGIRequest
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from rest_framework.request import Request

from accounts.models import ApiToken, User
from accounts.network import client_network
from accounts.tokens import Bearer, limited_as
from gamesvc.api.authentication import BearerToken


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller and the grounds on which they are believed: a token, a session of the pages, or neither (a guest)."""

    network: str
    user_id: int | None = None
    token_id: UUID | None = None
    limited_as: str = ""
    """Under what requests with the token are counted."""
    session: str = ""
    """The key of the session."""
    proof: str = ""
    """The hash that ties the session to the user's password."""


def identify(request: ASGIRequest) -> tuple[Caller, User | None]:
    """Return the caller of a request to the live process, and their user; None for a guest.

    Raises `AuthenticationFailed` for a token that is not valid.
    """
    found = BearerToken().authenticate(Request(request))
    key = request.COOKIES.get(settings.SESSION_COOKIE_NAME, "")
    # Anything else could not be looked up.
    request.session = SessionStore(key if key.isascii() and key.isalnum() else None)
    user = found[0] if found else auth.get_user(request)
    return caller_of(request, user, found[1] if found else None), user if isinstance(user, User) else None


def caller_of(request: HttpRequest, user: object, bearer: object) -> Caller:
    """Return the caller of a request whose user, and token if any, are known."""
    network = client_network(request)
    if not isinstance(user, User):
        return Caller(network)
    if isinstance(bearer, Bearer):
        return Caller(network, user.pk, token_id=bearer.token.pk, limited_as=str(limited_as(bearer.token)))
    return Caller(network, user.pk, session=request.session.session_key or "", proof=user.get_session_auth_hash())


def still_valid(callers: Collection[Caller]) -> dict[Caller, User | None]:
    """Return the callers whose grounds still hold, with their users; None for guests. Takes three queries at most.

    The caller with a token speaks as an operator only if it has that scope, as everywhere.
    """
    now = timezone.now()
    tokens = ApiToken.objects.filter(pk__in={caller.token_id for caller in callers if caller.token_id}, revoked_at=None)
    valid_tokens = dict(tokens.filter(Q(expires_at=None) | Q(expires_at__gt=now)).values_list("pk", "scopes"))
    sessions = Session.objects.filter(pk__in={caller.session for caller in callers if caller.session}, expire_date__gt=now)
    valid_sessions = set(sessions.values_list("pk", flat=True))
    active = User.objects.filter(is_active=True).exclude(bot_owner__is_active=False)
    users = active.in_bulk({caller.user_id for caller in callers if caller.user_id is not None})
    with_session = {caller.user_id for caller in callers if caller.session}
    proofs = {user_id: user.get_session_auth_hash() for user_id, user in users.items() if user_id in with_session}

    def holds(caller: Caller) -> bool:
        if caller.token_id is not None:
            return caller.token_id in valid_tokens
        return caller.session in valid_sessions and constant_time_compare(proofs[caller.user_id], caller.proof)

    def speaking(caller: Caller) -> User | None:
        if caller.user_id is None or caller.token_id is None:
            return users.get(caller.user_id) if caller.user_id is not None else None
        user = copy(users[caller.user_id])
        user.speaks_as_operator = "operate" in valid_tokens[caller.token_id]
        return user

    return {
        caller: speaking(caller) for caller in callers if caller.user_id is None or (caller.user_id in users and holds(caller))
    }
