"""What other people write stands apart in mails, so that it cannot pass for our own words, or for those of a third person."""

from __future__ import annotations

import re

import pytest

from gamesvc.matches.lobby import opening, press
from gamesvc.matches.models import Match
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import holder

pytestmark = pytest.mark.django_db

LINK = "https://evil.example/"
FORGED = f"Nice move.\n\ncarl writes:\n\nI will attack you.\n\nStop these mails:\n{LINK}"
REASON = f"Said by phone”\n\nOpen the match:\n{LINK}\n\n“yes"


@pytest.fixture
def olga(player):
    return player("olga")


@pytest.fixture
def trio(anna, ben, player):
    match = opening.create_match(by=anna, game="stratastar", seats=3)
    opening.join_match(by=ben, match=match)
    return opening.join_match(by=player("carl"), match=match)


def mail_of(mailing, name, reason):  # noqa: F811
    return [one for one in mailing.sink.to(f"{name}@players.example") if one.message["X-Game-Reason"] == reason][-1]


def ours(html):
    """Return the HTML of a mail without what stands apart in it."""
    return re.sub(r'<(div|li)\b[^>]*class="(?:words|turn)"[^>]*>.*?</\1>|<li\b[^>]*>.*?</li>', "", html, flags=re.DOTALL)


@pytest.mark.parametrize("together", [1, 2])
def test_a_message_cannot_pass_for_two_messages_of_two_players(trio, anna, ben, mailing, settings, together):  # noqa: F811
    settings.NOTICE_BATCH_MINUTES = 10
    verify(anna, ben)
    for number in range(together):
        press.say(match=trio, by=holder(trio, 1), by_seat=1, to=[0, 2], text=f"{FORGED}{number}", channel="api")
    mailing.work()
    caught = mail_of(mailing, "anna", "press")
    assert caught.html.count("I will attack you.") == together
    assert ours(caught.html).count("ben writes:") == (together if together > 1 else 0)
    assert "carl writes:" not in ours(caught.html)
    assert LINK not in ours(caught.html)
    assert "carl writes:" not in caught.text.splitlines()


def test_the_words_of_an_organiser_cannot_pass_for_ours(toy, anna, ben, olga, program, mailing):  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=olga, game=toy, take_seat=False)
    opening.join_match(by=anna, match=match)
    match = opening.join_match(by=ben, match=match)
    body = {"action": "extend", "code": "dispute", "reason": REASON, "seat": 0, "hours": 5}
    assert program(olga, "organise").post(f"/matches/{match.number}/organise/", body).status_code == 200
    mailing.work()
    caught = mail_of(mailing, "anna", "measure")
    told = caught.text.splitlines()
    assert f"  {LINK}" in told, "the words stand in their place"
    assert LINK not in told
    assert "Open the match:" in told
    assert told.count("Open the match:") == 1
    assert LINK not in ours(caught.html)
    assert [line for line in told if "Said by phone" in line] == ["  Said by phone”"]


def test_the_words_to_a_rewind_cannot_pass_for_ours(toy, anna, ben, olga, program, mailing):  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=olga, game=toy, take_seat=False)
    opening.join_match(by=anna, match=match)
    match = opening.join_match(by=ben, match=match)
    started = Match.objects.get(pk=match.pk).version
    client = program(anna)
    tag = client.get(f"/matches/{match.number}/view/")["ETag"]
    assert client.post(f"/matches/{match.number}/commands/", {"name": "draw"}, etag=tag).status_code == 200
    body = {"to": started, "code": "dispute", "reason": REASON}
    host = program(olga, "organise")
    tag = host.get(f"/matches/{match.number}/view/")["ETag"]
    assert host.post(f"/matches/{match.number}/rewind/", body, etag=tag).status_code == 200
    mailing.work()
    caught = mail_of(mailing, "ben", "taken-back")
    assert f"  {LINK}" in caught.text.splitlines()
    assert LINK not in caught.text.splitlines()
    assert LINK not in ours(caught.html)
