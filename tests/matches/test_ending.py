"""The mail at the end sums the match up: result, what decided it, figures, time, last acts, and the way to see it again."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from gamesvc.games import catalog
from gamesvc.matches.lobby import opening
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act
from tests.matches.test_mail_texts import play

pytestmark = pytest.mark.django_db
DECIDED = {
    "stratastar": ("The last empire standing.", "worlds: anna 0, ben "),
    "space_war": ("anna resigned.", "life: anna "),
    "star_commander": ("One seat is left.", "developments: anna "),
    "space_fleet_commander": ("By resignation.", "stars: anna "),
}


@pytest.mark.parametrize("game", catalog.OFFERED)
def test_the_last_mail_sums_the_match_up(game, anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=anna, game=game)
    if match.seat_count > 1:
        opening.join_match(by=ben, match=match)
    play(match, 30)
    match.refresh_from_db()
    with time_machine.travel(timezone.now() + timedelta(days=1), tick=False):
        act(match, 0, {"name": "resign"})
        mailing.work()
    ended = {mail.recipients[0]: mail for mail in mailing.sink.messages if mail.message["X-Game-Reason"] == "match-over"}
    mail = ended["anna@players.example"]
    decided, figures = DECIDED[game]
    for part in (mail.text, mail.html):
        assert decided in part
        assert figures in part
        assert "in 1 day." in part
        assert f"/matches/{match.number}/?at=1" in part
        assert "The last moves:" in part
    assert [part for part in mail.message.walk() if part.get_content_type() == "image/png"]
    if match.seat_count > 1:
        assert "ben won" in mail.text
        assert "You won" in ended["ben@players.example"].text
