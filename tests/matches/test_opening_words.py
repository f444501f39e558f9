"""Words that open matches by mail: `new GAME`, `invite ADDRESS`, `rematch`, with the limits of the pages."""

from __future__ import annotations

import pytest

from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import daily_limits
from gamesvc.matches.lobby import opening, rematches
from gamesvc.matches.mail_orders.words import openings
from gamesvc.matches.models import Invitation, Match
from notifications.inbound import pipeline
from notifications.models import InboundMail
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act, holder
from tests.matches.test_asked_words import asked_of, stars  # noqa: F401
from tests.matches.test_mail_words import flat
from tests.matches.test_replies import reply_to, turn_mail

pytestmark = pytest.mark.django_db


def write(mailing, match, text):  # noqa: F811
    """Return the receipt that answers a text by the player who must act."""
    name = asked_of(match)[0]
    mailing.write(text, to=reply_to(turn_mail(mailing, name)), sender=f"{name}@players.example")
    mailing.work()
    return mailing.receipt(f"{name}@players.example")


def newest():
    return Match.objects.order_by("-number").first()


def test_new_opens_a_match_as_the_page_would(stars, mailing):  # noqa: F811
    told = flat(write(mailing, stars, "new star commander seats=3 hours=72 edition=classic trade=no entry=invited"))
    match = newest()
    assert (match.game, match.seat_count, match.hours, match.entry) == ("star_commander", 3, 72, "invited")
    assert match.options["edition"] == "classic"
    assert match.options["trade"] is False
    assert f"Star Commander #{match.number} is open: 1 of 3 seats taken." in told
    assert f"invite ADDRESS {match.number}" in told
    assert match.creator.username == asked_of(stars)[0]


def test_new_in_german_with_bots_begins_at_once(stars, mailing):  # noqa: F811
    User.objects.update(language="de")
    told = flat(write(mailing, stars, "neu stratastar spieler=2 bots=greedy"))
    assert newest().status == Match.Status.RUNNING
    assert f"Stratastar #{newest().number} hat begonnen." in told


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("new", "Name a game, as in: new stratastar."),
        ("new stratastar colour=red", "There is no option “colour”. There are: seats, hours,"),
        ("new stratastar pace=slow", "pace is one of: fast, secret."),
        ("new stratastar seats=two", "seats takes a number, not “two”."),
        ("new stratastar spying=perhaps", "spying takes yes or no"),
        ("new stratastar quickly", "write options as NAME=VALUE"),
        ("new stratastar clock=blitz", "The clock is one of: two_days,"),
        ("new stratastar seats=9", "9"),
    ],
)
def test_what_cannot_be_opened_is_said_and_opens_nothing(stars, mailing, line, answer):  # noqa: F811
    told = flat(write(mailing, stars, line))
    assert answer in told
    assert Match.objects.count() == 1


def test_new_obeys_the_limits_of_the_page(stars, mailing, settings):  # noqa: F811
    settings.MATCHES_PER_DAY = 1
    told = flat(write(mailing, stars, "new stratastar\nnew stratastar"))
    assert Match.objects.count() <= 3
    assert "You can open at most 1 matches and analysis boards a day." in told


def test_a_dead_worker_opens_no_second_match(stars, mailing, monkeypatch):  # noqa: F811
    name = asked_of(stars)[0]
    mailing.write("new stratastar", to=reply_to(turn_mail(mailing, name)), sender=f"{name}@players.example")
    real = openings.open_match

    def dies(*given):
        real(*given)
        raise MemoryError

    monkeypatch.setattr(openings, "open_match", dies)
    pipeline.work()
    assert Match.objects.count() == 1, "what the worker did is undone with it"
    InboundMail.objects.update(claimed_until=None)
    monkeypatch.setattr(openings, "open_match", real)
    mailing.work()
    InboundMail.objects.update(claimed_until=None)
    mailing.work()
    assert Match.objects.count() == 2


def test_invite_goes_to_the_open_match_of_the_writer(stars, mailing):  # noqa: F811
    told = flat(write(mailing, stars, "invite eve@elsewhere.example"))
    assert "You have no open match for that." in told
    told = flat(write(mailing, stars, "new stratastar entry=invited\ninvite eve@elsewhere.example"))
    match = newest()
    assert f"eve@elsewhere.example is invited to Stratastar #{match.number}." in told
    assert Invitation.objects.get().match == match
    assert mailing.last("eve@elsewhere.example").message["X-Game-Reason"] == "invitation"


def test_invite_asks_which_of_several_matches_is_meant(stars, mailing):  # noqa: F811
    write(mailing, stars, "new stratastar\nnew star_commander")
    second = newest()
    told = flat(write(mailing, stars, "invite eve@elsewhere.example"))
    assert f"You have several open matches: #{second.number}, #{second.number - 1}." in told
    told = flat(write(mailing, stars, f"einladen eve@elsewhere.example {second.number}"))
    assert Invitation.objects.get().match == second
    for line in ("invite nobody_of_this_name 1", f"invite eve {second.number}", "invite x@y 999999"):
        flat(write(mailing, stars, line))
    assert Invitation.objects.count() == 1


def test_invite_obeys_the_limits_of_the_page(stars, mailing, monkeypatch):  # noqa: F811
    monkeypatch.setattr(daily_limits, "INVITATIONS_PER_DAY", 1)
    told = flat(write(mailing, stars, "new stratastar\ninvite eve@elsewhere.example\ninvite eva@elsewhere.example"))
    assert "You can send at most 1 invitations a day." in told
    assert Invitation.objects.count() == 1


# --- rematch ---


@pytest.fixture
def over(stars, mailing):  # noqa: F811
    act(stars, 0, {"name": "resign"})
    mailing.work()
    stars.refresh_from_db()
    return stars


def end_mail(mailing, name):  # noqa: F811
    found = [mail for mail in mailing.sink.to(f"{name}@players.example") if mail.message["X-Game-Reason"] == "match-over"]
    return found[-1]


def ask(mailing, name, text="rematch"):  # noqa: F811
    mailing.write(text, to=reply_to(end_mail(mailing, name)), sender=f"{name}@players.example")
    mailing.work()
    return flat(mailing.receipt(f"{name}@players.example"))


def test_the_mail_at_the_end_offers_a_rematch_that_the_other_player_joins(over, mailing):  # noqa: F811
    assert "Answer this mail with the word “rematch”" in flat(end_mail(mailing, "anna"))
    told = ask(mailing, "anna")
    match = newest()
    assert f"The rematch is open as Stratastar #{match.number}. The other players are invited" in told
    assert match.options == over.options
    old = {seat.user.username: seat.index for seat in over.seats.all()}
    assert holder(match, (old["anna"] + 1) % 2).username == "anna", "the other player begins"
    assert Invitation.objects.get().user.username == "ben"
    told = ask(mailing, "ben")
    assert f"Stratastar #{match.number} has begun." in told
    assert Match.objects.count() == 2


def test_a_second_rematch_of_the_same_player_is_refused(over, mailing):  # noqa: F811
    ask(mailing, "anna")
    told = ask(mailing, "anna", "revanche")
    assert f"Your rematch is open already: match {newest().number}." in told
    assert Match.objects.count() == 2


def test_a_mistyped_rematch_is_answered_with_the_word(over, mailing):  # noqa: F811
    assert "Did you mean: rematch" in ask(mailing, "anna", "rematsch")
    assert Match.objects.count() == 1


def test_no_rematch_while_the_match_runs(stars, mailing):  # noqa: F811
    assert "The match is not over yet." in flat(write(mailing, stars, "rematch"))
    assert Match.objects.count() == 1


def test_only_players_ask_for_a_rematch(over, player):
    with pytest.raises(Refused):
        rematches.rematch(by=player("cara"), match=over)


def test_a_rematch_against_a_bot_begins_at_once(anna, mailing):  # noqa: F811
    verify(anna)
    match = opening.create_match(by=anna, game="stratastar", bots={1: "random"})
    act(match, 0, {"name": "resign"})
    mailing.work()
    assert "has begun." in ask(mailing, "anna")
    again = newest()
    assert (again.seats.get(index=0).bot, again.seats.get(index=1).user) == ("random", anna)
