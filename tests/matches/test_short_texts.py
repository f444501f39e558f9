"""Mails describe each card and unit once to each player, when it first comes into sight."""

from __future__ import annotations

import pytest
from django.utils import timezone

from gamesvc.games import catalog
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.matches.notices import wording
from gamesvc.matches.record import loading
from notifications.models import Outbox, Status
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.test_mail_texts import play

pytestmark = pytest.mark.django_db
HEADING = "New to you, and what it does:"


def opened(game, anna, ben, mailing) -> Match:  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=anna, game=game)
    if match.seat_count > 1:
        opening.join_match(by=ben, match=match)
    mailing.work()
    return match


def described(mail) -> str:
    """Return the short texts of a mail, each in one line; empty if it has none."""
    _, heading, below = mail.text.replace("\r\n", "\n").partition(HEADING)
    return " ".join(below.split("\n\n")[0].split()) if heading else ""


@pytest.mark.parametrize("game", catalog.OFFERED)
def test_a_card_or_unit_is_described_in_the_first_mail_that_shows_it(game, anna, ben, mailing):  # noqa: F811
    match = opened(game, anna, ben, mailing)
    seen: dict[str, set[str]] = {}
    for _ in range(3):
        play(match, 15)
        Outbox.objects.filter(status="queued").update(claimed_until=None)
        mailing.work()
    told = 0
    for mail in mailing.sink.messages:
        before = seen.setdefault(mail.recipients[0], set())
        for line in {part.strip() for part in described(mail).split("- ") if part.strip()}:
            assert line not in before
            before.add(line)
            told += 1
    assert told > 8
    loaded = loading.load(match.id, match.game)
    seat = next(row for row in match.seats.all() if row.user_id == anna.pk)
    in_sight = loaded.game.reference(loaded.game.view(loaded.timeline.state, seat.index))
    lines = {entry.line for entry in in_sight}
    assert seen["anna@players.example"] & lines


def test_a_mail_that_was_not_sent_has_described_nothing(anna, ben, mailing, settings):  # noqa: F811
    there, settings.EMAIL_PORT = settings.EMAIL_PORT, 1
    match = opened("star_commander", anna, ben, mailing)
    row = Outbox.objects.filter(kind="your_turn", topic=str(match.id)).first()
    assert row.status == Status.QUEUED
    settings.EMAIL_PORT = there
    Outbox.objects.update(due_at=timezone.now(), claimed_until=None)
    mailing.work()
    assert HEADING in mailing.sink.messages[-1].text
    assert HEADING not in wording.your_turn(row).text


def test_the_hand_is_text_in_the_html_part_too(anna, ben, mailing):  # noqa: F811
    match = opened("stratastar", anna, ben, mailing)
    play(match, 4)
    loaded = loading.load(match.id, match.game)
    [row] = [one for one in Outbox.objects.filter(kind="your_turn", topic=str(match.id)) if wording.your_turn(one) is not None]
    hand = loaded.game.hand(loaded.game.view(loaded.timeline.state, row.payload["seat"]))
    assert hand
    for held in hand:
        assert f"<li>{held.words}</li>" in wording.your_turn(row).html


def test_a_mail_of_every_game_links_to_the_rules(anna, ben, mailing):  # noqa: F811
    for game in catalog.OFFERED:
        opened(game, anna, ben, mailing)
        mail = [one for one in mailing.sink.messages if one.message["X-Game-Reason"] == "your-turn"][-1]
        assert f"/games/{game}/" in mail.text
        assert f"/games/{game}/" in mail.html
