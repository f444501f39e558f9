"""Every card and every commander: its effect and its refusals. A test of the tables makes sure that none is missing.

Each entry of `WORKS` and `REFUSED` is one test, named after its card. `t.do` sends a command that must be accepted, `t.no` one
that must be refused; see `table.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from gamesvc.games.protocol import Session
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.data import CARDS, COMMANDERS, DECKS, LIMITS
from tests.games.space_war.table import Table, table

Case = Callable[[], None]
WORKS: dict[str, Case] = {}
REFUSED: dict[str, Case] = {}


def works(card: str) -> Callable[[Case], Case]:
    def register(case: Case) -> Case:
        assert card not in WORKS
        WORKS[card] = case
        return case

    return register


def refused(card: str) -> Callable[[Case], Case]:
    def register(case: Case) -> Case:
        assert card not in REFUSED
        REFUSED[card] = case
        return case

    return register


def played(card: str, a: dict | None = None, b: dict | None = None, **params) -> Table:
    """Play a card from seat a's hand in its action phase."""
    a = dict(a or {})
    a["hand"] = [card, *a.get("hand", [])]
    t = table(a=a, b=b)
    names = {key: value for key, value in params.items() if key != "targets"}
    if "targets" in params:
        names["targets"] = [t.names.get(one, one) for one in params["targets"]]
    t.do(0, "play_card", card=t[f"a.{card}"], **names)
    return t


def next_draw(a: dict, b: dict | None = None, **more) -> Table:
    """End turn 6 of seat b, so that seat a's draw phase of turn 7 runs."""
    t = table(a=a, b=b, turn=6, active=1, phase="attack", **more)
    t.do(1, "end_turn")
    return t


# --- cards without text: they can be played, enter play and attack with their value; refused without the actions ---

PLAIN = {
    "the_exterminator": (5, 5, 6),
    "stormfalcon": (4, 5, 3),
    "titan": (5, 3, 9),
    "explosive_missile": (2, 4, 2),
    "fast_missile": (2, 2, 1),
    "nuclear_missile": (2, 10, 3),
    "the_gladiator": (2, 3, 2),
    "hunter": (3, 3, 2),
    "battlestar": (2, 2, 4),
    "the_liberator": (4, 3, 6),
    "alien_missile": (1, 6, 1),
    "energy_shield": (3, None, 5),
    "shield": (1, None, 3),
}


def _plain(card: str) -> None:
    cost, attack, defense = PLAIN[card]
    t = played(card)
    piece = t.view(0)["pieces"][0]
    assert (10 - t.side(0).actions, piece["attack"], piece["defense"]) == (cost, attack, defense)
    if attack is None:
        t = table(a={"play": [("battlestar", {"zone": "enemy"})]}, b={"play": [card]}, phase="attack")
        t.no(0, "shielded", "attack_station", attacker=t["a.battlestar"], slots=["s1", "s2"])
        return
    t = table(a={"play": [card]}, b={"play": [("starship", {"zone": "enemy"})]}, phase="attack")
    t.do(0, "attack", attacker=t[f"a.{card}"], target=t["b.starship"])
    assert t.piece("b.starship").damage == attack
    slow = "slow" in CARDS[card].keywords
    t = table(a={"play": [(card, {"entered": 7})]}, phase="attack")
    if "fast" in CARDS[card].keywords:
        t.do(0, "move", card=t[f"a.{card}"])
    else:
        t.no(0, "first_turn", "move", card=t[f"a.{card}"])
    t = table(a={"play": [card]}, b={"play": ["titan"]}, phase="attack")
    t.do(0, "move", card=t[f"a.{card}"])
    if slow:
        t.no(0, "slow", "attack", attacker=t[f"a.{card}"], target=t["b.titan"])
    else:
        t.do(0, "attack", attacker=t[f"a.{card}"], target=t["b.titan"])


def _too_dear(card: str) -> None:
    cost = CARDS[card].cost or 0
    t = table(a={"hand": [card], "actions": cost - 1})
    t.no(0, "cannot_pay", "play_card", card=t[f"a.{card}"])


for _card in PLAIN:
    WORKS[_card] = lambda card=_card: _plain(card)
for _card in CARDS.values():
    if _card.cost and _card.id not in ("supernova",):
        REFUSED[_card.id] = lambda card=_card.id: _too_dear(card)


# --- The Terrans ---


@works("the_dark_destroyer")
def _():
    t = played("the_dark_destroyer", b={"play": ["titan"]}, targets=["b.titan"])
    assert t.gone("b.titan")
    t = played("the_dark_destroyer")
    assert not t.gone("a.the_dark_destroyer")


@works("emp_missile")
def _():
    t = table(a={"play": [("emp_missile", {"zone": "enemy"})]}, b={"play": ["shield"]}, phase="attack")
    t.do(0, "attack", attacker=t["a.emp_missile"], target=t["b.shield"])
    assert t.gone("b.shield")
    t = table(
        a={"play": [("emp_missile", {"zone": "enemy"})]},
        b={"play": [("titan", {"paralyzed": True}), "fast_missile"]},
        phase="attack",
    )
    t.no(0, None, "attack", attacker=t["a.emp_missile"], target=t["b.titan"])
    t.no(0, None, "attack", attacker=t["a.emp_missile"], target=t["b.fast_missile"])
    t.no(0, "no_target", "attack_station", attacker=t["a.emp_missile"])


@works("full_attack")
def _():
    t = played("full_attack", a={"play": ["titan", "explosive_missile", "defense_cannon"]})
    attacks = {piece["card"]: piece["attack"] for piece in t.view(0)["pieces"]}
    assert (attacks["titan"], attacks["explosive_missile"], attacks["defense_cannon"]) == (4, 4, 3)


@works("good_karma")
def _():
    t = played("good_karma", a={"hand": ["drone", "luck"]})
    assert len(t.side(0).hand) == 5
    t.choose(0, t["a.drone"], t["a.luck"])
    assert t.hand(0) == ["the_gladiator"] * 3


@works("neutralization")
def _():
    t = played("neutralization", a={"play": ["full_attack", "titan"]}, b={"play": ["time_warp"]})
    assert t.view(0)["pieces"][1]["attack"] == 3
    t.do(0, "use_anytime", card=t["a.neutralization"], targets=[t["b.time_warp"]])
    assert t.gone("b.time_warp")
    assert t.gone("a.neutralization")


@works("corrupted_outpost")
def _():
    t = table(a={"play": ["corrupted_outpost"], "station": {"hand": ["titan", "drone*"]}, "hand": ["luck"] * 9})
    t.no(0, None, "use_action", card=t["a.corrupted_outpost"], slots=["s4"])
    t.do(0, "use_action", card=t["a.corrupted_outpost"], slots=["s3"])
    assert "titan" in t.hand(0)
    t.do(0, "end_phase")
    assert t.awaited == [(0, "attack")]


@works("excellent_work")
def _():
    t = played("excellent_work", mode=1, row="draw")
    assert [card.row for card in t.side(0).station].count("draw") == 2
    assert t.discarded(0) == []
    t = played("excellent_work", mode=2)
    assert len(t.side(0).hand) == 3
    t = table(a={"hand": ["excellent_work"], "station": {"draw": 7}, "commander": "liana_henders"})
    t.no(0, None, "play_card", card=t["a.excellent_work"], mode=1, row="draw")


@works("supernova")
def _():
    t = played("supernova", a={"play": ["titan"]}, b={"play": ["avoid"], "flip_preference": ["hand"]}, slots=["s1", "s2", "s3"])
    assert t.gone("a.titan")
    assert t.gone("b.avoid")
    assert t.flipped(0) == t.flipped(1) == ["s1", "s2", "s3"]


@refused("supernova")
def _():
    t = table(a={"hand": ["supernova"], "actions": 6})
    t.no(0, "cannot_pay", "play_card", card=t["a.supernova"], slots=["s1", "s2", "s3"])
    t = table(a={"hand": ["supernova"]})
    t.no(0, "bad_slots", "play_card", card=t["a.supernova"], slots=["s1"])


@works("target_missed")
def _():
    t = played(
        "target_missed", b={"play": [("titan", {"zone": "enemy"})]}, a={"play": ["battlestar"]}, mode=2, targets=["b.titan"]
    )
    t.do(0, "end_phase")
    t.no(0, "protected", "attack", attacker=t["a.battlestar"], target=t["b.titan"])
    t.do(0, "end_turn")
    t.do(1, "let_stand")
    assert "protected" not in t.view(1)["pieces"][1]["marks"]


@refused("target_missed")
def _():
    t = table(a={"hand": ["target_missed"]}, b={"play": ["avoid"]})
    t.no(0, "no_target", "play_card", card=t["a.target_missed"], mode=2, targets=[t["b.avoid"]])


@works("missiles_launched")
def _():
    t = played("missiles_launched", a={"pile": ["fast_missile", "drone"], "discard": ["emp_missile"]})
    t.choose(0, t["a.fast_missile"], t["a.emp_missile"])
    assert not t.gone("a.fast_missile")
    assert not t.gone("a.emp_missile")


@works("perfect_plan")
def _():
    t = played("perfect_plan", a={"pile": ["drone"], "station": {"draw": ["titan"]}})
    events = t.choose(0, t["a.titan"])
    assert t.hand(0) == ["titan"]
    taken = next(event for event in events if event["type"].endswith("cards_returned"))
    assert t.seen(taken, 1)["names"] == []


@works("pursuiter")
def _():
    t = table(a={"play": ["pursuiter"]}, b={"play": [("titan", {"zone": "enemy"})]}, phase="attack")
    t.do(0, "collide", card=t["a.pursuiter"], target=t["b.titan"])
    assert t.piece("b.titan").damage == 4
    assert t.gone("a.pursuiter")
    fresh = {"play": [("pursuiter", {"entered": 7}), "collision_skill"]}
    t = table(a=fresh, b={"play": [("titan", {"zone": "enemy"})]}, phase="attack")
    t.no(0, "cannot_collide", "collide", card=t["a.pursuiter"], target=t["b.titan"])


@works("grand_opportunity")
def _():
    t = played("grand_opportunity")
    assert len(t.side(0).hand) == 5
    t.do(0, "end_phase")
    assert t.awaited == [(0, "attack")]


@works("defense_cannon")
def _():
    t = table(a={"play": ["defense_cannon"]}, b={"play": [("titan", {"zone": "enemy"})]}, phase="attack")
    t.do(0, "attack", attacker=t["a.defense_cannon"], target=t["b.titan"])
    assert t.piece("b.titan").damage == 3
    t.no(0, "no_attack_left", "attack_station", attacker=t["a.defense_cannon"])
    t.no(0, "cannot_move", "move", card=t["a.defense_cannon"])
    ship = {"play": [("battlestar", {"zone": "enemy"})]}
    t = table(a=ship, b={"play": ["defense_cannon"]}, phase="attack")
    t.no(0, "protected", "attack", attacker=t["a.battlestar"], target=t["b.defense_cannon"])
    t = table(a=ship, b={"play": ["defense_cannon"], "station": {"draw": ["luck*"] * 3}}, phase="attack")
    t.do(0, "attack", attacker=t["a.battlestar"], target=t["b.defense_cannon"])
    assert t.gone("b.defense_cannon")


@works("trigger_happy_joe")
def _():
    t = table(a={"play": ["trigger_happy_joe"]}, b={"play": [("titan", {"zone": "enemy"})]}, phase="attack")
    for _ in range(2):
        t.do(0, "attack", attacker=t["a.trigger_happy_joe"], target=t["b.titan"])
    t.no(0, "no_attack_left", "attack", attacker=t["a.trigger_happy_joe"], target=t["b.titan"])
    assert t.piece("b.titan").damage == 2


@works("thunderbolt")
def _():
    t = table(a={"play": ["thunderbolt"], "discard": ["titan", "drone"]}, phase="attack")
    t.do(0, "use_ability", card=t["a.thunderbolt"], targets=[t["a.titan"]])
    assert t.side(0).pile[0] == t["a.titan"]
    assert t.side(0).known == 1


@works("the_shade")
def _():
    ship = {"play": ["battlestar"]}
    t = table(a=ship, b={"play": [("the_shade", {"zone": "enemy"})]}, phase="attack")
    t.no(0, "protected", "attack", attacker=t["a.battlestar"], target=t["b.the_shade"])
    t = table(a=ship, b={"play": [("the_shade", {"zone": "enemy", "last_attack": 6})]}, phase="attack")
    t.do(0, "attack", attacker=t["a.battlestar"], target=t["b.the_shade"])


def _repairs(card: str, mode: dict) -> None:
    t = table(a={"play": [card, ("titan", {"damage": 5, "paralyzed": True}), ("drone", {})]}, phase="attack")
    t.no(0, "no_target", "use_ability", card=t[f"a.{card}"], **mode, targets=[t["a.drone"]])
    t.do(0, "use_ability", card=t[f"a.{card}"], **mode, targets=[t["a.titan"]])
    assert (t.piece("a.titan").damage, t.piece("a.titan").paralyzed) == (0 if "big" in card else 2, False)
    t.no(0, "already_acted", "use_ability", card=t[f"a.{card}"], **mode, targets=[t["a.titan"]])


def _mends(card: str, mode: int) -> None:
    t = table(a={"play": [card], "station": {"draw": ["luck*"]}}, phase="attack")
    t.do(0, "use_ability", card=t[f"a.{card}"], mode=mode, slots=["s1"])
    assert t.flipped(0) == []
    t = table(a={"play": [(card, {"zone": "enemy"})], "station": {"draw": ["luck*"]}}, phase="attack")
    if card != "repair_shield":
        t.no(0, None, "use_ability", card=t[f"a.{card}"], mode=mode, slots=["s1"])


@works("small_repair_ship")
def _():
    _repairs("small_repair_ship", {})


@works("big_repair_ship")
def _():
    _repairs("big_repair_ship", {"mode": 2})
    _mends("big_repair_ship", 1)


@works("repair_ship")
def _():
    _repairs("repair_ship", {"mode": 1})
    _mends("repair_ship", 2)


def _counters(card: str, victim: str, too_dear: str | None, a: dict | None = None) -> Table:
    """Counter a card of seat b in its turn as seat a. A card that is too expensive cannot be countered."""
    hold = a or {"hand": [card]}
    if too_dear is not None:
        t = table(a=hold, b={"hand": [too_dear], "actions": 9}, turn=6, active=1)
        t.do(1, "play_card", card=t[f"b.{too_dear}"])
        t.no(0, "no_target", "react", item=t.item(), play={"card": t[f"a.{card}"]})
    t = table(a=hold, b={"hand": [victim], "actions": 9}, turn=6, active=1)
    t.do(1, "play_card", card=t[f"b.{victim}"])
    t.react(0, t.item(), card=t[f"a.{card}"])
    assert t.discarded(1) == [victim]
    assert t.gone(f"b.{victim}")
    return t


@works("luck")
def _():
    t = _counters("luck", "battlestar", "hunter")
    t.choose(1, "draw")
    assert len(t.discarded(1)) == 2


@refused("luck")
def _():
    t = table(a={"hand": ["luck"]})
    t.no(0, "no_target", "play_card", card=t["a.luck"])


@works("fate")
def _():
    t = _counters("fate", "drone", "battlestar")
    t.choose(0)
    assert t.hand(0) == []


@refused("fate")
def _():
    t = table(a={"hand": ["fate"]})
    t.no(0, "no_target", "play_card", card=t["a.fate"])


@works("cancel")
def _():
    _counters("cancel", "starship", None, {"hand": ["cancel", "drone"]})


@refused("cancel")
def _():
    t = table(a={"hand": ["cancel"]}, b={"hand": ["drone"]}, turn=6, active=1)
    t.do(1, "play_card", card=t["b.drone"])
    t.react(0, t.item(), card=t["a.cancel"])
    assert not t.gone("b.drone")  # nothing to discard: it does nothing (RULES.md 18.30)
    t = table(a={"hand": ["cancel"]})
    t.no(0, "no_target", "play_card", card=t["a.cancel"])


@works("avoid")
def _():
    t = _counters("avoid", "starship", None, {"play": ["avoid"]})
    assert t.gone("a.avoid")


@works("disturbing_sensor")
def _():
    t = table(
        a={"play": ["disturbing_sensor"], "hand": []},
        b={"play": [("fast_missile", {})], "hand": ["drone", "luck"]},
        phase="attack",
    )
    t.do(0, "use_ability", card=t["a.disturbing_sensor"])
    assert len(t.side(1).hand) == 1
    t.do(0, "end_turn")
    t.do(1, "let_stand")
    t.do(1, "end_phase")
    t.no(1, "forbidden", "move", card=t["b.fast_missile"])
    t.no(1, "forbidden", "attack_station", attacker=t["b.fast_missile"], slots=["s1", "s2"])


@works("disturbing_signals")
def _():
    t = table(a={"play": [("fast_missile", {})]}, b={"play": ["disturbing_signals"]}, phase="attack")
    t.no(0, "forbidden", "move", card=t["a.fast_missile"])
    t.no(0, "forbidden", "attack_station", attacker=t["a.fast_missile"], slots=["s1", "s2"])


@works("fatal_error")
def _():
    t = played("fatal_error", b={"play": ["titan"]}, x=6, targets=["b.titan"])
    assert t.gone("b.titan")
    assert t.side(0).actions == 4


@refused("fatal_error")
def _():
    t = table(a={"hand": ["fatal_error"]}, b={"play": ["titan"]})
    t.no(0, None, "play_card", card=t["a.fatal_error"], x=5, targets=[t["b.titan"]])


@works("deadly_sniper")
def _():
    t = table(a={"play": ["deadly_sniper"]}, phase="attack")
    t.do(0, "attack_station", attacker=t["a.deadly_sniper"], slots=["s1", "s2"])
    t = table(a={"play": [("deadly_sniper", {"entered": 7})]}, b={"play": ["titan"]}, phase="attack")
    t.no(0, "out_of_range", "attack", attacker=t["a.deadly_sniper"], target=t["b.titan"])


@works("discovery")
def _():
    t = played("discovery", mode=1)
    assert (len(t.side(0).hand), len(t.side(1).hand)) == (2, 2)
    t = played("discovery", a={"hand": ["titan"]}, b={"hand": ["drone"]}, mode=2, targets=["a.titan"])
    assert t.discarded(0) == ["titan", "discovery"]
    assert t.discarded(1) == ["drone"]


@refused("discovery")
def _():
    t = table(a={"hand": ["discovery", "titan", "drone"]})
    t.no(0, None, "play_card", card=t["a.discovery"], mode=2)
    t.no(0, None, "play_card", card=t["a.discovery"], mode=2, targets=[t["a.discovery"]])


@works("destiny_decided")
def _():
    t = played("destiny_decided", a={"hand": ["drone"]}, b={"hand": ["luck", "drone", "titan"], "station": {"action": 4}})
    t.no(0, "forbidden", "play_card", card=t["a.drone"])
    t.no(1, None, "react", item=t.item(), play={"card": t["b.luck"], "mode": 1})
    t.do(0, "end_phase")
    t.do(0, "end_turn")
    t.do(1, "let_stand")
    t.do(1, "play_card", card=t["b.titan"])
    t.no(1, "forbidden", "play_card", card=t["b.drone"])


@works("sabotage")
def _():
    t = played("sabotage", b={"hand": ["titan"], "station": {"draw": ["luck*"]}})
    assert t.awaited == [(1, "barrier")]
    t.do(1, "let_stand")
    prompt = t.view(0)["prompts"][0]
    assert len(prompt["options"]) == 3
    t.choose(0, t["b.titan"])
    assert t.discarded(1) == ["titan"]


@refused("sabotage")
def _():
    t = played("sabotage", b={"hand": ["titan"]})
    t.no(0, "not_your_turn", "end_phase")
    t.do(1, "let_stand")
    prompt = t.state.prompts[0]
    t.no(0, None, "choose", prompt=prompt.id, picks=[])


# --- The Swarm ---


@works("carrier")
def _():
    t = table(
        a={"play": [("carrier", {"zone": "enemy"})], "pile": ["drone", "titan"], "discard": ["drone", "drone"]}, phase="attack"
    )
    t.do(0, "use_ability", card=t["a.carrier"])
    t.choose(0, t["a.drone"], t["a.drone.2"], t["a.drone.3"])
    assert {t.piece(f"a.drone.{n}").zone for n in (1, 2, 3)} == {1}
    t = table(a={"play": [("carrier", {"entered": 7})], "pile": ["drone"]}, phase="attack")
    t.no(0, None, "use_ability", card=t["a.carrier"])


@works("drone")
def _():
    t = played("drone")
    assert len(t.side(0).hand) == 1
    t = played("drone", options={"draw": False})
    assert len(t.side(0).hand) == 0


@works("toxic_gas")
def _():
    t = next_draw({"play": ["toxic_gas"]})
    t.choose(0, "s2")
    assert t.flipped(1) == ["s2"]
    t = next_draw({"play": ["toxic_gas"]}, {"play": ["shield"]})
    assert t.piece("b.shield").damage == 2
    assert t.flipped(1) == []


@works("fusion_ship")
def _():
    t = table(a={"play": ["fusion_ship", "drone", "drone", "drone"], "pile": ["titan"]}, phase="attack")
    t.no(0, None, "use_ability", card=t["a.fusion_ship"], targets=[t["a.drone"], t["a.drone.2"]])
    t.do(0, "use_ability", card=t["a.fusion_ship"], targets=[t["a.drone"], t["a.drone.2"], t["a.drone.3"]])
    t.choose(0, t["a.titan"])
    assert [piece.card for piece in t.state.pieces] == ["titan"]


@works("acid_projectile")
def _():
    t = played("acid_projectile")
    assert len(t.side(0).hand) == 1
    t.do(0, "end_phase")
    t.do(0, "attack_station", attacker=t["a.acid_projectile"], slots=["s1"])


@works("paralyzer")
def _():
    t = table(a={"play": [("paralyzer", {"zone": "enemy"})]}, b={"play": ["titan"]}, phase="attack")
    t.do(0, "attack", attacker=t["a.paralyzer"], target=t["b.titan"])
    assert (t.piece("b.titan").damage, t.piece("b.titan").paralyzed) == (2, True)
    t = table(a={"play": [("paralyzer", {"zone": "enemy"})]}, b={"play": ["mega_shield"]}, phase="attack")
    t.do(0, "attack", attacker=t["a.paralyzer"], target=t["b.mega_shield"])
    assert t.gone("b.mega_shield")


@works("destroy_duration")
def _():
    t = played("destroy_duration", b={"play": ["avoid"]}, targets=["b.avoid"])
    assert t.gone("b.avoid")
    t = table(a={"hand": ["destroy_duration"]}, b={"play": ["titan"]})
    t.no(0, "no_target", "play_card", card=t["a.destroy_duration"], targets=[t["b.titan"]])


@works("base_command_link")
def _():
    t = next_draw({"play": ["base_command_link"]})
    assert len(t.side(0).hand) == 3


@works("revive_procedure")
def _():
    t = played("revive_procedure", a={"discard": ["titan", "drone"]}, targets=["a.titan", "a.drone"])
    assert {piece.card for piece in t.state.pieces} == {"titan", "drone"}
    t = table(a={"hand": ["revive_procedure"], "discard": ["titan", "battlestar"]})
    t.no(0, "no_target", "play_card", card=t["a.revive_procedure"], targets=[t["a.titan"], t["a.battlestar"]])


@works("time_warp")
def _():
    t = played("time_warp", a={"hand": ["drone", "luck"]})
    t.do(0, "play_card", card=t["a.drone"])
    assert t.side(0).actions == 10 - 2 - 4


@works("collision_skill")
def _():
    t = table(a={"play": ["collision_skill", ("drone", {"zone": "enemy"})]}, b={"play": ["titan"]}, phase="attack")
    t.do(0, "collide", card=t["a.drone"], target=t["b.titan"])
    assert t.piece("b.titan").damage == 3
    t = played("collision_skill")
    assert t.piece("a.collision_skill").dormant


@works("drone_leader")
def _():
    t = played("drone_leader", a={"play": ["drone", "explosive_missile"]})
    assert [piece["attack"] for piece in t.view(0)["pieces"] if piece["card"] == "drone_leader"] == [2]


@works("sacrifice")
def _():
    t = played("sacrifice", a={"play": ["drone"]}, b={"play": ["titan", "luck" and "avoid"]}, targets=["a.drone"])
    assert not t.gone("a.drone")
    t.do(1, "let_stand")
    assert t.gone("a.drone")
    assert t.awaited == [(1, "sacrifice")]
    t.choose(1, t["b.avoid"])
    assert t.gone("b.avoid")
    assert t.awaited == [(0, "action")]


@works("nitro")
def _():
    t = played("nitro", a={"play": [("battlestar", {"entered": 7}), ("titan", {"entered": 7})]})
    marks = {piece["card"]: piece["marks"] for piece in t.view(0)["pieces"]}
    assert "fast" in marks["battlestar"]
    assert "fast" not in marks["titan"]
    assert "slow" not in marks["titan"]


# --- United Stars ---


@works("death_ray_cannon")
def _():
    t = next_draw({"play": ["death_ray_cannon"], "pile": ["drone", "death_ray"]})
    assert t.piece("a.death_ray_cannon").counters == 3
    t.do(0, "end_phase")
    t.do(0, "use_ability", card=t["a.death_ray_cannon"])
    t.choose(0, t["a.death_ray"])
    assert t.piece("a.death_ray").x == 3
    t.no(0, "first_turn", "attack_station", attacker=t["a.death_ray"], slots=["s1", "s2", "s3"])
    t.do(0, "end_turn")
    t.do(1, "let_stand")
    t.do(1, "end_phase")
    t.do(1, "end_turn")
    t.do(0, "let_stand") if t.state.phase == "review" else None
    t.do(0, "end_phase")
    t.do(0, "attack_station", attacker=t["a.death_ray"], slots=["s1", "s2", "s3"])
    assert t.gone("a.death_ray")


@works("mega_shield")
def _():
    t = next_draw({"play": [("mega_shield", {"damage": 3})]})
    assert t.piece("a.mega_shield").damage == 1


@works("repair_shield")
def _():
    _mends("repair_shield", 1)
    t = table(a={"play": ["repair_shield", ("titan", {"damage": 8, "zone": "enemy"})]}, phase="attack")
    t.do(0, "use_ability", card=t["a.repair_shield"], mode=2, targets=[t["a.titan"]])
    assert t.piece("a.titan").damage == 0
    assert t.gone("a.repair_shield")


@works("energy_source")
def _():
    t = played("energy_source")
    assert t.piece("a.energy_source").counters == 1
    t.do(0, "use_counters", card=t["a.energy_source"], n=1)
    assert t.side(0).actions == 9
    t.no(0, None, "use_counters", card=t["a.energy_source"], n=1)
    t = next_draw({"play": ["energy_source"]})
    assert t.awaited == [(0, "upkeep")]
    t.do(0, "use_counters", card=t["a.energy_source"], n=3)
    t.do(0, "pay_upkeep", keep=[t["a.energy_source"]])
    assert t.side(0).actions == 3


@works("extra_deposit")
def _():
    t = table(a={"play": ["disturbing_sensor"]}, b={"play": ["extra_deposit"], "hand": ["drone"]}, phase="attack")
    t.no(0, None, "use_ability", card=t["a.disturbing_sensor"])
    t = played("extra_deposit", a={"hand": ["luck"] * 8})
    t.do(0, "end_phase")
    assert t.awaited == [(0, "attack")]


@works("deja_vu")
def _():
    t = played("deja_vu", a={"discard": ["titan", "drone"]}, targets=["a.titan", "a.drone"])
    assert t.awaited == [(0, "action")]
    t.do(0, "end_phase")
    t.do(0, "end_turn")
    assert t.awaited == [(1, "deja_vu")]
    t.choose(1, t["a.drone"])
    assert t.hand(0) == ["drone"]


@works("meteor_shower")
def _():
    t = next_draw({"play": ["meteor_shower", "titan", "shield"]}, {"play": ["battlestar"], "flip_preference": ["hand"]})
    assert t.piece("a.titan").damage == 2
    assert t.piece("b.battlestar").damage == 2
    assert t.gone("a.shield") is True
    t.choose(0, "s1", "s3")
    assert t.flipped(1) == ["s1", "s3"]


@works("great_disturbance")
def _():
    t = played("great_disturbance", b={"play": ["time_warp"], "hand": ["time_warp", "drone"]}, a={"hand": ["drone"]})
    t.do(0, "play_card", card=t["a.drone"])
    assert t.side(0).actions == 10 - 6 - 1
    t.do(0, "use_anytime", card=t["a.great_disturbance"], targets=[t["b.time_warp.2"]])
    assert t.discarded(1) == ["time_warp", "time_warp"]
    assert t.hand(1) == ["drone"]


@works("ambush")
def _():
    t = played("ambush", b={"play": ["titan"]}, targets=["b.titan"])
    assert t.piece("b.titan").damage == 3
    t = played("ambush", b={"play": [("titan", {"paralyzed": True})]}, targets=["b.titan"])
    assert t.gone("b.titan")


@refused("ambush")
def _():
    t = table(a={"hand": ["ambush"]}, b={"play": ["shield"]})
    t.no(0, "no_target", "play_card", card=t["a.ambush"], targets=[t["b.shield"]])


@works("electrocution")
def _():
    t = played("electrocution", a={"play": ["titan", "shield"]}, b={"play": ["battlestar", "fast_missile", "defense_cannon"]})
    assert t.piece("a.titan").paralyzed
    assert t.piece("b.battlestar").paralyzed
    assert t.gone("a.shield")
    assert t.gone("b.fast_missile")
    assert not t.gone("b.defense_cannon")


@works("transformation")
def _():
    t = next_draw({"play": ["transformation", ("titan", {"damage": 5}), "drone"]})
    t.choose(0, t["a.titan"])
    piece = next(piece for piece in t.view(0)["pieces"] if piece["card"] == "titan")
    assert (piece["attack"], piece["defense"], piece["damage"]) == (9, 3, 0)
    assert t.gone("a.transformation")
    t = next_draw({"play": ["transformation", "small_repair_ship"]})
    assert t.gone("a.small_repair_ship")


@works("moment_of_peace")
def _():
    t = table(a={"play": ["battlestar"]}, b={"play": ["moment_of_peace"]}, phase="attack")
    t.no(0, "forbidden", "move", card=t["a.battlestar"])
    t = next_draw({"play": [("moment_of_peace", {"counters": 1})]})
    assert t.gone("a.moment_of_peace")


@works("brilliance")
def _():
    t = played("brilliance", a={"hand": ["drone", "titan"]})
    t.choose(0, t["a.drone"])
    t.choose(0, t["a.titan"])
    assert t.side(0).pile[0] == t["a.titan"]
    assert len(t.side(0).hand) == 3


@works("great_plan")
def _():
    t = played("great_plan", a={"pile": ["drone"] * 5 + ["titan", "luck", "avoid"]})
    assert len(t.view(0)["prompts"][0]["options"]) == 7
    assert "options" not in t.view(1)["prompts"][0]
    t.choose(0, t["a.titan"], t["a.luck"])
    assert t.hand(0) == ["luck", "titan"]
    assert t.side(0).pile[0] == t["a.avoid"]


@works("cluster_nuke")
def _():
    there = {"play": [("battlestar", {"zone": "enemy"}), ("titan", {"zone": "enemy"})]}
    t = table(a={"play": ["cluster_nuke", "titan"]}, b=there, phase="attack")
    t.do(0, "attack", attacker=t["a.cluster_nuke"], target=t["b.titan"])
    assert t.flipped(0) == ["s2"]
    assert (t.piece("a.titan").damage, t.piece("b.titan").damage) == (2, 8)


@works("deploy_starship")
def _():
    a = {"play": ["drone", "drone", "avoid"], "pile": ["starship"]}
    t = played("deploy_starship", a=a, targets=["a.drone", "a.drone.2", "a.avoid"])
    t.choose(0, t["a.starship"])
    assert [piece.card for piece in t.state.pieces] == ["starship"]
    t = table(a={"hand": ["deploy_starship"], "play": ["drone", "drone"]})
    t.no(0, "no_target", "play_card", card=t["a.deploy_starship"], targets=[t["a.drone"], t["a.drone.2"]])


@works("starhunter")
def _():
    t = next_draw({"play": ["starhunter"]})
    assert t.piece("a.starhunter").counters == 2
    assert (t.view(0)["pieces"][0]["attack"], t.view(0)["pieces"][0]["defense"]) == (4, 5)
    t = table(a={"play": ["stormfalcon"]}, b={"play": [("starhunter", {"zone": "enemy", "counters": 4})]}, phase="attack")
    t.do(0, "attack", attacker=t["a.stormfalcon"], target=t["b.starhunter"])
    assert (t.piece("b.starhunter").counters, t.piece("b.starhunter").damage) == (0, 1)


@works("hacker")
def _():
    t = table(a={"play": [("hacker", {"zone": "enemy"})]}, b={"play": ["titan"]}, phase="attack")
    t.do(0, "use_ability", card=t["a.hacker"], targets=[t["b.titan"]])
    t.do(0, "attack_station", attacker=t["b.titan"], slots=["s1", "s2", "s3"])
    t.do(0, "end_turn")
    assert t.piece("b.titan").controller == 1
    t = table(a={"play": [("hacker", {"entered": 7, "zone": "enemy"})]}, b={"play": ["titan"]}, phase="attack")
    t.no(0, None, "use_ability", card=t["a.hacker"], targets=[t["b.titan"]])


@works("indestructible_viper")
def _():
    t = table(a={"play": ["stormfalcon"]}, b={"play": [("indestructible_viper", {"zone": "enemy"})]}, phase="attack")
    t.do(0, "attack", attacker=t["a.stormfalcon"], target=t["b.indestructible_viper"])
    assert (t.piece("b.indestructible_viper").damage, t.piece("b.indestructible_viper").paralyzed) == (3, True)


@works("resource_ship")
def _():
    t = table(a={"play": ["resource_ship"]}, phase="attack")
    t.do(0, "use_ability", card=t["a.resource_ship"], row="action")
    assert len(t.side(0).station) == 4
    t = table(a={"play": [("resource_ship", {"zone": "enemy"})]}, phase="attack")
    t.no(0, None, "use_ability", card=t["a.resource_ship"], row="action")


@works("scout")
def _():
    t = table(a={"play": [("scout", {"entered": 7})]}, phase="attack")
    t.do(0, "use_ability", card=t["a.scout"])
    assert len(t.side(0).hand) == 1


@works("duplication")
def _():
    t = played("duplication", a={"play": [("titan", {"damage": 4})]}, x=5, targets=["a.titan"])
    copy = t.piece("a.duplication")
    assert (copy.card, copy.damage) == ("titan", 0)
    assert t.side(0).actions == 5


@refused("duplication")
def _():
    t = table(a={"hand": ["duplication"], "play": ["titan", ("drone", {"zone": "enemy"})]})
    t.no(0, None, "play_card", card=t["a.duplication"], x=4, targets=[t["a.titan"]])
    t.no(0, None, "play_card", card=t["a.duplication"], x=1, targets=[t["a.drone"]])


@works("starship")
def _():
    t = table(a={"play": ["starship"], "pile": ["death_ray"]}, b={"play": [("titan", {"zone": "enemy"})]}, phase="attack")
    for _ in range(2):
        t.do(0, "attack", attacker=t["a.starship"], target=t["b.titan"])
    assert t.piece("b.titan").damage == 6
    t = table(a={"play": ["starship"], "pile": ["death_ray"]}, phase="attack")
    t.do(0, "use_ability", card=t["a.starship"])
    t.choose(0, t["a.death_ray"])
    assert t.hand(0) == ["death_ray"]


@works("death_ray")
def _():
    t = played("death_ray", a={"play": ["starship"]}, x=4, targets=["a.starship"])
    assert t.piece("a.death_ray").on == t["a.starship"]
    t = table(a={"play": ["starship", ("death_ray", {"on": "starship", "x": 7})]}, b={"play": ["shield"]}, phase="attack")
    t.do(0, "attack_station", attacker=t["a.death_ray"], shields=[t["b.shield"]], slots=["s1", "s2", "s3"])
    assert t.side(1).life == 2
    t.no(0, "no_attack_left", "attack", attacker=t["a.starship"], target=t["b.battlestar"])


@refused("death_ray")
def _():
    t = table(a={"hand": ["death_ray"], "play": ["titan"]})
    t.no(0, "no_target", "play_card", card=t["a.death_ray"], x=2, targets=[t["a.titan"]])
    t = table(a={"hand": ["death_ray"], "play": ["starship", ("death_ray", {"on": "starship", "x": 1})]})
    t.no(0, None, "play_card", card=t["a.death_ray"], x=2, targets=[t["a.starship"]])


@works("station_repair")
def _():
    t = next_draw({"play": ["station_repair"], "station": {"draw": ["luck*"]}})
    assert t.flipped(0) == []
    t = table(a={"play": ["station_repair", ("titan", {"damage": 3})], "station": {"draw": ["luck*", "luck*"]}})
    t.no(0, None, "use_anytime", card=t["a.station_repair"], mode=1, slots=["s1"])
    t.do(0, "use_anytime", card=t["a.station_repair"], mode=2, targets=[t["a.titan"]])
    assert t.piece("a.titan").damage == 1


@works("release_of_energy")
def _():
    t = played("release_of_energy", options={"draw": 2, "mill": 1})
    assert len(t.side(0).hand) == 2
    assert len(t.discarded(1)) == 2
    assert t.side(0).actions == 7


@refused("release_of_energy")
def _():
    t = table(a={"hand": ["release_of_energy"], "actions": 2})
    t.no(0, None, "play_card", card=t["a.release_of_energy"], options={"draw": 2, "mill": 1})


@works("time_travel_portal")
def _():
    t = table(a={"play": [("time_travel_portal", {"counters": 3})]})
    t.do(0, "use_action", card=t["a.time_travel_portal"])
    t.no(0, None, "use_action", card=t["a.time_travel_portal"])
    t.do(0, "end_phase")
    t.do(0, "end_turn")
    assert (t.state.active, t.state.turn) == (0, 8)
    assert t.piece("a.time_travel_portal").counters == 1


@works("satellite")
def _():
    t = next_draw({"play": ["satellite"]})
    assert len(t.side(0).hand) == 2
    t.do(0, "pay_upkeep", keep=[t["a.satellite"]])
    t.do(0, "use_anytime", card=t["a.satellite"])
    assert len(t.side(0).hand) == 4


@works("obstacles")
def _():
    t = played("obstacles", a={"hand": ["drone"]})
    t.no(0, "forbidden", "add_station", card=t["a.drone"], row="draw")
    t.do(0, "move_station", slot="s1", row="hand")


@works("return")
def _():
    t = played("return", b={"play": ["avoid"]}, mode=2, targets=["b.avoid"])
    assert t.hand(1) == ["avoid"]
    t = played("return", b={"station": {"draw": ["titan*"]}}, mode=1, targets=["b:s1"])
    assert t.hand(1) == ["titan"]


@refused("return")
def _():
    t = table(a={"hand": ["return"]}, b={"play": ["titan", "shield"], "station": {"draw": ["luck"]}})
    for target in ("b.titan", "b.shield"):
        t.no(0, None, "play_card", card=t["a.return"], mode=2, targets=[t[target]])
    t.no(0, None, "play_card", card=t["a.return"], mode=1, targets=["b:s1"])


# --- commanders ---


@works("liana_henders")
def _():
    t = table(a={"commander": "liana_henders"})
    t.do(0, "use_commander")
    assert (t.side(0).actions, len(t.side(0).hand)) == (7, 2)


@refused("liana_henders")
def _():
    t = table(a={"commander": "liana_henders", "actions": 2})
    t.no(0, "cannot_pay", "use_commander")


@works("frank_johnson")
def _():
    t = table(a={"commander": "frank_johnson", "station": {"draw": 6}, "hand": ["luck"]})
    t.do(0, "add_station", card=t["a.luck"], row="draw")


@refused("frank_johnson")
def _():
    t = table(a={"commander": "frank_johnson", "station": {"draw": 7}, "hand": ["luck"]})
    t.no(0, "station_full", "add_station", card=t["a.luck"], row="draw")


@works("keve_bakins")
def _():
    t = table(a={"commander": "keve_bakins"})
    t.do(0, "use_commander", slots=["s1", "s2"], row="hand")
    assert [card.row for card in t.side(0).station] == ["hand"] * 3
    t = table(a={"play": [("battlestar", {"zone": "enemy"})]}, b={"commander": "keve_bakins"}, phase="attack")
    t.do(0, "attack_station", attacker=t["a.battlestar"])
    assert t.flipped(1) == []
    t.do(0, "end_turn")
    assert t.awaited == [(1, "flips")]
    assert "card" in t.view(1)["sides"][1]["station"][0]
    t.choose(1, "s2", "s3")
    assert t.flipped(1) == ["s2", "s3"]


@refused("keve_bakins")
def _():
    t = table(a={"commander": "keve_bakins"})
    t.no(0, None, "use_commander", slots=["s1"], row="draw")
    t = table(a={"play": [("battlestar", {"zone": "enemy"})]}, b={"commander": "keve_bakins"}, phase="attack")
    t.no(0, "bad_slots", "attack_station", attacker=t["a.battlestar"], slots=["s1", "s2"])


@works("nicia_satu")
def _():
    t = table(a={"commander": "nicia_satu"})
    t.do(0, "use_commander", mode=1)
    assert (t.side(0).actions, t.side(0).charge) == (9, 1)
    t.do(0, "use_commander", mode=2, n=1)
    assert (t.side(0).actions, t.side(0).charge) == (10, 0)
    t = table(a={"commander": "nicia_satu", "charge": 3}, b={"hand": ["discovery"]}, turn=6, active=1)
    t.do(1, "play_card", card=t["b.discovery"], mode=1)
    t.react(0, t.item(), mode=3)
    assert t.side(0).charge == 0
    assert t.side(0).hand == ()


@refused("nicia_satu")
def _():
    t = table(a={"commander": "nicia_satu", "charge": 3}, b={"hand": ["drone"]}, turn=6, active=1)
    t.do(1, "play_card", card=t["b.drone"])
    t.no(0, None, "react", item=t.item(), play={"mode": 3})


@works("general_jackson")
def _():
    t = table(a={"commander": "general_jackson", "actions": 0}, b={"flip_preference": ["hand"]})
    t.do(0, "use_commander")
    assert t.flipped(0) == ["s3"]
    assert t.side(0).actions == 2


@refused("general_jackson")
def _():
    t = table(a={"commander": "general_jackson"}, b={"flip_preference": ["hand"]})
    t.do(0, "use_commander")
    t.do(0, "use_commander")
    t.no(0, "limit_reached", "use_commander")


@works("dr_stein")
def _():
    t = table(a={"commander": "dr_stein", "pile": ["drone"] * 3 + ["titan"]}, b={"flip_preference": ["draw"]}, phase="attack")
    t.do(0, "use_commander")
    t.choose(0, t["a.titan"])
    assert t.side(0).pile[0] == t["a.titan"]
    assert t.flipped(0) == ["s1", "s2"]


@refused("dr_stein")
def _():
    t = table(a={"commander": "dr_stein", "pile": []})
    t.no(0, "no_target", "use_commander")


@works("the_miller")
def _():
    t = next_draw({"commander": "the_miller"})
    assert t.awaited == [(0, "draw")]
    t.do(0, "draw", mill=True)
    assert len(t.discarded(1)) == 2
    assert t.side(0).hand == ()
    assert t.awaited == [(0, "action")]


@refused("the_miller")
def _():
    t = next_draw({"commander": "the_miller"}, {"pile": []})
    assert t.awaited == [(0, "action")]
    t.no(0, "no_prompt", "draw", mill=True)


@works("zuuls")
def _():
    t = table(a={"commander": "zuuls", "first_turn": 1, "pile": ["drone"] * 4 + ["titan"]}, turn=1, phase="attack")
    t.do(0, "end_turn")
    assert t.awaited == [(0, "search")]
    t.choose(0, t["a.drone"], t["a.drone.2"], t["a.drone.3"])
    assert [piece.entered for piece in t.state.pieces] == [1, 1, 1]
    assert t.state.turn == 2


@refused("zuuls")
def _():
    t = table(a={"commander": "zuuls", "first_turn": 1, "pile": ["drone"] * 4}, turn=3, phase="attack")
    t.do(0, "end_turn")
    assert t.state.active == 1
    t.no(0, "no_prompt", "choose", prompt=1, picks=[])


@works("crakux")
def _():
    t = table(a={"commander": "crakux", "play": ["drone", "titan"]}, b={"play": ["drone"]})
    assert [piece["attack"] for piece in t.view(0)["pieces"]] == [2, 3, 1]


@refused("crakux")
def _():
    t = table(a={"commander": "crakux"})
    t.no(0, "no_ability", "use_commander")


@works("naalox")
def _():
    t = table(a={"commander": "naalox", "discard": ["drone"], "station": {"draw": ["luck*"]}})
    t.do(0, "use_commander", mode=1, targets=[t["a.drone"]])
    t.do(0, "use_commander", mode=2, slots=["s1"])
    assert not t.gone("a.drone")
    assert t.flipped(0) == []
    assert t.side(0).actions == 6


@refused("naalox")
def _():
    t = table(a={"commander": "naalox", "discard": ["drone"] * 3})
    t.do(0, "use_commander", mode=1, targets=[t["a.drone"]])
    t.do(0, "use_commander", mode=1, targets=[t["a.drone.2"]])
    t.no(0, "limit_reached", "use_commander", mode=1, targets=[t["a.drone.3"]])


@works("staux")
def _():
    t = table(a={"commander": "staux", "pile": ["acid_projectile", "drone"]})
    t.do(0, "use_commander")
    t.choose(0, t["a.acid_projectile"])
    assert not t.gone("a.acid_projectile")
    assert t.side(0).hand == ()


@refused("staux")
def _():
    t = table(a={"commander": "staux", "actions": 1})
    t.no(0, "cannot_pay", "use_commander")


@works("capt_shera_kinson")
def _():
    t = table(a={"commander": "capt_shera_kinson", "station": {"draw": ["starship"]}})
    t.do(0, "use_commander")
    t.choose(0, t["a.starship"])
    assert not t.gone("a.starship")
    assert len(t.side(0).station) == 2


@refused("capt_shera_kinson")
def _():
    t = table(a={"commander": "capt_shera_kinson", "actions": 9})
    t.no(0, "cannot_pay", "use_commander")


@works("capt_wayne_mccarter")
def _():
    t = table(a={"commander": "capt_wayne_mccarter", "play": ["starship"]}, b={"play": ["starship"]}, phase="attack")
    t.do(0, "move", card=t["a.starship"])
    for _ in range(3):
        t.do(0, "attack", attacker=t["a.starship"], target=t["b.starship"])
    assert t.piece("b.starship").damage == 9


@refused("capt_wayne_mccarter")
def _():
    there = {"play": [("starship", {"zone": "enemy"})]}
    t = table(a={"commander": "capt_wayne_mccarter", "play": ["starship"]}, b=there, phase="attack")
    for _ in range(3):
        t.do(0, "attack", attacker=t["a.starship"], target=t["b.starship"])
    t.no(0, "no_attack_left", "attack", attacker=t["a.starship"], target=t["b.starship"])


@works("zyre")
def _():
    t = next_draw({"commander": "zyre", "station": {"action": 2}})
    assert t.side(0).actions == 6


@refused("zyre")
def _():
    t = table(a={"commander": "zyre", "station": {"draw": 4}, "hand": ["luck"]})
    t.no(0, "station_full", "add_station", card=t["a.luck"], row="draw")


# --- the tests themselves ---


@pytest.mark.parametrize("card", [*CARDS, *COMMANDERS])
def test_card_works(card, tried):
    WORKS[card]()
    assert tried
    assert all(answer["ok"] or "refusal" in answer for answer in tried)


@pytest.mark.parametrize("card", [*CARDS, *COMMANDERS])
def test_card_is_refused_when_it_should_be(card, tried):
    REFUSED[card]()
    assert [answer["refusal"]["code"] for answer in tried if not answer["ok"]]


def test_every_card_of_every_deck_is_covered_twice_and_reachable():
    assert WORKS.keys() == REFUSED.keys() == {*CARDS, *COMMANDERS}
    in_decks = {card for deck in DECKS.values() for card in deck.cards}
    assert in_decks == set(CARDS)
    for deck in DECKS.values():
        session = Session(GAME)
        assert session.answer({"op": "new", "options": {"decks": [deck.id, deck.id]}, "seed": deck.id})["ok"]
        dealt = sorted(session.match.state.cards.values())
        assert dealt == sorted([card for card, count in deck.cards.items() for _ in range(2 * count)])
        assert session.match.state.sides[0].pool == deck.commanders


def test_constructed_decks():
    lines = ["10 Drone", *(f"3 {card.name}" for card in CARDS.values() if card.id != "drone")][:15]
    text = "\n".join(lines)

    def new(deck: str):
        return Session(GAME).answer({"op": "new", "options": {"decks": [deck, "swarm"]}, "seed": "deck"})

    assert new(text)["ok"]
    assert new(text.replace("\n", "; "))["ok"]
    for bad, word in (
        ("3 Luck", "50 to 70"),
        (text + "\n4 Luck", "1 to 3"),
        (text + "\n2 Luk", "Did you mean Luck"),
        ("terans", "A deck is"),
        (text + "\n1 Drone", "1 to 10"),
    ):
        answer = new(bad)
        assert answer["refusal"]["code"] == "bad_deck"
        assert word in answer["refusal"]["detail"]
    assert json.dumps(LIMITS["constructed_max"]) == "70"
