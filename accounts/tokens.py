"""Bearer keys for programs: made, found, withdrawn.

A key is `gsk_` and 256 random bits. Of it only a plain SHA-256 is stored. A slow, salted password hash would protect
nothing more: it makes the guessing of *guessable* secrets expensive, and nobody guesses 256 random bits at any speed; nor
are two keys ever the same, so there is nothing for a salt to tell apart. A plain hash can be looked up by an index in one
query, which every API call does.
"""

from __future__ import annotations

import functools
import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model
from django.http import HttpRequest
from django.utils import timezone

from accounts import signins
from accounts.models import ApiToken, User

PREFIX = "gsk_"
SCOPES = ("read", "play", "admin")
LAST_USED_STEP = timedelta(minutes=1)
MAX_TOKENS = 50


class TokenRefused(Exception):
    """Why a key is not made: a stable code, a sentence for people, the offending parameter."""

    def __init__(self, code: str, detail: str, parameter: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.parameter = parameter


class Bearer(NamedTuple):
    """For whom a key speaks, and what it may do."""

    user: User
    scopes: frozenset[str]


def create_token(*, user: User, name: str, scopes: Iterable[str], expires_at: datetime | None = None) -> tuple[ApiToken, str]:
    """Make a key and return its row with the key itself, which is shown this once and cannot be read again."""
    name = name.strip()
    wanted = set(scopes)
    if not 1 <= len(name) <= 60 or not name.isprintable():
        raise TokenRefused("bad_token_name", "A key needs a name of 1 to 60 printable characters.", "name")
    if not wanted or not wanted <= set(SCOPES):
        raise TokenRefused("bad_scopes", f"A key has one or more of the scopes {', '.join(SCOPES)}.", "scopes")
    if "admin" in wanted and not user.is_staff:
        raise TokenRefused("scope_not_allowed", "Only staff may make a key with the scope admin; leave it out.", "scopes")
    now = timezone.now()
    if expires_at is not None and expires_at <= now:
        raise TokenRefused("bad_expiry", "A key's expiry lies in the future; leave it out for a key without one.", "expires_at")
    if user.api_tokens.filter(revoked_at=None).count() >= MAX_TOKENS:
        raise TokenRefused("too_many_tokens", f"You have {MAX_TOKENS} keys; revoke one that is not used any more.", "name")
    plain = PREFIX + secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        digest=_digest(plain),
        hint=plain[: len(PREFIX) + 4],
        scopes=[scope for scope in SCOPES if scope in wanted],
        expires_at=expires_at,
        created_at=now,
    )
    return token, plain


def find_token(plain: str, request: HttpRequest | None = None) -> Bearer | None:
    """Say for whom a key speaks, by one query; None for an unknown, withdrawn or expired key or a deactivated user.

    The time of last use is written at most once a minute, so a busy program costs no write per call. `request` is for the
    audit trail.
    """
    if not plain.startswith(PREFIX):
        return None
    now = timezone.now()
    token = _valid(_digest(plain), now)
    if token is None:
        return None
    if token.last_used_at is None or token.last_used_at <= now - LAST_USED_STEP:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
        signins.token_used(token, request, now)
    # "play" without "read" would be of no use: who may command must see the position.
    scopes = frozenset(token.scopes)
    return Bearer(token.user, scopes | {"read"} if scopes else scopes)


def _valid(digest: str, now: datetime) -> ApiToken | None:
    """The row of a key that may be used now, with its user. Building this query anew would cost more than all else here."""
    with connection.cursor() as cursor:
        cursor.execute(_find(), [digest, now])
        row = cursor.fetchone()
    if row is None:
        return None
    own, users = _columns(ApiToken), _columns(User)
    token: ApiToken = ApiToken.from_db(DEFAULT_DB_ALIAS, own, row[: len(own)])
    token.user = User.from_db(DEFAULT_DB_ALIAS, users, row[len(own) :])
    return token


@functools.cache
def _columns(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


@functools.cache
def _find() -> str:
    wanted = [f"t.{name}" for name in _columns(ApiToken)] + [f"u.{name}" for name in _columns(User)]
    return (
        f"SELECT {', '.join(wanted)} FROM accounts_apitoken t JOIN accounts_user u ON u.id = t.user_id"  # noqa: S608 - no input in it
        " WHERE t.digest = %s::text AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > %s::timestamptz)"
        " AND u.is_active"
    )


def revoke_token(*, user: User, token_id: UUID) -> bool:
    """Withdraw a user's own key for ever; False if he has no such key. Withdrawing twice changes nothing."""
    ApiToken.objects.filter(pk=token_id, user=user, revoked_at=None).update(revoked_at=timezone.now())
    return ApiToken.objects.filter(pk=token_id, user=user).exists()


def _digest(plain: str) -> str:
    return hashlib.sha256(plain.encode()).hexdigest()
