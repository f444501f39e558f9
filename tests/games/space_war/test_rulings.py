"""The rulings of RULES.md 18, each through the engine protocol."""

from __future__ import annotations

from gamesvc.games.protocol import Session
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.data import CARDS, COMMANDERS, DECKS
from tests.games.space_war.table import kinds, table

ENEMY = {"zone": "enemy"}


def turn_of_b(a=None, b=None, **more):
    """Return a table with seat b in the action phase of turn 6; seat a may react."""
    return table(a=a, b=b, turn=6, active=1, **more)


def end_of_b(a=None, b=None, **more):
    """End turn 6 of seat b."""
    t = table(a=a, b=b, turn=6, active=1, phase="attack", **more)
    t.do(1, "end_turn")
    return t


def strike(card="battlestar", a=None, b=None, **fields):
    """Return a table with a card of seat a in the enemy zone, in its attack phase."""
    spec = dict(a or {})
    spec["play"] = [(card, {**ENEMY, **fields}), *spec.get("play", [])]
    return table(a=spec, b=b, phase="attack")


def test_ruling_01_order_of_phases():
    t = end_of_b({"hand": ["drone"] * 6})
    assert t.state.phase == "action"
    t.do(0, "end_phase")
    assert t.state.phase == "discard"
    t.do(0, "discard", cards=list(t.side(0).hand[:4]))
    assert t.state.phase == "attack"


def test_ruling_02_chooser_chooses_before_hands_are_dealt():
    session = Session(GAME)
    session.answer({"op": "new", "seed": "chooser"})
    state = session.match.state
    assert state.phase == "choose_starter"
    assert not any(side.hand for side in state.sides)
    answer = session.answer({"op": "order", "seat": state.active, "text": "start b"})
    assert kinds(answer["events"]) == ["starter_chosen", "cards_drawn", "cards_drawn"]
    assert [len(side.hand) for side in session.match.state.sides] == [7, 6]


def test_the_order_of_the_cards_decides_their_rows():
    session = Session(GAME)
    session.answer({"op": "new", "seed": "rows", "options": {"starter": "random"}})
    state = session.match.state
    chosen = {}
    for seat in (state.active, 1 - state.active):
        (form,) = [one for one in session.answer({"op": "legal", "seat": seat})["forms"] if one["name"] == "prepare"]
        asked = form["parameters"]["properties"]["cards"]
        assert asked["ordered"]
        count = asked["minItems"]
        chosen[seat] = list(reversed(state.sides[seat].hand))[:count]
        extra = {"extra_row": "hand"} if count == 4 else {}
        commander = state.sides[seat].pool[0]
        command = {"name": "prepare", "cards": chosen[seat], "commander": commander, **extra}
        assert session.answer({"op": "command", "seat": seat, "command": command})["ok"]
    for seat, cards in chosen.items():
        assert [card.id for card in session.match.state.sides[seat].station] == cards


def test_ruling_03_commander_and_station_in_one_command():
    session = Session(GAME)
    session.answer({"op": "new", "seed": "prepare", "options": {"starter": "random"}})
    first = session.match.state.active
    side = session.match.state.sides[first]
    command = {"name": "prepare", "cards": list(side.hand[:3]), "commander": side.pool[0]}
    answer = session.answer({"op": "command", "seat": first, "command": command})
    events = session.answer({"op": "events", "since": answer["version"] - 1, "seat": 1 - first})["events"]
    assert events[0]["data"] == {"seat": first}
    assert session.answer({"op": "view", "seat": 1 - first})["view"]["sides"][first]["committed"]


def test_ruling_04_commanders_of_the_faction_or_any():
    for option, pool in (("faction", DECKS["terrans"].commanders), ("any", tuple(sorted(COMMANDERS)))):
        session = Session(GAME)
        session.answer({"op": "new", "seed": "pool", "options": {"commander_pool": option}})
        assert session.match.state.sides[0].pool == pool


def test_ruling_05_actions_are_fixed():
    t = table(a={"hand": ["luck"], "actions": 2})
    t.do(0, "add_station", card=t["a.luck"], row="action")
    assert t.side(0).actions == 2


def test_ruling_06_extra_station_cards():
    t = table(a={"hand": ["excellent_work", "luck"]})
    t.do(0, "play_card", card=t["a.excellent_work"], mode=1, row="action")
    t.do(0, "add_station", card=t["a.luck"], row="draw")
    assert len(t.side(0).station) == 5
    t = table(a={"commander": "crakux", "play": ["resource_ship"], "station": {"draw": 5}}, phase="attack")
    t.no(0, None, "use_ability", card=t["a.resource_ship"], row="draw")


def test_ruling_07_flipped_cards_count_and_may_be_moved():
    t = table(a={"station": {"draw": ["luck*"], "action": 1, "hand": 1}})
    t.do(0, "move_station", slot="s1", row="hand")
    assert t.flipped(0) == ["s1"]
    assert [card.row for card in t.side(0).station] == ["hand", "action", "hand"]


def test_ruling_08_a_flipped_card_is_played_as_from_hand():
    t = table(a={"station": {"draw": ["drone*"]}})
    t.do(0, "play_card", card=t["a.drone"])
    assert len(t.side(0).station) == 2
    assert len(t.side(0).hand) == 1


def test_ruling_09_flipped_cards_are_not_in_the_hand():
    t = table(a={"hand": ["drone"] * 3, "station": {"draw": ["luck*"]}})
    t.do(0, "end_phase")
    assert t.state.phase == "attack"


def failed_attack(card="explosive_missile"):
    t = strike(card, b={"hand": ["target_missed"]})
    t.do(0, "attack_station", attacker=t[f"a.{card}"], slots=["s1", "s2", "s3"][: CARDS[card].attack])
    t.react(1, t.item(), card=t["b.target_missed"], mode=1)
    return t


def test_ruling_10_a_stopped_missile_is_destroyed():
    t = failed_attack()
    assert t.discarded(0) == ["explosive_missile"]
    assert t.flipped(1) == []


def test_ruling_11_a_failed_attack_is_used_up():
    t = failed_attack("battlestar")
    t.no(0, "no_attack_left", "attack_station", attacker=t["a.battlestar"], slots=["s1", "s2"])
    assert t.piece("a.battlestar").attacks == 1
    assert t.flipped(1) == []


def test_ruling_12_a_new_missile_attacks_in_its_home_zone():
    t = table(a={"play": [("nuclear_missile", {"entered": 7})]}, b={"play": [("titan", ENEMY)]}, phase="attack")
    t.do(0, "attack", attacker=t["a.nuclear_missile"], target=t["b.titan"])
    assert t.gone("b.titan")


def test_ruling_13_pierce_goes_through_all_shields_in_order():
    t = strike("nuclear_missile", b={"play": ["shield", "energy_shield"]})
    order = [t["b.energy_shield"], t["b.shield"]]
    t.no(0, None, "attack_station", attacker=t["a.nuclear_missile"], shields=order[:1], slots=["s1", "s2"])
    t.do(0, "attack_station", attacker=t["a.nuclear_missile"], shields=order, slots=["s1", "s2"])
    assert t.gone("b.shield")
    assert t.gone("b.energy_shield")
    assert len(t.flipped(1)) == 2


def test_ruling_14_pierce_may_only_damage_shields():
    t = strike("alien_missile", b={"play": ["energy_shield", "shield"]})
    order = [t["b.energy_shield"], t["b.shield"]]
    t.do(0, "attack_station", attacker=t["a.alien_missile"], shields=order)
    assert t.gone("b.energy_shield")
    assert t.piece("b.shield").damage == 1
    assert t.flipped(1) == []


def test_ruling_15_the_full_number_is_flipped():
    t = strike()
    t.no(0, "bad_slots", "attack_station", attacker=t["a.battlestar"], slots=["s1"])
    t.no(0, "bad_slots", "attack_station", attacker=t["a.battlestar"])
    assert t.flipped(1) == []
    t.do(0, "attack_station", attacker=t["a.battlestar"], slots=["s1", "s2"])
    assert t.flipped(1) == ["s1", "s2"]


def test_ruling_16_a_station_without_face_down_cards_can_be_attacked():
    flipped = {"draw": ["luck*"], "action": ["luck*"], "hand": ["luck*"]}
    t = strike(b={"station": flipped, "life": 3})
    t.do(0, "attack_station", attacker=t["a.battlestar"])
    assert t.side(1).life == 1


def test_ruling_17_cannons_do_not_protect():
    t = strike(b={"play": ["defense_cannon"]})
    t.do(0, "attack_station", attacker=t["a.battlestar"], slots=["s1", "s2"])
    assert t.flipped(1) == ["s1", "s2"]
    assert t.piece("b.defense_cannon").damage == 0


def test_ruling_18_the_shade():
    spec = {"play": [("the_shade", {**ENEMY, "entered": 6})]}
    t = table(a={"play": ["battlestar"], "hand": ["ambush"]}, b=spec)
    t.do(0, "play_card", card=t["a.ambush"], targets=[t["b.the_shade"]])
    assert t.gone("b.the_shade")
    t = table(a={"play": ["battlestar"]}, b=spec, phase="attack")
    t.no(0, "protected", "attack", attacker=t["a.battlestar"], target=t["b.the_shade"])


def test_ruling_19_defense_cannon():
    assert CARDS["defense_cannon"].defense == 1
    t = strike(b={"play": ["defense_cannon"], "station": {"draw": ["luck*", "luck*"]}})
    t.no(0, "protected", "attack", attacker=t["a.battlestar"], target=t["b.defense_cannon"])


def test_ruling_20_shield_limit():
    t = table(a={"hand": ["energy_shield", "shield", "mega_shield"], "play": ["repair_shield"]})
    t.no(0, "shield_limit", "play_card", card=t["a.energy_shield"])
    t.no(0, "shield_limit", "play_card", card=t["a.mega_shield"])
    t.do(0, "play_card", card=t["a.shield"])
    assert t.hand(0) == ["energy_shield", "mega_shield"]
    assert t.piece("a.shield").controller == 0


def test_ruling_21_a_second_limited_shield_may_be_a_station_card():
    t = table(a={"hand": ["energy_shield"], "play": ["mega_shield"]})
    t.do(0, "add_station", card=t["a.energy_shield"], row="hand")
    assert t["a.energy_shield"] in [card.id for card in t.side(0).station if card.row == "hand"]


def suppressed(t):
    return {piece["id"] for piece in t.view(0)["pieces"] if "suppressed" in piece["marks"]}


def test_ruling_22_the_last_neutralization_counts():
    t = table(a={"play": ["neutralization", "full_attack"]}, b={"play": ["neutralization"]})
    assert suppressed(t) == {t["a.neutralization"], t["a.full_attack"]}


def test_ruling_23_suppressed_effects_do_not_work():
    t = table(a={"play": ["satellite", "neutralization"]}, b={"play": ["avoid"]})
    t.no(0, None, "use_anytime", card=t["a.satellite"])
    t.do(0, "use_anytime", card=t["a.neutralization"], targets=[t["b.avoid"]])
    t = turn_of_b({"play": ["avoid", "neutralization"]}, {"hand": ["drone"]})
    t.do(1, "play_card", card=t["b.drone"])
    assert suppressed(t) >= {t["a.avoid"]}
    t.no(0, None, "react", item=t.item(), play={"card": t["a.avoid"]})
    assert not t.gone("a.avoid")


def test_ruling_24_neutralization_and_great_disturbance():
    t = table(a={"play": ["neutralization"]}, b={"play": ["great_disturbance", "full_attack"]})
    assert suppressed(t) == {t["a.neutralization"]}
    t = table(a={"play": ["great_disturbance", "full_attack"]}, b={"play": ["neutralization"]})
    assert suppressed(t) == {t["a.great_disturbance"], t["a.full_attack"]}


def test_ruling_25_two_time_warps_add_up():
    t = table(a={"hand": ["drone", "luck"], "play": ["time_warp"]}, b={"play": ["time_warp"]})
    t.do(0, "play_card", card=t["a.drone"])
    assert t.side(0).actions == 3
    t = turn_of_b({"hand": ["discovery"]}, {"play": ["time_warp"]})
    t.no(0, None, "react", play={"card": t["a.discovery"], "mode": 1})


def test_ruling_26_counter_limits_look_at_the_printed_cost():
    t = turn_of_b({"hand": ["luck"]}, {"hand": ["battlestar", "fatal_error"], "actions": 9})
    t.do(1, "play_card", card=t["b.battlestar"])
    t.do(1, "play_card", card=t["b.fatal_error"], x=3, targets=[t["b.battlestar"]])
    t.no(0, "no_target", "react", item=t.item(), play={"card": t["a.luck"]})
    t.react(0, t.item("battlestar"), card=t["a.luck"])
    assert t.discarded(1) == ["battlestar"]


def test_ruling_27_avoid_counters_also_reactions_and_free_cards():
    t = turn_of_b({"hand": ["luck"]}, {"hand": ["drone"], "play": ["avoid"]})
    t.do(1, "play_card", card=t["b.drone"])
    t.react(0, t.item(), card=t["a.luck"])
    assert t.gone("b.drone")
    t.react(1, t.item("luck"), card=t["b.avoid"])
    assert not t.gone("b.drone")
    t = turn_of_b({"play": ["avoid"]}, {"play": ["satellite"]})
    t.do(1, "use_anytime", card=t["b.satellite"])
    t.no(0, "no_target", "react", item=t.item(), play={"card": t["a.avoid"]})


def test_ruling_28_nicias_counter_cannot_be_countered():
    t = turn_of_b({"commander": "nicia_satu", "charge": 3}, {"hand": ["discovery", "luck"], "play": ["avoid"]})
    t.do(1, "play_card", card=t["b.discovery"], mode=1)
    t.react(0, t.item(), mode=3)
    t.no(1, "no_target", "react", item=t.item(), play={"card": t["b.luck"]})
    t.no(1, "no_target", "react", item=t.item(), play={"card": t["b.avoid"]})
    assert t.discarded(1) == ["discovery"]
    assert t.hand(1) == ["luck"]


def test_ruling_29_no_draw_from_a_countered_luck():
    t = turn_of_b({"hand": ["luck"]}, {"hand": ["battlestar", "luck"]})
    t.do(1, "play_card", card=t["b.battlestar"])
    t.react(0, t.item(), card=t["a.luck"])
    t.react(1, t.item("luck"), card=t["b.luck"])
    assert not t.gone("b.battlestar")
    assert [prompt.seat for prompt in t.state.prompts] == [0]


def test_ruling_30_cancel_discards_on_resolving():
    t = turn_of_b({"hand": ["cancel", "titan"]}, {"hand": ["drone", "luck"]})
    t.do(1, "play_card", card=t["b.drone"])
    t.react(0, t.item(), card=t["a.cancel"])
    t.react(1, t.item("cancel"), card=t["b.luck"])
    assert t.hand(0) == ["titan"]
    assert not t.gone("b.drone")


def test_ruling_31_fatal_error_on_x_cards():
    t = table(a={"hand": ["fatal_error"], "play": ["titan"]}, b={"play": [("duplication", {"x": 3, "damage": 0})]})
    t.no(0, None, "play_card", card=t["a.fatal_error"], x=3, targets=[t["b.duplication"]])
    t.do(0, "play_card", card=t["a.fatal_error"], x=4, targets=[t["b.duplication"]])
    assert t.gone("b.duplication")


def test_ruling_32_the_dark_destroyer():
    t = table(a={"hand": ["the_dark_destroyer"], "play": ["avoid"]}, b={"play": ["shield"]})
    t.do(0, "play_card", card=t["a.the_dark_destroyer"])
    assert not t.gone("a.avoid")
    t = table(a={"hand": ["the_dark_destroyer"], "play": ["avoid"]})
    t.no(0, None, "play_card", card=t["a.the_dark_destroyer"], targets=[t["a.the_dark_destroyer"]])
    t.do(0, "play_card", card=t["a.the_dark_destroyer"], targets=[t["a.avoid"]])
    assert t.gone("a.avoid")


def test_ruling_33_supernova_destroys_attached_cards():
    own = ["starship", ("death_ray", {"on": "starship", "x": 2})]
    t = table(a={"hand": ["supernova"], "play": own}, b={"flip_preference": ["draw"]})
    t.do(0, "play_card", card=t["a.supernova"], slots=["s1", "s2", "s3"])
    assert sorted(t.discarded(0)) == ["death_ray", "starship", "supernova"]


def test_ruling_34_cards_go_to_their_owner():
    t = strike("hacker", b={"play": ["explosive_missile"]})
    t.do(0, "use_ability", card=t["a.hacker"], targets=[t["b.explosive_missile"]])
    t.do(0, "attack_station", attacker=t["b.explosive_missile"], slots=["s1", "s2", "s3"])
    assert t.discarded(1) == ["explosive_missile"]
    assert t.discarded(0) == []


def test_ruling_35_viper():
    t = table(a={"hand": ["fatal_error"]}, b={"play": ["indestructible_viper"]})
    t.do(0, "play_card", card=t["a.fatal_error"], x=5, targets=[t["b.indestructible_viper"]])
    assert t.gone("b.indestructible_viper")
    t = table(a={"hand": ["ambush"]}, b={"play": [("indestructible_viper", {"damage": 3})]})
    t.do(0, "play_card", card=t["a.ambush"], targets=[t["b.indestructible_viper"]])
    assert t.piece("b.indestructible_viper").damage == 3


def test_ruling_36_fusion_ship_from_anywhere():
    play = {"play": ["fusion_ship", "drone", "drone", "drone"], "discard": ["titan"], "station": {"draw": ["hunter"]}}
    t = table(a=play, phase="attack")
    t.do(0, "use_ability", card=t["a.fusion_ship"], targets=[t["a.drone"], t["a.drone.2"], t["a.drone.3"]])
    assert {t["a.titan"], t["a.hunter"], t["a.the_gladiator"]} <= set(t.view(0)["prompts"][0]["options"])
    t.choose(0, t["a.hunter"])
    assert len(t.side(0).station) == 2


def test_ruling_37_revive_procedure():
    t = table(a={"hand": ["revive_procedure"], "discard": ["drone", "drone", "drone", "duplication"]})
    revive, drones = t["a.revive_procedure"], [t["a.drone"], t["a.drone.2"], t["a.drone.3"]]
    t.no(0, None, "play_card", card=revive, targets=drones)
    t.do(0, "play_card", card=revive, targets=drones[:2])
    assert t.piece("a.drone").zone == t.piece("a.drone.2").zone == 0


def test_ruling_38_destiny_decided_counts_flipped_cards():
    t = table(a={"hand": ["drone"], "station": {"draw": ["titan*"]}}, b={"play": ["destiny_decided"]})
    t.do(0, "play_card", card=t["a.titan"])
    t.no(0, "forbidden", "play_card", card=t["a.drone"])
    assert t.piece("a.titan").controller == 0
    assert t.hand(0) == ["drone"]


def test_ruling_39_corrupted_outpost():
    t = table(a={"play": ["corrupted_outpost"], "station": {"hand": ["drone", "titan"]}})
    t.do(0, "use_action", card=t["a.corrupted_outpost"], slots=["s3", "s4"])
    assert t.hand(0) == ["drone", "titan"]


def test_ruling_40_discovery():
    t = table(a={"hand": ["discovery"]}, b={"hand": []})
    t.do(0, "play_card", card=t["a.discovery"], mode=1)
    assert (len(t.side(0).hand), len(t.side(1).hand)) == (2, 2)


def test_ruling_41_fate_draws_and_discards():
    t = turn_of_b({"hand": ["fate"]}, {"hand": ["drone"]})
    t.do(1, "play_card", card=t["b.drone"])
    t.react(0, t.item(), card=t["a.fate"])
    assert t.awaited == [(0, "offer")]
    t.choose(0, "draw")
    assert sorted(t.discarded(0)) == ["fate", "the_gladiator"]
    assert t.awaited == [(1, "action")]


def test_ruling_42_sacrifice_each_owner_chooses():
    t = table(a={"hand": ["sacrifice"], "play": ["drone", "titan"]}, b={"play": ["avoid", "shield"]})
    t.do(0, "play_card", card=t["a.sacrifice"], targets=[t["a.drone"]])
    t.do(1, "let_stand")
    t.choose(1, t["b.shield"])
    assert t.gone("a.drone")
    assert t.gone("b.shield")


def test_ruling_43_deja_vu():
    t = table(a={"hand": ["deja_vu"], "discard": ["titan"]})
    t.do(0, "play_card", card=t["a.deja_vu"], targets=[t["a.titan"]])
    assert t.hand(0) == ["titan"]
    t = table(a={"hand": ["deja_vu"]})
    t.no(0, "no_target", "play_card", card=t["a.deja_vu"], targets=[])
    t = table(a={"hand": ["deja_vu"], "discard": ["titan", "drone"]})
    t.do(0, "play_card", card=t["a.deja_vu"], targets=[t["a.titan"], t["a.drone"]])
    assert t.awaited == [(0, "action")]
    t.choose(1, t["a.titan"])
    assert t.hand(0) == ["titan"]


def test_ruling_44_great_disturbance_takes_the_same_name_from_hand():
    t = table(a={"play": ["great_disturbance"]}, b={"play": ["avoid"], "hand": ["avoid", "time_warp"]})
    t.do(0, "use_anytime", card=t["a.great_disturbance"], targets=[t["b.avoid.2"]])
    assert t.hand(1) == ["time_warp"]


def test_ruling_45_moment_of_peace_stays_two_draw_phases():
    t = end_of_b({"play": ["moment_of_peace"]})
    assert t.piece("a.moment_of_peace").counters == 1
    assert t.state.phase == "upkeep"
    t.do(0, "pay_upkeep", keep=[t["a.moment_of_peace"]])
    t.do(0, "end_phase")
    t.do(0, "end_turn")
    t.do(1, "end_phase")
    t.do(1, "end_turn")
    assert t.gone("a.moment_of_peace")


def test_ruling_46_station_repair():
    t = end_of_b({"play": ["station_repair", ("titan", {"damage": 5})], "station": {"draw": ["luck*"]}})
    t.choose(0, t["a.titan"])
    assert t.piece("a.titan").damage == 3


def test_ruling_47_transformation_works_once():
    t = end_of_b({"play": ["transformation"]})
    assert t.gone("a.transformation")


def test_ruling_48_charges_pay_upkeep():
    t = end_of_b({"commander": "nicia_satu", "charge": 2, "play": ["full_attack", "good_karma"], "station": {"hand": 3}})
    t.choose(0, *t.side(0).hand[:2])
    t.do(0, "use_commander", mode=2, n=2)
    t.do(0, "pay_upkeep", keep=[t["a.full_attack"], t["a.good_karma"]])
    assert t.side(0).actions == 0


def test_ruling_49_deploy_starship_needs_three_cards():
    t = table(a={"hand": ["deploy_starship"], "play": ["drone", "avoid"]})
    t.no(0, "no_target", "play_card", card=t["a.deploy_starship"], targets=[t["a.drone"], t["a.avoid"]])
    assert t.hand(0) == ["deploy_starship"]
    assert not t.gone("a.drone")


def test_ruling_50_extra_deposit():
    b = {"play": ["extra_deposit"], "hand": ["titan"], "station": {"draw": ["drone*"]}}
    t = table(a={"hand": ["sabotage", "discovery", "luck"]}, b=b)
    t.do(0, "play_card", card=t["a.discovery"], mode=2, targets=[t["a.luck"]])
    assert t.hand(1) == ["titan"]
    t.do(0, "play_card", card=t["a.sabotage"])
    t.do(1, "let_stand")
    assert t.view(0)["prompts"][0]["options"] == [t["b.drone"]]
    t = end_of_b({"play": ["good_karma"]}, {"play": ["titan"]})
    assert t.awaited == [(0, "discard")]


def test_ruling_51_sabotage_with_an_empty_pile():
    t = table(a={"hand": ["sabotage"]}, b={"pile": [], "hand": ["titan"]})
    t.do(0, "play_card", card=t["a.sabotage"])
    t.do(1, "let_stand")
    t.choose(0, t["b.titan"])
    assert t.discarded(1) == ["titan"]


def test_ruling_52_controllers_pick_shields_and_meteors_hit_home_first():
    t = end_of_b({"play": ["toxic_gas"]}, {"play": ["shield", "energy_shield"]})
    assert t.awaited == [(0, "shield")]
    t.choose(0, t["b.energy_shield"])
    assert t.piece("b.energy_shield").damage == 2
    all_flipped = {"draw": ["luck*"], "action": ["luck*"], "hand": ["luck*"]}
    t = end_of_b({"play": ["meteor_shower"], "life": 2, "station": all_flipped}, {"life": 2, "station": all_flipped})
    assert t.state.winner == 1


def test_ruling_53_milling():
    first = {"flip_preference": ["draw"]}
    t = end_of_b({"commander": "the_miller", "pile": [], **first}, {"pile": ["drone"], **first})
    assert t.awaited == [(0, "draw")]
    t.do(0, "draw", mill=True)
    assert t.discarded(1) == ["drone"]


def test_ruling_54_the_pile_is_checked_once():
    t = end_of_b({"pile": ["drone"]})
    assert t.side(0).pile == ()
    assert t.flipped(0) == []


def test_ruling_55_zuuls_before_the_review():
    a = {"commander": "zuuls", "first_turn": 1, "pile": ["drone"] * 3, "play": [("scout", {"entered": 1})]}
    t = table(a=a, turn=1, phase="attack")
    t.do(0, "use_ability", card=t["a.scout"])
    t.do(0, "end_turn")
    assert t.awaited == [(0, "search")]
    t.choose(0, t["a.drone.2"])
    assert t.awaited == [(1, "review")]
    assert t.piece("a.drone.2").entered == 1


def test_ruling_56_carriers_drones():
    t = table(a={"play": [("drone", {**ENEMY, "entered": 7, "zone_turn": 7})]}, phase="attack")
    t.no(0, "out_of_range", "attack_station", attacker=t["a.drone"], slots=["s1"])
    t = table(a={"play": [("drone", {**ENEMY, "entered": 7, "zone_turn": 7})]}, turn=9, phase="attack")
    t.do(0, "attack_station", attacker=t["a.drone"], slots=["s1"])
    assert t.flipped(1) == ["s1"]


def test_ruling_57_hacker():
    t = strike("hacker", b={"play": [("titan", {"damage": 2})]})
    t.do(0, "use_ability", card=t["a.hacker"], targets=[t["b.titan"]])
    piece = t.piece("b.titan")
    assert (piece.controller, piece.zone, piece.damage) == (0, 1, 2)
    t.do(0, "attack_station", attacker=t["b.titan"], slots=["s1", "s2", "s3"])
    t.do(0, "end_turn")
    assert (t.piece("b.titan").controller, t.piece("b.titan").zone) == (1, 1)


def test_ruling_58_extra_turns_grow_the_window():
    t = table(a={"play": [("time_travel_portal", {"counters": 6})], "hand": ["drone"]})
    t.do(0, "play_card", card=t["a.drone"], options={"draw": False})
    t.do(0, "use_action", card=t["a.time_travel_portal"])
    t.do(0, "use_action", card=t["a.time_travel_portal"])
    for turn in (8, 9):
        t.do(0, "end_phase")
        t.do(0, "end_turn")
        assert (t.state.turn, t.state.active) == (turn, 0)
    t.do(0, "end_phase")
    t.do(0, "end_turn")
    assert t.awaited == [(1, "review")]
    assert "drone" in [item["card"] for item in t.view(1)["items"]]


def test_ruling_59_face_down_cards_are_seen_in_the_own_action_phase_only():
    t = table(a={"station": {"draw": ["titan"]}})
    assert t.view(0)["sides"][0]["station"][0]["card"] == "titan"
    t.do(0, "end_phase")
    assert "card" not in t.view(0)["sides"][0]["station"][0]
    assert "card" not in t.view(1)["sides"][0]["station"][0]


def test_ruling_60_retracted_draws_cause_a_shuffle():
    t = turn_of_b({"hand": ["luck"]}, {"hand": ["drone"], "pile": ["titan", "luck", "avoid", "drone"]})
    t.do(1, "play_card", card=t["b.drone"])
    t.dice([3, 2, 1, 0])
    before = t.side(1).pile
    events = t.react(0, t.item(), card=t["a.luck"])
    orders = next(event for event in events if event["type"] == "match.rewound")["data"]["data"]["orders"]
    assert len(orders["1"]) == 4
    assert orders["1"][-3:] != list(before)
    assert list(orders) == ["1"]


def test_ruling_61_items_stay_open_without_an_answer():
    t = turn_of_b({"hand": []}, {"hand": ["drone"]})
    t.do(1, "play_card", card=t["b.drone"])
    t.do(1, "end_phase")
    t.do(1, "end_turn")
    assert t.awaited == [(0, "review")]


def test_ruling_62_legality_is_tested_at_the_point_gone_back_to():
    t = turn_of_b({"hand": ["ambush"]}, {"hand": ["drone", "battlestar"]})
    t.do(1, "play_card", card=t["b.drone"], options={"draw": False})
    first = t.item()
    t.do(1, "play_card", card=t["b.battlestar"])
    t.no(0, "no_target", "react", item=first, play={"card": t["a.ambush"], "targets": [t["b.battlestar"]]})
    assert t.state.open_items(0)[0].n == first
    t.react(0, first, card=t["a.ambush"], targets=[t["b.drone"]])
    assert t.gone("b.drone")
    assert t.gone("b.battlestar")
    t.do(1, "replay")
    assert not t.gone("b.battlestar")


def test_ruling_63_collisions_and_blasts_are_no_attacks():
    t = strike("pursuiter", b={"hand": ["target_missed"], "play": ["the_shade"]})
    t.do(0, "collide", card=t["a.pursuiter"], target=t["b.the_shade"])
    assert t.gone("b.the_shade")
    t.no(1, "no_target", "react", item=t.item(), play={"card": t["b.target_missed"], "mode": 1})


def test_ruling_64_emp_and_paralyzer():
    t = strike("paralyzer", a={"play": [("battlestar", ENEMY)]}, b={"play": ["energy_shield", "titan"]})
    t.do(0, "attack", attacker=t["a.paralyzer"], target=t["b.titan"])
    t.do(0, "attack", attacker=t["a.battlestar"], target=t["b.titan"])
    assert t.piece("b.titan").damage == 4
    t = strike("emp_missile", b={"play": ["energy_shield"]})
    t.do(0, "attack", attacker=t["a.emp_missile"], target=t["b.energy_shield"])
    assert t.gone("b.energy_shield")


def test_ruling_65_the_shield_limit_holds_for_copies():
    t = table(a={"hand": ["duplication"], "play": ["energy_shield", "shield"]})
    t.no(0, None, "play_card", card=t["a.duplication"], x=3, targets=[t["a.energy_shield"]])
    t.do(0, "play_card", card=t["a.duplication"], x=1, targets=[t["a.shield"]])
    assert sorted(piece.card for piece in t.state.pieces if piece.controller == 0) == ["energy_shield", "shield", "shield"]


def test_ruling_66_attack_zero():
    t = strike("repair_ship", a={"play": ["collision_skill"]}, b={"play": ["titan"]})
    t.no(0, "no_attack_value", "attack", attacker=t["a.repair_ship"], target=t["b.titan"])
    t.do(0, "collide", card=t["a.repair_ship"], target=t["b.titan"])
    assert t.piece("b.titan").damage == 3


def test_ruling_67_disturbing_signals_stop_moving():
    t = table(a={"play": ["explosive_missile"]}, b={"play": ["disturbing_signals"]}, phase="attack")
    t.no(0, "forbidden", "move", card=t["a.explosive_missile"])
    assert not t.piece("a.explosive_missile").moved


def test_ruling_68_static_effects_of_paralyzed_cards_go_on():
    t = table(a={"play": ["explosive_missile"]}, b={"play": [("disturbing_sensor", {"paralyzed": True})]}, phase="attack")
    t.no(0, "forbidden", "move", card=t["a.explosive_missile"])
    assert not t.piece("a.explosive_missile").moved
    assert t.piece("b.disturbing_sensor").paralyzed


def test_ruling_69_excellent_work_can_be_countered():
    t = turn_of_b({"hand": ["luck"]}, {"hand": ["excellent_work", "drone"]})
    t.do(1, "add_station", card=t["b.drone"], row="draw")
    assert t.state.items == ()
    t.do(1, "play_card", card=t["b.excellent_work"], mode=1, row="draw")
    t.react(0, t.item(), card=t["a.luck"])
    assert t.discarded(1) == ["excellent_work"]
    assert len(t.side(1).station) == 4


def test_ruling_70_return():
    t = turn_of_b({"hand": ["return"]}, {"hand": ["avoid"], "play": [("duplication", {"x": 3}), "titan"]})
    t.do(1, "play_card", card=t["b.avoid"])
    t.no(0, None, "react", item=t.item(), play={"card": t["a.return"], "mode": 2, "targets": [t["b.titan"]]})
    t.react(0, t.item(), card=t["a.return"], mode=2, targets=[t["b.avoid"]])
    assert t.hand(1) == ["avoid"]
    assert t.awaited == [(1, "action")]


def test_ruling_57_cards_attached_meanwhile_follow_the_ship():
    """RULES.md does not cover this: another seat's card stays on a ship that returns, lent to the ship's owner."""
    t = strike("hacker", b={"play": [("titan", {"damage": 2})]}, a={"play": [("death_ray", {})]})
    t.do(0, "use_ability", card=t["a.hacker"], targets=[t["b.titan"]])
    position = t.ok({"op": "position"})["position"]
    for piece in position["state"]["pieces"]:
        if piece["id"] == t["a.death_ray"]:
            piece.update({"on": t["b.titan"], "zone": t.piece("b.titan").zone})
    later = Session(GAME)
    assert later.answer({"op": "new", "position": position})["ok"]
    assert later.answer({"op": "command", "seat": 0, "command": {"name": "end_turn"}})["ok"]
    ray = later.match.state.piece(t["a.death_ray"])
    assert (ray.controller, ray.owner, ray.borrowed, ray.on) == (1, 0, True, t["b.titan"])
    assert not GAME.faults(later.match.state)
