"""Who considers joining a match is told of an organiser who rules on it without playing: a friend of theirs may sit in it."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client

from accounts.bots import bots
from gamesvc.matches.lobby import invitations, opening, substitutes
from gamesvc.matches.models import Match
from tests.mailing import mailing, verify  # noqa: F401

pytestmark = pytest.mark.django_db
OLGA = "olga opened this match and does not play in it."
SOMEONE = "The user who opened this match does not play in it."
POWERS = "They can pause it, rewind it, give more time, replace players and call it off."


@pytest.fixture
def olga(player):
    return player("olga")


@pytest.fixture
def ben_reads(ben):
    client = Client()
    client.force_login(ben)
    return lambda path: flat(client.get(path).content.decode())


def flat(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


def opened(by, *players, game="toy", **more) -> Match:
    match = opening.create_match(by=by, game=game, take_seat=False, **more)
    for user in players:
        match = opening.join_match(by=user, match=match)
    return match


def pages(match, by) -> list[str]:
    """Return the pages on which a user can take a seat."""
    _invitation, token = invitations.invite(by=by, match=match, username="ben")
    return [f"/matches/{match.number}/", f"/invitations/{token}/", "/lobby/", "/"]


def test_every_page_before_the_start_tells_of_an_organiser(toy, anna, olga, ben, ben_reads):
    for path in pages(opened(olga, anna), anna):
        assert f"{OLGA} {POWERS}" in ben_reads(path), path


def test_an_anonymous_match_does_not_tell_who_it_is(toy, anna, olga, ben, ben_reads):
    for path in pages(opened(olga, anna, anonymous=True), anna):
        shown = ben_reads(path)
        assert f"{SOMEONE} {POWERS}" in shown, path
        assert "olga" not in shown, path


def test_nothing_is_told_of_a_host_who_plays_or_rules_no_longer(toy, anna, olga, ben, ben_reads):
    opened(olga, olga)
    left = opened(olga, olga, anna, game="stratastar", seats=3)
    opening.leave_match(by=olga, match=left)
    with_bot = opened(olga, game="stratastar", entry="invited")
    bot = bots.make(owner=olga, name="deep-bot")
    invitations.invite(by=olga, match=with_bot, username="deep-bot")
    opening.join_match(by=bot, match=with_bot)
    for match in (left, with_bot):
        for path in pages(match, olga):
            assert POWERS not in ben_reads(path), path


def test_players_are_told_until_the_organiser_takes_a_seat(toy, anna, olga, ben, player, ben_reads):
    match = opened(olga, anna, ben)
    assert OLGA in ben_reads(f"/matches/{match.number}/")
    client = Client()
    client.force_login(olga)
    assert OLGA not in flat(client.get(f"/matches/{match.number}/").content.decode()), "she knows"
    substitutes.give_up(by=anna, match=match, seat=0)
    substitutes.take_over(by=olga, match=match, seat=0)
    assert OLGA not in ben_reads(f"/matches/{match.number}/")
    substitutes.give_up(by=olga, match=match, seat=0)
    assert OLGA not in ben_reads(f"/matches/{match.number}/")


def test_the_list_of_free_seats_tells_it(toy, anna, olga, ben, player, ben_reads):
    match = opened(olga, anna, player("carl"))
    substitutes.give_up(by=anna, match=match, seat=0)
    assert f"{OLGA} {POWERS}" in ben_reads("/substitutes/")
    substitutes.take_over(by=olga, match=match, seat=0)
    substitutes.give_up(by=olga, match=match, seat=0)
    assert "Take seat" in (shown := ben_reads("/substitutes/"))
    assert POWERS not in shown


def test_the_mails_to_take_a_seat_tell_it(toy, anna, olga, ben, player, mailing):  # noqa: F811
    carl = player("carl")
    verify(ben, carl, olga)
    match = opened(olga, anna)
    invitations.invite(by=anna, match=match, username="ben")
    opening.join_match(by=carl, match=match)
    other = opened(olga, anna)
    invitations.invite(by=anna, match=other, username="ben")
    substitutes.give_up(by=anna, match=match, seat=0)
    mailing.work()

    def told(address: str, reason: str) -> list[bool]:
        mails = [mail for mail in mailing.sink.to(address) if mail.message["X-Game-Reason"] == reason]
        return [OLGA in flat(mail.message.get_body((kind,)).get_content()) for mail in mails for kind in ("plain", "html")]

    assert told("ben@players.example", "invitation") == [True, True]
    assert told("carl@players.example", "seat-free") == [True, True]
    assert told("olga@players.example", "seat-free") == [False, False]
