"""Push: notices encrypted for the user's browsers, delivered to a push service of the test that decrypts them."""

from __future__ import annotations

import base64
import json
import secrets
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import http_ece
import pytest
import time_machine
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from accounts import erasure
from notifications import outbox
from notifications.models import Handover, PushSubscription
from notifications.other_channels import handovers, outward, web_push
from notifications.other_channels.outward import BadAddress
from notifications.tasks import send_due
from notifications.wanted import wishes
from notifications.wanted.wishes import WishRefused
from tests.notifications.conftest import make_user
from tests.notifications.timing import asking  # noqa: F401

pytestmark = pytest.mark.django_db


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


class Browser:
    """A browser's side of a subscription: its keys, and the address at its push service."""

    def __init__(self, service: PushService, name: str = "one") -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.secret = secrets.token_bytes(16)
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.given = {"endpoint": f"{service.origin}/push/{name}", "p256dh": _text(point), "auth": _text(self.secret)}

    def read(self, body: bytes) -> dict[str, str]:
        return json.loads(http_ece.decrypt(body, private_key=self.key, auth_secret=self.secret, version="aes128gcm"))


class PushService:
    """A push service that records what it gets and answers as the test says, by path."""

    def __init__(self) -> None:
        self.got: list[tuple[str, dict[str, str], bytes]] = []
        self.answers: dict[str, int] = {}
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.got.append((self.path, dict(self.headers), body))
                self.send_response(service.answers.get(self.path, 201))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def service(settings):
    found = PushService()
    settings.WEBHOOK_TRUSTED_HOSTS = [f"localhost:{found.server.server_port}"]
    settings.BASE_URL = "https://games.example"
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture
def waiting(sink, ann, asking):  # noqa: F811
    """A decision of ann's that is open, so that notices about it hold."""
    asking.open("m1")
    return ann


def told(user) -> Handover:
    """Queue a notice, send what is due by mail and push, and return how the push went."""
    outbox.notify(outbox.Notice("your_turn", user_id=user.pk, topic="m1"))
    send_due()
    handovers.sweep()
    return Handover.objects.filter(channel="push").order_by("pk").last()


def test_a_browser_gets_title_and_link_that_only_it_can_read(service, waiting, sink):
    browser = Browser(service)
    web_push.subscribe(waiting, **browser.given)
    assert wishes.wishes_of(waiting.pk).channels == ("push", "mail")
    assert told(waiting).status == Handover.Status.SENT
    assert not sink.to("ann@players.example"), "the mail waits for what push does"
    [(path, headers, body)] = service.got
    assert path == "/push/one"
    assert browser.read(body) == {"title": "Your turn", "url": "https://games.example/"}
    assert b"Your turn" not in body
    assert headers["Content-Encoding"] == "aes128gcm"
    assert int(headers["TTL"]) > 0


def test_the_push_service_can_tell_that_it_was_us(service, waiting):
    web_push.subscribe(waiting, **Browser(service).given)
    told(waiting)
    signed = service.got[0][1]["Authorization"]
    assert Vapid02.verify(signed)
    token, key = (part.split("=", 1)[1] for part in signed.removeprefix("vapid ").split(","))
    assert key == web_push.public_key()
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    assert claims["aud"] == service.origin


@pytest.mark.parametrize(
    "address", ["http://localhost:8000", "https://games.example:8443", "https://games", "https://[2001:db8::1]"]
)
def test_push_goes_out_from_a_service_at_any_address(service, waiting, settings, address):
    settings.BASE_URL = address
    settings.DEFAULT_FROM_EMAIL = "Games <play@games>"
    web_push.subscribe(waiting, **Browser(service).given)
    assert told(waiting).status == Handover.Status.SENT
    token = service.got[0][1]["Authorization"].removeprefix("vapid t=").split(",")[0]
    assert json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))["sub"] == "mailto:play@games"


def test_every_browser_of_a_user_is_told_and_one_that_is_gone_is_forgotten(service, waiting):
    browsers = {name: Browser(service, name) for name in ("phone", "desk", "old")}
    for one in browsers.values():
        web_push.subscribe(waiting, **one.given)
    service.answers = {"/push/old": 410}
    assert told(waiting).status == Handover.Status.SENT
    assert {path for path, *_rest in service.got} == {"/push/phone", "/push/desk", "/push/old"}
    assert {row.endpoint.rsplit("/", 1)[1] for row in web_push.of(waiting)} == {"phone", "desk"}


@pytest.mark.parametrize("status", [404, 410])
def test_without_any_browser_left_the_mail_goes_at_once(service, waiting, sink, status):
    web_push.subscribe(waiting, **Browser(service).given)
    service.answers = {"/push/one": status}
    assert told(waiting).status == Handover.Status.REFUSED
    assert not PushSubscription.objects.exists()
    assert send_due() == 1
    assert sink.to("ann@players.example")


@pytest.mark.parametrize(("status", "state"), [(429, "waiting"), (500, "waiting"), (413, "refused"), (403, "refused")])
def test_a_push_service_that_does_not_take_a_notice_keeps_the_subscription(service, waiting, status, state):
    web_push.subscribe(waiting, **Browser(service).given)
    service.answers = {"/push/one": status}
    assert told(waiting).status == state
    assert web_push.has(waiting.pk)


def test_nobody_has_push_until_they_turn_it_on(ann):
    assert wishes.wishes_of(ann.pk).channels == ("mail",)


def test_push_is_turned_off_for_one_browser_and_with_the_last_one_altogether(service, ann):
    for name in ("phone", "desk"):
        web_push.subscribe(ann, **Browser(service, name).given)
    phone, desk = web_push.of(ann)
    assert web_push.unsubscribe(ann, subscription=phone.pk)
    assert not web_push.unsubscribe(ann, subscription=phone.pk)
    assert wishes.wishes_of(ann.pk).channels == ("push", "mail")
    assert web_push.unsubscribe(ann, endpoint=desk.endpoint)
    assert wishes.wishes_of(ann.pk).channels == ("mail",)


def test_the_oldest_of_too_many_browsers_is_dropped(service, ann):
    for number in range(web_push.MOST_DEVICES + 1):
        web_push.subscribe(ann, **Browser(service, f"{number}").given)
    assert [row.endpoint.rsplit("/", 1)[1] for row in web_push.of(ann)] == ["1", "2", "3", "4", "5"]


def test_a_browser_belongs_to_the_user_who_subscribed_last(service, ann):
    browser, ben = Browser(service), make_user("ben")
    web_push.subscribe(ann, **browser.given)
    web_push.subscribe(ben, **browser.given)
    assert [row.user for row in PushSubscription.objects.all()] == [ben]


def test_a_browser_that_another_user_had_counts_as_new(service, ann):
    """It would be the oldest of too many, and dropped at once."""
    browser = Browser(service, "shared")
    web_push.subscribe(make_user("ben"), **browser.given)
    for number in range(web_push.MOST_DEVICES):
        web_push.subscribe(ann, **Browser(service, f"{number}").given)
    web_push.subscribe(ann, **browser.given)
    assert [row.endpoint.rsplit("/", 1)[1] for row in web_push.of(ann)] == ["1", "2", "3", "4", "shared"]


@pytest.mark.parametrize(
    "endpoint", ["https://127.0.0.1/push", "http://push.example/x", "https://10.0.0.1/x", "ftp://push.example/x", ""]
)
def test_an_address_that_webhooks_may_not_reach_is_not_reached_by_push(service, waiting, endpoint):
    given = {**Browser(service).given, "endpoint": endpoint}
    try:
        web_push.subscribe(waiting, **given)
    except BadAddress:
        assert not PushSubscription.objects.exists()
    else:
        assert told(waiting).status == Handover.Status.REFUSED
        assert service.got == []


@pytest.mark.parametrize("wrong", [{"p256dh": "AAAA"}, {"auth": "AAAA"}, {"p256dh": "ä"}, {"auth": ""}])
def test_keys_that_no_browser_has_are_refused(service, ann, wrong):
    with pytest.raises(WishRefused):
        web_push.subscribe(ann, **{**Browser(service).given, **wrong})


def test_erasing_a_user_ends_their_push(service, ann):
    web_push.subscribe(ann, **Browser(service).given)
    erasure.erase(ann)
    assert not PushSubscription.objects.exists()


def test_browsers_of_one_user_at_silent_names_leave_the_lookups_to_others(waiting, service, monkeypatch):
    asked, answer, real = [], threading.Event(), outward.socket.getaddrinfo

    def ask(host, *args, **more):
        if not str(host).endswith(".example"):
            return real(host, *args, **more)
        asked.append(host)
        answer.wait()
        return []

    monkeypatch.setattr(outward.socket, "getaddrinfo", ask)
    monkeypatch.setattr(outward, "LOOKUP_SECONDS", 0.05)
    for number in range(web_push.MOST_DEVICES):
        web_push.subscribe(waiting, **{**Browser(service).given, "endpoint": f"https://silent{number}.example/"})
    try:
        assert told(waiting).status == Handover.Status.WAITING
        with time_machine.travel(datetime.now(UTC) + timedelta(minutes=5), tick=True):
            assert handovers.sweep() == 0
        assert Handover.objects.get().attempts == 2
        assert len(asked) == outward.MOST_LOOKUPS_OF_ONE, "the next try has no places of its own"
    finally:
        answer.set()
