"""The worked examples of RULES.md 19, through the engine protocol."""

from __future__ import annotations

from gamesvc.games.protocol import Session
from gamesvc.games.space_war import GAME
from tests.games.space_war.table import kinds, table


def test_case_01_preparation():
    session = Session(GAME)
    session.answer({"op": "new", "seats": 2, "options": {"starter": "random"}, "seed": "case 1"})
    state = session.match.state
    first, second = state.active, 1 - state.active
    assert [len(state.sides[seat].hand) for seat in (first, second)] == [6, 7]
    hands = [list(side.hand) for side in state.sides]
    commanders = [side.pool[0] for side in state.sides]
    short = {"name": "prepare", "cards": hands[second][:3], "commander": commanders[second]}
    assert session.answer({"op": "command", "seat": second, "command": short})["ok"] is False
    commands = {
        first: {"name": "prepare", "cards": hands[first][:3], "commander": commanders[first]},
        second: {
            "name": "prepare",
            "cards": hands[second][:4],
            "extra_row": "action",
            "commander": commanders[second],
        },
    }
    assert session.answer({"op": "command", "seat": first, "command": commands[first]})["ok"]
    assert not session.answer({"op": "command", "seat": first, "command": commands[first]})["ok"]
    answer = session.answer({"op": "command", "seat": second, "command": commands[second]})
    assert "preparation_revealed" in kinds(answer["events"])
    state = session.match.state
    rows = [[card.row for card in state.sides[seat].station] for seat in (first, second)]
    assert rows == [["draw", "action", "hand"], ["draw", "action", "action", "hand"]]
    assert [len(state.sides[seat].hand) for seat in (first, second)] == [4, 3]
    assert (state.turn, state.phase, state.active, state.sides[first].actions) == (1, "action", first, 2)
    assert answer["awaited"][0]["seat"] == first


def test_case_02_actions_are_fixed():
    t = table(a={"hand": ["drone", "luck", "avoid"], "station": {"action": 3}, "actions": 6})
    t.do(0, "play_card", card=t["a.drone"], options={"draw": False})
    t.do(0, "add_station", card=t["a.luck"], row="action")
    assert t.side(0).actions == 5
    t.no(0, "already_managed", "add_station", card=t["a.avoid"], row="action")
    t.no(0, "already_managed", "move_station", slot="s1", row="hand")


def test_case_03_first_turn_attack():
    t = table(a={"hand": ["stormfalcon"]}, b={"play": [("drone", {"zone": "enemy"})]}, turn=5)
    t.do(0, "play_card", card=t["a.stormfalcon"])
    t.do(0, "end_phase")
    t.no(0, "first_turn", "move", card=t["a.stormfalcon"])
    t.do(0, "attack", attacker=t["a.stormfalcon"], target=t["b.drone"])
    assert t.discarded(1) == ["drone"]


def test_case_04_station_timing():
    t = table(a={"play": ["thunderbolt"]}, turn=7, phase="attack")
    t.do(0, "move", card=t["a.thunderbolt"])
    t.no(0, "out_of_range", "attack_station", attacker=t["a.thunderbolt"], slots=["s1", "s2"])
    t = table(a={"play": [("thunderbolt", {"zone": "enemy", "zone_turn": 7})]}, turn=9, phase="attack")
    t.no(0, "bad_slots", "attack_station", attacker=t["a.thunderbolt"], slots=["s1"])
    t.do(0, "attack_station", attacker=t["a.thunderbolt"], slots=["s1", "s2"])
    assert t.flipped(1) == ["s1", "s2"]


def test_case_05_missile():
    t = table(a={"play": [("explosive_missile", {"entered": 3})]}, turn=3, phase="attack")
    t.no(0, "out_of_range", "attack_station", attacker=t["a.explosive_missile"], slots=["s1", "s2", "s3"])
    t = table(a={"play": [("explosive_missile", {"entered": 3})]}, b={"life": 3}, turn=5, phase="attack")
    t.no(0, "bad_slots", "attack_station", attacker=t["a.explosive_missile"], slots=["s1", "s2"])
    t.do(0, "attack_station", attacker=t["a.explosive_missile"], slots=["s1", "s2", "s3"])
    assert t.side(1).life == 2
    assert t.discarded(0) == ["explosive_missile"]


def test_case_06_fast_missile_and_slow_missile():
    t = table(a={"hand": ["fast_missile"], "play": [("nuclear_missile", {"entered": 5})]}, turn=7)
    t.do(0, "play_card", card=t["a.fast_missile"])
    t.do(0, "end_phase")
    t.no(0, "out_of_range", "attack_station", attacker=t["a.nuclear_missile"], slots=["s1", "s2", "s3"])
    t.do(0, "attack_station", attacker=t["a.fast_missile"], slots=["s1", "s3"])
    assert t.flipped(1) == ["s1", "s3"]


def test_case_07_shields():
    t = table(
        a={"play": [("nuclear_missile", {"zone": "enemy"})]},
        b={"play": [("energy_shield", {"damage": 1})], "station": {"draw": 2}, "life": 3},
        phase="attack",
    )
    shield = t["b.energy_shield"]
    t.no(0, "bad_slots", "attack_station", attacker=t["a.nuclear_missile"], shields=[shield], slots=["s1", "s2"])
    t.do(0, "attack_station", attacker=t["a.nuclear_missile"], shields=[shield], slots=["s1", "s2", "s3", "s4"])
    assert t.gone("b.energy_shield")
    assert len(t.flipped(1)) == 4
    assert t.side(1).life == 1


def test_case_08_commander_damage_ends_the_game():
    t = table(
        a={"play": [("the_gladiator", {"zone": "enemy"})]},
        b={"station": {"draw": ["battlestar*"], "action": ["battlestar*"], "hand": 1}, "life": 2},
        phase="attack",
    )
    events = t.do(0, "attack_station", attacker=t["a.the_gladiator"], slots=["s3"])
    assert "outcome_pending" in kinds(events)
    assert t.side(1).life == 0
    assert t.awaited == [(1, "last_answer")]
    t.no(0, "not_your_turn", "end_turn")
    events = t.do(1, "let_stand")
    assert events[-1]["data"]["winner"] == 0


def test_case_09_target_missed_saves_the_commander():
    t = table(
        a={"play": [("the_gladiator", {"zone": "enemy"})]},
        b={"hand": ["target_missed"], "station": {"draw": ["battlestar*"], "action": ["battlestar*"], "hand": 1}, "life": 2},
        phase="attack",
    )
    t.do(0, "attack_station", attacker=t["a.the_gladiator"], slots=["s3"])
    events = t.react(1, t.item(), card=t["b.target_missed"], mode=1)
    assert [event["type"] for event in events[:2]] == ["match.rewound", "space_war.items_settled"]
    assert {"match.rewound", "space_war.attack_failed"} <= {event["type"] for event in events}
    assert t.discarded(1) == ["target_missed"]
    assert (t.side(1).life, len(t.flipped(1))) == (2, 2)
    assert t.piece("a.the_gladiator").attacks == 1
    assert t.awaited == [(0, "attack")]


def test_case_10_counter_with_rewind():
    t = table(
        a={"play": ["avoid", "drone"]},
        b={"hand": ["supernova"], "play": ["titan"], "actions": 7},
        turn=6,
        active=1,
    )
    t.do(1, "play_card", card=t["b.supernova"], slots=["s1", "s2", "s3"])
    assert t.gone("b.titan")
    t.do(1, "end_phase")
    t.do(1, "end_turn")
    assert t.awaited == [(0, "review")]
    events = t.react(0, t.item("supernova"), card=t["a.avoid"])
    assert "match.rewound" in {event["type"] for event in events}
    assert t.discarded(1) == ["supernova"]
    assert t.discarded(0) == ["avoid"]
    assert t.side(1).actions == 0
    assert not t.gone("b.titan")
    assert not t.gone("a.drone")
    assert not t.flipped(0)
    assert t.awaited == [(1, "action")]


def test_case_11_counter_counter():
    def begin():
        t = table(
            a={"hand": ["cancel", "hunter"], "play": ["avoid"]},
            b={"hand": ["supernova", "luck"], "play": ["titan"], "actions": 7},
            turn=6,
            active=1,
        )
        t.do(1, "play_card", card=t["b.supernova"], slots=["s1", "s2", "s3"])
        t.do(1, "end_phase")
        t.do(1, "end_turn")
        return t

    t = begin()
    t.react(0, t.item("supernova"), card=t["a.avoid"])
    t.no(1, "no_target", "react", item=t.item("avoid"), play={"card": t["b.luck"]})
    t = begin()
    t.react(0, t.item("supernova"), card=t["a.cancel"])
    assert t.hand(0) == []
    assert sorted(t.discarded(0)) == ["cancel", "hunter"]
    assert t.discarded(1) == ["supernova"]
    t.react(1, t.item("cancel"), card=t["b.luck"])
    assert t.discarded(0)[:1] == ["cancel"]
    assert t.hand(0) == ["hunter"]
    assert sorted(t.discarded(1)) == ["luck", "supernova", "titan"]
    assert len(t.flipped(0)) == 3
    assert [(one.seat, one.kind) for one in t.state.prompts] == [(0, "offer")]
    t.choose(0, "draw")
    assert len(t.side(0).hand) == 2


def test_case_12_standing_order():
    t = table(a={"hand": ["cancel", "hunter"]}, b={"hand": ["perfect_plan", "grand_opportunity"], "actions": 8}, turn=6, active=1)
    order = {"when": {"kind": "play", "type": "event", "min_cost": 3}, "do": "react", "use": ["cancel"]}
    events = t.do(0, "set_orders", orders=[order])
    assert t.seen(events[0], 1) is None
    t.do(1, "play_card", card=t["b.perfect_plan"])
    t.choose(1)
    assert t.state.open_items(0)
    events = t.do(1, "play_card", card=t["b.grand_opportunity"])
    assert "order_fired" in kinds(events)
    assert "match.rewound" not in {event["type"] for event in events}
    assert sorted(t.discarded(0)) == ["cancel", "hunter"]
    assert sorted(t.discarded(1)) == ["grand_opportunity", "perfect_plan"]
    assert t.side(1).hand == ()
    assert t.awaited == [(1, "action")]


def test_case_13_never_react():
    t = table(b={"hand": ["drone"]}, turn=6, active=1, points="all")
    t.do(0, "set_orders", orders=[{"when": {"any": True}, "do": "stand", "until": "cancelled"}])
    t.do(1, "play_card", card=t["b.drone"])
    t.do(1, "end_phase")
    events = t.do(1, "end_turn")
    assert "review" not in [event["data"].get("phase") for event in events]
    assert t.awaited == [(0, "action")]
    assert t.state.turn == 7


def test_case_14_retracted_draw():
    pile = ["battlestar", "titan", "drone"]
    t = table(a={"hand": ["luck"]}, b={"hand": ["drone"], "pile": pile, "actions": 6}, turn=6, active=1)
    before = t.side(1).pile
    t.do(1, "play_card", card=t["b.drone"])
    drawn = t.side(1).hand[0]
    t.do(1, "play_card", card=drawn)
    events = t.react(0, t.item("drone"), card=t["a.luck"])
    rewound = next(event for event in events if event["type"] == "match.rewound")
    assert sorted(rewound["data"]["data"]["orders"]["1"]) == sorted(before)
    assert len(t.side(1).pile) == 3
    assert t.side(1).actions == 5
    assert t.gone("b.drone")
    assert t.discarded(1) == ["drone"]
    assert [(one.seat, one.kind) for one in t.state.prompts] == [(1, "offer")]
    t.choose(1)
    assert t.awaited == [(1, "action")]


def test_case_15_counter_limit():
    t = table(a={"hand": ["luck"], "play": ["battlestar", "drone"]}, b={"hand": ["fatal_error"], "actions": 6}, turn=6, active=1)
    t.no(1, None, "play_card", card=t["b.fatal_error"], x=2, targets=[t["a.battlestar"]])
    t.do(1, "play_card", card=t["b.fatal_error"], x=3, targets=[t["a.battlestar"]])
    assert t.gone("a.battlestar")
    t.no(0, "no_target", "react", item=t.item(), play={"card": t["a.luck"]})
    t = table(a={"hand": ["luck"], "play": ["drone"]}, b={"hand": ["fatal_error"], "actions": 6}, turn=6, active=1)
    t.do(1, "play_card", card=t["b.fatal_error"], x=2, targets=[t["a.drone"]])
    t.react(0, t.item(), card=t["a.luck"])
    assert not t.gone("a.drone")


def test_case_16_upkeep():
    t = table(
        a={"play": ["full_attack", "good_karma"], "pile": ["drone"] * 9, "station": {"hand": 2}},
        turn=6,
        active=1,
        phase="attack",
    )
    t.do(1, "end_turn")
    assert [(prompt.seat, prompt.kind, prompt.least) for prompt in t.state.prompts] == [(0, "discard", 2)]
    assert len(t.side(0).hand) == 4
    t.choose(0, *t.side(0).hand[:2])
    assert t.awaited == [(0, "upkeep")]
    assert t.side(0).actions == 2
    t.no(0, "cannot_pay", "pay_upkeep", keep=[t["a.full_attack"], t["a.good_karma"]])
    t.do(0, "pay_upkeep", keep=[t["a.full_attack"]])
    assert t.gone("a.good_karma")
    assert t.side(0).actions == 0


def test_case_17_repair():
    t = table(
        a={"play": [("titan", {"damage": 6, "paralyzed": True}), "big_repair_ship"]},
        b={"play": [("drone", {"zone": "enemy"})]},
        phase="attack",
    )
    t.do(0, "use_ability", card=t["a.big_repair_ship"], mode=2, targets=[t["a.titan"]])
    assert (t.piece("a.titan").damage, t.piece("a.titan").paralyzed) == (1, False)
    t.do(0, "attack", attacker=t["a.titan"], target=t["b.drone"])
    t.no(0, "already_acted", "attack", attacker=t["a.big_repair_ship"], target=t["b.drone"])
    t.do(0, "move", card=t["a.big_repair_ship"])


def test_case_18_slow():
    def begin(*more):
        return table(
            a={"play": [("the_exterminator", {"zone": "home", "entered": 5}), *more]},
            b={"play": [("titan", {"zone": "home"})]},
            phase="attack",
        )

    t = begin()
    t.do(0, "move", card=t["a.the_exterminator"])
    t.no(0, "slow", "attack", attacker=t["a.the_exterminator"], target=t["b.titan"])
    t = table(a={"play": [("the_exterminator", {"zone": "enemy"})]}, b={"station": {"draw": 3}}, turn=9, phase="attack")
    t.do(0, "attack_station", attacker=t["a.the_exterminator"], slots=["s1", "s2", "s3", "s4", "s5"])
    assert t.flipped(1) == ["s1", "s2", "s3", "s4", "s5"]
    t = begin("nitro")
    t.do(0, "move", card=t["a.the_exterminator"])
    t.do(0, "attack", attacker=t["a.the_exterminator"], target=t["b.titan"])
    assert (t.piece("a.the_exterminator").zone, t.piece("b.titan").damage) == (1, 5)


def test_case_19_empty_pile():
    t = table(a={"pile": [], "life": 3}, turn=6, active=1, phase="attack")
    t.do(1, "end_turn", flip_slots=["s1", "s2", "s3"])
    assert t.flipped(0) == ["s1", "s2", "s3"]
    assert t.side(0).life == 3
    assert t.awaited == [(0, "action")]
    t.do(0, "end_phase")
    t.do(0, "end_turn")
    t.do(1, "end_phase")
    t.do(1, "end_turn")
    assert t.state.phase == "over"
    assert t.state.winner == 1


def test_case_20_hand_limit():
    hand = ["drone"] * 5
    t = table(a={"hand": hand})
    t.do(0, "end_phase")
    assert t.awaited == [(0, "discard")]
    t.no(0, None, "discard", cards=list(t.side(0).hand[:1]))
    t.do(0, "discard", cards=list(t.side(0).hand[:2]))
    assert t.awaited == [(0, "attack")]
    t = table(a={"hand": hand, "play": ["extra_deposit"]})
    t.do(0, "end_phase")
    assert t.awaited == [(0, "attack")]


def test_case_21_paralysis():
    t = table(a={"play": [("emp_missile", {"zone": "enemy"})]}, b={"play": ["starhunter"]}, phase="attack")
    t.do(0, "attack", attacker=t["a.emp_missile"], target=t["b.starhunter"])
    assert t.piece("b.starhunter").paralyzed
    assert t.piece("b.starhunter").damage == 0
    assert t.gone("a.emp_missile")
    t.do(0, "end_turn")
    t.do(1, "let_stand")
    assert t.piece("b.starhunter").counters == 0


def test_case_22_time_warp():
    t = table(a={"hand": ["luck"], "play": ["avoid"]}, b={"hand": ["drone"], "play": ["time_warp"]}, turn=6, active=1)
    t.do(1, "play_card", card=t["b.drone"])
    t.no(0, "cannot_pay", "react", item=t.item(), play={"card": t["a.luck"]})
    t.react(0, t.item(), card=t["a.avoid"])
    assert t.discarded(1) == ["drone"]


def test_case_23_drone_leader():
    t = table(a={"play": ["drone_leader", "drone", "drone", "acid_projectile"], "commander": "crakux"})
    attacks = {piece["card"]: piece["attack"] for piece in t.view(0)["pieces"]}
    assert attacks["drone_leader"] == 3
    assert attacks["drone"] == 2


def test_case_24_collision():
    t = table(
        a={"play": [("collision_skill", {"entered": 4, "dormant": True}), ("drone", {"zone": "enemy", "entered": 2})]},
        b={"hand": ["target_missed"]},
        turn=4,
        phase="attack",
    )
    t.no(0, "cannot_collide", "collide", card=t["a.drone"], slots=["s1", "s2", "s3"])
    t.do(0, "end_turn")
    t.do(1, "end_phase")
    t.do(1, "end_turn")
    t.do(0, "pay_upkeep", keep=[t["a.collision_skill"]])
    t.do(0, "end_phase")
    t.do(0, "collide", card=t["a.drone"], slots=["s1", "s2", "s3"])
    assert t.flipped(1) == ["s1", "s2", "s3"]
    assert t.gone("a.drone")
    t.no(1, "no_target", "react", item=t.item(), play={"card": t["b.target_missed"], "mode": 1})


def test_case_25_hidden_flips():
    t = table(a={"play": [("battlestar", {"zone": "enemy"})]}, b={"station": {"draw": ["luck", "titan"]}}, phase="attack")
    events = t.do(0, "attack_station", attacker=t["a.battlestar"], slots=["s1", "s2"])
    flipped = next(event for event in events if event["type"] == "space_war.station_flipped")
    assert "names" not in t.seen(flipped, 0)
    assert t.seen(flipped, 1)["names"] == {"s1": "luck", "s2": "titan"}
    shown = [[card for card in t.view(seat)["sides"][1]["station"] if card["flipped"]] for seat in (0, 1)]
    assert [card["slot"] for card in shown[0]] == ["s1", "s2"]
    assert all("card" not in card for card in shown[0])
    assert [card["card"] for card in shown[1]] == ["luck", "titan"]
    t.do(0, "end_turn")
    settled = t.do(1, "let_stand")[0]
    assert [card["card"] for card in t.view(0)["sides"][1]["station"] if card["flipped"]] == ["luck", "titan"]
    # The flips are public from now on; the answer itself stays secret.
    for viewer in (0, None):
        assert [card["name"] for card in t.seen(settled, viewer)["flips"]] == ["luck", "titan"]
        assert "items" not in t.seen(settled, viewer)


def test_case_26_zyre():
    rows = {"action": 2, "draw": 2, "hand": 2}
    t = table(a={"commander": "zyre", "station": rows, "hand": ["drone"]}, turn=6, active=1, phase="attack")
    t.do(1, "end_turn")
    assert t.side(0).actions == 6
    t.no(0, "station_full", "add_station", card=t["a.drone"], row="draw")


def test_case_27_timeout():
    t = table(b={"hand": ["drone"]}, turn=6, active=1, max_timeouts=9)
    t.do(1, "play_card", card=t["b.drone"])
    t.do(1, "end_phase")
    t.do(1, "end_turn")
    assert t.awaited == [(0, "review")]
    assert t.ok({"op": "default", "seat": 0})["command"]["does"] == "stand"
    events = t.do(0, "time_out")
    assert kinds(events)[:2] == ["timed_out", "items_settled"]
    assert t.awaited == [(0, "action")]
    assert t.ok({"op": "default", "seat": 0})["command"]["does"] == "end phase"
    t.do(0, "time_out")
    assert t.ok({"op": "default", "seat": 0})["command"]["does"] == "end turn"
    t.do(0, "time_out")
    assert t.state.turn == 8


def _cluster(**b):
    return table(
        a={"play": [("cluster_nuke", {"zone": "enemy"})]},
        b={"play": ["drone", "scout"], **b},
        phase="attack",
    )


def test_case_28_cluster_nuke():
    t = _cluster()
    t.do(0, "attack", attacker=t["a.cluster_nuke"], target=t["b.drone"])
    t.choose(0, "s1")
    assert t.gone("b.drone")
    assert t.piece("b.scout").damage == 2
    assert t.flipped(1) == ["s1"]
    assert t.discarded(0) == ["cluster_nuke"]
    t = _cluster(hand=["target_missed"])
    t.do(0, "attack", attacker=t["a.cluster_nuke"], target=t["b.drone"])
    t.choose(0, "s1")
    t.react(1, t.item(), card=t["b.target_missed"], mode=1)
    t.choose(0, "s2")
    assert t.gone("b.drone")
    assert t.piece("b.scout").damage == 2
    assert t.flipped(1) == ["s2"]
