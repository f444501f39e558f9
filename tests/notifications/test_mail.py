"""The content of a mail: marks, threading, structure."""

from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import compat32
from email.utils import parsedate_to_datetime

import pytest

from notifications.models import Outbox
from notifications.outbox import Notice, notify
from notifications.registry import Attachment, Image, Message
from notifications.sending import mail, unsubscribe
from notifications.tasks import send_due
from tests.notifications.conftest import PNG, make_user


def send(sink, user, **fields):
    notify(Notice(**{"kind": "your_turn", "user_id": user.pk, **fields}))
    before = len(sink.messages)
    assert send_due() == 1
    return sink.messages[before]


def test_marks(sink, turns, ann):
    due = datetime(2026, 11, 20, 18, 30, tzinfo=UTC)
    caught = send(sink, ann, topic="42", due_at=due)
    message = caught.message
    assert message["From"] == "Stones #42 <play@games.example>"
    assert caught.sender == "play@games.example"
    assert message["To"] == "ann@players.example"
    assert (message["Cc"], message["Bcc"], message["Precedence"]) == (None, None, None)
    assert message["Subject"] == "[Stones #42] Your turn"
    assert message["Auto-Submitted"] == "auto-generated"
    assert message["X-Auto-Response-Suppress"] == "All"
    assert message["X-Game-Reason"] == "your-turn"
    assert message["List-Id"] == "<match-42.games.example>"
    assert message["List-Unsubscribe"].strip().startswith("<https://games.example/notices/unsubscribe/")
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert parsedate_to_datetime(message["Date"]) == due
    assert b"\r\nMessage-ID: <42." in caught.raw, "not folded"


def test_one_click_is_offered_with_https_only(sink, turns, ann, settings):
    settings.BASE_URL = "http://localhost:8000"
    message = send(sink, ann).message
    assert message["List-Unsubscribe"].strip().startswith("<http://localhost:8000/")
    assert message["List-Unsubscribe-Post"] is None


def test_essential_notices_offer_no_unsubscribing(sink, turns, ann):
    assert send(sink, ann, kind="receipt").message["List-Unsubscribe"] is None


def test_a_topic_is_one_thread_per_person(sink, turns, ann):
    bob = make_user("bob")
    first, second, third = (send(sink, ann, topic="42").message for _ in range(3))
    assert first["In-Reply-To"] is first["References"] is None
    for message in (second, third):
        assert message["In-Reply-To"] == message["References"] == first["Message-ID"]
    assert second["Message-ID"] != third["Message-ID"]
    others = [send(sink, bob, topic="42").message, send(sink, ann, topic="43").message, send(sink, ann).message]
    assert all(message["In-Reply-To"] is None for message in others)
    assert len({message["Message-ID"] for message in [first, second, third, *others]}) == 6


def test_a_dropped_notice_is_no_root(sink, turns, ann):
    turns.still = False
    notify(Notice("your_turn", user_id=ann.pk, topic="42"))
    send_due()
    turns.still = True
    root = send(sink, ann, topic="42").message
    assert root["In-Reply-To"] is None
    assert send(sink, ann, topic="42").message["In-Reply-To"] == root["Message-ID"]


def test_structure(sink, turns, ann):
    message = send(sink, ann).message
    assert message.get_content_type() == "multipart/alternative"
    plain, related = message.iter_parts()
    assert (plain.get_content_type(), related.get_content_type()) == ("text/plain", "multipart/related")
    assert plain.get_content().splitlines() == ["Take one to three stones."]
    html, image = related.iter_parts()
    assert (html.get_content_type(), image.get_content_type()) == ("text/html", "image/png")
    assert image.get_content() == PNG
    assert image.get_content_disposition() == "inline"
    content_id = image["Content-ID"].strip("<>")
    assert f'src="cid:{content_id}"' in html.get_content()
    assert content_id.endswith("@games.example")
    assert 'style="color: #13213a' in html.get_content()


def test_text_alone_stays_plain(sink, turns, ann):
    turns.message = Message("Subject", "Only text, with ü.")
    message = send(sink, ann).message
    assert message.get_content_type() == "text/plain"
    assert message.get_content().strip() == "Only text, with ü."


def test_attachments_stand_beside_the_alternatives(sink, turns, ann):
    turns.message = Message("S", "text", "<p>html</p>", attachments=(Attachment("turn.ics", "BEGIN:VCALENDAR", "text/calendar"),))
    message = send(sink, ann).message
    assert [part.get_content_type() for part in message.iter_parts()] == ["multipart/alternative", "text/calendar"]
    assert next(message.iter_attachments()).get_filename() == "turn.ics"


def test_a_mail_is_written_as_python_would_write_it(sink, turns, ann):
    picture = PNG + bytes(range(256)) * 40
    text = "Grün = 3.\r\nFrom here, a blank at the end \n.\n" + "ü" * 200
    beside = Attachment("turn.ics", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", "text/calendar")
    turns.message = replace(turns.message, text=text, images=(Image("board", picture),), attachments=(beside,))
    raw = send(sink, ann).raw
    read = message_from_bytes(raw, policy=compat32)
    assert raw == read.as_bytes(policy=compat32.clone(linesep="\r\n"))
    multiparts = [part for part in read.walk() if part.is_multipart()]
    assert len({part.get_boundary() for part in multiparts}) == 3
    assert all(raw.count(f"--{part.get_boundary()}\r\n".encode()) == len(part.get_payload()) for part in multiparts)
    [image] = [part for part in read.walk() if part.get_content_type() == "image/png"]
    assert image.get_payload(decode=True) == picture


def test_an_image_that_is_missing_is_a_fault(sink, turns, ann):
    turns.message = Message("S", "text", '<img src="cid:board">')
    notify(Notice("your_turn", user_id=ann.pk))
    assert send_due() == 0
    assert "'board'" in Outbox.objects.get().error


def test_dark_rules_survive_inlining(sink, turns, ann):
    html = "<style>@media (prefers-color-scheme: dark) { p { color: #fff } }</style><p>x</p>"
    turns.message = Message("S", "text", html)
    assert "prefers-color-scheme" in send(sink, ann).html


@pytest.mark.parametrize(
    ("hostile", "line"),
    [
        ("Stones\r\nBcc: eve@evil.example", "Stones Bcc: eve@evil.example"),
        ("Line\u2028and\u2029end\x85here", "Line and end here"),
        ("bidi \u202egnp.exe\u2066 zero\u200bwidth", "bidi gnp.exe zerowidth"),
        ("x" * 300, "x" * 59 + "…"),
    ],
)
def test_names_cannot_break_headers(hostile, line):
    assert mail.clean_line(hostile, 60) == line


def test_hostile_match_names_end_as_one_line(sink, turns, ann):
    name = 'Stones", <eve@evil.example>\r\nBcc: eve@evil.example'
    turns.message = Message(f"[{name}] Your turn", "text", sender_name=name, list_name=name)
    caught = send(sink, ann)
    assert caught.recipients == ("ann@players.example",)
    assert caught.message["Bcc"] is None
    assert [address.addr_spec for address in caught.message["From"].addresses] == ["play@games.example"]
    assert caught.message["List-Id"] == "<stones-eve-evil.example-bcc-eve-evil.example.games.example>"


def test_foreign_letters_in_names(sink, turns, ann):
    turns.message = Message("Zug für Jörg", "Grüße", sender_name="Steine für Jörg")
    caught = send(sink, ann)
    assert caught.subject == "Zug für Jörg"
    assert caught.message["From"].addresses[0].display_name == "Steine für Jörg"


def test_own_headers_may_be_added_but_not_ours_replaced(sink, turns, ann):
    turns.message = Message(
        "S", "text", headers={"X-Game-Head": "abc"}, reply_to="turn+x@reply.games.example", in_reply_to="<q@x.example>"
    )
    message = send(sink, ann, topic="42").message
    assert (message["X-Game-Head"], message["Reply-To"], message["In-Reply-To"]) == (
        "abc",
        "turn+x@reply.games.example",
        "<q@x.example>",
    )
    turns.message = Message("S", "text", headers={"From": "eve@evil.example"})
    notify(Notice("your_turn", user_id=ann.pk))
    assert send_due() == 0


WORDS = [
    "=?utf-8?q?=0D=0ABcc:_eve@evil.example?=",
    "=?utf-8?b?ZXZl?= and =?us-ascii?q?more?=",
    'quote " backslash \\ comma, <e@x.example> (c) g: a;',
    "Grüße =?utf-8?q?x?=",
    "a\r\nBcc: eve@evil.example",
]


@pytest.mark.parametrize("words", WORDS)
def test_words_in_headers_are_read_back_as_they_were_written(sink, turns, ann, words):
    """An encoded word (RFC 2047) typed by a user is not decoded as one of ours."""
    turns.message = Message(words, "text", sender_name=words)
    caught = send(sink, ann)
    written = " ".join(words.split())
    assert str(caught.message["Subject"]).replace("= ?", "=?") == written
    [sender] = caught.message["From"].addresses
    assert (sender.display_name.replace("= ?", "=?"), sender.addr_spec) == (written, "play@games.example")
    assert caught.message["Bcc"] is None


def test_only_an_image_of_ours_is_looked_for(sink, turns, ann):
    html = '<p>cid:x &lt;img src="cid:x"&gt;</p><img src="cid:board" alt="&lt;img src=&quot;cid:x&quot;&gt;">'
    turns.message = replace(turns.message, text="cid:x", html=html)
    caught = send(sink, ann)
    assert caught.text.strip() == "cid:x"
    assert "cid:x" in caught.html


def test_the_place_of_the_stop_link_cannot_be_written_by_a_player(sink, turns, ann):
    turns.message = Message("S", f"https://unsubscribe.invalid/ {unsubscribe.HERE}")
    told, stop = send(sink, ann).text.split()
    assert told == "https://unsubscribe.invalid/"
    assert stop.startswith("https://games.example/notices/unsubscribe/")
