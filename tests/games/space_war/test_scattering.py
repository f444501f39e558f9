"""A fork of a running match tells nothing about where hidden cards lie, not even with ids that a seat has once seen."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from gamesvc.games import dealing
from gamesvc.games.kernel import codec
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.state import State
from tests.games.space_war.table import Table, table


def scattered(t: Table, seat: int, number: int) -> tuple[State, dict[int, State]]:
    """Return the position, and the states it marks, as a fork for a seat stores them. The seat's views must not change."""
    timeline, dice = t.session.timeline, seeded(f"scattered {number}")
    redealt, before = dealing.redeal(GAME, timeline.state, timeline.at, seat, dice)
    state, marked = GAME.scatter(redealt, before, seat, dice)
    codec.read_position(
        GAME, json.loads(json.dumps(codec.write_position(GAME, state, timeline.version, marked))), timeline.version
    )
    assert GAME.view(state, seat) == t.view(seat)
    for version, then in marked.items():
        assert GAME.view(then, seat) == GAME.view(before[version], seat)
    return state, marked


NAMED = [{"when": {"target": f"a-{number:02}"}, "do": "ask"} for number in range(1, 12)]
"""Standing orders that name cards of one's own pile."""


@pytest.mark.parametrize("orders", [[], NAMED], ids=["plain", "named"])
def test_a_fork_does_not_tell_where_cards_lie_that_a_search_has_shown(orders: list[Any]) -> None:
    t = table(a={"hand": ["perfect_plan"], "pile": ["titan", "drone", "hunter", "luck", "avoid", "cancel", "sabotage", "shield"]})
    t.do(0, "set_orders", orders=orders)
    t.do(0, "play_card", card=t["a.perfect_plan"])
    assert t["a.hunter"] in t.view(0)["prompts"][0]["options"]
    asked = {scattered(t, 0, number)[0].sides[0].pile.index(t["a.hunter"]) for number in range(40)}
    t.choose(0, t["a.titan"])
    chosen = {scattered(t, 0, number)[0].sides[0].pile.index(t["a.hunter"]) for number in range(40)}
    assert len(asked) > 5, "while the search is open"
    assert len(chosen) > 5, "and after it"


def test_a_fork_during_a_look_at_the_top_tells_nothing_of_what_lies_below() -> None:
    pile = ["titan", "drone", "hunter", "luck", "avoid", "cancel", "sabotage", "shield", "scout", "fate"]
    t = table(a={"hand": ["great_plan"], "pile": pile})
    t.do(0, "play_card", card=t["a.great_plan"])
    [prompt] = t.view(0)["prompts"]
    orders = {scattered(t, 0, number)[0].sides[0].pile for number in range(40)}
    assert all(set(order[:7]) == set(prompt["options"]) for order in orders)
    assert len({order[:7] for order in orders}) > 5
    assert len({order[7:] for order in orders}) > 3


def test_a_fork_does_not_tell_where_a_card_is_that_was_in_the_opponents_hand() -> None:
    """Seat a has seen b's Titan in b's hand; now nobody knows if it is still there."""
    t = table(b={"hand": ["titan", "luck"], "pile": ["drone", "hunter", "avoid"], "station": {"top": ["cancel"]}})
    places = set()
    for number in range(60):
        state, _marked = scattered(t, 0, number)
        side = state.sides[1]
        places |= {place for place in ("hand", "pile") if t["b.titan"] in getattr(side, place)}
        places |= {"station" for card in side.station if card.id == t["b.titan"]}
    assert places == {"hand", "pile", "station"}


def test_a_fork_does_not_tell_what_the_opponent_let_stand_while_one_is_asked() -> None:
    t = table(a={"hand": ["drone", "perfect_plan"], "pile": ["titan", "luck"]}, b={"hand": ["cancel"]})
    t.do(0, "play_card", card=t["a.drone"])
    t.do(1, "let_stand")
    t.do(0, "play_card", card=t["a.perfect_plan"])
    assert t.view(0)["prompts"], "seat a is asked what to search"
    first = {scattered(t, 0, number)[0].items[0].settled for number in range(20)}
    assert first == {True, False}


def test_a_fork_goes_back_to_hidden_places_that_fit_together() -> None:
    """After going back, the same cards lie where they lay, apart from what has happened since."""
    t = table(
        a={"hand": ["grand_opportunity"], "pile": ["titan", "drone", "hunter", "avoid", "luck", "shield", "scout"]},
        b={"hand": ["cancel", "titan", "scout"]},
    )
    t.do(0, "play_card", card=t["a.grand_opportunity"])
    before = t.session.timeline.keep_marked()
    assert before
    for number in range(20):
        state, marked = scattered(t, 1, number)
        for then in marked.values():
            assert then.cards == state.cards
            gone = set(then.sides[0].pile) - set(state.sides[0].pile)
            assert [card for card in then.sides[0].pile if card not in gone] == list(state.sides[0].pile)


def forms_of(worlds: Iterable[Table], seat: int, tell: Callable[[State, Mapping[int, State]], object]) -> list[set[object]]:
    """Return what forks of each world tell. The worlds look the same to the seat."""
    worlds = list(worlds)
    assert all(world.view(seat) == worlds[0].view(seat) for world in worlds)
    return [{tell(*scattered(world, seat, number)) for number in range(24)} for world in worlds]


def test_a_fork_does_not_tell_if_items_were_let_stand_when_they_ended() -> None:
    def world(stands: bool) -> Table:
        t = table(a={"hand": ["drone", "scout"]}, b={"hand": ["luck"]})
        if stands:
            t.do(1, "set_orders", orders=[{"when": {"any": True}, "do": "stand"}])
        t.do(0, "play_card", card=t["a.drone"])
        t.do(0, "play_card", card=t["a.scout"])
        return t

    one, two = forms_of(
        (world(stands) for stands in (False, True)), 0, lambda state, _: repr([item.plays for item in state.items])
    )
    assert one == two


def test_a_fork_does_not_tell_which_answers_the_opponent_holds() -> None:
    def world(hand: str) -> Table:
        t = table(a={"hand": ["drone", "drone"]}, b={"hand": [hand]})
        t.do(0, "play_card", card=t["a.drone"])
        t.do(0, "play_card", card=t["a.drone.2"])
        return t

    found = forms_of(
        map(world, ("battlestar", "target_missed", "luck")), 0, lambda state, marked: (repr(state.items), len(marked))
    )
    assert len({frozenset(plays.replace("settled=True", "settled=False") for plays, _marks in one) for one in found}) == 1


def test_a_fork_does_not_tell_what_the_opponent_had_done_and_was_undone() -> None:
    t = table(a={"hand": ["drone", "titan", "scout"]}, b={"hand": ["luck"]})
    t.do(0, "play_card", card=t["a.drone"])
    t.do(0, "add_station", card=t["a.titan"], row="action")
    t.react(1, t.item("drone"), card=t["b.luck"])
    assert t.state.replay
    assert scattered(t, 1, 1)[0].replay == ()
    assert scattered(t, 0, 1)[0].replay == t.state.replay


def test_a_fork_does_not_tell_which_card_of_the_hand_went_into_the_station() -> None:
    def world(which: str) -> Table:
        t = table(a={"hand": ["titan", "drone", "scout"]}, b={"hand": ["target_missed", "luck"]})
        t.do(0, "play_card", card=t["a.drone"])
        t.do(0, "add_station", card=t[which], row="action")
        return t

    def index(state: State, marked: Mapping[int, State]) -> object:
        added = state.sides[0].station[-1].id
        return tuple(then.sides[0].hand.index(added) for then in marked.values() if added in then.sides[0].hand)

    one, two = forms_of(map(world, ("a.titan", "a.scout")), 1, index)
    assert one == two
    assert len(one) > 1


def test_an_extra_turn_does_not_tell_what_was_let_stand() -> None:
    """Not even the live view: settled items stay until the turns of the other seat."""

    def world(stands: bool) -> Table:
        t = table(a={"hand": ["drone", "scout"], "pile": ["titan"] * 5}, b={"hand": ["luck"]})
        t = Table(replace(t.state, sides=(replace(t.state.sides[0], extra_turns=1), t.state.sides[1])), t.names)
        t.do(0, "play_card", card=t["a.drone"])
        if stands:
            t.do(1, "let_stand")
        t.do(0, "end_phase")
        t.do(0, "end_turn")
        assert t.state.active == 0
        return t

    one, two = world(False), world(True)
    assert one.view(0) == two.view(0)
    assert one.view(None) == two.view(None)


def test_ones_own_turn_does_not_tell_which_of_ones_answers_were_let_stand() -> None:
    """What a seat has played in the other's turn stays in its list through its own turn, settled or not."""

    def world(stands: bool) -> Table:
        t = table(a={"hand": ["drone"]}, b={"hand": ["discovery", "scout"]}, points="all")
        t.do(0, "play_card", card=t["a.drone"])
        t.do(0, "end_phase")
        t.do(0, "end_turn")
        t.react(1, t.state.items[-1].n, card=t["b.discovery"], mode=1)
        if stands:
            t.do(0, "let_stand")
        if t.state.phase == "review":
            t.do(1, "let_stand")
        assert (t.state.active, t.state.phase) == (1, "action")
        return t

    one, two = world(False), world(True)
    assert [item.settled for item in one.state.items if item.card == "discovery"] == [False]
    assert [item.settled for item in two.state.items if item.card == "discovery"] == [True]
    assert one.view(1) == two.view(1)
    for t in (one, two):
        t.do(1, "end_phase")
    assert one.view(1) == two.view(1)


def test_a_fork_does_not_tell_if_a_card_was_put_on_top() -> None:
    def world(picks: int) -> Table:
        t = table(a={"commander": "dr_stein", "pile": ["titan", "drone", "hunter"]}, b={"hand": ["luck"]})
        t.do(0, "use_commander")
        [prompt] = t.state.prompts
        t.choose(0, *prompt.options[:picks])
        return t

    one, two = forms_of(map(world, (0, 1)), 1, lambda state, _: (state.sides[0].known, len(state.sides[0].pile)))
    assert one == two
