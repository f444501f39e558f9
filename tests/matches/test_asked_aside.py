"""Offers for whose answer the match waits: they cost nothing, and the clock of their maker stands meanwhile."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import daily_limits
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.models import Match
from gamesvc.matches.play import standing_orders
from gamesvc.matches.record import loading, stream
from gamesvc.matches.timekeeping import timeout_sweep
from tests.games.space_war.table import table
from tests.games.star_commander.test_standing import duel, fire
from tests.matches.playing import act, offer_trade, to_trade
from tests.matches.test_deadlines import check_store

pytestmark = pytest.mark.django_db
NEARLY = timedelta(hours=47)
"""Almost the time for an answer."""


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(datetime(2026, 3, 2, 12, tzinfo=UTC), tick=False) as travel:
        yield travel


def asking(match: Match, seat: int, program: Any) -> Any:
    """Return a function that offers the next seat a card through the API, and waits for the answer."""
    api = program(match.seats.get(index=seat).user)

    def ask() -> Any:
        shown = api.get(f"/matches/{match.number}/view/")
        to = (seat + 1) % match.seat_count
        command = {"name": "offer_trade", "to": to, "give": {"trade": 1}, "want": {}, "wait": True}
        return api.post(f"/matches/{match.number}/commands/", command, etag=shown["ETag"])

    return ask


def test_two_players_who_ask_and_answer_each_other_do_not_stop_the_match_for_a_third(anna, ben, player, program, clock):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", seats=3))
    match = opening.join_match(by=player("cleo"), match=match)
    seat = to_trade(match)
    ask, asked = asking(match, seat, program), 0
    while (answer := ask()).status_code == 200 and asked < 30:
        asked += 1
        clock.shift(NEARLY)
        offer = loading.load(match.id, match.game).timeline.state.waiting
        act(match, (seat + 1) % 3, {"name": "reject_offer", "offer": offer})
    assert (asked, answer.status_code) == (daily_limits.ASKED_PER_TURN, 422)
    assert answer.json()["code"] == "asked_too_often"
    act(match, seat, {"name": "end_phase"})


def test_offers_do_not_make_a_player_who_is_away_lose_their_seat(anna, ben, program, clock):
    """A second offer would be the second timeout in a row, within the time of one turn."""
    policy = {"turn": "2d", "reaction": "12h", "after": 2}
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar", clock=policy))
    seat = to_trade(match)
    ask = asking(match, seat, program)
    assert ask().status_code == 200
    clock.shift(timedelta(hours=13))
    assert timeout_sweep.sweep() == 1
    answer = ask()
    assert (answer.status_code, answer.json().get("code")) == (422, "asked_too_often")
    assert match.seats.get(index=1 - seat).user is not None
    offer_trade(match, seat)
    act(match, 1 - seat, {"name": "reject_offer", "offer": loading.load(match.id, match.game).timeline.state.offers[-1].id})
    assert ask().status_code == 200, "they are here again"


def to_pause(match: Match, mover: int | None = None) -> int:
    """Play cards in The Space War to where a seat, or the given one, may pause after a card of its own. Return the seat."""
    rng = random.Random(4)
    for _ in range(300):
        loaded = loading.load(match.id, match.game)
        state, seat = loaded.timeline.state, loaded.awaited()[0].seat
        assert mover in (None, seat), "the turn is over"
        forms = loaded.game.legal_commands(state, seat)
        if any(form.name == "pause" for form in forms):
            return seat
        cards = [form for form in forms if form.name == "play_card"] or forms
        act(match, seat, dict(loaded.game.bots["random"](loaded.game.view(state, seat), cards, rng)))
    raise AssertionError("nobody could pause")


def test_a_pause_in_the_space_war_ends_by_itself(anna, ben, monkeypatch):
    """It asks the other player too, but once for each item, so it is not limited in a turn."""
    monkeypatch.setattr(daily_limits, "ASKED_PER_TURN", 0)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="space_war"))
    seat = to_pause(match)
    act(match, seat, {"name": "pause"})
    assert [one.seat for one in loading.load(match.id, match.game).awaited()] == [1 - seat]


def test_pauses_do_not_make_a_player_who_is_away_lose_their_seat(anna, ben, clock):
    policy = {"turn": "4d", "reaction": "12h", "after": 2}
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="space_war", clock=policy))
    seat = to_pause(match)
    act(match, seat, {"name": "pause"})
    clock.shift(timedelta(hours=13))
    assert timeout_sweep.sweep() == 1
    assert to_pause(match, seat) == seat
    with pytest.raises(Refused) as refused:
        act(match, seat, {"name": "pause"})
    assert refused.value.code == "asked_too_often"
    clock.shift(timedelta(hours=13))
    timeout_sweep.sweep()
    assert match.seats.get(index=1 - seat).user is not None


@pytest.mark.parametrize("back", [False, True])
def test_reactions_do_not_make_a_player_who_misses_a_turn_lose_their_seat(anna, ben, clock, back):
    """What goes back into that turn asks for it again, for an hour. It counts anew once its player has come back."""
    position = table(b={"play": ["satellite"]}, points="all").ok({"op": "position"})["position"]
    match = opening.create_match(
        by=anna,
        game="space_war",
        clock={"turn": "4d", "reaction": "12h", "after": 2},
        start=forks.described(catalog.game("space_war"), position),
    )
    match = opening.join_match(by=ben, match=match)
    clock.shift(timedelta(days=4, minutes=1))
    assert timeout_sweep.sweep() == 1
    satellite = next(one.id for one in loading.load(match.id, match.game).timeline.state.pieces)
    act(match, 1, {"name": "react", "item": 1, "play": {"card": satellite}})
    if back:
        act(match, 0, {"name": "set_orders", "orders": []})
    [asked] = match.questions.all()
    assert (asked.seat, asked.question, asked.due_at) == (0, "turn7.1", timezone.now() + timedelta(hours=1))
    clock.shift(timedelta(hours=1, minutes=1))
    assert timeout_sweep.sweep() == 1
    assert match.seats.get(index=0).user == anna
    told = [event.data["in_row"] for event in stream.STORE.read(match.id) if event.type == "match.timed_out"]
    assert told == [1, 1]
    [asked] = match.questions.all()
    assert (asked.seat, asked.question) == (1, "review7.1")
    check_store(match)


def test_standing_orders_of_a_third_player_leave_the_question_of_another_as_it_is(anna, ben, player, clock):
    """They ask their own player too. A new question would have a new clock, and drop the orders held for the old one."""
    at_window, *shot = duel()
    fire(at_window, *shot)
    position = at_window.session.answer({"op": "position"})["position"]
    start = forks.described(catalog.game("star_commander"), position)
    policy = {"turn": "4d", "reaction": "24h"}
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="star_commander", clock=policy, start=start))
    match = opening.join_match(by=player("cleo"), match=match)
    [before] = match.questions.all()
    clock.shift(timedelta(hours=23))
    act(match, 2, {"name": "set_standing_orders", "orders": {"commands": "ask"}})
    asked = {row.seat: (row.question, row.due_at) for row in match.questions.all()}
    assert asked == {1: (before.question, before.due_at), 2: (before.question, timezone.now() + timedelta(hours=24))}
    check_store(match)


# Standing orders that answer nothing of what the other player asks here.
HIDDEN: dict[str, Any] = {
    "stratastar": {"retreat": {"mode": "never"}},
    "space_war": [{"when": {"kind": "attack"}, "do": "stand"}],
}


@pytest.mark.parametrize("game", ["stratastar", "space_war"])
def test_a_hidden_act_of_a_player_who_is_away_changes_no_refusal(anna, ben, clock, game):
    """Else asking again and again would tell the moment of the hidden act."""
    policy = {"turn": "4d", "reaction": "12h", "after": 2}
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=game, clock=policy))
    seat = to_pause(match) if game == "space_war" else to_trade(match)
    trade = {"name": "offer_trade", "to": 1 - seat, "give": {"trade": 1}, "want": {}, "wait": True}
    asks = {"name": "pause"} if game == "space_war" else trade
    act(match, seat, asks)
    clock.shift(timedelta(hours=13))
    assert timeout_sweep.sweep() == 1
    if game == "space_war":
        assert to_pause(match, seat) == seat
    for orders in (None, HIDDEN[game]):
        if orders is not None:
            loaded = loading.load(match.id, match.game)
            act(match, 1 - seat, standing_orders.own_command(loaded, orders))
            after = loading.load(match.id, match.game)
            assert after.version > loaded.version
            assert after.viewer_version(seat) == loaded.viewer_version(seat)
        with pytest.raises(Refused) as refused:
            act(match, seat, asks)
        assert refused.value.code == "asked_too_often"
