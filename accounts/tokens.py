"""Bearer tokens for programs: created, found, revoked; and their scopes (`SCOPES`).

A token is `gsk_` and 256 random bits. Only a plain SHA-256 of it is stored. A slow, salted password hash would add nothing: it
makes guessing expensive, but 256 random bits cannot be guessed at any speed; and since no two tokens are equal, a salt has
nothing to distinguish. A plain hash can be looked up by an index in one query, which every API call does.
"""

from __future__ import annotations

import functools
import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts import signins
from accounts.models import ApiToken, Authorization, User
from accounts.throttling import count_or_wait
from gamesvc.database.asking import ask
from gamesvc.database.rows import columns, row_of
from gamesvc.errors import Refusal
from gamesvc.language import mark, say

PREFIX = "gsk_"
# Every token may read: acting requires seeing.
SCOPES = {
    "read": mark("look at your matches, notices and settings"),
    "play": mark("act for your seats; open, join and fork matches; write messages; announce vacations"),
    "account": mark("make and revoke keys, set the webhook and the calendar address, erase your account"),
    "organise": mark("manage matches that you opened: remove players, pause, extend, rewind, call off"),
    "operate": mark("manage the matches of others, as an operator"),
}
# A token with one of these can do lasting harm, so the pages ask for the password before they create one.
GUARDED = frozenset({"account", "operate"})
LAST_USED_STEP = timedelta(minutes=1)
# For how long the password given for a token counts as recent.
PROOF_LASTS = timedelta(hours=1)
MAX_TOKENS = 50
MADE_PER_DAY = 200
"""Tokens that a user makes in a day, with those of their bots. One that is revoked stays for months."""


class TokenRefused(Refusal):
    """A token that was not created."""

    title = "No token was made"


class Bearer(NamedTuple):
    """A valid token: its user, its scopes, and its row."""

    user: User
    scopes: frozenset[str]
    token: ApiToken


@transaction.atomic
def create_token(
    *,
    user: User,
    name: str,
    scopes: Iterable[str],
    expires_at: datetime | None = None,
    parent: ApiToken | None = None,
    proven: bool = False,
) -> tuple[ApiToken, str]:
    """Create a token. Return its row and the token itself, which is shown this once and cannot be read again.

    `parent`: the token that requests it, of the user or, for a bot, of its owner. The new one has no further scopes, expires no
    later and is revoked with it. `proven`: the user has just given their password. Raises `TokenRefused` and `TooMany`.
    """
    # With the owner of a bot, whose tokens may be revoked at this moment.
    User.lock(user.pk, user.bot_owner_id or user.pk)
    name, wanted, now = name.strip(), set(scopes), timezone.now()
    _check_wishes(user, name, wanted)
    if parent is not None:
        # The scopes of a bot's token are about the bot.
        parent = _parent(parent, wanted if parent.user_id == user.pk else set(), now)
    expires_at = _expiry(expires_at, parent, now)
    if own_tokens(user).count() >= MAX_TOKENS:
        raise TokenRefused(
            "too_many_tokens",
            say("You have {max_tokens} keys, which is the limit. Revoke one that you no longer use.", max_tokens=MAX_TOKENS),
            "name",
        )
    sentence = say("You can make at most {most} keys a day.", most=MADE_PER_DAY)
    count_or_wait(f"tokens made by {user.bot_owner_id or user.pk}", MADE_PER_DAY, 86_400, sentence)
    plain = new_text()
    token = ApiToken.objects.create(
        user=user,
        name=name,
        digest=digest(plain),
        hint=hint(plain),
        scopes=in_order(wanted),
        expires_at=expires_at,
        created_at=now,
        parent=parent,
        proven_at=parent.proven_at if parent is not None else now if proven else None,
    )
    return token, plain


def new_text() -> str:
    """Return the text of a new token."""
    return PREFIX + secrets.token_urlsafe(32)


def in_order(scopes: Iterable[str]) -> list[str]:
    """Return scopes in the order of `SCOPES`, each once."""
    wanted = set(scopes)
    return [scope for scope in SCOPES if scope in wanted]


def own_tokens(user: User) -> QuerySet[ApiToken]:
    """Return the valid tokens that a user made themselves; not those of apps that act for them."""
    return user.api_tokens.filter(revoked_at=None, authorization=None)


def create_for_app(authorization: Authorization, plain: str, scopes: Iterable[str], expires_at: datetime) -> None:
    """Create the token of an app with the text `plain`. It replaces the one before, which is revoked."""
    now = timezone.now()
    authorization.tokens.filter(revoked_at=None).update(revoked_at=now)
    ApiToken.objects.create(
        user=authorization.user,
        name=authorization.app.name,
        digest=digest(plain),
        hint=hint(plain),
        scopes=in_order(scopes),
        expires_at=expires_at,
        created_at=now,
        authorization=authorization,
    )


def _check_wishes(user: User, name: str, wanted: set[str]) -> None:
    """Raise `TokenRefused` for a name or scopes that no token of the user may have."""
    if not 1 <= len(name) <= 60 or not name.isprintable():
        raise TokenRefused("bad_token_name", say("A key needs a name of 1 to 60 printable characters."), "name")
    if not wanted or not wanted <= set(SCOPES):
        raise TokenRefused("bad_scopes", say("A key has one or more of the scopes {scopes}.", scopes=", ".join(SCOPES)), "scopes")
    if "operate" in wanted and not user.is_staff:
        raise TokenRefused(
            "scope_not_allowed", say("Only operators may make a key with the scope operate; leave it out."), "scopes"
        )


def _expiry(expires_at: datetime | None, parent: ApiToken | None, now: datetime) -> datetime | None:
    """Return when the new token expires: by default with its parent. Raises `TokenRefused` if it may not expire then."""
    last = parent.expires_at if parent is not None else None
    expires_at = expires_at or last
    if last is not None and expires_at is not None and expires_at > last:
        detail = f"The new key expires no later than the one it is made with ({last:%Y-%m-%dT%H:%M:%SZ})."
        raise TokenRefused("bad_expiry", detail, "expires_at")
    if expires_at is not None and expires_at <= now:
        raise TokenRefused(
            "bad_expiry", say("A key must expire in the future. Leave the expiry out for a key that never expires."), "expires_at"
        )
    return expires_at


def _parent(parent: ApiToken, wanted: set[str], now: datetime) -> ApiToken:
    """Return the current row of the token that requests another one. Raises `TokenRefused` if it may not."""
    parent = ApiToken.objects.get(pk=parent.pk)
    if not parent.usable(at=now):
        raise TokenRefused("scope_not_allowed", say("The key you used was revoked or has expired. Use another one."), "scopes")
    if lacking := wanted - {*parent.scopes, "read"}:
        detail = f"A key can only create keys with scopes of its own. This one lacks {', '.join(sorted(lacking))}."
        raise TokenRefused("scope_not_allowed", detail, "scopes")
    return parent


def find_token(plain: str, request: HttpRequest | None = None) -> Bearer | None:
    """Return the bearer of a token, in one query; None if it is unknown, revoked or expired, or its user is deactivated.

    With its owner a bot is deactivated too. The time of last use is written at most once a minute, so a busy program costs no
    write per call. `request` is for the audit trail.
    """
    if not plain.startswith(PREFIX):
        return None
    now = timezone.now()
    token = _valid(digest(plain), now)
    if token is None:
        return None
    if token.last_used_at is None or token.last_used_at <= now - LAST_USED_STEP:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
        signins.token_used(token, request, now)
    scopes = frozenset(token.scopes)
    token.user.speaks_as_operator = "operate" in scopes
    return Bearer(token.user, scopes | {"read"} if scopes else scopes, token)


def limited_as(token: ApiToken) -> UUID:
    """Return under what the requests with a token are counted: those of an app with all tokens that it gets itself for a user."""
    return token.authorization_id or token.pk


def proven_lately(token: ApiToken) -> bool:
    """Return True if the owner gave their password for this token within the last hour."""
    return token.proven_at is not None and token.proven_at > timezone.now() - PROOF_LASTS


def _valid(hashed: str, now: datetime) -> ApiToken | None:
    """Return the row of a valid token, with its user. Building this query each time would cost more than everything else here."""
    row = ask(_find(), [hashed, now]).fetchone()
    if row is None:
        return None
    own = len(ApiToken._meta.concrete_fields)
    token = row_of(ApiToken, row[:own])
    token.user = row_of(User, row[own:])
    return token


@functools.cache
def _find() -> str:
    wanted = ", ".join([*columns("t", ApiToken), *columns("u", User)])
    return (
        f"SELECT {wanted} FROM accounts_apitoken t JOIN accounts_user u ON u.id = t.user_id"  # noqa: S608 - no input in it
        " WHERE t.digest = %s::text AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > %s::timestamptz)"
        " AND u.is_active AND NOT EXISTS (SELECT FROM accounts_user o WHERE o.id = u.bot_owner_id AND NOT o.is_active)"
    )


@transaction.atomic
def revoke_token(*, user: User, token_id: UUID) -> bool:
    """Revoke a user's own token for good, with all tokens created by it, also those of bots.

    Return False for an unknown one. Repeating is harmless.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    now = timezone.now()
    generation = list(ApiToken.objects.filter(user=user, pk=token_id).values_list("pk", flat=True))
    known = bool(generation)
    while generation:
        ApiToken.objects.filter(pk__in=generation, revoked_at=None).update(revoked_at=now)
        generation = list(ApiToken.objects.filter(parent__in=generation).values_list("pk", flat=True))
    return known


def outliving_password(user: User) -> int:
    """Return how many tokens, of a user and of their bots, and permissions of apps go on working after a new password."""
    now = timezone.now()
    valid = Q(expires_at=None) | Q(expires_at__gt=now)
    own = ApiToken.objects.filter(valid, Q(user=user) | Q(user__bot_owner=user), revoked_at=None, authorization=None)
    # An app gets itself a new token, although the last one has expired and may be deleted.
    return own.count() + Authorization.objects.filter(user=user, revoked_at=None, expires_at__gt=now).count()


@transaction.atomic
def revoke_all(user: User) -> int:
    """Revoke every token of a user and of their bots, and the permissions of all apps. Return how many tokens were valid."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    now = timezone.now()
    Authorization.objects.filter(user=user, revoked_at=None).update(revoked_at=now)
    own = ApiToken.objects.filter(Q(user=user) | Q(user__bot_owner=user), revoked_at=None)
    return own.update(revoked_at=now)


def digest(plain: str) -> str:
    """Return the hash under which a token, a code or a secret is stored."""
    return hashlib.sha256(plain.encode()).hexdigest()


def hint(plain: str) -> str:
    return plain[: len(PREFIX) + 4]
