"""Proof of identity before irreversible acts: the user's password, given a moment ago or with the request."""

from __future__ import annotations

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows import reauthentication
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts.models import User
from gamesvc.errors import GamesvcError, Refusal


class ProofNeeded(GamesvcError):
    """Neither a password nor a proof of a moment ago came with what cannot be undone."""

    code = "password_needed"
    status = 403
    title = "Your password is needed"
    detail = "A token or an open browser alone does not erase an account."
    advice = "Send `password`, or use an `account` token that you made on your account page within the last hour."


class ProofRefused(Refusal):
    """The password is not the user's."""

    code = "wrong_password"
    title = "This is not your password"
    detail = "This is not your password."
    advice = "Send the right one, or choose a new one."
    parameter = "password"


class TooManyProofs(ProofRefused):
    """Too many wrong passwords: tries count as tries to sign in do."""

    code = "too_many_passwords"
    status = 429
    title = "Too many wrong passwords"
    detail = "Too many wrong passwords; wait five minutes and try again."
    advice = "Wait five minutes, then send the right one."


def proved_in_session(request: HttpRequest) -> bool:
    """Return True if the signed-in user has just given their password (or second factor) again."""
    return bool(reauthentication.did_recently_reauthenticate(request))


def check_password(user: User, password: str) -> None:
    """Check a password sent with a request. Attempts count like sign-in attempts. Raises `ProofRefused`."""
    try:
        right = get_adapter().reauthenticate(user, password)
    except ValidationError:
        raise TooManyProofs from None
    if not right:
        raise ProofRefused
