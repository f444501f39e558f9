"""The audit trail of sign-ins and attempts: user, time, channel and network address. Deleted after some months.

It listens to Django and django-allauth; the API reports uses of tokens. Recording never blocks a sign-in. Failures from one
network, and what one user does again and again, are recorded up to a limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from allauth.account import signals as account_signals
from allauth.mfa import signals as mfa_signals
from django.contrib.auth import signals as auth_signals
from django.db.models import Q
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from accounts.models import ApiToken, SignIn, User
from accounts.network import NETWORKS_OF_ONE, client_address, client_network, client_provider
from accounts.throttling import throttle

# Failures recorded per network (`accounts.network`) and hour; further ones add no information.
FAILURES_PER_HOUR = 60
ENTRIES_PER_DAY = 200
"""Entries of each kind about what one user did with the account. Uses of tokens are limited with those (`accounts.tokens`)."""


def listen() -> None:
    """Connect the listeners."""
    for signal, listener in (
        (auth_signals.user_logged_in, _signed_in),
        (auth_signals.user_logged_out, _signed_out),
        (auth_signals.user_login_failed, _failed),
        (account_signals.user_signed_up, _signed_up),
        (account_signals.password_changed, _password_changed),
        (account_signals.password_reset, _password_reset),
        (mfa_signals.authenticator_added, _factor_added),
        (mfa_signals.authenticator_removed, _factor_removed),
    ):
        signal.connect(listener, dispatch_uid=f"accounts.signins {listener.__name__}")


def token_used(token: ApiToken, request: HttpRequest | None, now: datetime) -> None:
    """Record the use of a token, once an hour. `last_used_at` must still hold the previous use."""
    before = token.last_used_at
    if before is None or _hour(before) != _hour(now):
        _write(SignIn.Kind.TOKEN, request, user=token.user, token=token)


def _hour(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def token_refused(request: HttpRequest) -> None:
    """Record the attempt to use an invalid token."""
    _write_failure(SignIn.Kind.TOKEN_REFUSED, request)


def name_hash(name: str) -> str:
    """Return a keyed hash of an attempted name, which shows only if the same name was tried again."""
    return salted_hmac("accounts.signins", name.strip().lower(), algorithm="sha256").hexdigest() if name.strip() else ""


def erase(user: User, names: list[str]) -> None:
    """Delete a user's entries, including attempts under their names."""
    SignIn.objects.filter(Q(user=user) | Q(name_hash__in=[name_hash(name) for name in names if name.strip()])).delete()


# --- listeners ---


def _signed_in(sender: object, request: HttpRequest | None, user: User, **_more: object) -> None:
    _write_own(SignIn.Kind.IN, request, user)


def _signed_out(sender: object, request: HttpRequest | None, user: User | None, **_more: object) -> None:
    if isinstance(user, User):
        _write_own(SignIn.Kind.OUT, request, user)


def _failed(sender: object, credentials: Mapping[str, object], request: HttpRequest | None = None, **_more: object) -> None:
    name = str(credentials.get("username") or credentials.get("email") or "")
    known = User.objects.filter(Q(username__iexact=name) | Q(emailaddress__email__iexact=name)).first() if name else None
    _write_failure(SignIn.Kind.FAILED, request, user=known, name=name)


def _signed_up(sender: object, request: HttpRequest | None, user: User, **_more: object) -> None:
    _write_own(SignIn.Kind.SIGNED_UP, request, user)


def _password_changed(sender: object, request: HttpRequest | None, user: User, **_more: object) -> None:
    _write_own(SignIn.Kind.PASSWORD_CHANGED, request, user)


def _password_reset(sender: object, request: HttpRequest | None, user: User, **_more: object) -> None:
    _write_own(SignIn.Kind.PASSWORD_RESET, request, user)


def _factor_added(sender: object, request: HttpRequest | None, user: User, **_more: object) -> None:
    _write_own(SignIn.Kind.FACTOR_ADDED, request, user)


def _factor_removed(sender: object, request: HttpRequest | None, user: User, **_more: object) -> None:
    _write_own(SignIn.Kind.FACTOR_REMOVED, request, user)


def _write_own(kind: SignIn.Kind, request: HttpRequest | None, user: User) -> None:
    if throttle(f"sign-in entries {kind} {user.pk}", ENTRIES_PER_DAY, 86_400) == 0:
        _write(kind, request, user=user)


def _write_failure(kind: SignIn.Kind, request: HttpRequest | None, user: User | None = None, name: str = "") -> None:
    network = client_network(request) if request is not None else ""
    provider = client_provider(request) if request is not None else ""
    if provider and throttle(f"sign-in failures {provider}", NETWORKS_OF_ONE * FAILURES_PER_HOUR, 3600):
        return
    if throttle(f"sign-in failures {network}", FAILURES_PER_HOUR, 3600) == 0:
        _write(kind, request, user=user, name_hash="" if user is not None else name_hash(name))


def _write(kind: SignIn.Kind, request: HttpRequest | None, **fields: Any) -> None:
    address = client_address(request) if request is not None else None
    SignIn.objects.create(kind=kind, channel=_channel(request), address=address, **fields)


def _channel(request: HttpRequest | None) -> str:
    path = request.path if request is not None else ""
    return "api" if path.startswith("/api/") else "admin" if path.startswith("/admin/") else "web" if path else "cli"
