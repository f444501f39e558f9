"""The end of a match waits for every answer that is still possible (RULES.md 11.8)."""

from __future__ import annotations

import pytest

from gamesvc.games.kernel.game import Event
from gamesvc.games.space_war import GAME
from tests.games.space_war.table import kinds, table

ENEMY = {"zone": "enemy"}
FALLING = {"station": {"draw": ["luck*"], "action": ["luck*"], "hand": ["luck*"]}, "life": 1}
"""A seat that the next point of damage defeats."""


def blown_up_by(how, **more):
    """Destroy a Cluster Nuke of seat b in its home zone as seat a. The blast kills seat b's commander."""
    b = {**FALLING, "play": ["cluster_nuke"], **more}
    if how == "attack":
        t = table(a={"play": [("stormfalcon", ENEMY)]}, b=b, phase="attack")
        t.do(0, "attack", attacker=t["a.stormfalcon"], target=t["b.cluster_nuke"])
    elif how == "collide":
        t = table(a={"play": [("pursuiter", ENEMY)]}, b=b, phase="attack")
        t.do(0, "collide", card=t["a.pursuiter"], target=t["b.cluster_nuke"])
    elif how == "supernova":
        t = table(a={"hand": ["supernova"]}, b=b)
        t.do(0, "play_card", card=t["a.supernova"])
    elif how == "electrocution":
        t = table(a={"hand": ["electrocution"]}, b=b)
        t.do(0, "play_card", card=t["a.electrocution"])
    elif how == "fatal_error":
        t = table(a={"hand": ["fatal_error"]}, b=b)
        t.do(0, "play_card", card=t["a.fatal_error"], x=4, targets=[t["b.cluster_nuke"]])
    else:
        t = table(a={"hand": ["ambush"]}, b=b)
        t.do(0, "play_card", card=t["a.ambush"], targets=[t["b.cluster_nuke"]])
    return t


@pytest.mark.parametrize("how", ["attack", "collide", "supernova", "electrocution", "fatal_error", "ambush"])
def test_the_blast_of_a_destroyed_cluster_nuke_can_be_answered(how):
    t = blown_up_by(how)
    assert t.awaited == [(1, "last_answer")]
    t.do(1, "let_stand")
    assert (t.state.winner, t.state.reason) == (0, "commander")


def test_an_answer_saves_the_commander():
    t = blown_up_by("supernova", play=["cluster_nuke", "avoid"])
    t.react(1, t.item(), card=t["b.avoid"])
    assert t.state.winner is None
    assert t.side(1).life == 1
    assert not t.gone("b.cluster_nuke")
    assert t.awaited == [(0, "action")]


def test_a_reaction_that_blows_up_a_nuke_can_be_answered_by_the_active_seat():
    t = table(a={**FALLING, "play": ["cluster_nuke"], "hand": ["luck"]}, b={"hand": ["ambush"]})
    t.react(1, None, card=t["b.ambush"], targets=[t["a.cluster_nuke"]])
    assert t.awaited == [(0, "last_answer")]
    t.react(0, t.item(), card=t["a.luck"])
    assert t.state.winner is None
    assert not t.gone("a.cluster_nuke")


def test_a_player_who_blows_themselves_up_loses_at_once():
    t = table(a={**FALLING, "hand": ["supernova"], "play": ["cluster_nuke"]})
    t.do(0, "play_card", card=t["a.supernova"], slots=["s1", "s2", "s3"])
    assert t.state.winner == 1


def test_the_end_shows_cards_flipped_in_open_items():
    t = table(a={"play": [("battlestar", ENEMY)]}, b={"station": {"draw": ["luck"]}}, phase="attack")
    t.do(0, "attack_station", attacker=t["a.battlestar"], slots=["s1", "s2"])
    assert "card" not in t.view(0)["sides"][1]["station"][0]
    ended = t.do(1, "resign")[-1]
    assert t.view(0)["sides"][1]["station"][0]["card"] == "luck"
    assert GAME.reveals(Event("game_ended", ended["data"]))


def test_an_item_let_stand_in_advance_ends_the_match_at_once():
    t = table(a={"hand": ["supernova"]}, b={**FALLING, "play": ["cluster_nuke"]})
    t.do(1, "set_orders", orders=[{"when": {"any": True}, "do": "stand"}])
    t.do(0, "play_card", card=t["a.supernova"])
    assert t.state.winner == 0


def test_the_draw_phase_of_an_extra_turn_waits_for_answers_to_the_turn_before():
    a = {"play": [("time_travel_portal", {"counters": 3}), "toxic_gas"], "hand": ["drone"]}
    t = table(a=a, b={**FALLING, "play": ["avoid"]})
    t.do(0, "use_action", card=t["a.time_travel_portal"])
    t.do(0, "play_card", card=t["a.drone"], options={"draw": False})
    t.do(0, "end_phase")
    events = t.do(0, "end_turn")
    assert "outcome_pending" in kinds(events)
    assert t.awaited == [(1, "last_answer")]
    t.react(1, t.item("drone"), card=t["b.avoid"])
    assert (t.state.winner, t.state.turn, t.side(1).life) == (None, 7, 1)


def test_a_draw_phase_after_a_review_ends_the_match_at_once():
    t = table(a={"play": ["toxic_gas"]}, b={**FALLING}, turn=6, active=1, phase="attack")
    t.do(1, "end_turn")
    assert t.state.winner == 0
