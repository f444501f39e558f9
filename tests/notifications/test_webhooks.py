"""Subscribed webhooks get notices at once, signed after Standard Webhooks; a log sends again; failing ones are switched off."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta

import pytest
import standardwebhooks
import time_machine
from django.db import OperationalError

from accounts import erasure
from gamesvc.errors import TooMany
from gamesvc.time_limits import TimeIsUp
from notifications.models import Handover, Outbox, Webhook, WebhookDelivery
from notifications.other_channels import deliveries, outward, rests, signing, subscriptions, webhooks
from notifications.outbox import Notice, notify
from notifications.tasks import send_due, sweep_channels
from notifications.wanted import muting, wishes
from notifications.wanted.preferences import Receiver
from notifications.wanted.wishes import WishRefused
from tests.notifications.timing import asking  # noqa: F401

PING = "ping"


def later(**delta):
    return time_machine.travel(datetime.now(UTC) + timedelta(**delta), tick=True)


def queue(user, topic="m1", kind="your_turn"):
    notice = Notice(kind, user_id=user.pk, topic=topic)
    notify(notice)
    return notice.id


def types(receiver):
    return [json.loads(body)["type"] for _headers, body in receiver.taken]


def statuses(hook):
    return [(row.kind, row.status) for row in subscriptions.log_of(hook)]


@pytest.fixture
def hook(ann, receiver, asking):  # noqa: F811
    asking.open("m1")
    made = subscriptions.add(ann, url=receiver.url)
    assert sweep_channels() == 1
    assert types(receiver) == [PING]
    receiver.taken.clear()
    return made


def test_a_subscription_gets_a_notice_at_once_and_the_mail_goes_as_ever(sink, ann, hook, receiver):
    identity = queue(ann)
    assert sweep_channels() == 1
    assert send_due() == 1
    assert sweep_channels() == 0, "each notice goes there once"
    [(headers, body)] = receiver.taken
    read = standardwebhooks.Webhook(signing.secret_of(hook)).verify(body, {name.lower(): text for name, text in headers.items()})
    assert read["type"] == "your_turn"
    assert read["data"]["notice"] == str(identity)
    assert headers["webhook-id"] == str(WebhookDelivery.objects.get(notice=identity).pk)
    assert not Handover.objects.exists()


def test_it_misses_nothing_after_the_clock_was_set_back(ann, hook, receiver):
    with later(days=1):
        queue(ann)
        assert sweep_channels() == 1
    queue(ann)
    assert sweep_channels() == 1
    queue(ann)
    assert [sweep_channels(), sweep_channels()] == [1, 0]


def test_it_gets_the_kinds_that_it_names_and_nothing_that_is_muted(ann, hook, receiver, asking):  # noqa: F811
    subscriptions.change(hook, kinds=["reminder"])
    asking.open("m2")
    queue(ann), queue(ann, kind="reminder"), queue(ann, topic="m2", kind="reminder")
    muting.mute(Receiver(ann.pk), [("match", "m2")])
    assert sweep_channels() == 1
    assert types(receiver) == ["reminder"]
    assert [status for kind, status in statuses(hook) if kind == "reminder"].count(Handover.Status.DROPPED) == 1
    with pytest.raises(WishRefused) as refused:
        subscriptions.change(hook, kinds=["mail_held"])
    assert refused.value.code == "bad_kinds"


def test_what_was_acted_upon_is_not_sent(ann, hook, receiver, asking):  # noqa: F811
    queue(ann)
    del asking.deadlines["m1"]
    assert sweep_channels() == 0
    assert statuses(hook)[0] == ("your_turn", Handover.Status.DROPPED)
    assert receiver.taken == []


def test_a_failure_is_tried_again_under_the_same_id_and_stands_in_the_log(ann, hook, receiver):
    receiver.answers = [500, 204]
    queue(ann)
    assert sweep_channels() == 0
    row = subscriptions.log_of(hook)[0]
    assert (row.status, row.response_status, row.error) == (Handover.Status.WAITING, 500, "answered with 500")
    assert Webhook.objects.get().failing_since is not None
    with later(minutes=1):
        assert sweep_channels() == 1
    row = subscriptions.log_of(hook)[0]
    assert (row.status, row.attempts, row.response_status, row.error) == (Handover.Status.SENT, 2, None, "")
    assert Webhook.objects.get().failing_since is None
    assert len({headers["webhook-id"] for headers, _body in receiver.taken}) == 1


def test_a_delivery_that_takes_all_the_time_of_its_task_rests(ann, hook, receiver, monkeypatch):
    queue(ann)

    def slow(notice):
        raise TimeIsUp

    with monkeypatch.context() as patch:
        patch.setattr(deliveries, "body_of", slow)
        with pytest.raises(TimeIsUp):
            sweep_channels()
    row = subscriptions.log_of(hook)[0]
    assert (row.status, row.attempts, row.error) == (Handover.Status.WAITING, 1, "the time of the task was over")
    with later(minutes=1):
        assert sweep_channels() == 1


def test_a_delivery_is_sent_again_with_its_id_and_body_also_of_the_channel(sink, ann, hook, receiver, asking):  # noqa: F811
    channel, _new = webhooks.set_up(ann, receiver.url)
    subscriptions.remove(hook)
    wishes.set_wishes(ann, {"channels": ["webhook", "mail"]})
    receiver.answers = [410]
    queue(ann)
    send_due()
    sweep_channels()
    channel = subscriptions.find(ann, channel.pk)
    row = subscriptions.log_of(channel)[0]
    assert (row.status, row.response_status) == (Handover.Status.REFUSED, 410)
    with pytest.raises(WishRefused):
        subscriptions.again(channel, row.pk)
    subscriptions.change(channel)
    receiver.answers = [204]
    subscriptions.again(channel, row.pk)
    asking.deadlines.clear()
    assert sweep_channels() == 1, "its owner asked for it, whatever has become of the question"
    (first, body), (second, repeated) = receiver.taken
    assert (first["webhook-id"], body) == (second["webhook-id"], repeated)
    assert subscriptions.log_of(channel)[0].status == Handover.Status.SENT


def test_an_address_that_can_no_longer_be_read_stops_no_other(ann, ben, hook, receiver):
    """As one that an older version took."""
    Webhook.objects.filter(pk=hook.pk).update(url="https://[::1")
    subscriptions.add(ben, url=receiver.url)
    queue(ann)
    assert sweep_channels() == 1
    assert types(receiver) == [PING]
    assert statuses(hook) == [("your_turn", "waiting"), (PING, "sent")]


def test_two_secrets_sign_for_a_day(ann, hook, receiver):
    before = signing.secret_of(hook)
    webhooks.turn(hook)
    for delta, both in (({"hours": 23}, True), ({"hours": 25}, False)):
        with later(**delta):
            subscriptions.ping(hook)
            sweep_channels()
            headers, body = receiver.taken.pop()
            lower = {name.lower(): text for name, text in headers.items()}
            standardwebhooks.Webhook(signing.secret_of(hook)).verify(body, lower)
            if both:
                standardwebhooks.Webhook(before).verify(body, lower)
            else:
                with pytest.raises(standardwebhooks.WebhookVerificationError):
                    standardwebhooks.Webhook(before).verify(body, lower)


def test_after_a_week_without_success_it_is_switched_off_with_one_mail(sink, ann, hook, receiver):
    receiver.answers = [500]
    other = subscriptions.add(ann, url=f"{receiver.url}&2")
    for days in (0, 3, 6):
        with later(days=days):
            subscriptions.ping(hook)
            sweep_channels()
    assert not Webhook.objects.filter(disabled_at__isnull=False).exists()
    Webhook.objects.filter(pk=other.pk).update(failing_since=None)
    for _repeated in range(2):
        with later(days=8):
            subscriptions.ping(Webhook.objects.get(pk=hook.pk))
            sweep_channels()
    assert Webhook.objects.get(pk=hook.pk).disabled_at is not None
    assert Webhook.objects.get(pk=other.pk).disabled_at is None
    with later(days=8):
        send_due()
    [mail] = [caught for caught in sink.messages if b"switched off" in caught.raw]
    text = mail.raw.decode()
    assert "localhost" in text
    assert "key=1" not in text, "the rest of an address is often a secret"
    queued = Outbox.objects.filter(kind="your_turn")
    assert not queued.exists()


def test_a_user_has_so_many_webhooks_and_tests_and_none_in_private_networks(ann, hook, receiver, settings, monkeypatch):
    for number in range(subscriptions.MOST - 1):
        subscriptions.add(ann, url=f"{receiver.url}&{number}")
    with pytest.raises(WishRefused) as refused:
        subscriptions.add(ann, url=receiver.url)
    assert refused.value.code == "too_many_webhooks"
    settings.WEBHOOK_TRUSTED_HOSTS = []
    for url in ("https://127.0.0.1/", "https://localhost/", "http://example.org/", "https://169.254.169.254/"):
        with pytest.raises(WishRefused) as refused:
            subscriptions.change(hook, url=url)
        assert refused.value.code == "bad_address"
    monkeypatch.setattr(subscriptions, "TRIES_A_DAY", 0)
    with pytest.raises(TooMany):
        subscriptions.ping(hook)


def test_a_user_with_many_slow_webhooks_rests_after_each_and_leaves_room_for_others(ann, hook, ben, receiver, monkeypatch):
    for number in range(4):
        subscriptions.add(ann, url=f"{receiver.url}&{number}")
    monkeypatch.setattr(rests, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(rests, "SLOW_REST", 100_000)
    assert sweep_channels() == 1, "one of the four pings"
    monkeypatch.setattr(rests, "SLOW_SECONDS", 60.0)
    subscriptions.add(ben, url=receiver.url)
    assert sweep_channels() == 1, "that of another user"
    with later(hours=3):
        assert sweep_channels() == 3


def test_a_fault_of_the_database_at_one_result_has_nothing_of_others_sent_twice(ann, hook, ben, receiver, monkeypatch):
    """As when another session holds a row of one user, or the connection is lost."""
    failed, real, note = threading.Event(), outward.post, rests.note

    def post(url, *about, **more):
        assert not url.endswith("&slow") or failed.wait(5)
        return real(url, *about, **more)

    def held(user_id, *about):
        if user_id == ann.pk:
            failed.set()
            raise OperationalError("canceling statement due to lock timeout")
        note(user_id, *about)

    subscriptions.ping(hook)
    other = subscriptions.add(ben, url=f"{receiver.url}&slow")
    with monkeypatch.context() as patch:
        patch.setattr(outward, "post", post)
        patch.setattr(rests, "note", held)
        with pytest.raises(OperationalError):
            sweep_channels()
    assert statuses(other) == [(PING, "sent")]
    with later(minutes=1):
        assert sweep_channels() == 1
    assert types(receiver) == [PING] * 3


def test_no_other_webhook_ends_the_rest_of_a_user(sink, ann, hook, receiver, monkeypatch):
    monkeypatch.setattr(rests, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(rests, "SLOW_REST", 100_000)
    subscriptions.ping(hook)
    assert sweep_channels() == 1
    subscriptions.remove(hook)
    subscriptions.change(subscriptions.add(ann, url=receiver.url), url=f"{receiver.url}&other")
    subscriptions.set_channel(ann, receiver.url)
    wishes.set_wishes(ann, {"channels": ["webhook", "mail"]})
    queue(ann)
    send_due()
    assert sweep_channels() == 0
    monkeypatch.setattr(rests, "SLOW_SECONDS", 60.0)
    with later(hours=3):
        assert sweep_channels() == 3 + 2, "pings, and the notice by both"


def test_a_user_gets_one_thing_at_a_time_by_whatever_channels(sink, ann, hook, receiver, monkeypatch):
    now, most, real = [0], [0], outward.post

    def post(*about, **more):
        now[0] += 1
        most[0] = max(most[0], now[0])
        try:
            return real(*about, **more)
        finally:
            now[0] -= 1

    monkeypatch.setattr(outward, "post", post)
    for number in range(4):
        subscriptions.add(ann, url=f"{receiver.url}&{number}")
    webhooks.set_up(ann, receiver.url)
    wishes.set_wishes(ann, {"channels": ["webhook", "mail"]})
    queue(ann)
    send_due()
    assert sweep_channels() == 4 + 1, "pings, and the notice by the channel"
    assert most == [1]


def test_no_request_waits_for_the_name_server_of_an_address(ann, hook, monkeypatch):
    def asked(*_about, **_more):
        raise AssertionError("it is looked up while somebody waits")

    monkeypatch.setattr(outward.socket, "getaddrinfo", asked)
    subscriptions.add(ann, url="https://hangs.example/")
    subscriptions.change(hook, url="https://hangs.example/other")
    webhooks.set_up(ann, "https://hangs.example/")
    for host in ("intranet", "a.local", "b.internal", "[fd00::1]", "10.1.2.3"):
        with pytest.raises(WishRefused, match="private network"):
            subscriptions.add(ann, url=f"https://{host}/")


def test_the_names_of_one_user_hang_in_few_places(ann, hook, ben):
    first = outward.lookups_of(ann.pk)
    assert outward.lookups_of(ann.pk) is first
    assert outward.lookups_of(ben.pk) is not first


def test_nothing_of_it_is_left_of_an_erased_user(ann, hook):
    queue(ann)
    subscriptions.sweep()
    erasure.erase(ann)
    assert not Webhook.objects.exists()
    assert not WebhookDelivery.objects.exists()
