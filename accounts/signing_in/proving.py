"""Proof of identity before irreversible acts: the user's password, given a moment ago or with the request."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows import reauthentication
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts.models import User

TOO_MANY = "too_many_passwords"


class ProofRefused(Exception):
    """The password was not accepted: a stable code, and a sentence for users."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def proved_in_session(request: HttpRequest) -> bool:
    """Return True if the signed-in user has just given their password (or second factor) again."""
    return bool(reauthentication.did_recently_reauthenticate(request))


def check_password(user: User, password: str) -> None:
    """Check a password sent with a request. Attempts count like sign-in attempts. Raises `ProofRefused`."""
    try:
        right = get_adapter().reauthenticate(user, password)
    except ValidationError:
        raise ProofRefused(TOO_MANY, "Too many wrong passwords; wait five minutes and try again.") from None
    if not right:
        raise ProofRefused("wrong_password", "This is not your password.")
