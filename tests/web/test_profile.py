"""The profile page writes its own fields alone."""

from __future__ import annotations

from datetime import time

import pytest
from django.contrib.auth.hashers import make_password
from django.test import Client

from accounts import absences
from accounts.models import User
from gamesvc.web.account import profile

pytestmark = pytest.mark.django_db


def test_a_request_that_began_earlier_takes_back_nothing_that_changed_since(anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A held request loads the user, then waits for its body: what the owner does meanwhile must stand."""
    valid = profile.ProfileForm.is_valid

    def meanwhile(form: profile.ProfileForm) -> bool:
        fits: bool = valid(form)
        absences.set_quiet_hours(user=User.objects.get(pk=anna.pk), start=time(22), end=time(7))
        User.objects.filter(pk=anna.pk).update(password=make_password("a newer password"), is_active=False)
        return fits

    monkeypatch.setattr(profile.ProfileForm, "is_valid", meanwhile)
    client = Client()
    client.force_login(anna)
    assert client.post("/profile/", {"timezone": "Asia/Tokyo", "language": "de"}).status_code == 302
    row = User.objects.get(pk=anna.pk)
    assert (row.timezone, row.language) == ("Asia/Tokyo", "de")
    assert row.quiet_from == time(22)
    assert row.quiet_since is not None
    assert row.check_password("a newer password")
    assert not row.is_active
