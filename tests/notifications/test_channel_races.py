"""A user who adds a way to reach them and takes it away at the same moment."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from accounts.models import User
from notifications.models import ChatAddress, PushSubscription
from notifications.other_channels import chats, web_push
from notifications.wanted import wishes
from tests.matches.by_mail import wait_for
from tests.notifications.conftest import make_user
from tests.notifications.test_push import Browser
from tests.racing import at_once, is_waited_for

pytestmark = pytest.mark.django_db(transaction=True)
BROWSER = Browser(SimpleNamespace(origin="https://fcm.googleapis.com")).given
ROOMS = ("https://ntfy.sh/stones", "https://ntfy.sh/pebbles")


@pytest.fixture
def ann():
    return make_user()


@pytest.fixture
def held(monkeypatch):
    """Set once the first act holds the user's row. It goes on when the other one waits for it."""
    found, lock = threading.Event(), User.lock

    def waiting(*keys):
        lock(*keys)
        if not found.is_set():
            found.set()
            wait_for(is_waited_for, "the other act")

    monkeypatch.setattr(User, "lock", waiting)
    return found


def then(held, act):
    def run():
        assert held.wait(10)
        return act()

    return run


def test_a_chat_changed_and_removed_at_once_is_gone(ann, held):
    ChatAddress.objects.create(user=ann, service="ntfy", address=ROOMS[0])
    wishes.Preference.objects.create(user=ann, channels=["mail", "ntfy"])
    at_once(lambda: chats.set_up(ann, "ntfy", ROOMS[1]), then(held, lambda: chats.remove(ann, "ntfy")))
    assert not ChatAddress.objects.exists()
    assert wishes.wishes_of(ann.pk).channels == ("mail",)


def test_a_browser_subscribed_again_and_unsubscribed_at_once_is_gone(ann, held, monkeypatch):
    monkeypatch.setattr(web_push.outward, "check", lambda url: None)
    PushSubscription.objects.create(user=ann, **BROWSER)
    wishes.Preference.objects.create(user=ann, channels=["push", "mail"])
    unsubscribe = then(held, lambda: web_push.unsubscribe(ann, endpoint=BROWSER["endpoint"]))
    at_once(lambda: web_push.subscribe(ann, **BROWSER), unsubscribe)
    assert not PushSubscription.objects.exists()
    assert wishes.wishes_of(ann.pk).channels == ("mail",)
