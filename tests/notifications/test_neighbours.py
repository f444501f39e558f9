"""Addresses that fail hold up nobody else's at the same host; a host that cannot be reached is not asked again and again."""

from __future__ import annotations

import socket
import threading
import time
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from notifications.channels import Parcel
from notifications.models import Handover, Outbox, Webhook, WebhookDelivery
from notifications.other_channels import chat_services, chats, outward, subscriptions, transfers, web_push
from notifications.other_channels.transfers import Job
from notifications.outbox import Notice, notify
from notifications.tasks import send_due, sweep_channels
from notifications.wanted import wishes
from notifications.wanted.wishes import WishRefused
from tests.notifications.conftest import make_user
from tests.notifications.test_chats import addresses, chat  # noqa: F401
from tests.notifications.test_push import Browser, service  # noqa: F401
from tests.notifications.timing import asking  # noqa: F401

pytestmark = pytest.mark.django_db

FAILING = transfers.LANE_FAILURES


@pytest.fixture(autouse=True)
def _one_by_one(monkeypatch):
    """Send in order, so that those who fail come first."""
    monkeypatch.setattr(transfers, "AT_ONCE", 1)


@pytest.fixture
def users(sink, asking):  # noqa: F811
    """Some whose addresses fail, and the last one, whose address is good."""
    asking.open("m1")
    return [make_user(f"user{number}") for number in range(FAILING + 1)]


@pytest.fixture
def closed():
    """A port of this machine that takes no connection."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def tell(users, channel):
    for user in users:
        wishes.set_wishes(user, {"channels": [channel, "mail"]})
        notify(Notice("your_turn", user_id=user.pk, topic="m1"))
    send_due()


def attempts():
    return list(Handover.objects.order_by("due_at", "pk").values_list("attempts", flat=True))


@pytest.mark.parametrize("status", [404, 429, 500])
def test_dead_chats_hold_up_no_other_chat_of_the_service(users, chat, status):  # noqa: F811
    *dead, good = users
    answered = chat.answered
    chat.answered = lambda path: status if "/dead" in path else answered(path)
    for user in users:
        name = "dead" if user in dead else "good"
        chats.set_up(user, "discord", f"https://discord.com/api/webhooks/{user.pk}/{name}")
    tell(users, "discord")
    assert sweep_channels() == 1
    assert [handover.notice.user for handover in Handover.objects.filter(status="sent")] == [good]


def test_a_chat_server_that_does_not_answer_is_left_alone_for_the_sweep(users, chat, monkeypatch):  # noqa: F811
    monkeypatch.setattr(chat_services.URLBase, "socket_connect_timeout", 0.05)
    chat.answered = lambda path: time.sleep(0.1) or 500
    for user in users:
        chats.set_up(user, "ntfy", addresses(chat)["ntfy"])
    tell(users, "ntfy")
    assert sweep_channels() == 0
    assert attempts() == [1] * FAILING + [0]


@pytest.mark.parametrize("room", ["#room:far.example", "!room:far.example"])
def test_rooms_of_another_chat_server_hold_up_no_other_room_at_their_host(users, chat, monkeypatch, room):  # noqa: F811
    """Whoever has a server of their own decides how long the user's server waits for it."""
    monkeypatch.setattr(chat_services.URLBase, "socket_connect_timeout", 0.05)
    chat.answered = lambda path: (time.sleep(0.1) or 500) if "far.example" in path else 200
    *far, good = users
    for user in users:
        chats.set_up(user, "matrix", f"matrix://:token@{chat.host}/{room if user in far else '#room'}")
    tell(users, "matrix")
    assert sweep_channels() == 1
    assert [handover.notice.user for handover in Handover.objects.filter(status="sent")] == [good]


def test_a_chat_server_has_a_lane_for_the_rooms_and_people_of_each_other_one(settings):
    settings.CHAT_TRUSTED_HOSTS = ["chat.example"]

    def lane(target):
        return chat_services.prepared("matrix", f"matrixs://:token@chat.example/{target}", uuid4())[0]

    near, *far = map(lane, ["#room", "#room:far.example", "!room:far.example", "@ann:FAR.example", "#room:other.example"])
    assert far[0] == far[1] == far[2]
    assert len({near, far[0], far[3]}) == 3


@pytest.mark.parametrize("status", [404, 429, 500])
def test_failing_webhooks_hold_up_no_other_webhook_at_the_host(users, receiver, status):
    receiver.answers = [status] * FAILING + [204]
    for user in users:
        subscriptions.add(user, url=receiver.url)
    assert sweep_channels() == 1
    assert WebhookDelivery.objects.get(status="sent").hook.user == users[-1]


def test_a_closed_port_holds_up_no_webhook_at_another_port(users, receiver, closed, settings):
    settings.WEBHOOK_TRUSTED_HOSTS = ["localhost", f"localhost:{closed}", *settings.WEBHOOK_TRUSTED_HOSTS]
    for user in users:
        subscriptions.add(user, url=receiver.url if user == users[-1] else f"http://localhost:{closed}/")
    assert sweep_channels() == 1


def test_a_host_that_takes_no_connection_is_left_alone_for_the_sweep(users, closed, settings):
    settings.WEBHOOK_TRUSTED_HOSTS = [f"localhost:{closed}"]
    for user in users:
        subscriptions.add(user, url=f"http://localhost:{closed}/")
    assert sweep_channels() == 0
    assert sorted(WebhookDelivery.objects.values_list("attempts", flat=True)) == [0] + [1] * FAILING


@pytest.mark.parametrize("other", ["https://localhost:{}/", "http://localhost.:{}/"])
def test_another_way_to_write_an_address_holds_up_no_webhook_there(users, receiver, closed, settings, other):
    """The lane of an address holds all that decides whether there is a connection: with https, here, there is none."""
    port = urlsplit(receiver.url).port
    settings.WEBHOOK_TRUSTED_HOSTS = [f"localhost:{port}", f"localhost.:{port}"]
    for user in users:
        hook = subscriptions.add(user, url=receiver.url)
        if user != users[-1]:
            Webhook.objects.filter(pk=hook.pk).update(url=other.format(port))
    assert sweep_channels() == 1


def test_no_address_ends_its_host_with_a_dot(users):
    """No certificate is valid for such a name, so that each would count as a host without a connection."""
    with pytest.raises(WishRefused, match="dot"):
        subscriptions.add(users[0], url="https://hooks.example.org./hook")


def test_a_chat_server_has_a_lane_for_each_way_to_connect(settings):
    settings.CHAT_TRUSTED_HOSTS = ["chat.example"]
    given = ["ntfy://chat.example/news", "ntfys://chat.example/news", "ntfys://CHAT.example:443/other"]
    plain, secure, again = (chat_services.prepared("ntfy", address, uuid4())[0] for address in given)
    assert plain != secure == again


def test_browsers_at_a_dead_host_hold_up_no_browser_at_another(users, service, closed, settings):  # noqa: F811
    """A lane of several hosts is silent only if none of them answers."""
    settings.WEBHOOK_TRUSTED_HOSTS = [f"localhost:{closed}", *settings.WEBHOOK_TRUSTED_HOSTS]
    service.answers = {f"/push/user{number}": 403 for number in range(FAILING)}
    for user in users:
        web_push.subscribe(user, **Browser(service, user.username).given)
        if user != users[-1]:
            given = Browser(service).given
            web_push.subscribe(user, **given | {"endpoint": f"http://localhost:{closed}/{user.pk}"})
    tell(users, "push")
    assert sweep_channels() == 1


def test_a_browser_that_hangs_takes_no_place_of_the_host_of_another(users, service, closed, settings, monkeypatch):  # noqa: F811
    """A user chooses the hosts of their browsers: one may be that of everybody, and the next one their own."""
    monkeypatch.setattr(transfers, "AT_ONCE", len(users))
    settings.WEBHOOK_TRUSTED_HOSTS = [f"localhost:{closed}", *settings.WEBHOOK_TRUSTED_HOSTS]
    told, waited, post = threading.Event(), [], outward.post

    def hang(url, *about, **more):
        if f":{closed}/" in url:
            waited.append(told.wait(3))
            raise TimeoutError
        if url.endswith("/good"):
            told.set()
        return post(url, *about, **more)

    monkeypatch.setattr(outward, "post", hang)
    *slow, good = users
    for user in slow:
        web_push.subscribe(user, **Browser(service, f"of-{user.username}").given)
        web_push.subscribe(user, **{**Browser(service).given, "endpoint": f"http://localhost:{closed}/{user.username}"})
    web_push.subscribe(good, **Browser(service, "good").given)
    tell(users, "push")
    sweep_channels()
    assert waited
    assert all(waited), "the good one was told only after those that hang"


def test_what_becomes_due_while_a_transfer_hangs_is_handed_over(monkeypatch):
    monkeypatch.setattr(transfers, "AT_ONCE", 8)
    monkeypatch.setattr(transfers, "LOOK_SECONDS", 0.01)
    let_go, handed = threading.Event(), []

    def job(lane, go):
        parcel = Parcel(lane, go, lambda _fault: None)

        def ended(fault, _seconds):
            handed.append(lane)
            return fault is None

        return Job(parcel, ended, lambda _pause: None)

    def due():
        yield [job("slow", lambda: let_go.wait(20))]
        yield []
        yield [job("quick", lambda: None)]
        while "quick" not in handed:
            yield []
        let_go.set()
        while True:
            yield []

    looks = due()
    assert transfers.sweep([lambda _room, _users: iter(next(looks))], lasting=20) == 2
    assert handed == ["quick", "slow"]


def test_a_notice_that_comes_while_a_transfer_hangs_is_told_to_a_subscription(users, receiver, monkeypatch):
    slow, quick = users[:2]
    monkeypatch.setattr(transfers, "AT_ONCE", 8)
    monkeypatch.setattr(transfers, "LOOK_SECONDS", 0.01)
    subscriptions.add(quick, url=receiver.url)
    assert sweep_channels() == 1
    subscriptions.add(slow, url=f"{receiver.url}&slow")
    told, answered, real, wait = threading.Event(), [], outward.post, transfers.wait

    def post(url, *about, **more):
        status = told.wait(20) and 204 if url.endswith("slow") else real(url, *about, **more)
        answered.append(url)
        told.set()
        return status

    def waiting(*about, **more):
        if not Outbox.objects.filter(kind="told").exists():
            notify(Notice("told", user_id=quick.pk))
        return wait(*about, **more)

    monkeypatch.setattr(outward, "post", post)
    monkeypatch.setattr(transfers, "wait", waiting)
    assert sweep_channels() == 2
    assert answered == [receiver.url, f"{receiver.url}&slow"]


def test_the_many_of_a_busy_host_do_not_stand_before_all_others(users, receiver, monkeypatch):
    """Each look takes as many as there is room for, and those of the busy host are put off."""
    monkeypatch.setattr(transfers, "AT_ONCE", 2)
    monkeypatch.setattr(transfers, "PER_LANE", 1)
    monkeypatch.setattr(transfers, "BUSY_PAUSE", timedelta(0))
    monkeypatch.setattr(transfers, "LOOK_SECONDS", 0.01)
    *many, other = users
    for user in many:
        subscriptions.add(user, url=f"{receiver.url}&busy")
    subscriptions.add(other, url="https://other.example/")
    told, answered = threading.Event(), []

    def post(url, *about, **more):
        answered.append(url)
        if "other" in url:
            told.set()
        return told.wait(20) and 204

    monkeypatch.setattr(outward, "post", post)
    assert sweep_channels() == len(users)
    assert "other" in answered[1]


MANY = 1000


def read(*tables):
    """Return how many rows were read of these tables in this transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int FROM pg_stat_xact_user_tables WHERE relname = ANY (%s)",
            [list(tables)],
        )
        return cursor.fetchone()[0]


def test_of_the_many_that_wait_for_a_webhook_that_is_down_a_sweep_reads_the_first(users, receiver):
    down, well = users[:2]
    hook = subscriptions.add(down, url=receiver.url)
    first = WebhookDelivery.objects.get()
    WebhookDelivery.objects.bulk_create(WebhookDelivery(hook=hook, kind="ping", body="{}") for _ in range(MANY))
    WebhookDelivery.objects.filter(pk=first.pk).update(claimed_until=timezone.now() + timedelta(hours=1))
    subscriptions.add(well, url=receiver.url)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE notifications_webhook_delivery")  # else an earlier test may have left another plan
    before = read("notifications_webhook_delivery")
    assert sweep_channels() == 1
    assert read("notifications_webhook_delivery") - before < MANY / 10
