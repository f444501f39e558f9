"""Browsers from which a user has signed in before: their tries for that account are counted apart from those of their network.

Limits by network stop who guesses passwords, and with them everybody behind the same address, as in a university. A cookie tells
the browsers of a user from those (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
"""

from __future__ import annotations

import secrets

from django import forms
from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.addresses import verified_addresses
from accounts.models import User

COOKIE = "known_browser"
LASTS = 180 * 86_400
"""Seconds since the last sign-in."""
_TRYING = "trying_as"  # in a session


def remember(response: HttpResponseBase, user: User) -> None:
    """Note in the browser that this user has signed in from it. A new password ends that."""
    value = signing.dumps([user.pk, _stamp(user), secrets.token_hex(8)], salt="accounts.known_browsers")
    response.set_cookie(
        COOKIE,
        value,
        max_age=LASTS,
        path=reverse("account_login"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def is_known(request: HttpRequest) -> bool:
    """Return True if some user has signed in from the browser."""
    return _noted(request) is not None or _kept(request) != ""


def trying(request: HttpRequest) -> str:
    """Return by what the tries of a browser count that signs in to the account of before; empty for any other one."""
    known: str | None = getattr(request, "trying_as", None)
    if known is None:
        known = request.trying_as = _trying(request)  # type: ignore[attr-defined]
    return known


def signing_in(request: HttpRequest) -> str:
    """Return a name for all known browsers of a user, of one of them that signs in; for any other request an empty text."""
    if kept := _kept(request):
        return kept.rpartition("-")[0]
    noted = _noted(request)
    return f"browser-{noted[0]}" if noted is not None and request.path == reverse("account_login") else ""


def keep(request: HttpRequest) -> None:
    """Keep by what the tries of a browser count, once the password was right: the page of the second factor gets no cookie."""
    request.session[_TRYING] = trying(request)


def _kept(request: HttpRequest) -> str:
    """Return at the page of the second factor by what the tries of the password counted; elsewhere an empty text, as before its
    session is known.
    """
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or request.path != reverse("mfa_authenticate"):
        return ""
    session = getattr(request, "session", None)
    return str(session.get(_TRYING, "")) if session is not None else ""


def _trying(request: HttpRequest) -> str:
    if kept := _kept(request):
        return kept
    noted = _noted(request) if request.method == "POST" and request.path == reverse("account_login") else None
    if noted is None:
        return ""
    user_id, stamp, browser = noted
    user = User.objects.filter(pk=user_id, is_active=True).first()
    if user is None or not constant_time_compare(stamp, _stamp(user)):
        return ""
    form = _LoginForm(request.POST)
    named = form.cleaned_data["login"].lower() if form.is_valid() else ""
    own = {name.lower() for name in (user.username, *verified_addresses(user))}
    return f"browser-{user_id}-{browser}" if named in own else ""


class _LoginForm(forms.Form):
    """The account that a user names at the sign-in."""

    login = forms.CharField(max_length=254)


def _noted(request: HttpRequest) -> tuple[int, str, str] | None:
    try:
        user_id, stamp, browser = signing.loads(request.COOKIES.get(COOKIE, ""), salt="accounts.known_browsers", max_age=LASTS)
    except (signing.BadSignature, TypeError, ValueError):
        return None
    return user_id, stamp, browser


def _stamp(user: User) -> str:
    return salted_hmac("accounts.known_browsers", user.get_session_auth_hash()).hexdigest()[:16]
