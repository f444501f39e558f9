"""Webhooks reach public addresses and nothing else, and one slow receiver delays no other."""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import threading
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notifications.channels import ChannelBusy
from notifications.models import Handover, Outbox, Webhook
from notifications.other_channels import handovers, outward, transfers, webhooks
from notifications.outbox import Notice, notify
from notifications.tasks import send_due, sweep_channels
from notifications.wanted import wishes
from notifications.wanted.wishes import WishRefused
from tests.notifications.conftest import make_user
from tests.notifications.timing import asking  # noqa: F401

# IANA's registries of special-purpose addresses, multicast, and the ranges that RFC 4291 reserves.
CLOSED = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4", "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "100::/64", "2001::/32",
    "2001:10::/28", "2001:20::/28", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
    "fec0::/10", "ff00::/8", "0200::/7", "0400::/6", "4000::/2", "8000::/1",
]  # fmt: skip


@given(st.sampled_from(CLOSED).map(ipaddress.ip_network), st.data())
def test_no_number_of_a_closed_block_is_public(block, data):
    offset = data.draw(st.sampled_from([0, 1, block.num_addresses - 1]) | st.integers(0, block.num_addresses - 1))
    assert not outward.is_public(str(block[offset]))


@given(st.ip_addresses(v=4))
def test_a_public_number_is_global_unicast_also_within_nat64(number):
    inner = int(number)
    public = outward.is_public(str(number))
    assert not public or (number.is_global and not number.is_multicast and not number.is_reserved)
    assert outward.is_public(str(ipaddress.IPv6Address(int(ipaddress.IPv6Address("64:ff9b::")) + inner))) == public
    for wrapped in ("::", "::ffff:0:0", "64:ff9b:1::"):
        assert not outward.is_public(str(ipaddress.IPv6Address(int(ipaddress.IPv6Address(wrapped)) + inner)))
    assert not outward.is_public(str(ipaddress.IPv6Address((0x2002 << 112) + (inner << 80))))
    assert not outward.is_public(str(ipaddress.IPv6Address((0x20010000 << 96) + (inner ^ 0xFFFFFFFF))))


@given(st.ip_addresses(v=6))
def test_a_public_number_of_ipv6_is_handed_out(number):
    if outward.is_public(str(number)):
        assert number in ipaddress.ip_network("2000::/3") or number in ipaddress.ip_network("64:ff9b::/96")
        assert number.is_global
        assert not number.is_multicast


@pytest.mark.parametrize("number", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "64:ff9b::808:808"])
def test_the_open_net_is_reached(number):
    assert outward.is_public(number)


@pytest.mark.parametrize(
    ("entry", "url", "may"),
    [
        ("inside.example", "http://inside.example/", True),
        ("inside.example", "http://inside.example:80/", True),
        ("inside.example", "https://inside.example/", True),
        ("inside.example", "http://inside.example:443/", True),
        ("inside.example", "http://inside.example:6379/", False),
        ("inside.example:8080", "http://inside.example:8080/", True),
        ("inside.example:8080", "http://inside.example/", False),
        ("inside.example:8080", "http://INSIDE.example:8080/", True),
        ("[fd00::1]:8080", "http://[fd00::1]:8080/", True),
        ("inside.example", "http://inside.example.evil.example/", False),
        ("", "http://inside.example/", False),
    ],
)
def test_a_trusted_host_is_trusted_at_its_port(settings, ann, entry, url, may):
    settings.WEBHOOK_TRUSTED_HOSTS = [entry] if entry else []
    if may:
        assert webhooks.set_up(ann, url)[0].url == url
        return
    with pytest.raises(WishRefused):
        webhooks.set_up(ann, url)


def test_another_port_of_a_trusted_host_is_no_way_in(settings, monkeypatch):
    settings.WEBHOOK_TRUSTED_HOSTS = ["localhost:8080"]
    with pytest.raises(outward.BadAddress, match="private network"):
        outward.post("https://localhost:6379/", b"", {})


@pytest.mark.parametrize("host", ["a" * 64 + ".example", "a..example"])
def test_a_host_without_a_name_is_refused(host):
    with pytest.raises(outward.BadAddress):
        outward.post(f"https://{host}/", b"", {})


def test_a_resolver_that_hangs_is_not_waited_for(monkeypatch):
    answer = threading.Event()
    monkeypatch.setattr(outward.socket, "getaddrinfo", lambda *_a, **_k: answer.wait() and [])
    monkeypatch.setattr(outward, "LOOKUP_SECONDS", 0.05)
    monkeypatch.setattr(outward, "_lookups", threading.BoundedSemaphore(2))
    try:
        for _ in range(2):
            with pytest.raises(outward.Unreachable, match="in time"):
                outward.post("https://slow.example/", b"", {})
        with pytest.raises(TimeoutError, match="too many"):
            outward.post("https://slow.example/", b"", {})
    finally:
        answer.set()


class Net:
    """Receivers by host name instead of a network. Hosts in `hang` wait until others were reached."""

    def __init__(self) -> None:
        self.reached: list[str] = []
        self.hang: set[str] = set()
        self.fail: set[str] = set()
        self.rubbish: set[str] = set()
        self.until = threading.Event()
        self.now: dict[str, int] = {}
        self.most: dict[str, int] = {}
        self.lock = threading.Lock()

    def post(self, url, body, headers, **_more):
        host = url.split("/")[2].partition(":")[0]
        with self.lock:
            self.reached.append(host)
            self.now[host] = self.now.get(host, 0) + 1
            self.most[host] = max(self.most.get(host, 0), self.now[host])
        try:
            if host in self.hang:
                assert self.until.wait(20), "those who are well were not served meanwhile"
                raise TimeoutError("slow")
            if host in self.fail:
                raise outward.Unreachable("down")
            if host in self.rubbish:
                raise http.client.BadStatusLine("\x00 no HTTP\r\n")
            if host == "last.example":
                self.until.set()
            return 204
        finally:
            with self.lock:
                self.now[host] -= 1


@pytest.fixture
def net(monkeypatch):
    made = Net()
    monkeypatch.setattr(outward, "post", made.post)
    return made


def hooked(name, url, asking, topics=1):  # noqa: F811
    user = make_user(name)
    webhooks.set_up(user, url)
    wishes.set_wishes(user, {"channels": ["webhook", "mail"]})
    for number in range(topics):
        asking.open(f"{name}{number}")
        notify(Notice("your_turn", user_id=user.pk, topic=f"{name}{number}"))
    return user


def test_one_users_slow_receiver_delays_nobody(sink, db, net, asking):  # noqa: F811
    net.hang = {"slow.example"}
    slow = hooked("slow", "https://slow.example/", asking, topics=20)
    hooked("well", "https://well.example/", asking, topics=3)
    hooked("last", "https://last.example/", asking)
    send_due()
    assert sweep_channels() == 4
    assert net.reached.count("slow.example") == 1, "the rest of theirs waits for its next try"
    waiting = Handover.objects.filter(notice__user=slow, status=Handover.Status.WAITING)
    assert (waiting.count(), waiting.filter(attempts=0).count()) == (20, 19)
    assert sweep_channels() == 0
    assert net.reached.count("slow.example") == 1


def test_one_users_receiver_that_answers_rubbish_costs_nobody_a_notice(sink, db, net, asking):  # noqa: F811
    net.rubbish = {"bad.example"}
    bad = hooked("bad", "https://bad.example/", asking, topics=2)
    hooked("well", "https://well.example/", asking, topics=3)
    send_due()
    sweep_channels()
    assert net.reached.count("well.example") == 3
    assert Outbox.objects.filter(handovers__status=Handover.Status.SENT).count() == 3
    waiting = Handover.objects.filter(notice__user=bad)
    assert {one.status for one in waiting} == {Handover.Status.WAITING}
    assert "no HTTP" in waiting.exclude(error="").first().error
    assert net.reached.count("bad.example") == 1, "the user's next try waits"


def test_a_result_that_cannot_be_recorded_is_the_only_one_lost(sink, db, net, asking, monkeypatch):  # noqa: F811
    bad = hooked("bad", "https://bad.example/", asking)
    hooked("well", "https://well.example/", asking, topics=3)
    real = handovers._ended
    monkeypatch.setattr(handovers, "_ended", lambda row, fault: real(row, fault) if row.notice.user_id != bad.pk else 1 / 0)
    send_due()
    sweep_channels()
    assert Outbox.objects.filter(handovers__status=Handover.Status.SENT).count() == 3


@pytest.mark.long
def test_many_users_of_one_slow_machine_leave_room_for_others(sink, db, net, asking):  # noqa: F811
    net.hang = {"slow.example"}
    for number in range(transfers.AT_ONCE + 2):
        hooked(f"slow{number}", f"https://slow.example/{number}", asking)
    hooked("last", "https://last.example/", asking)
    send_due()
    assert sweep_channels() == 1
    assert net.most["slow.example"] == transfers.PER_LANE
    assert not Handover.objects.filter(attempts__gt=1).exists()


def test_a_machine_that_is_down_is_not_tried_by_everybody(sink, db, net, asking):  # noqa: F811
    net.fail = {"down.example"}
    for number in range(12):
        hooked(f"user{number}", f"https://down.example/{number}", asking)
    send_due()
    assert sweep_channels() == 0
    assert transfers.LANE_FAILURES <= net.reached.count("down.example") < transfers.LANE_FAILURES + transfers.PER_LANE
    assert Handover.objects.filter(status=Handover.Status.WAITING).count() == 12
    assert Webhook.objects.filter(failing_since__isnull=False).count() == net.reached.count("down.example")


def test_everything_gets_through_once_the_machine_answers(sink, db, net, asking):  # noqa: F811
    hooked("ann2", "https://well.example/", asking, topics=9)
    send_due()
    assert sweep_channels() == 9
    assert net.most["well.example"] == 1, "one user's notices go one by one"
    assert Outbox.objects.filter(handovers__status=Handover.Status.SENT).count() == 9


@contextmanager
def listening():
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_receiver_that_takes_the_call_and_says_nothing_is_left(settings, monkeypatch):
    monkeypatch.setattr(outward, "STEP_SECONDS", 0.05)
    with listening() as port:
        settings.WEBHOOK_TRUSTED_HOSTS = [f"127.0.0.1:{port}"]
        with pytest.raises(TimeoutError):
            outward.post(f"http://127.0.0.1:{port}/", b"{}", {})


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n" + b"X: %s\r\n" % (b"a" * 60_000) * 90,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000,
    ],
    ids=["headers of 5 MB", "interim answers without end"],
)
def test_of_an_answer_only_so_much_is_read(settings, head):
    """Each of 40 transfers at once took 35 MB of memory, and 5 s of CPU: the process was ended, and nobody got a notice."""

    def answer(server):
        link, _address = server.accept()
        with link, contextlib.suppress(OSError):
            link.recv(65536)
            link.sendall(head + b"HTTP/1.1 200 OK\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answer, args=[server])
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        settings.WEBHOOK_TRUSTED_HOSTS = [url.split("/")[2]]
        with pytest.raises(ChannelBusy, match="more than 65536 bytes"):
            transfers.post(url, b"{}", {}, outward.lookups_of_one())
        thread.join()
