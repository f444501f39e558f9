"""django-allauth's forms to sign up, and for a new password, with the offer to revoke API tokens and the permissions of apps.

They keep working after the password is changed. A user whose password was known to others wants to revoke them as well.
"""

from __future__ import annotations

from typing import Any

from allauth.account import forms as account_forms
from allauth.account.utils import filter_users_by_email
from django import forms
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts import addresses, tokens
from accounts.models import User


class _OffersRevoking(forms.Form):
    """A form whose user may have tokens."""

    user: User | None

    revoke_keys = forms.BooleanField(required=False, label="Also revoke all my keys, and the permissions of apps")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        count = tokens.outliving_password(self.user) if self.user is not None else 0
        if count:
            self.fields["revoke_keys"].help_text = f"Active keys and apps: {count}. They keep working after a password change."
        else:
            del self.fields["revoke_keys"]

    def save(self) -> None:
        super().save()  # type: ignore[misc]
        if self.user is not None and self.cleaned_data.get("revoke_keys"):
            tokens.revoke_all(self.user)


class SignupForm(account_forms.SignupForm):  # type: ignore[misc]
    """The form to sign up."""

    def validate_unique_email(self, value: str) -> str:
        """Take an address that others have only added to their accounts: else they could keep its owner out."""
        address = str(super().validate_unique_email(value))
        self.account_already_exists = bool(addresses.held_by(filter_users_by_email(address), address))
        return address

    def try_save(self, request: HttpRequest) -> tuple[User | None, HttpResponse | None]:
        """Create the user; of an address that is known, tell its owner alone.

        Strangers see the same response, and it takes as long: hashing a password is most of the work.
        """
        if self.account_already_exists:
            make_password(self.cleaned_data["password1"])
        try:
            with transaction.atomic():
                done: tuple[User | None, HttpResponse | None] = super().try_save(request)
        except IntegrityError:
            return None, self._overtaken(request)
        return done

    def _overtaken(self, request: HttpRequest) -> HttpResponse:
        """Return the response to a form whose name was taken since it was checked: by the same form, sent twice, or another."""
        from allauth.account.views import signup  # here: it loads this module

        name, address = self.cleaned_data["username"], self.cleaned_data["email"]
        if User.objects.filter(username__iexact=name, email__iexact=address).exists():
            return redirect("account_email_verification_sent")
        answer: HttpResponse = signup(request)  # now the name is found taken
        return answer


class ResetPasswordForm(account_forms.ResetPasswordForm):  # type: ignore[misc]
    """The form that asks for a link to choose a new password."""

    users: list[User]

    def clean_email(self) -> str:
        """Leave out accounts that have only added the address. One without an account costs the same query, or its time would
        tell.
        """
        written = str(super().clean_email())
        self.users = addresses.held_by(self.users, written)
        return written


class ChangePasswordForm(_OffersRevoking, account_forms.ChangePasswordForm):  # type: ignore[misc]
    """The form to change the password."""

    field_order = ["oldpassword", "password1", "password2", "revoke_keys"]


class ResetPasswordKeyForm(_OffersRevoking, account_forms.ResetPasswordKeyForm):  # type: ignore[misc]
    """The form to choose a new password, reached by the link in a mail."""

    field_order = ["password1", "password2", "revoke_keys"]
