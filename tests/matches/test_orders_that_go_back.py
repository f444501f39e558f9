"""Conditional orders of The Space War whose command goes back itself, as a reaction does: they are given like any other."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

import pytest

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.matches.events import Rewound
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.models import Match, Premove
from gamesvc.matches.play import conditional_orders, standing_orders
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.undo import undoing
from tests.games.space_war.table import Table, table
from tests.matches import playing
from tests.matches.playing import holder, sends
from tests.matches.test_standing import acts

pytestmark = pytest.mark.django_db(transaction=True)

CARD_PLAYED = {"event": {"type": "card_played", "data": {}}}
ALWAYS = {"view": [{"path": "turn", "op": "!=", "value": 99}]}
LATER = {"view": [{"path": "turn", "op": "=", "value": 99}]}
ENDS: tuple[Mapping[str, Any], ...] = ({"name": "end_phase"}, {"name": "end_turn"})


@pytest.fixture
def cards() -> Table:
    return table(a={"hand": ["luck"]}, b={"hand": ["drone", "battlestar"], "actions": 9}, turn=6, active=1)


@pytest.fixture
def match(anna: User, ben: User, cards: Table) -> Match:
    """Return a match in which seat 1, ben's, has played a Drone to which seat 0 may react, and goes on with its turn."""
    position = cards.ok({"op": "position"})["position"]
    made = opening.create_match(by=anna, game="space_war", start=forks.described(catalog.game("space_war"), position))
    match = opening.join_match(by=ben, match=made)
    act(match, {"name": "play_card", "card": cards["b.drone"], "options": {"draw": False}})
    return match


def act(match: Match, command: Mapping[str, Any]) -> None:
    playing.act(match, 1, command)
    conditional_orders.play(match.id)


def luck(match: Match, cards: Table) -> dict[str, Any]:
    [item] = loading.load(match.id, match.game).timeline.state.items
    return {"name": "react", "item": item.n, "play": {"card": cards["a.luck"]}}


def goes_back(match: Match) -> list[Rewound]:
    return [Rewound.of(one.data) for one in STORE.read(match.id) if one.type == Rewound.TYPE]


def test_a_reaction_goes_back_behind_its_case_and_is_given_once(match: Match, cards: Table, anna: User) -> None:
    """Its case came in the turn of the other seat, and it is given at the end of that. It holds up no other order."""
    order = standing_orders.lay_by(match=match, seat=0, user=anna, condition=CARD_PLAYED, commands=[luck(match, cards)])
    other = standing_orders.lay_by(match=match, seat=0, user=anna, condition=LATER, commands=[{"name": "resign"}])
    act(match, {"name": "play_card", "card": cards["b.battlestar"]})
    order.refresh_from_db()
    assert order.status == Premove.Status.ARMED
    for command in ENDS:
        act(match, command)
    [back] = goes_back(match)
    order.refresh_from_db()
    assert back.to < order.armed_version
    assert (order.status, order.given, order.before) == (Premove.Status.DONE, 1, None)
    other.refresh_from_db()
    match.refresh_from_db()
    assert (other.status, other.looked_version) == (Premove.Status.WAITING, match.version)
    assert acts(match).count(("react", 0, "standing")) == 1


def test_a_reaction_that_was_undone_is_not_given_by_itself_again(match: Match, cards: Table, anna: User) -> None:
    """It waits for its case again, like any order that an undo takes back, though its case stands."""
    order = standing_orders.lay_by(match=match, seat=0, user=anna, condition=CARD_PLAYED, commands=[luck(match, cards)])
    act(match, {"name": "play_card", "card": cards["b.battlestar"]})
    for command in ENDS:
        act(match, command)
    sender, seen = sends(match, 0), loading.load(match.id, match.game).viewer_version(0)
    if not undoing.undo(match=match, sender=sender, expected_version=seen, command_id=uuid.uuid4()).done:
        undoing.answer(match=match, sender=sends(match, 1), accept=True, command_id=uuid.uuid4())
    conditional_orders.play(match.id)
    order.refresh_from_db()
    assert (order.status, order.given) == (Premove.Status.WAITING, 0)
    assert acts(match).count(("react", 0, "standing")) == 1


def test_what_the_other_seat_takes_back_unseen_changes_no_order(match: Match) -> None:
    """An order that waited once more told its player that the opponent had let something stand, and thought better of it."""
    stands: dict[str, Any] = {"name": "set_orders", "orders": [{"when": {"any": True}, "do": "stand"}]}
    order = standing_orders.lay_by(match=match, seat=1, user=holder(match, 1), condition=ALWAYS, commands=[stands])
    playing.act(match, 0, {"name": "let_stand"})
    act(match, {"name": "set_orders", "orders": []})
    course = Premove.objects.values_list("status", "armed_version", "given_version", "looked_version", "before")
    before = course.get(pk=order.pk)
    assert before[0] == Premove.Status.DONE
    for back in (undoing.undo, undoing.redo):
        seen = loading.load(match.id, match.game).viewer_version(0)
        assert back(match=match, sender=sends(match, 0), expected_version=seen, command_id=uuid.uuid4()).done
        assert goes_back(match)[-1].private
        assert course.get(pk=order.pk) == before
    act(match, {"name": "end_phase"})
    assert acts(match).count(("set_orders", 1, "standing")) == 1
