"""The mail at the end sums the match up: result, what decided it, figures, time, last acts, and the way to see it again."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from gamesvc.games import catalog
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.reading import result
from tests.games.space_fleet_commander.table import standing, vessels
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


def test_a_match_that_one_player_won_alone_says_so(anna, mailing):  # noqa: F811
    """Space Fleet Commander ends with the last star as it ends without it: the match was just over."""
    verify(anna)
    ships = vessels(("2-3", "medium_cruiser"), ("5", "drone_cruiser"), ("8", "medium_cruiser"))
    table = standing(ships, (6,) * 6, path=("G7", "G6"), stars=(69,), phase="explore")
    start = forks.described(catalog.game("space_fleet_commander"), table.do({"op": "position"})["position"])
    match = opening.create_match(by=anna, game="space_fleet_commander", seats=1, start=start)
    act(match, 0, {"name": "explore", "hex": "G5"})
    mailing.work()
    match.refresh_from_db()
    assert result.winners(match.outcome, 0, ("anna",)) == "You won"
    assert result.winners(match.outcome, None, ("anna",)) == "anna won"
    [mail] = [mail for mail in mailing.sink.messages if mail.message["X-Game-Reason"] == "match-over"]
    assert "You won" in mail.text
