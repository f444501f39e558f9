"""Edge cases of the rules: copies of nothing, free cards in the upkeep, choices of an absent player."""

from __future__ import annotations

import json

import pytest

from gamesvc.games.kernel import codec
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.data import CARDS
from tests.games.space_war.table import kinds, table

ENEMY = {"zone": "enemy"}


# --- cards that cannot stand alone (RULES.md 18.71) ---


def test_a_duplication_is_never_put_into_play():
    t = table(a={"hand": ["revive_procedure"], "discard": ["duplication"]})
    refusal = t.no(0, "no_target", "play_card", card=t["a.revive_procedure"], targets=[t["a.duplication"]])
    assert "Revive Procedure" in refusal["detail"]
    play = {"play": ["fusion_ship", "drone", "drone", "drone"], "discard": ["titan", "duplication"]}
    t = table(a=play, phase="attack")
    t.do(0, "use_ability", card=t["a.fusion_ship"])
    assert t["a.titan"] in t.view(0)["prompts"][0]["options"]
    assert t["a.duplication"] not in t.view(0)["prompts"][0]["options"]


def test_a_death_ray_is_never_launched_without_a_starship():
    t = table(a={"hand": ["missiles_launched"], "discard": ["death_ray", "emp_missile"], "pile": []})
    t.do(0, "play_card", card=t["a.missiles_launched"])
    assert t.view(0)["prompts"][0]["options"] == [t["a.emp_missile"]]


def test_no_other_card_cannot_stand_alone():
    assert {card.id for card in CARDS.values() if not card.stands_alone} == {"duplication", "death_ray"}


@pytest.mark.parametrize("draw", [True, False])
def test_the_draw_of_a_copied_drone_may_be_declined(draw):
    t = table(a={"hand": ["duplication"], "play": ["drone", "pursuiter"]})
    t.do(0, "play_card", card=t["a.duplication"], x=1, targets=[t["a.drone"]], options={"draw": draw})
    assert len(t.side(0).hand) == draw
    t = table(a={"hand": ["duplication"], "play": ["drone", "pursuiter"]})
    t.no(0, None, "play_card", card=t["a.duplication"], x=1, targets=[t["a.pursuiter"]], options={"draw": draw})
    answer = t.ok({"op": "order", "seat": 0, "text": f"play duplication x 1 on drone draw {'yes' if draw else 'no'}"})
    assert ("cards_drawn" in kinds(answer["events"])) == draw


# --- cards that cost 0, at any time in a seat's own turn ---


def upkeep(a, b=None):
    """Return a table with seat a in the upkeep of turn 7."""
    t = table(a=a, b=b, turn=6, active=1, phase="attack")
    t.do(1, "end_turn")
    assert t.state.phase == "upkeep"
    return t


def test_free_cards_and_any_time_effects_in_the_upkeep():
    t = upkeep({"hand": ["ambush", "drone"], "play": ["satellite", "full_attack"]}, {"play": ["drone"]})
    t.no(0, "cannot_pay", "play_card", card=t["a.drone"])
    t.do(0, "play_card", card=t["a.ambush"], targets=[t["b.drone"]])
    assert t.gone("b.drone")
    t.do(0, "use_anytime", card=t["a.satellite"])
    assert t.state.phase == "upkeep"
    t.do(0, "pay_upkeep", keep=[t["a.full_attack"]])
    assert t.state.phase == "action"


def test_the_upkeep_ends_when_nothing_is_left_to_pay_for():
    t = upkeep({"play": ["satellite"]})
    t.do(0, "use_anytime", card=t["a.satellite"])
    assert t.state.phase == "action"
    t = upkeep({"play": ["satellite"]}, {"play": ["neutralization"]})
    t.react(1, None, card=t["b.neutralization"], targets=[t["a.satellite"]])
    assert t.awaited == [(0, "action")]


def test_time_warp_forbids_free_cards_in_the_upkeep():
    t = upkeep({"hand": ["ambush"], "play": ["time_warp"]}, {"play": ["drone"]})
    refusal = t.no(0, "cannot_pay", "play_card", card=t["a.ambush"], targets=[t["b.drone"]])
    assert "this costs 3" in refusal["detail"]
    assert "ambush" in t.hand(0)
    assert not t.gone("b.drone")


# --- a preference makes a choice, so that nobody waits for it ---


def supernova(**preference):
    t = table(a={"hand": ["supernova"]})
    if preference:
        t.do(1, "set_orders", orders=[], **preference)
    t.do(0, "play_card", card=t["a.supernova"], slots=["s1", "s2", "s3"])
    return t


def jackson(**preference):
    t = table(a={"commander": "general_jackson"})
    if preference:
        t.do(1, "set_orders", orders=[], **preference)
    t.do(0, "use_commander")
    return t


def dr_stein(**preference):
    t = table(a={"commander": "dr_stein", "station": {"action": 2, "hand": 2}})
    if preference:
        t.do(1, "set_orders", orders=[], **preference)
    t.do(0, "use_commander")
    t.choose(0)
    return t


def meteor_shower(**preference):
    t = table(a={"play": ["meteor_shower"]}, turn=6, active=1, phase="attack")
    if preference:
        t.do(1, "set_orders", orders=[], **preference)
    t.do(1, "end_turn")
    if any(prompt.seat == 0 for prompt in t.state.prompts):
        t.choose(0, "s1", "s2")
    return t


def empty_pile(**preference):
    t = table(a={"pile": [], "station": {"action": 3, "draw": 2}}, turn=6, active=1, phase="attack")
    if preference:
        t.do(1, "set_orders", orders=[], **preference)
    t.do(1, "end_turn")
    return t


@pytest.mark.parametrize(
    ("deed", "count"),
    [(supernova, 3), (jackson, 1), (dr_stein, 2), (meteor_shower, 2), (empty_pile, 3)],
    ids=lambda given: str(getattr(given, "__name__", given)),
)
@pytest.mark.parametrize("preference", [{}, {"flip_preference": ["hand", "draw"]}], ids=["default", "own"])
def test_flips_of_an_absent_seat_follow_its_preference(deed, count, preference):
    t = deed(**preference)
    assert {seat for seat, _ in t.awaited} == {0}, "nobody waits for the other seat"
    rows = [card.row for card in t.side(0).station if card.flipped]
    assert len(rows) == count
    first = preference.get("flip_preference", ["action"])[0]
    assert rows.count(first) == min(count, sum(card.row == first for card in t.side(0).station))


def test_keve_bakins_picks_on_the_next_visit_and_nobody_waits():
    t = table(a={"play": [("battlestar", ENEMY)]}, b={"commander": "keve_bakins"}, phase="attack")
    t.do(0, "attack_station", attacker=t["a.battlestar"])
    assert t.awaited == [(0, "attack")]
    assert t.flipped(1) == []


def test_a_seat_that_is_answering_is_asked_at_once():
    t = table(a={"play": ["cluster_nuke"], "commander": "crakux"}, b={"hand": ["ambush"]})
    t.do(0, "end_phase")
    t.react(1, None, card=t["b.ambush"], targets=[t["a.cluster_nuke"]])
    assert t.awaited == [(1, "flips")]
    t.choose(1, "s3")
    assert t.flipped(0) == ["s3"]
    assert t.awaited == [(0, "attack")]


@pytest.mark.parametrize("draws", [None, "draw", "mill"])
def test_the_draws_of_an_absent_miller_follow_their_preference(draws):
    t = table(a={"hand": ["discovery"]}, b={"commander": "the_miller"})
    assert t.view(1)["sides"][1]["draws"] == "draw"
    if draws:
        t.do(1, "set_orders", orders=[], draws=draws)
        assert t.view(1)["sides"][1]["draws"] == draws
    assert "draws" not in t.view(0)["sides"][1]
    t.do(0, "play_card", card=t["a.discovery"], mode=1)
    assert t.awaited == [(0, "action")]
    mills = draws == "mill"
    assert (len(t.side(1).hand), len(t.discarded(0))) == ((0, 5) if mills else (2, 1))


def test_a_miller_in_their_own_turn_is_asked():
    t = table(a={"hand": ["discovery"], "commander": "the_miller"})
    t.do(0, "set_orders", orders=[], draws="mill")
    t.do(0, "play_card", card=t["a.discovery"], mode=1)
    assert t.awaited == [(0, "draw")]


def test_preferences_are_read_and_written_as_text():
    t = table()
    command = GAME.parse("orders stand any | flips hand action | draws mill", t.view(0))
    assert (command["flip_preference"], command["draws"]) == (["hand", "action"], "mill")
    assert GAME.parse(GAME.render(command), t.view(0)) == command
    t.do(0, **command)
    t.do(0, "set_orders", orders=[])
    assert t.view(0)["sides"][0]["draws"] == "mill", "what a command does not name stays"


def test_a_card_may_leave_the_station_while_its_owner_is_still_to_choose_flips():
    """The choice was open when the attack was declared to which the owner reacts with that very card (RULES.md 11.3)."""
    drones = [("drone", ENEMY)] * 3
    t = table(
        a={"play": drones},
        b={"commander": "keve_bakins", "station": {"draw": ["target_missed"], "action": ["titan"]}, "life": 9},
        phase="attack",
    )
    t.do(0, "attack_station", attacker=t["a.drone"])
    t.do(1, "set_orders", orders=[], flip_preference=["draw"])
    t.do(0, "attack_station", attacker=t["a.drone.2"])
    assert t.flipped(1) == ["s1"]
    t.do(0, "attack_station", attacker=t["a.drone.3"])
    last = t.item()
    t.do(0, "end_turn")
    t.choose(1, "s3")
    t.react(1, last, card=t["b.target_missed"], mode=1)
    [prompt] = t.view(1)["prompts"]
    assert prompt["options"] == ["s2", "s3"]
    timeline = t.session.match
    position = json.loads(json.dumps(codec.write_position(GAME, t.state, timeline.version, timeline.keep_marked())))
    assert codec.read_position(GAME, position, timeline.version)[0] == t.state


def test_there_is_help_on_each_card_that_was_found():
    t = table(a={"commander": "zuuls", "first_turn": 1, "pile": ["drone"] * 4}, turn=1, phase="attack")
    t.do(0, "end_turn")
    found = [one for prompt in t.view(0)["prompts"] for one in prompt["options"]]
    assert len(found) == 4
    for card in found:
        assert GAME.explain(t.view(0), card) == GAME.explain(t.view(0), "drone")
        assert GAME.explain(t.view(1), card) is None
