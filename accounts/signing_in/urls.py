"""The addresses of sign-up, sign-in and settings: django-allauth's, with one view of our own."""

from __future__ import annotations

from allauth.account.views import ConfirmEmailView
from django.urls import include, path, re_path


class ConfirmAddress(ConfirmEmailView):  # type: ignore[misc]
    """The page of a link that confirms an address."""

    def logout_other_user(self, confirmation: object) -> None:
        """Leave a user signed in who opens a link of another account: a picture with its address would sign them out."""


urlpatterns = [
    re_path(r"^confirm-email/(?P<key>[-:\w]+)/$", ConfirmAddress.as_view(), name="account_confirm_email"),
    path("", include("allauth.urls")),
]
