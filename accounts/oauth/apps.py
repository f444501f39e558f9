"""The apps that a user has registered, and those that may act for them."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import tokens
from accounts.models import ApiToken, App, Authorization, User
from gamesvc.errors import Refusal
from gamesvc.language import say

SECRET_PREFIX = "gss_"  # noqa: S105 - the beginning of every secret
MAX_APPS = 10
MAX_URIS = 5
LONGEST_URI = 300
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class AppRefused(Refusal):
    """An app that was not registered."""

    title = "The app was not registered"


@transaction.atomic
def register(*, owner: User, name: str, redirect_uris: Sequence[str], confidential: bool) -> tuple[App, str]:
    """Register an app. Return its row and its secret, which is shown this once; empty for an app that cannot keep one.

    Raises `AppRefused`.
    """
    User.lock(owner.pk)
    name, uris = name.strip(), list(dict.fromkeys(uri.strip() for uri in redirect_uris if uri.strip()))
    if not 1 <= len(name) <= 60 or not name.isprintable():
        raise AppRefused("bad_app_name", say("An app needs a name of 1 to 60 printable characters."), "name")
    if not 1 <= len(uris) <= MAX_URIS:
        raise AppRefused(
            "bad_redirect_uri",
            say("An app has 1 to {max_uris} redirect addresses, one a line.", max_uris=MAX_URIS),
            "redirect_uris",
        )
    for uri in uris:
        _check_uri(uri)
    if owner.apps.count() >= MAX_APPS:
        raise AppRefused(
            "too_many_apps", say("You have {max_apps} apps, which is the limit. Delete one first.", max_apps=MAX_APPS), "name"
        )
    secret = SECRET_PREFIX + secrets.token_urlsafe(32) if confidential else ""
    app = App.objects.create(
        owner=owner, name=name, redirect_uris=uris, secret_digest=tokens.digest(secret) if confidential else ""
    )
    return app, secret


def _check_uri(uri: str) -> None:
    """Raise `AppRefused` for an address to which no code may be sent (RFC 9700 2.1, RFC 8252 7)."""
    advice = "Use https://, http:// with 127.0.0.1, ::1 or localhost, or a scheme of your own with a dot (com.example.app:/done)."
    # A backslash is part of a host to one reader, and ends it for a browser.
    plain = _is_plain(uri) and not {" ", "\\"} & set(uri)
    try:
        parts = urlsplit(uri if plain else "")
        sane = plain and not parts.fragment and parts.username is None
        named = bool(parts.hostname)
        safe = (
            (parts.scheme == "https" and named)
            or (parts.scheme == "http" and parts.hostname in LOOPBACK)
            or ("." in parts.scheme and not parts.netloc)
        )
    except ValueError:
        sane = safe = False
    if not (sane and safe) or "#" in uri:
        raise AppRefused(
            "bad_redirect_uri", say("{uri} cannot be a redirect address. {advice}", uri=uri[:80], advice=advice), "redirect_uris"
        )


def _is_plain(uri: str) -> bool:
    """Return True for an address that may be read: of a host with very many accents Python would take the square."""
    return len(uri) <= LONGEST_URI and uri.isascii() and uri.isprintable()


def may_return_to(app: App, uri: str) -> bool:
    """Return True if the app registered this address. On the machine's own address any port will do (RFC 8252 7.3)."""
    return any(uri == known or _on_any_port(known, uri) for known in app.redirect_uris)


def _on_any_port(known: str, uri: str) -> bool:
    if not _is_plain(uri):
        return False
    try:
        one, other = urlsplit(known), urlsplit(uri)
        # `port` raises for a number that is none.
        _ports = (one.port, other.port)
    except ValueError:
        return False
    loopback = (
        one.scheme == other.scheme == "http" and one.hostname == other.hostname and one.hostname in LOOPBACK - {"localhost"}
    )
    plain = other.username is None and not other.fragment
    return loopback and plain and (one.path, one.query) == (other.path, other.query)


@transaction.atomic
def delete(*, owner: User, app_id: UUID) -> bool:
    """Delete an app of the owner. Its users' permissions and tokens end with it. Return False for an unknown one."""
    return _delete(App.objects.filter(owner=owner, pk=app_id))


def erase(user: User) -> None:
    """Delete the apps of a user who is erased."""
    _delete(App.objects.filter(owner=user))


def rest(owner: User) -> None:
    """Revoke the tokens of the apps of an owner who is suspended. Later the apps get new ones by the permissions they have."""
    ApiToken.objects.filter(authorization__app__owner=owner, revoked_at=None).update(revoked_at=timezone.now())


def _delete(apps: QuerySet[App]) -> bool:
    """Delete apps. Return False if there are none."""
    # What is being made for them at this moment is waited for, and then deleted too: tokens by permissions, and permissions.
    # In this order: who makes a token has locked its permission, and may need the app's row after that.
    found = list(apps.values_list("pk", flat=True))
    list(Authorization.objects.select_for_update(no_key=True).filter(app__in=found).order_by("pk").values_list("pk"))
    list(App.objects.select_for_update().filter(pk__in=found).order_by("pk").values_list("pk"))
    return App.objects.filter(pk__in=found).delete()[0] > 0


def permitted(user: User) -> list[Authorization]:
    """Return the newest permission for each app that the user lets act for them, with the scopes of all that hold."""
    held = Authorization.objects.filter(user=user, revoked_at=None, expires_at__gt=timezone.now(), code_used_at__isnull=False)
    newest: dict[UUID, Authorization] = {}
    for one in held.select_related("app__owner").order_by("app_id", "-created_at"):
        first = newest.setdefault(one.app_id, one)
        first.scopes = tokens.in_order({*first.scopes, *one.scopes})
    return list(newest.values())


@transaction.atomic
def revoke(*, user: User, app_id: UUID) -> bool:
    """End all that an app may do for the user. Return False if it may do nothing."""
    now = timezone.now()
    ended = Authorization.objects.filter(user=user, app_id=app_id, revoked_at=None).update(revoked_at=now)
    ApiToken.objects.filter(user=user, authorization__app_id=app_id, revoked_at=None).update(revoked_at=now)
    return ended > 0
