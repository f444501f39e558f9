"""The addresses of sign-up, sign-in and settings: django-allauth's, with two views of our own."""

from __future__ import annotations

from typing import Any

from allauth.account.views import ConfirmEmailView
from allauth.mfa.totp.views import ActivateTOTPView
from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.db import IntegrityError, transaction
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import include, path, re_path

from accounts.addresses import is_proved
from gamesvc.language import say


class ConfirmAddress(ConfirmEmailView):  # type: ignore[misc]
    """The page of a link that confirms an address."""

    def logout_other_user(self, confirmation: object) -> None:
        """Leave a user signed in who opens a link of another account: a picture with its address would sign them out."""

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Confirm the address. A further one of an account is confirmed by its user alone.

        If it was mistyped, its mail goes to a stranger, who could take over the account with it.
        """
        address = self.get_object().email_address
        if address.user_id != self.request.user.pk and is_proved(address.user):
            messages.error(self.request, say("Sign in as the user who added this address, and confirm it then."))
            return redirect_to_login(self.request.get_full_path())
        done: HttpResponse = super().post(*args, **kwargs)
        return done


class ActivateTOTP(ActivateTOTPView):  # type: ignore[misc]
    """The page that turns the second factor on."""

    def form_valid(self, form: Form) -> HttpResponse:
        """Turn it on, once: a form that is sent twice at once finds it on meanwhile."""
        try:
            with transaction.atomic():
                done: HttpResponse = super().form_valid(form)
        except IntegrityError:
            return redirect("mfa_index")
        return done


urlpatterns = [
    path("2fa/totp/activate/", ActivateTOTP.as_view(), name="mfa_activate_totp"),
    re_path(r"^confirm-email/(?P<key>[-:\w]+)/$", ConfirmAddress.as_view(), name="account_confirm_email"),
    path("", include("allauth.urls")),
]
