"""The next channel is tried only without a reaction; webhooks are signed, sent once each, and never reach private networks."""

import base64
import hmac
import json
import socket
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
import standardwebhooks
import time_machine
from django.utils import timezone

from gamesvc.time_limits import TimeIsUp
from notifications import channels, ledger
from notifications.models import Handover, Outbox, Preference, Status, Webhook
from notifications.other_channels import handovers, outward, rests, signing, webhooks
from notifications.outbox import Notice, notify
from notifications.sending import claims, digests
from notifications.tasks import send_due, sweep_channels
from notifications.wanted import wishes
from notifications.wanted.wishes import WishRefused
from tests.notifications.timing import asking  # noqa: F401
from tests.racing import at_once


def queue(user, topic="m1", kind="your_turn"):
    notice = Notice(kind, user_id=user.pk, topic=topic)
    notify(notice)
    return notice.id


def reckoned(secret, headers, body):
    """The signature by the formula of Standard Webhooks, written out here and not taken from the library."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def later(**delta):
    return time_machine.travel(datetime.now(UTC) + timedelta(**delta), tick=True)


@pytest.fixture
def hooked(ann, receiver, asking):  # noqa: F811
    webhooks.set_up(ann, receiver.url)
    wishes.set_wishes(ann, {"channels": ["mail", "webhook"]})
    asking.open("m1")
    return ann


def states(identity):
    rows = [Outbox.objects.get(pk=identity)]
    return [(step["channel"], step["state"]) for step in ledger.entries(rows)[0]["steps"]]


def test_a_mail_without_effect_is_followed_by_the_webhook(sink, hooked, receiver):
    identity = queue(hooked)
    assert (send_due(), sweep_channels()) == (1, 0)
    assert ("webhook", "planned") in states(identity)
    with later(minutes=61):
        assert sweep_channels() == 1
        assert sweep_channels() == 0
    assert states(identity) == [("", "queued"), ("mail", "sent"), ("webhook", "sent")]
    [(headers, body)] = receiver.taken
    told = json.loads(body)
    assert told["type"] == "your_turn"
    assert told["data"]["notice"] == str(identity)
    secret = signing.secret_of(Webhook.objects.get())
    assert headers["webhook-signature"] == reckoned(secret, headers, body)


def test_the_webhook_waits_while_the_mail_is_held_for_its_threshold(sink, hooked, receiver, asking):  # noqa: F811
    wishes.set_wishes(hooked, {"digest_hour": 7, "immediate_below": 2})
    identity = queue(hooked)
    assert send_due() == 0
    with later(minutes=61):
        assert sweep_channels() == 0
    assert not Handover.objects.exists(), "nothing is planned as long as nobody knows when the mail goes"
    with later(hours=46, minutes=1):
        assert send_due() == 1
    with later(hours=46, minutes=59):
        assert sweep_channels() == 0
    with later(hours=47, minutes=2):
        assert sweep_channels() == 1
    assert states(identity) == [("", "queued"), ("mail", "sent"), ("webhook", "sent")]


def test_the_webhook_does_not_wait_for_a_mail_server_that_is_away(sink, hooked, receiver, settings):
    settings.EMAIL_PORT = 1
    queue(hooked)
    assert send_due() == 0
    with later(minutes=59):
        assert sweep_channels() == 0
    with later(minutes=61):
        assert sweep_channels() == 1


def test_a_notice_that_takes_all_the_time_of_its_task_rests(sink, hooked, receiver, monkeypatch):
    queue(hooked)
    send_due()

    def slow(notice):
        raise TimeIsUp

    Handover.objects.update(attempts=5)
    with later(minutes=61):
        with monkeypatch.context() as patch:
            patch.setattr(channels, "answered", slow)
            with pytest.raises(TimeIsUp):
                sweep_channels()
        assert Handover.objects.get().error == "the time of the task was over"
    with later(minutes=63):
        assert sweep_channels() == 0, "longer than a lease"
    with later(minutes=90):
        assert sweep_channels() == 1


def test_a_mail_of_several_that_is_held_keeps_their_webhooks_waiting(sink, hooked, receiver, asking, monkeypatch):  # noqa: F811
    told = Outbox(topic="m1")
    monkeypatch.setattr(digests, "_sources", [lambda row, user: [asking.brief(told)]])
    wishes.set_wishes(hooked, {"digest_hour": 7, "immediate_below": 2})
    asking.open("m2")
    queue(hooked, "m1"), queue(hooked, "m2")
    send_due()
    with later(hours=23):
        send_due()
        Preference.objects.update(digest_at=timezone.now())
        assert (digests.sweep(), send_due(), sweep_channels()) == (1, 1, 0)
    with later(hours=24, minutes=1):
        assert sweep_channels() == 2


@pytest.mark.parametrize("how", ["acted", "closed"])
def test_a_receiver_who_acted_gets_nothing_more(sink, hooked, receiver, asking, how):  # noqa: F811
    identity = queue(hooked)
    send_due()
    if how == "acted":
        asking.acts["m1"] = timezone.now()
    else:
        asking.deadlines.clear()
    with later(minutes=61):
        assert sweep_channels() == 0
    assert receiver.taken == []
    assert Handover.objects.get(notice=identity).status == Handover.Status.DROPPED
    if how == "acted":
        assert [state for _, state in states(identity)] == ["queued", "sent", "acted upon", "dropped"]


def test_a_refused_mail_does_not_keep_the_webhook_waiting(sink, hooked, receiver):
    sink.refuse_recipient = lambda address: "550 5.1.1 no such user"
    identity = queue(hooked)
    assert send_due() == 0
    assert sweep_channels() == 1
    assert {("mail", "refused"), ("webhook", "sent")} <= set(states(identity))


def test_the_webhook_first_and_mail_only_if_nothing_happens(sink, hooked, receiver, asking):  # noqa: F811
    wishes.set_wishes(hooked, {"channels": ["webhook", "mail"], "channel_minutes": 30})
    asking.open("m2")
    answered, ignored = queue(hooked, "m1"), queue(hooked, "m2")
    assert (send_due(), sweep_channels()) == (0, 2)
    del asking.deadlines["m1"]
    with later(minutes=31):
        assert send_due() == 1
    assert [mail.subject for mail in sink.messages] == ["Your turn in m2"]
    assert Outbox.objects.get(pk=answered).status == Status.DROPPED
    assert Outbox.objects.get(pk=ignored).status == Status.SENT


def test_a_sender_killed_before_it_holds_the_mail_back_has_planned_nothing(sink, hooked, receiver, monkeypatch):
    wishes.set_wishes(hooked, {"channels": ["webhook", "mail"], "channel_minutes": 30})
    identity = queue(hooked)
    with monkeypatch.context() as patch:

        def dies(*_a, **_k):
            raise KeyboardInterrupt

        patch.setattr(claims, "hold", dies)
        with pytest.raises(KeyboardInterrupt):
            send_due()
    assert not Handover.objects.exists()
    Outbox.objects.update(claimed_until=None)
    assert (send_due(), sweep_channels()) == (0, 1)
    assert Outbox.objects.get(pk=identity).status == Status.QUEUED


def test_a_hook_that_refuses_lets_the_mail_go_at_once(sink, hooked, receiver):
    wishes.set_wishes(hooked, {"channels": ["webhook", "mail"]})
    receiver.answers = [410]
    queue(hooked)
    assert (send_due(), sweep_channels(), send_due()) == (0, 0, 1)
    assert Webhook.objects.get().disabled_at is not None
    queue(hooked)
    assert send_due() == 1, "a hook that is switched off is not waited for"


def test_a_repetition_bears_the_same_id_and_redirects_are_not_followed(sink, hooked, receiver):
    wishes.set_wishes(hooked, {"channels": ["webhook", "mail"]})
    receiver.answers = [500, 302, 204]
    queue(hooked)
    send_due()
    assert sweep_channels() == 0
    assert Handover.objects.get().error == "answered with 500"
    with later(minutes=1):
        assert sweep_channels() == 0
    with later(minutes=5):
        assert sweep_channels() == 1
    assert len({headers["webhook-id"] for headers, _ in receiver.taken}) == 1
    assert len(receiver.taken) == 3


def test_after_a_week_of_failures_the_hook_is_switched_off(sink, hooked, receiver):
    receiver.answers = [500]
    queue(hooked)
    send_due()
    with later(hours=2):
        sweep_channels()
    with later(hours=27):
        sweep_channels()
    assert Webhook.objects.get().disabled_at is None
    wishes.set_wishes(hooked, {"channels": ["webhook", "mail"]})
    with later(days=7, hours=3):
        queue(hooked)
        send_due()
        sweep_channels()
        assert Webhook.objects.get().disabled_at is not None
        assert Outbox.objects.filter(kind="webhook_disabled").count() == 1
    webhooks.set_up(hooked, receiver.url)
    assert Webhook.objects.get().disabled_at is None


def test_two_secrets_sign_while_one_is_changed(sink, hooked, receiver):
    former = signing.secret_of(Webhook.objects.get())
    webhooks.rotate(hooked)
    queue(hooked)
    send_due()
    with later(minutes=61):
        sweep_channels()
        [(headers, body)] = receiver.taken
        for secret in (former, signing.secret_of(Webhook.objects.get())):
            assert standardwebhooks.Webhook(secret).verify(body, headers) == json.loads(body)
    assert len(headers["webhook-signature"].split()) == 2
    assert reckoned(former, headers, body) in headers["webhook-signature"].split()


def test_the_signature_of_a_known_example():
    # The example in the Standard Webhooks reference libraries' own tests.
    secret, identity, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", b'{"test": 2432232314}'
    moment = datetime.fromtimestamp(1614265330.9, UTC)
    assert signing.signature(secret, identity, moment, body) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/hook",
        "ftp://example.org/",
        "https://",
        "https://user@example.org/",
        "https://example.org/a b",
        "https://example.org/#part",
        "https://example.org:99999/",
        "https://exämple.org/",
        "https://example.org/" + "a" * 500,
        "example.org",
    ],
)
def test_addresses_that_cannot_be(ann, url):
    with pytest.raises(WishRefused) as refused:
        webhooks.set_up(ann, url)
    assert refused.value.parameter == "url"
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    "number",
    [
        "127.0.0.1",
        "10.0.0.7",
        "169.254.169.254",
        "192.168.1.1",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "::1",
        "fe80::1%eth0",
        "fd00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::a00:7",
        "2002:7f00:1::",
        "::127.0.0.1",
        "::8.8.8.8",
        "fec0::1",
        "64:ff9b:1::7f00:1",
        "64:ff9b:1::808:808",
        "2001:0:808:808::f5ff:fffe",
        "::ffff:8.8.8.8",
        "::ffff:0:7f00:1",
        "192.88.99.1",
        "ff02::1",
    ],
)
def test_nothing_is_delivered_inwards_whatever_the_name_says(sink, hooked, receiver, settings, monkeypatch, number):
    settings.WEBHOOK_TRUSTED_HOSTS = []
    Webhook.objects.update(url="https://inside.example/")
    family = socket.AF_INET6 if ":" in number else socket.AF_INET
    known = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.216.34", 443)),
        (family, socket.SOCK_STREAM, 6, "", (number, 443)),
    ]
    monkeypatch.setattr(outward.socket, "getaddrinfo", lambda *_, **__: known)
    wishes.set_wishes(hooked, {"channels": ["webhook", "mail"]})
    queue(hooked)
    send_due()
    assert sweep_channels() == 0
    handover = Handover.objects.get()
    assert (handover.status, "private network" in handover.error) == (Handover.Status.REFUSED, True)
    assert receiver.taken == []


def test_two_sweepers_hand_each_over_once(committed, sink, receiver, asking):  # noqa: F811
    from tests.notifications.conftest import make_user

    user = make_user("racer")
    webhooks.set_up(user, receiver.url)
    wishes.set_wishes(user, {"channels": ["webhook", "mail"]})
    for number in range(30):
        asking.open(f"m{number}")
        queue(user, f"m{number}")
    send_due()
    counts = at_once(*[handovers.sweep] * 2)
    assert sum(counts) == 30
    assert len({headers["webhook-id"] for headers, _ in receiver.taken}) == len(receiver.taken) == 30
    Webhook.objects.all().delete()


def test_a_receiver_that_drips_is_hung_up_on(sink, hooked, monkeypatch, settings):
    monkeypatch.setattr(outward, "WHOLE_SECONDS", 0.3)
    finished = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip():
            link, _ = server.accept()
            with link:
                try:
                    while not finished.wait(0.05):
                        link.sendall(b"H")
                except OSError:
                    pass

        thread = threading.Thread(target=drip)
        thread.start()
        settings.WEBHOOK_TRUSTED_HOSTS = [f"localhost:{server.getsockname()[1]}"]
        try:
            webhooks.set_up(hooked, f"http://localhost:{server.getsockname()[1]}/")
            wishes.set_wishes(hooked, {"channels": ["webhook", "mail"]})
            queue(hooked)
            send_due()
            assert sweep_channels() == 0
        finally:
            finished.set()
            thread.join()
    handover = Handover.objects.get()
    assert handover.status == Handover.Status.WAITING
    assert handover.error


def test_a_receiver_that_answers_slowly_leaves_room_for_others(sink, hooked, receiver, monkeypatch):
    """Each of its answers counts as good, so no pause for failures holds it back."""
    monkeypatch.setattr(rests, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(rests, "SLOW_REST", 100_000)
    wishes.set_wishes(hooked, {"channels": ["webhook", "mail"]})
    for _ in range(3):
        queue(hooked)
    send_due()
    assert sweep_channels() == 1
    assert sweep_channels() == 0
    with later(hours=3):
        assert sweep_channels() == 1


def test_a_quick_receiver_does_not_rest_because_other_notices_took_time(sink, hooked, ben, receiver, monkeypatch):
    monkeypatch.setattr(rests, "SLOW_SECONDS", 0.5)
    webhooks.set_up(ben, receiver.url)
    for user in (hooked, ben):
        wishes.set_wishes(user, {"channels": ["webhook", "mail"]})
    for user in (hooked, ben, hooked):
        queue(user)
    send_due()
    answered = channels.answered

    def slowly(notice):
        time.sleep(0.6)
        return answered(notice)

    monkeypatch.setattr(channels, "answered", slowly)
    assert sweep_channels() == 3


def test_a_failed_transfer_is_paused_but_does_not_rest_as_well(sink, hooked, receiver, monkeypatch):
    monkeypatch.setattr(rests, "SLOW_SECONDS", 0.0)
    monkeypatch.setattr(rests, "SLOW_REST", 100_000)
    wishes.set_wishes(hooked, {"channels": ["webhook", "mail"]})
    receiver.answers = [500, 204]
    queue(hooked), queue(hooked)
    send_due()
    assert sweep_channels() == 0
    with later(minutes=1):
        assert sweep_channels() == 1


def test_what_is_told_with_others_has_its_other_channels_too(sink, hooked, receiver, asking):  # noqa: F811
    for topic in ("m1", "m2", "m3"):
        asking.open(topic)
        queue(hooked, topic)
    send_due()
    assert len(sink.messages) == 1
    assert Outbox.objects.filter(status=Status.MERGED).count() == 3
    asking.acts["m2"] = timezone.now() + timedelta(minutes=12)
    with later(minutes=75):
        assert sweep_channels() == 2
    told = {json.loads(body)["data"]["notice"] for _, body in receiver.taken}
    assert told == {str(row.pk) for row in Outbox.objects.filter(topic__in=["m1", "m3"])}
