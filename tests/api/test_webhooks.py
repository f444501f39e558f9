"""Webhooks by the API and on their page: subscriptions, news of a match, the log, another delivery, a new secret."""

from __future__ import annotations

import json
import re

import pytest

from accounts import tokens
from gamesvc.matches import backoff
from gamesvc.matches.lobby import opening
from gamesvc.matches.notices import match_hooks
from notifications.models import Webhook, WebhookDelivery
from notifications.other_channels import deliveries, signing, subscriptions
from notifications.tasks import sweep_channels
from tests.answers import fits
from tests.api.test_api import etag, expect_problem

pytestmark = pytest.mark.django_db


def types(receiver):
    return [json.loads(body)["type"] for _headers, body in receiver.taken]


def test_a_webhook_from_its_first_ping_to_its_end(two, receiver, anna):
    made = two[0].post("/me/webhooks/", {"url": receiver.url, "kinds": ["your_turn"]}, key="k")
    assert made.status_code == 201
    hook = made.json()
    assert two[0].post("/me/webhooks/", {"url": receiver.url, "kinds": ["your_turn"]}, key="k").json() == hook
    assert hook["secret"] == signing.secret_of(Webhook.objects.get())
    [listed] = two[0].get("/me/webhooks/").json()["results"]
    assert "secret" not in listed
    assert (listed["url"], listed["kinds"], listed["match"], listed["channel"]) == (receiver.url, ["your_turn"], None, False)
    path = f"/me/webhooks/{hook['id']}/"
    assert sweep_channels() == 1
    [entry] = two[0].get(f"{path}deliveries/").json()["results"]
    assert (entry["kind"], entry["status"], entry["attempts"]) == ("ping", "sent", 1)
    assert two[0].post(f"{path}ping/").status_code == 202
    again = two[0].post(f"{path}deliveries/{entry['id']}/")
    assert (again.status_code, again.json()["status"]) == (202, "waiting")
    for _each in range(2):
        sweep_channels()
    assert [headers["webhook-id"] for headers, _body in receiver.taken].count(entry["id"]) == 2
    assert types(receiver) == ["ping"] * 3
    assert all(fits("ping", json.loads(body)) == [] for _headers, body in receiver.taken)
    turned = two[0].post(f"{path}secret/", key="s").json()
    assert turned["secret"] not in (None, hook["secret"])
    changed = two[0].call("PATCH", path, {"kinds": None}).json()
    assert changed["kinds"] is None
    for number in range(60):
        WebhookDelivery.objects.create(hook=Webhook.objects.get(), kind=f"k{number}", status="sent")
    first = two[0].get(f"{path}deliveries/").json()
    second = two[0].get(f"{path}deliveries/?cursor={first['next']}").json()
    assert (len(first["results"]), len(second["results"]), second["next"]) == (50, 12, None)
    assert two[0].call("DELETE", path).status_code == 204
    assert not Webhook.objects.exists()


def test_a_notice_is_delivered_as_the_document_says(duel, two, receiver):
    two[1].post("/me/webhooks/", {"url": receiver.url, "kinds": ["match_started", "your_turn"]})
    assert sweep_channels() == 1
    assert two[0].post(f"/matches/{duel.id}/commands/", {"name": "draw"}, etag=etag(two[0], duel.id)).status_code == 200
    assert sweep_channels() == 1
    told = json.loads(receiver.taken[-1][1])
    assert (told["type"], fits("your_turn", told)) == ("your_turn", [])
    assert (told["data"]["match"], told["data"]["seat"]) == (str(duel.id), 1)
    assert etag(two[1], duel.id).endswith(f'-1-{told["data"]["version"]}"')


def test_webhooks_are_their_owners(two, receiver, anna):
    hook = two[0].post("/me/webhooks/", {"url": receiver.url}).json()
    path, entry = f"/me/webhooks/{hook['id']}/", WebhookDelivery.objects.get().pk
    for method, below in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("GET", "deliveries/")):
        expect_problem(two[1].call(method, path + below, {} if method == "PATCH" else None), 404, "not_found")
    for below in ("ping/", "secret/", f"deliveries/{entry}/"):
        expect_problem(two[1].post(path + below), 404, "not_found")
    expect_problem(two[0].post("/me/webhooks/", {"url": "https://127.0.0.1/"}), 422, "bad_address")
    expect_problem(two[0].post("/me/webhooks/", {"url": receiver.url, "kinds": ["soon"]}), 422, "bad_kinds")
    two[0].token = tokens.create_token(user=anna, name="reader", scopes=["read", "play"])[1]
    expect_problem(two[0].get("/me/webhooks/"), 403, "forbidden")
    assert Webhook.objects.count() == 1


def test_an_organiser_gets_the_news_of_a_match_as_a_spectator_would(duel, two, receiver, anna, ben):
    expect_problem(two[1].post("/me/webhooks/", {"url": receiver.url, "match": str(duel.number)}), 403, "forbidden")
    made = two[0].post("/me/webhooks/", {"url": receiver.url, "match": str(duel.number)}).json()
    assert made["match"] == str(duel.id)
    assert sweep_channels() == 1, "the ping: nothing has happened since"
    receiver.taken.clear()
    sent = two[0].post(f"/matches/{duel.id}/commands/", {"name": "set_orders", "text": "hush"}, etag=etag(two[0], duel.id))
    assert sent.status_code == 200
    assert sweep_channels() == 0, "an act that is sealed for spectators moves nothing"
    assert two[0].post(f"/matches/{duel.id}/commands/", {"name": "draw"}, etag=etag(two[0], duel.id)).status_code == 200
    assert sweep_channels() == 1
    [(_headers, body)] = receiver.taken
    told = json.loads(body)
    assert told["type"] == "match_moved"
    assert fits("match_moved", told) == []
    duel.refresh_from_db()
    assert told["data"] == {"match": str(duel.id), "number": duel.number, "version": duel.version, "status": "running"}
    other = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    assert two[0].post("/me/webhooks/", {"url": receiver.url, "match": str(other.id), "kinds": ["match_over"]}).status_code == 201
    assert two[1].post(f"/matches/{other.id}/commands/", {"name": "resign"}, etag=etag(two[1], other.id)).status_code == 200
    assert sweep_channels() == 2, "the ping, and the end"
    assert json.loads(receiver.taken[-1][1])["type"] == "match_over"


def test_a_match_that_cannot_be_read_stops_no_other_and_no_channel(duel, two, receiver, anna, ben, monkeypatch):
    backoff.forget_all()
    other = opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy"))
    for match in (duel, other):
        assert two[0].post("/me/webhooks/", {"url": receiver.url, "match": str(match.id)}).status_code == 201
    two[1].post("/me/webhooks/", {"url": receiver.url})
    sweep_channels()
    receiver.taken.clear()
    for match in (duel, other):
        two[0].post(f"/matches/{match.id}/commands/", {"name": "draw"}, etag=etag(two[0], match.id))
    read = match_hooks.load

    def load(match_id, game):
        if match_id == duel.id:
            raise RuntimeError("a key is missing")
        return read(match_id, game)

    monkeypatch.setattr(match_hooks, "load", load)
    assert sweep_channels() == 3
    assert sorted(types(receiver)) == ["match_moved", "your_turn", "your_turn"]
    subscriptions_fail = RuntimeError("a fault")
    monkeypatch.setattr(subscriptions, "_looks", [lambda hooks: (_ for _ in ()).throw(subscriptions_fail)])
    two[0].post("/me/webhooks/", {"url": receiver.url})
    assert sweep_channels() == 1


def test_a_match_that_moves_often_fills_no_log(duel, two, receiver, monkeypatch):
    monkeypatch.setattr(deliveries, "LOG_MOST", 3)
    made = two[0].post("/me/webhooks/", {"url": receiver.url, "match": str(duel.number)}).json()
    hook = Webhook.objects.get(pk=made["id"])
    for number in range(4):
        deliveries.queue_newest(hook, "match_moved", {"version": number})
    rows = WebhookDelivery.objects.filter(kind="match_moved")
    assert [json.loads(row.body)["data"] for row in rows] == [{"version": 3}], "only the newest news is told"
    for number in range(4, 9):
        WebhookDelivery.objects.update(status="sent")
        deliveries.queue_newest(hook, "match_moved", {"version": number})
    assert WebhookDelivery.objects.count() == 3


def test_the_page_of_webhooks(client, anna, receiver):
    client.force_login(anna)
    assert "You have no webhook" in client.get("/profile/webhooks/").content.decode()
    made = client.post("/profile/webhooks/", {"act": "add", "url": receiver.url, "kinds": ["your_turn"], "match": ""})
    hook = Webhook.objects.get()
    assert made.content.decode().count(signing.secret_of(hook)) == 1
    page = client.get("/profile/webhooks/").content.decode()
    assert "whsec_" not in page
    assert re.findall(r'href="(/profile/webhooks/[^"]+)"', page) == [f"/profile/webhooks/{hook.pk}/"]
    client.post("/profile/webhooks/", {"act": "ping", "hook": hook.pk})
    assert sweep_channels() == 2
    log = client.get(f"/profile/webhooks/{hook.pk}/").content.decode()
    assert log.count("Send ping again") == 2
    entry = WebhookDelivery.objects.first()
    assert (
        "It is sent again" in client.post(f"/profile/webhooks/{hook.pk}/", {"delivery": entry.pk}, follow=True).content.decode()
    )
    assert sweep_channels() == 1
    rotated = client.post("/profile/webhooks/", {"act": "rotate", "hook": hook.pk}).content.decode()
    hook.refresh_from_db()
    assert signing.secret_of(hook) in rotated
    refused = client.post("/profile/webhooks/", {"act": "add", "url": "http://169.254.169.254/", "match": ""})
    assert (refused.status_code, "https://" in refused.content.decode()) == (422, True)
    Webhook.objects.update(disabled_at=hook.created_at)
    assert "Switched off" in client.get("/profile/webhooks/").content.decode()
    client.post("/profile/webhooks/", {"act": "enable", "hook": hook.pk})
    assert Webhook.objects.get().disabled_at is None
    client.post("/profile/webhooks/", {"act": "remove", "hook": hook.pk})
    assert not Webhook.objects.exists()
    assert client.get(f"/profile/webhooks/{hook.pk}/").status_code == 404
