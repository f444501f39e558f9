"""The content of all our mails: columns, deadline in two zones, board, hash, unsubscribe link."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamesvc.matches.lobby import invitations, opening, press
from gamesvc.matches.record import loading
from gamesvc.matches.story.sentences import tell_last
from notifications.models import Outbox
from notifications.sending import mail
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act, holder

pytestmark = pytest.mark.django_db

MOMENT = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{1,2} [A-Z][a-z]{2} \d\d:\d\d "


def play(match, steps):
    """Let the game's bots play this many commands for the seats."""
    game, rng = loading.load(match.id, match.game).game, random.Random(3)
    bot = game.bots.get("greedy") or game.bots["random"]
    for _ in range(steps):
        loaded = loading.load(match.id, match.game)
        if loaded.ended:
            return
        seat = loaded.awaited()[0].seat
        state = loaded.timeline.state
        act(match, seat, bot(game.view(state, seat), game.legal_commands(state, seat), rng))


def mails_of(game, anna, ben, mailing):  # noqa: F811
    """Return the mails of a match from its invitation to its end, by their reason."""
    verify(anna, ben)
    match = opening.create_match(by=anna, game=game)
    if match.seat_count > 1:
        invitations.invite(by=anna, match=match, username="ben")
        invitations.invite(by=anna, match=match, address="stranger@elsewhere.example")
        mailing.work()
        match = opening.join_match(by=ben, match=match)
    mailing.work()
    play(match, 9)
    # Also those held back by the preference for fewer mails.
    Outbox.objects.filter(status="queued").update(claimed_until=None)
    mailing.work()
    asked = [one for one in mailing.sink.messages if one.message["X-Game-Reason"] == "your-turn"][-1]
    who, to = asked.recipients[0], str(asked.message["Reply-To"])
    for words in ("help\nhistory 30\nstatus\nhand\n", "a line that nobody can read\n", f"press all {'many words ' * 20}\n"):
        mailing.write(words, to=to, sender=who)
        mailing.work()
    if match.seat_count > 1:
        press.say(match=match, by=holder(match, 0), by_seat=0, to="all", text="Good luck. " * 20, channel="web")
        mailing.work()
    act(match, 0, {"name": "resign"})
    mailing.work()
    found = {}
    for one in mailing.sink.messages:
        found.setdefault(str(one.message["X-Game-Reason"]), []).append(one)
    return found


@pytest.mark.long
@pytest.mark.parametrize("game", ["stratastar", "space_fleet_commander", "star_commander", "space_war"])
def test_every_mail_of_a_match(game, anna, ben, mailing):  # noqa: F811
    found = mails_of(game, anna, ben, mailing)
    assert {"your-turn", "receipt", "match-over"} <= set(found)
    for reason, caught in ((reason, one) for reason, mails in found.items() for one in mails):
        text, html = caught.text.replace("\r\n", "\n"), caught.html
        for line in text.splitlines():
            assert len(line) <= 72 or " " not in line.strip(), f"{reason}: {line}"
        assert "\n\n\n" not in text
        assert ".invalid/" not in text + html
        assert not re.search(r"{[{%]|[%}]}|%\(|None", text)
        assert re.search(r"https?://\S+", text)
        assert "<script" not in html
        assert not re.search(r"(?:src|background)=\"(?!cid:)", html), "nothing is fetched from anywhere"
        assert '<meta name="color-scheme" content="light dark">' in html
        if unsubscribe := caught.message["List-Unsubscribe"]:
            link = re.match(r"\s*<([^>]+)>", unsubscribe)[1]
            assert f"\n{link}\n" in text
            assert f'href="{link}"' in html
        else:
            assert "Stop these mails" not in text + html
        if reason in ("your-turn", "match-started", "match-over", "receipt"):
            assert re.search(r"^Proof of the record up to here: \d+:[0-9a-f]{16}$", text, re.MULTILINE)
            images = [part for part in caught.message.walk() if part.get_content_type() == "image/png"]
            # A receipt repeats no picture that an earlier mail has shown.
            assert images or reason == "receipt"
            if images:
                assert images[0].get_content_disposition() == "inline"
                assert re.search(r'<img src="cid:[^"]+" width="600" alt="[^"]{20,}"', html)
            assert "You are " in text
        if reason == "your-turn":
            zone = "CET|CEST" if caught.recipients[0].startswith("anna") else "EST|EDT"
            for part in (text, html):
                assert re.search(rf"Due {MOMENT}(?:{zone})(?:</b>)? \({MOMENT}UTC\)", part)
            assert text.index("Due ") < text.index("Since your last look") < text.index("Orders:") < text.index("END")


def test_events_are_told_by_turn_and_without_automatic_passes(anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="star_commander"))
    play(match, 9)
    mailing.work()
    asked = [one for one in mailing.sink.messages if one.message["X-Game-Reason"] == "your-turn"][-1]
    said = asked.text.replace("\r\n", "\n").partition("Since your last look:\n")[2].partition("\n\n")[0].split("\n")
    told = loading.load(match.id, match.game)
    passes = [one for one in tell_last(told, 0, ("anna", "ben"), 100) if one.automatic]
    assert passes
    assert not any("passed automatically" in line for line in said)
    assert [line for line in said if line.startswith("Turn ")][-1] in ("Turn 3 begins: your turn.", "Turn 3 begins: ben's turn.")
    assert '<li class="turn"' in asked.html


@given(st.text(st.sampled_from("ab -.)1•*\n"), max_size=600))
def test_columns_keep_every_word(text):
    made = mail.in_columns(text)
    assert made.split() == text.split()
    assert all(len(line) <= mail.COLUMNS or " " not in line.strip() for line in made.splitlines())


def test_columns_keep_the_shape():
    long = "a long explanation that goes on and on until it has to be broken somewhere"
    assert mail.in_columns(f"- {long}").splitlines()[1].startswith("  ")
    assert mail.in_columns(f"help      {long}").splitlines()[1].startswith(" " * 10)
    board = "  ".join("....." for _ in range(10)) + "\n" + " 1  .  ~  #R"
    assert mail.in_columns(board) == board + "\n"
