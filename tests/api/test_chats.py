"""Chat addresses by the API and on their page: set, never shown again, placed in the order of channels, removed."""

from __future__ import annotations

import pytest

from notifications.models import ChatAddress
from notifications.wanted import wishes
from tests.api.test_api import expect_problem

pytestmark = pytest.mark.django_db

ADDRESS = "https://ntfy.sh/a-secret-topic"


def test_a_chat_by_the_api(anna, program):
    speaker = program(anna, "account")
    assert {entry["service"]: entry["changed_at"] for entry in speaker.get("/me/chats/").json()["results"]} == dict.fromkeys(
        ("discord", "slack", "telegram", "matrix", "ntfy")
    )
    made = speaker.call("PUT", "/me/chats/ntfy/", {"address": ADDRESS})
    assert made.status_code == 200
    assert made.json()["changed_at"] is not None
    assert "a-secret-topic" not in made.content.decode() + speaker.get("/me/chats/").content.decode()
    assert speaker.get("/me/preferences/").json()["effective"]["channels"] == ["mail", "ntfy"]
    refused = expect_problem(speaker.call("PUT", "/me/chats/discord/", {"address": ADDRESS}), 422, "bad_chat_address")
    assert "discord.com/api/webhooks" in refused["detail"]
    expect_problem(speaker.call("PUT", "/me/chats/irc/", {"address": ADDRESS}), 404, "unknown_service")
    assert speaker.call("DELETE", "/me/chats/ntfy/").status_code == 204
    assert not ChatAddress.objects.exists()
    assert speaker.get("/me/preferences/").json()["effective"]["channels"] == ["mail"]


def test_a_chat_on_its_page_and_when_it_is_used(anna, client):
    client.force_login(anna)
    assert "https://ntfy.sh/TOPIC" in client.get("/profile/chats/").content.decode()
    client.post("/profile/chats/", {"service": "ntfy", "address": ADDRESS, "act": "set"})
    page = client.get("/profile/chats/").content.decode() + client.get("/profile/").content.decode()
    assert "a-secret-topic" not in page
    assert 'name="ntfy" value="first"' in page
    client.post("/profile/timing", {"reminders": "", "batch_minutes": "0", "receipt_minutes": "0", "ntfy": "first"})
    assert wishes.wishes_of(anna.pk).channels == ("ntfy", "mail")
    answer = client.post("/profile/chats/", {"service": "slack", "address": "nonsense", "act": "set"}, follow=True)
    assert "hooks.slack.com" in answer.content.decode()
    client.post("/profile/chats/", {"service": "ntfy", "act": "remove"})
    assert not ChatAddress.objects.exists()
