"""The part of the sign-up form that is ours: the browser's time zone, which a script fills in."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest

from accounts.models import User
from accounts.validators import zone_names


class ZoneForm(forms.Form):
    """The time zone of the browser. Without scripts it stays empty, and the user has UTC until they choose."""

    timezone = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def signup(self, request: HttpRequest, user: User) -> None:
        """Give a new user the zone of their browser, if it is one. django-allauth calls this once the account exists."""
        zone = self.cleaned_data["timezone"]
        if zone in zone_names():
            user.timezone = zone
            user.save(update_fields=["timezone"])
