"""What stays of the mails of one player, who may send hundreds an hour: it lasts for weeks."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from gamesvc.games import catalog
from gamesvc.matches.lobby import opening
from gamesvc.matches.mail_orders import replies
from gamesvc.matches.mail_orders.words import leaflets
from notifications.inbound import store
from notifications.models import InboundMail, MailStatus
from tests.games.toy import GAME as TOY
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.test_replies import read_toy

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    offered, reading = catalog.game, replace(TOY, parse=read_toy)
    monkeypatch.setattr(catalog, "game", lambda game_id: reading if game_id == "toy" else offered(game_id))
    verify(anna, ben)
    opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, contribution_text="tea"), contribution_text="coffee")
    mailing.work()
    told = [mail for mail in mailing.sink.to("anna@players.example") if mail.message["X-Game-Reason"] == "your-turn"]
    return str(told[-1].message["Reply-To"])


@pytest.mark.parametrize(
    "text",
    [
        "x" * 19_000,
        "\n".join(f"{number} {'x' * 300}" for number in range(60)),
        "\n".join(f"history {number}" for number in range(100, 160)),
        "say all: " + "x" * 15_000,
        "\n".join(f"vacation {'é' * 300} {number}" for number in range(50)),
    ],
)
def test_the_report_of_a_mail_is_no_longer_than_an_answer(address, mailing, monkeypatch, text):  # noqa: F811
    """A match of hundreds of turns tells as much for each of sixty lines: one player could store gigabytes a day."""
    monkeypatch.setattr(replies, "history", lambda _loaded, _seat, _names, count, _user: "what happened here\n" * count)
    mailing.write(text, to=address)
    mailing.work()
    mail = mailing.newest
    assert mail.status == MailStatus.DONE
    assert len(json.dumps(mail.report, ensure_ascii=False)) <= 2 * leaflets.LONGEST_ANSWERS
    answer = mailing.receipt().text
    assert ("One mail has no room for this." in answer) == ("history" in text)


def test_of_mails_that_get_no_answer_almost_nothing_stays(address, mailing, settings):  # noqa: F811
    settings.INBOUND_ANSWERS_PER_DAY = 2
    for number in range(4):
        mailing.write(f"help {number}\nsay all: {'x' * 15_000}", to=address)
        mailing.work()
    first, *_some, last = InboundMail.objects.order_by("received_at")
    assert (first.status, last.status) == (MailStatus.DONE, MailStatus.DONE)
    assert first.report["lines"]
    assert len(first.raw) > 15_000
    assert (last.report, len(last.raw)) == (None, store.KEPT_OF_UNANSWERED)
