"""Unsubscribing: GET shows, POST acts without cookie or token, and nothing else changes."""

import re

import pytest
from django.test import Client

from accounts import erasure
from accounts.addresses import add_verified_address
from notifications.models import Mute, Outbox, Scope, Status
from notifications.outbox import Notice, notify
from notifications.tasks import send_due
from notifications.wanted import preferences

pytestmark = pytest.mark.usefixtures("turns")


@pytest.fixture
def browser():
    return Client(enforce_csrf_checks=True)


def mailed(sink, **fields):
    before = len(sink.messages)
    notify(Notice(**{"kind": "your_turn", "topic": "42", **fields}))
    send_due()
    return sink.messages[before:]


def path_of(caught):
    return re.search(r"<https://games\.example(/[^>]+)>", caught.message["List-Unsubscribe"])[1]


def test_looking_changes_nothing(sink, ann, browser):
    path = path_of(mailed(sink, user_id=ann.pk)[0])
    page = browser.get(path)
    assert page.status_code == 200
    assert "<form" in page.content.decode()
    assert "its deadlines still count" in page.content.decode()
    assert browser.head(path).status_code == 200
    assert browser.put(path).status_code == 405
    assert not Mute.objects.exists()


def test_one_click_ends_the_mails_of_the_match(sink, ann, browser):
    path = path_of(mailed(sink, user_id=ann.pk)[0])
    for _ in range(2):
        answer = browser.post(path, {"List-Unsubscribe": "One-Click"})
        assert answer.status_code == 200
        assert not answer.cookies
    assert Mute.objects.count() == 1
    assert send_due() == 1, "one last mail says so"
    assert mailed(sink, user_id=ann.pk) == []
    assert Outbox.objects.filter(status=Status.DROPPED, error="the receiver does not want it").count() == 1
    assert len(mailed(sink, user_id=ann.pk, topic="43")) == 1, "another match"
    assert len(mailed(sink, user_id=ann.pk, kind="receipt")) == 1, "essential mail comes all the same"


def test_the_page_is_in_the_readers_language(sink, ann, browser):
    path = path_of(mailed(sink, user_id=ann.pk)[0])
    page = browser.get(path, headers={"Accept-Language": "de-AT,de;q=0.9"}).content.decode()
    assert '<html lang="de">' in page
    assert "alle Mails zu dieser Partie" in page
    assert '<html lang="en">' in browser.get(path, headers={"Accept-Language": "fr"}).content.decode()


def test_of_a_kind(sink, ann, browser):
    path = path_of(mailed(sink, user_id=ann.pk)[0])
    browser.post(path, {"scope": "kind"})
    send_due()
    assert [(mute.scope, mute.value) for mute in preferences.mutes_of(ann)] == [("kind", "your_turn")]
    assert mailed(sink, user_id=ann.pk, topic="43") == []


def test_of_all_and_again(sink, ann, browser):
    path = path_of(mailed(sink, user_id=ann.pk)[0])
    browser.post(path, {"scope": "all"})
    send_due()
    assert mailed(sink, user_id=ann.pk, topic="43") == []
    browser.post(path, {"scope": "all", "again": "1"})
    assert len(mailed(sink, user_id=ann.pk, topic="43")) == 1


def test_a_stranger_by_their_address(sink, db, browser):
    path = path_of(mailed(sink, address="Bob@Players.example")[0])
    assert "ob@" not in path.lower()
    browser.post(path, {"scope": "all"})
    send_due()
    assert sink.messages[-1].recipients == ("Bob@Players.example",)
    assert "/resume/" in sink.messages[-1].text
    assert mailed(sink, address="bob@players.EXAMPLE", topic="43") == []
    assert len(mailed(sink, address="carl@players.example")) == 1
    assert "bob" not in str(list(Mute.objects.values())).lower()


def test_bad_scopes_and_links(sink, ann, browser):
    path = path_of(mailed(sink, user_id=ann.pk)[0])
    assert browser.post(path, {"scope": "everything"}).status_code == 400
    for broken in (path[:-1], path + "x", path.replace("unsubscribe/", "unsubscribe/x")):
        assert browser.get(broken).status_code == 404
        assert browser.post(broken).status_code == 404
    assert not Mute.objects.exists()


def test_scopes_name_which_one():
    receiver = preferences.Receiver(user_id=1)
    for scope, value in ((Scope.ALL, "42"), (Scope.KIND, "")):
        with pytest.raises(ValueError):
            preferences.mute(receiver, scope, value)


def test_erasing_a_person_takes_notices_along(sink, ann, browser):
    browser.post(path_of(mailed(sink, user_id=ann.pk)[0]))
    add_verified_address(ann, "ann.other@players.example")
    notify(Notice("your_turn", address="Ann.Other@players.example"), Notice("your_turn", address="bob@players.example"))
    erasure.erase(ann)
    assert [row.address for row in Outbox.objects.all()] == ["bob@players.example"]
    assert not Mute.objects.exists()
