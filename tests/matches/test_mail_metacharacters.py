"""User text stays text in a mail: none of it becomes a header, a part, an image, a link, a tag or a calendar entry."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from urllib.parse import urlsplit

import icalendar
import pytest
from django.utils import timezone

from gamesvc.matches.lobby import opening
from notifications.models import Outbox, Status
from notifications.sending import calendar, mail
from notifications.sending.calendar import Deadline
from tests.mailing import mailing, verify  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.long]

HARMLESS = "good luck to you"
HOSTILE = {
    "cid": "look at cid:x and cid:board",
    "cid in a tag": '<img src="cid:x"> <img src=\'cid:board\'> src="cid:x"',
    "stop link": "https://unsubscribe.invalid/ and https://unsubscribe.invalid",
    "header": "a\r\nBcc: eve@evil.example\r\nSubject: mine\r\n\r\nbody",
    "encoded word": "=?utf-8?q?=0D=0ABcc:_eve@evil.example?= =?utf-8?b?ZXZl?=",
    "mime": "--===============0==\nContent-Type: text/html\n\n<i>mine</i>\n--===============0==--",
    "smtp": ".\n.\r\n..\nQUIT\nFrom eve Mon Jan 1 00:00:00 2024",
    "html": '</td></table><script>alert(1)</script><a href="https://evil.example">x</a><!-- --><style>*{}</style>',
    "entities": "&lt;b&gt; &amp;#60; &#x3c;script&#62; \" ' `",
    "template": "{{ match.secret }} {% load x %} {# c #} %(name)s %s ${x} {0}",
    "calendar": 'x;y,z\\n:"q"\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nDTSTART:20300101\r\nX-EVIL:1\x0bATTENDEE:a\x0cb\x85c\u2028d',
    "mark": "##- Reply above this line -##\nOn Friday, Ben <b@x.example> wrote:\n> x\nEND\n-- \nsignature",
    "long": "w" * 1500,
}


class Skeleton(HTMLParser):
    """The parts of a mail that a program acts on: tags in order, with attribute names and link targets."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.leads: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _value in attrs)))
        self.leads += [value for name, value in attrs if name in ("href", "src", "action", "background")]

    def handle_comment(self, data):
        self.tags.append(("comment", ()))


def shape(caught):
    """Return a mail without its words: the names of its headers, its parts, its tags and the hosts of its links."""
    parts = [part.get_content_type() for part in caught.message.walk()]
    skeleton = Skeleton(caught.html)
    ids = {f"cid:{str(part['Content-ID']).strip('<>')}" for part in caught.message.walk() if part["Content-ID"]}
    shown = {lead for lead in skeleton.leads if lead.startswith("cid:")}
    assert shown == ids, "every image that is shown is there, and every one there is shown"
    hosts = {urlsplit(lead).netloc for lead in skeleton.leads}
    names = {name.lower() for name in caught.message} - {"in-reply-to", "references"}  # of the thread
    return names, parts, skeleton.tags, hosts


def mails_about(words, anna, ben, mailing, program):  # noqa: F811
    """Return every mail that quotes its readers' words: a message, a reason, an order, held orders."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", watch="all"))
    mailing.work()
    asked = next(one for one in mailing.sink.messages if one.message["X-Game-Reason"] in ("your-turn", "match-started"))
    who = asked.recipients[0]
    before = len(mailing.sink.messages)
    said = program(anna).post(f"/matches/{match.number}/press/", {"to": "all", "text": words})
    assert said.status_code == 201, said.content
    mailing.work()
    written = re.sub("[\x00\x0b\x0c\x85\u2028]", " ", words)
    mailing.write(f"press all {written}\n", to=str(asked.message["Reply-To"]), sender=who)
    mailing.work()
    mailing.write(f"{written}\n", to=str(asked.message["Reply-To"]), sender="eve@evil.example")
    mailing.work()
    stuck = Outbox.objects.exclude(status__in=[Status.SENT, Status.MERGED, Status.DROPPED]).exclude(error="")
    assert [(row.kind, row.error) for row in stuck] == []
    found = {}
    for caught in mailing.sink.messages[before:]:
        if caught.message["X-Game-Reason"] in ("press", "receipt", "orders-held"):
            found.setdefault(str(caught.message["X-Game-Reason"]), []).append(caught)
    return found


@pytest.mark.parametrize("name", HOSTILE)
def test_words_of_people_change_nothing_but_words(name, anna, ben, mailing, program):  # noqa: F811
    verify(anna, ben)
    plain = mails_about(HARMLESS, anna, ben, mailing, program)
    hostile = mails_about(HOSTILE[name], anna, ben, mailing, program)
    assert {"press", "orders-held", "receipt"} == set(plain)
    assert {"press", "receipt"} <= set(hostile)
    # Receipts with more than one line set the numbers in bold.
    known_tags = {tag for mails in plain.values() for one in mails for tag, _names in shape(one)[2]} | {"b"}
    known_hosts = {host for mails in plain.values() for one in mails for host in shape(one)[3]}
    for reason, mails in hostile.items():
        for one in mails:
            names, parts, tags, hosts = shape(one)
            assert one.message.defects == []
            assert one.recipients in {("anna@players.example",), ("ben@players.example",)}
            assert (names, parts) == shape(plain[reason][0])[:2]
            assert {tag for tag, _names in tags} <= known_tags
            assert hosts <= known_hosts
    told, like = shape(hostile["press"][0]), shape(plain["press"][0])
    assert told == like
    for word in re.findall(r"[a-z]{3,20}", HOSTILE[name].lower())[:5]:
        assert word in hostile["press"][0].text.lower(), "and it can be read"


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_words_in_a_calendar_stay_in_their_entry(anna, words):
    deadline = Deadline("m1", "0 x", timezone.now(), summary=words, description=words, link="https://games.example/matches/1/")
    made, _sequences = calendar.attachment(anna, "m1", [deadline], {})
    lines = str(made.content).replace("\r\n ", "").split("\r\n")
    names = ["BEGIN", "VERSION", "PRODID", "METHOD", "BEGIN", "SUMMARY", "DTSTART", "DTSTAMP", "UID", "SEQUENCE", "DESCRIPTION"]
    names += ["LAST-MODIFIED", "STATUS", "TRANSP", "URL"]
    names += ["BEGIN", "ACTION", "DESCRIPTION", "TRIGGER", "END", "END", "END"]
    assert [line.split(":")[0].split(";")[0] for line in lines if line] == names
    assert len(str(made.content).splitlines()) == str(made.content).count("\r\n"), "no other sign ends a line"
    [event] = icalendar.Calendar.from_ical(made.content).walk("VEVENT")
    assert str(event["SUMMARY"]) == mail.clean_line(words, 200)
