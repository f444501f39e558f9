"""A reply address, and the letters that reach its handler from a provider's mail."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import User
from notifications.inbound import addresses, purposes, store
from notifications.inbound.purposes import Handled
from tests.mailing import verify
from tests.notifications.inbound import providers


@pytest.fixture
def letters(settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the handled letters, with providers as the way in."""
    settings.REPLY_DOMAIN = "reply.games.example"
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID = "border", "mx.provider.example"
    settings.ANYMAIL = providers.SETTINGS
    monkeypatch.setattr(store, "wake", lambda ids: None)
    monkeypatch.setattr(purposes, "_handlers", {})
    got: list[str] = []

    def handle(letter: Any) -> Handled:
        got.append(letter.text)
        return Handled({})

    purposes.register("turn", handle)
    return got


@pytest.fixture
def to(letters: list[str], anna: User) -> str:
    """Anna's reply address."""
    verify(anna)
    return addresses.make("turn", key=uuid4(), user=anna, topic="m", expires_at=timezone.now() + timedelta(days=1))
