"""Chats get the title of a notice and a link when their turn comes, at the servers on the list and nowhere else."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import time_machine

from accounts import erasure
from notifications.models import ChatAddress, Handover
from notifications.other_channels import chat_names, chat_services, chats
from notifications.outbox import Notice, notify
from notifications.tasks import send_due, sweep_channels
from notifications.wanted import wishes
from notifications.wanted.wishes import WishRefused
from tests.notifications.timing import asking  # noqa: F401


class Chat:
    """A server that answers as Discord, Slack, Telegram, Matrix and ntfy do. `status` is its status code for posts."""

    def __init__(self) -> None:
        self.taken: list[tuple[str, str]] = []
        self.status = 200
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.taken.append((self.path, body.decode()))
                text = b"ok" if "/services/" in self.path else json.dumps(outer.answer(self.path)).encode()
                status = outer.answered(self.path)
                self.send_response(status)
                if status == 307:
                    self.send_header("Location", f"{outer.url}/elsewhere")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_PUT = do_POST

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"localhost:{self.server.server_port}"
        self.url = f"http://{self.host}"

    def answered(self, path):
        """Return the status code for a path."""
        return self.status

    @staticmethod
    def answer(path):
        return {
            "ok": True, "user_id": "@ann:localhost", "home_server": "localhost", "access_token": "t", "device_id": "d",
            "room_id": "!room:localhost", "event_id": "$1", "versions": ["v1.1"], "joined_rooms": ["!room:localhost"],
        }  # fmt: skip


@pytest.fixture
def chat(settings, monkeypatch):
    found = Chat()
    settings.CHAT_TRUSTED_HOSTS = [found.host]
    # These have one host each, which is not to be reached from a test.
    monkeypatch.setattr(chat_services.NotifyDiscord, "notify_url", f"{found.url}/api/webhooks")
    monkeypatch.setattr(chat_services.NotifySlack, "webhook_url", f"{found.url}/services", raising=True)
    monkeypatch.setattr(chat_services.NotifyTelegram, "notify_url", f"{found.url}/bot")
    thread = threading.Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield found
    found.server.shutdown()
    found.server.server_close()


def addresses(chat):
    return {
        "discord": "https://discord.com/api/webhooks/123456789/abcDEF-_x",
        "slack": "https://hooks.slack.com/services/T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ",
        "telegram": "tgram://123456789:abcdefg_hijklmnop/12315544",
        "matrix": f"matrix://ann:secret@{chat.host}/#room",
        "ntfy": f"ntfy://{chat.host}/stones",
    }


def later(**delta):
    return time_machine.travel(datetime.now(UTC) + timedelta(**delta), tick=True)


def queue(user, topic="m1"):
    notify(Notice("your_turn", user_id=user.pk, topic=topic))


@pytest.mark.parametrize("service", chat_names.SERVICES)
def test_a_notice_goes_to_the_chat_when_mail_had_no_effect(sink, ann, asking, chat, service, caplog):  # noqa: F811
    asking.open("m1")
    chats.set_up(ann, service, addresses(chat)[service])
    assert wishes.wishes_of(ann.pk).channels == ("mail", service)
    queue(ann)
    assert (send_due(), sweep_channels()) == (1, 0)
    assert chat.taken == []
    with later(minutes=61):
        assert sweep_channels() == 1
        assert sweep_channels() == 0
    told = [body for _path, body in chat.taken if "Your turn" in body]
    assert len(told) == 1
    assert "https://games.example/" in told[0].replace("\\/", "/")
    assert Handover.objects.get().status == Handover.Status.SENT
    logged = [record for record in caplog.records if record.name.startswith("apprise")]
    assert logged == [], "Apprise writes addresses, which are keys, into its log"


def test_a_chat_that_fails_is_tried_again_and_redirects_are_not_followed(sink, ann, asking, chat):  # noqa: F811
    asking.open("m1")
    chats.set_up(ann, "ntfy", addresses(chat)["ntfy"])
    wishes.set_wishes(ann, {"channels": ["ntfy", "mail"]})
    chat.status = 307
    queue(ann)
    assert (send_due(), sweep_channels()) == (0, 0)
    assert "/elsewhere" not in {path for path, _body in chat.taken}
    chat.status = 200
    with later(minutes=2):
        assert sweep_channels() == 1


def test_a_matrix_message_that_comes_again_has_its_first_id(sink, ann, asking, chat):  # noqa: F811
    """The server may have shown it before its answer was lost: by the id it knows that it is the same one."""
    asking.open("m1")
    chats.set_up(ann, "matrix", f"matrix://token@{chat.host}/#room")
    wishes.set_wishes(ann, {"channels": ["matrix", "mail"]})
    chat.answered = lambda path: 504 if "/send/" in path else 200
    queue(ann)
    assert (send_due(), sweep_channels()) == (0, 0)
    del chat.answered
    with later(minutes=2):
        assert sweep_channels() == 1
    sent = [path for path, body in chat.taken if "Your turn" in body]
    assert len(sent) >= 2
    assert len(set(sent)) == 1
    asking.open("m2")
    queue(ann, "m2")
    with later(minutes=4):
        assert (send_due(), sweep_channels()) == (0, 1)
    assert chat.taken[-1][0] not in sent


@pytest.mark.parametrize(
    ("service", "address"),
    [
        ("discord", "https://discord.com.evil.example/api/webhooks/123456789/abcDEF"),
        ("discord", "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"),
        ("discord", "discord://"),
        ("slack", "file:///etc/passwd"),
        ("telegram", "tgram://123456789:abcdefg_hijklmnop/12315544?rto=9999"),
        ("matrix", "matrixs://ann:secret@169.254.169.254/#room"),
        ("matrix", "matrixs://ann:secret@matrix.org:8448/#room"),
        ("matrix", "matrix://ann:secret@matrix.org/#room"),
        ("matrix", "matrixs://token@t2bot.example/"),
        ("ntfy", "ntfy://localhost:1/stones"),
        ("ntfy", "ntfys://10.0.0.1/stones"),
        ("ntfy", "ntfys://ntfy.example/stones?mode=private"),
        ("irc", "irc://irc.example/room"),
        ("telegram", "tgram://123456789:#hijklmnop/12315544/"),
    ],
)
def test_no_other_service_and_no_other_server_is_reached(ann, chat, service, address):
    with pytest.raises(WishRefused):
        chats.set_up(ann, service, address)
    assert not ChatAddress.objects.exists()


@pytest.mark.parametrize(
    ("service", "address"),
    [
        ("slack", "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#one/#two"),
        ("telegram", "tgram://123456789:abcdefg_hijklmnop/1/2"),
        ("telegram", "tgram://123456789:abcdefg_hijklmnop/"),
        ("matrix", "matrixs://ann:secret@matrix.org/#one/#two"),
        ("matrix", "matrixs://ann:secret@matrix.org/"),
        ("ntfy", "ntfys://ntfy.sh/one/two"),
        ("ntfy", "ntfys://"),
    ],
)
def test_a_notice_goes_to_one_place_of_a_service(ann, service, address):
    """A transfer to hundreds of rooms would last for minutes, in which nobody gets anything by any channel."""
    with pytest.raises(WishRefused, match="one chat") as refused:
        chats.set_up(ann, service, address)
    assert refused.value.code == "bad_chat_address"


def test_a_server_that_left_the_list_gets_nothing_more(sink, ann, asking, chat, settings):  # noqa: F811
    asking.open("m1")
    chats.set_up(ann, "ntfy", addresses(chat)["ntfy"])
    wishes.set_wishes(ann, {"channels": ["ntfy", "mail"]})
    settings.CHAT_TRUSTED_HOSTS = []
    queue(ann)
    assert (send_due(), sweep_channels(), send_due()) == (0, 0, 1), "the mail goes at once"
    assert chat.taken == []


@pytest.mark.parametrize(
    ("service", "address"), [("ntfy", "https://ntfy.sh/stones"), ("matrix", "matrixs://a:b@matrix.org/#room")]
)
def test_public_servers_may_be_used(ann, service, address):
    assert chats.set_up(ann, service, address).service == service


def test_an_address_goes_with_its_place_in_the_order_and_with_its_owner(ann, chat):
    chats.set_up(ann, "ntfy", addresses(chat)["ntfy"])
    chats.set_up(ann, "discord", addresses(chat)["discord"])
    assert wishes.wishes_of(ann.pk).channels == ("mail", "ntfy", "discord")
    assert chats.remove(ann, "ntfy")
    assert not chats.remove(ann, "ntfy")
    assert wishes.wishes_of(ann.pk).channels == ("mail", "discord")
    erasure.erase(ann)
    assert not ChatAddress.objects.exists()
