"""A fifth game, known to nothing but the catalogue: the auction on pages, through the API, by mail, by clock and by bots."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.matches.models import Match, Question
from gamesvc.matches.play import bots
from gamesvc.matches.proof import verification
from gamesvc.matches.record import loading, stream
from gamesvc.matches.timekeeping import timeout_sweep
from gamesvc.ops.sink import CaughtMail
from tests.conftest import Program
from tests.games import auction as package
from tests.mailing import Mailing, mailing, verify  # noqa: F401
from tests.matches.exports import export_of
from tests.web.page import chosen, form_to, forms

pytestmark = pytest.mark.django_db(transaction=True)
CARLA = "carla@players.example"


@pytest.fixture
def fifth(monkeypatch: pytest.MonkeyPatch) -> str:
    """The auction in the catalogue, after the four."""
    monkeypatch.setattr(catalog, "OFFERED", (*catalog.OFFERED, "auction"))
    monkeypatch.setitem(sys.modules, "gamesvc.games.auction", package)
    return "auction"


@pytest.fixture
def carla(player: Callable[..., User]) -> User:
    return player("carla")


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def page_of(reader: Client, match: Match) -> str:
    page: str = reader.get(f"/matches/{match.number}/").content.decode()
    return page


def opened(host: Client, **fields: str) -> Match:
    """Open a match by the form of its page."""
    form = forms(host.get("/new/auction/").content.decode())[-1]
    answer = host.post("/new/auction/", chosen(form, {name: [value] for name, value in fields.items()}))
    assert answer.status_code == 302, answer.content.decode()
    return Match.objects.get(game="auction")


@pytest.fixture
def table(fifth: str, mailing: Mailing, anna: User, ben: User, carla: User) -> Match:  # noqa: F811
    """Three seats: taken on the page by the host, through the API, and by an answer to the invitation."""
    verify(anna, ben, carla)
    host = browser(anna)
    match = opened(host, seats="3", **{"options.coins": "12"})
    assert Program(ben).post(f"/matches/{match.number}/join/", {}).status_code == 200
    invite = form_to(page_of(host, match), "/invite")
    assert host.post(invite.action, chosen(invite, {"whom": [CARLA]})).status_code == 302
    mailing.work()
    invitation = mailing.last(CARLA)
    mailing.write("join", to=str(invitation.message["Reply-To"]), sender=CARLA)
    mailing.work()
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    return match


def lot_of(match: Match) -> str:
    """Return what is for sale."""
    lot: str = loading.load(match.id, "auction").timeline.state.lots[0]
    return lot


def bid_on_page(reader: Client, match: Match, coins: int) -> None:
    form = form_to(page_of(reader, match), "/command", "Bid for the")
    assert reader.post(form.action, chosen(form, {"coins": [str(coins)]})).status_code == 302


def bid_by_program(player: Program, match: Match, coins: int) -> dict[str, Any]:
    shown = player.get(f"/matches/{match.number}/view/")
    [form] = player.get(f"/matches/{match.number}/forms/").json()["forms"]
    [lot] = form["parameters"]["properties"]["lot"]["enum"]
    answer = player.post(f"/matches/{match.number}/commands/", {"name": "bid", "lot": lot, "coins": coins}, etag=shown["ETag"])
    assert answer.status_code == 200, answer.content.decode()
    found: dict[str, Any] = answer.json()
    return found


def turn_of_carla(mailing: Mailing) -> CaughtMail:  # noqa: F811
    """Return the newest mail that tells Carla of her turn: about her seat, her turn, or her last orders."""
    mailing.work()
    return [mail for mail in mailing.sink.to(CARLA) if "For sale" in mail.text][-1]


def bid_by_mail(mailing: Mailing, turn: CaughtMail, coins: int) -> str:  # noqa: F811
    """Answer a mail with a bid; returns the text of the receipt."""
    mailing.write(f"bid {coins}", to=str(turn.message["Reply-To"]), sender=CARLA)
    mailing.work()
    return str(mailing.receipt(CARLA).text)


def test_the_fifth_game_is_played_to_its_end_through_every_door(
    table: Match,
    mailing: Mailing,  # noqa: F811
    anna: User,
    ben: User,
) -> None:
    host, program = browser(anna), Program(ben, "organise")
    # The first lot: on the page, through the API, by mail.
    bid_on_page(host, table, 3)
    seen = bid_by_program(program, table, 5)
    assert [event["data"] for event in seen["events"]] == [{"seat": 1, "coins": 5}]
    others = program.get(f"/matches/{table.number}/events/").json()["events"]
    assert [event["data"] for event in others if event["type"].endswith("bid")] == [{"seat": 0}, {"seat": 1, "coins": 5}]
    assert "1. bid 4: done" in bid_by_mail(mailing, turn_of_carla(mailing), 4)
    loaded = loading.load(table.id, "auction")
    assert list(loaded.timeline.state.owners.values()) == [1], "the highest of three sealed bids buys"
    # The second lot: a bid is undone before the others have bid.
    turn = turn_of_carla(mailing)
    bid_on_page(host, table, 1)
    undo = form_to(page_of(host, table), "/undo")
    assert host.post(undo.action, undo.fields).status_code == 302
    bid_on_page(host, table, 2)
    bid_by_program(program, table, 0)
    # Carla's turn mail is older than the undo: she is told so, and answers that.
    assert "Something happened that you had not seen" in bid_by_mail(mailing, turn, 1)
    mailing.write("bid 1", to=str(mailing.receipt(CARLA).message["Reply-To"]), sender=CARLA)
    mailing.work()
    assert "1. bid 1: done" in mailing.receipt(CARLA).text
    # The last lot: the clock bids for everybody.
    due = max(Question.objects.filter(match=table).values_list("due_at", flat=True))
    with time_machine.travel(due + timedelta(seconds=5), tick=False):
        timeout_sweep.availability.keep_alive()
        while timeout_sweep.sweep():
            pass
    table.refresh_from_db()
    assert table.status == Match.Status.FINISHED
    assert "The match is over" in page_of(host, table)
    assert verification.verify(export_of(table)).ok


def test_the_fifth_game_is_shown_everywhere(table: Match, anna: User) -> None:
    host = browser(anna)
    assert "Auction" in host.get("/games/").content.decode()
    assert "bid COINS" in host.get("/games/auction/rules/").content.decode()
    assert "For sale:" in page_of(host, table)
    assert f'<p class="quiet phase">The {lot_of(table)} is for sale</p>' in page_of(host, table)
    assert Program(anna).get(f"/matches/{table.number}/standing/").json()["own"] is None
    assert host.get(f"/matches/{table.number}/board.svg")["Content-Type"] == "image/svg+xml"
    listed = Program(anna).get("/games/").json()
    assert "auction" in json.dumps(listed)
    assert Program(anna).get(f"/matches/{table.number}/board.png").status_code == 200


def test_mails_tell_what_the_fifth_game_tells(table: Match, mailing: Mailing) -> None:  # noqa: F811
    mailing.work()
    turn = next(mail for mail in mailing.sink.to(CARLA) if "For sale" in mail.text)
    assert 'alt="The players have 12, 12 and 12 coins."' in turn.html
    mailing.write("hand", to=str(turn.message["Reply-To"]), sender=CARLA)
    mailing.work()
    [hand] = mailing.newest.report["sections"]
    assert hand == {"title": "Your hand", "text": "The position below shows all you have."}


def test_bots_play_the_fifth_game(fifth: str, anna: User) -> None:
    match = opened(browser(anna), seats="3")
    for seat in (1, 2):
        answer = Program(anna).post(f"/matches/{match.number}/bots/", {"seat": seat, "bot": "random"})
        assert answer.status_code == 200, answer.content.decode()
    bots.play(match.id)
    assert {event.type for event in stream.STORE.read(match.id)} >= {"auction.bid"}
