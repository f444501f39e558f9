"""Sign-in with a password: one look at it, whether or not the account exists."""

from __future__ import annotations

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from accounts.models import User


class PasswordBackend(AuthenticationBackend):  # type: ignore[misc]
    """django-allauth's backend, and the only one that is asked for a password.

    Each backend that is asked hashes the password again, and Django's own one hashes none for an address without an account: a
    known address took half as long again. Django's stays in the settings for sessions that began with it.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> User:
        """Return the user with this name or address, and password. Raises `PermissionDenied`, so no other backend is asked."""
        if "@" in str(credentials.get("username")):
            # allauth gives an address as a name too, which no name can be, and would look at the password for each.
            credentials["email"] = credentials.pop("username")
        user: User | None = super().authenticate(request, **credentials)
        if user is None:
            raise PermissionDenied
        return user
