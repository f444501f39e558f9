"""The user's own notices in the API and on the profile page: ledger, settings, presence, calendar address, webhook."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils import timezone

from accounts import erasure, tokens
from notifications.models import (
    CalendarFeed,
    Outbox,
    Preference,
    Presence,
    Webhook,
)
from notifications.tasks import send_due
from notifications.wanted import wishes
from tests.api.test_api import etag, expect_problem

pytestmark = pytest.mark.django_db


def steps(entry):
    return [step["state"] for step in entry["steps"]]


def test_the_ledger_tells_what_became_of_each_notice(duel, two):
    [turn] = [entry for entry in two[0].get("/me/notices/").json()["results"] if entry["kind"] == "your_turn"]
    assert (turn["status"], turn["match"], turn["label"]) == ("queued", str(duel.id), "It is your turn")
    send_due()
    view = etag(two[0], duel.id)
    assert two[0].post(f"/matches/{duel.id}/commands/", {"name": "draw"}, etag=view).status_code == 200
    found = {entry["kind"]: entry for entry in two[0].get("/me/notices/").json()["results"]}
    assert steps(found["your_turn"]) == ["queued", "sent", "acted upon"]
    assert steps(found["match_started"]) == ["queued", "sent"]
    assert Outbox.objects.get(kind="your_turn", user__username="anna").acted_at is not None
    theirs = {entry["id"] for entry in two[1].get("/me/notices/").json()["results"]}
    assert theirs.isdisjoint(entry["id"] for entry in found.values())


def test_the_ledger_by_pages(duel, two, anna):
    now = timezone.now()
    Outbox.objects.bulk_create(Outbox(kind="your_turn", user=anna, topic="x", created_at=now) for _ in range(120))
    seen, cursor = [], ""
    while True:
        page = two[0].get(f"/me/notices/?cursor={cursor}").json()
        seen += [entry["id"] for entry in page["results"]]
        if page["next"] is None:
            break
        cursor = page["next"]
    assert len(seen) == len(set(seen)) == Outbox.objects.filter(user=anna).count() > 120
    for bad in ("x", "%01", "!!!!", "MjAyNg"):
        expect_problem(two[0].get(f"/me/notices/?cursor={bad}"), 400, "bad_cursor")


def test_wishes_are_changed_and_go_back_to_the_default(duel, two):
    first = two[0].get("/me/preferences/").json()
    assert first["own"]["reminders"] is None
    assert first["effective"]["reminders"] == ["80%", "2h"]
    changed = two[0].call("PATCH", "/me/preferences/", {"reminders": ["50%"], "digest_hour": 7, "immediate_below": 12})
    assert changed.status_code == 200
    assert changed.json()["effective"]["reminders"] == ["50%"]
    assert Preference.objects.get().digest_at > timezone.now()
    here = two[0].call("PATCH", f"/matches/{duel.id}/preferences/", {"reminders": [], "batch_minutes": 0}).json()
    assert here["own"] == {"reminders": [], "batch_minutes": 0}
    assert two[0].get("/me/preferences/").json()["effective"]["reminders"] == ["50%"]
    back = two[0].call("PATCH", "/me/preferences/", {"digest_hour": None, "immediate_below": None, "reminders": None}).json()
    assert back["effective"] == first["effective"]
    assert Preference.objects.get(topic="").digest_at is None


def test_wishes_that_cannot_be_are_refused_with_what_would_be_right(duel, two, player, program):
    body = expect_problem(two[0].call("PATCH", "/me/preferences/", {"reminders": ["soon"]}), 422, "bad_points")
    assert "80%" in body["detail"]
    assert body["errors"][0]["pointer"] == "#/reminders"
    expect_problem(two[0].call("PATCH", "/me/preferences/", {"immediate_below": 5}), 422, "no_digest")
    expect_problem(two[0].call("PATCH", "/me/preferences/", {"colour": "red"}), 400, "bad_request")
    expect_problem(two[0].call("PATCH", f"/matches/{duel.id}/preferences/", {"digest_hour": 5}), 400, "bad_request")
    stranger = program(player("carl"))
    assert stranger.get(f"/matches/{duel.id}/preferences/").status_code in (403, 404)
    assert not Preference.objects.exists()


def test_presence_is_for_those_who_play(duel, two, player, program):
    assert two[0].post(f"/matches/{duel.id}/presence/").status_code == 204
    assert two[0].post(f"/matches/{duel.number}/presence/", key=None).status_code == 204
    assert Presence.objects.get().topic == str(duel.id)
    assert program(player("carl")).post(f"/matches/{duel.id}/presence/").status_code in (403, 404)
    for _repeated in range(2):
        assert two[0].call("DELETE", f"/matches/{duel.id}/presence/").status_code == 204
    assert not Presence.objects.exists()


def test_the_match_page_says_that_it_is_in_view(duel, anna, client):
    client.force_login(anna)
    page = client.get(f"/matches/{duel.number}/").content.decode()
    [path] = re.findall(r'data-presence="([^"]+)"', page)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(anna)
    token = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', browser.get(f"/matches/{duel.number}/").content.decode())[0]
    assert browser.generic("POST", path, b"", "").status_code == 403
    assert browser.generic("POST", path, b"", "", headers={"X-CSRFToken": token}).status_code == 204


def test_the_calendar_address_by_the_api(duel, two, anna, client):
    assert two[0].get("/me/calendar/").json() == {"address": None}
    made = two[0].post("/me/calendar/", key="k")
    assert made.status_code == 201
    address = made.json()["address"]
    assert two[0].post("/me/calendar/", key="k").json()["address"] == address, "the same request makes no other"
    assert client.get(address.removeprefix("http://localhost:8000")).status_code == 200
    two[0].token = tokens.create_token(user=anna, name="reader", scopes=["read"])[1]
    expect_problem(two[0].get("/me/calendar/"), 403, "forbidden")


def test_the_webhook_by_the_api(two, anna):
    expect_problem(two[0].get("/me/webhook/"), 404, "not_found")
    refused = expect_problem(two[0].call("PUT", "/me/webhook/", {"url": "http://169.254.169.254/"}), 422, "bad_address")
    assert "https://" in refused["detail"]
    made = two[0].call("PUT", "/me/webhook/", {"url": "https://example.org/hook"}).json()
    assert made["secret"].startswith("whsec_")
    assert "secret" not in two[0].get("/me/webhook/").json()
    assert "secret" not in two[0].call("PUT", "/me/webhook/", {"url": "https://example.org/other"}).json()
    turned = two[0].post("/me/webhook/secret/", key="k").json()
    assert turned["secret"] != made["secret"]
    assert two[0].post("/me/webhook/secret/", key="k").json()["secret"] == turned["secret"]
    chosen = two[0].call("PATCH", "/me/preferences/", {"channels": ["mail", "webhook"]}).json()
    assert chosen["effective"]["channels"] == ["mail", "webhook"]
    assert two[0].call("DELETE", "/me/webhook/").status_code == 204
    assert not Webhook.objects.exists()


def test_the_profile_page_saves_the_same_wishes(anna, client):
    client.force_login(anna)
    page = client.get("/profile/").content.decode()
    assert "80%, 2h" in page
    client.post("/profile/timing", {"reminders": "50%, 30m", "batch_minutes": "0", "digest_hour": "7", "immediate_below": "12"})
    found = wishes.wishes_of(anna.pk)
    assert (found.reminders, found.batch_minutes, found.digest_hour, found.immediate_below) == (("50%", "30m"), 0, 7, 12)
    answer = client.post("/profile/timing", {"reminders": "whenever", "batch_minutes": "0"}, follow=True)
    assert "is not a point of a deadline" in answer.content.decode()
    assert wishes.wishes_of(anna.pk) == found
    client.post("/profile/calendar", {"act": "renew"})
    client.post("/profile/webhook", {"url": "https://example.org/hook"})
    page = client.get("/profile/").content.decode()
    assert "/calendar/" in page
    assert "whsec_" in page
    client.post("/profile/calendar", {"act": "withdraw"})
    client.post("/profile/webhook", {"act": "remove"})
    assert not CalendarFeed.objects.exists()
    assert not Webhook.objects.exists()


def test_a_new_zone_moves_the_digest(anna, client):
    wishes.set_wishes(anna, {"digest_hour": 7})
    before = Preference.objects.get().digest_at
    client.force_login(anna)
    client.post("/profile/", {"timezone": "Asia/Kathmandu", "language": "en"})
    after = Preference.objects.get().digest_at
    assert after != before
    assert (after.hour, after.minute) == (1, 15)


def test_erasing_a_person_leaves_none_of_it(duel, two, anna):
    two[0].call("PATCH", "/me/preferences/", {"reminders": ["50%"]})
    two[0].call("PUT", "/me/webhook/", {"url": "https://example.org/hook"})
    two[0].post("/me/calendar/")
    two[0].post(f"/matches/{duel.id}/presence/")
    send_due()
    erasure.erase(anna)
    for model in (Preference, Webhook, CalendarFeed, Presence, Outbox):
        assert not model.objects.filter(user=anna).exists()


def test_the_secret_of_a_webhook_is_shown_once(client, anna):
    client.force_login(anna)
    first = client.post("/profile/webhook", {"url": "https://example.org/hook", "act": ""}, follow=True).content.decode()
    assert first.count("whsec_") == 1
    assert "whsec_" not in client.get("/profile/").content.decode()
    assert (
        "whsec_" not in client.post("/profile/webhook", {"url": "https://example.org/b", "act": ""}, follow=True).content.decode()
    )
    assert client.post("/profile/webhook", {"act": "rotate"}, follow=True).content.decode().count("whsec_") == 1


def test_reminders_are_set_so_often_a_day(two, monkeypatch):
    """A point whose moment has passed is sent at once, so new ones each minute were mails without end."""
    monkeypatch.setattr(wishes, "POINTS_PER_DAY", 2)
    set_to = [two[0].call("PATCH", "/me/preferences/", {"reminders": [f"{number}%"]}) for number in range(1, 5)]
    assert [answer.status_code for answer in set_to] == [200, 200, 429, 429]
    assert two[0].get("/me/preferences/").json()["effective"]["reminders"] == ["2%"]
    assert two[0].call("PATCH", "/me/preferences/", {"digest_hour": 7}).status_code == 200
