"""Names in orders select the card that the order can apply to, and picks without a choice may be left out."""

from __future__ import annotations

import pytest

from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.data import CARDS, COMMANDERS
from tests.games.space_war.table import Table, kinds, table

ENEMY = {"zone": "enemy"}


def order(t: Table, seat: int, text: str) -> dict:
    return t.ok({"op": "order", "seat": seat, "text": text})


def both(*names: str, place: str = "play", **more) -> dict:
    """Return a side that holds each of the cards in hand and has another copy somewhere else."""
    return {"hand": list(names), place: list(names), **more}


def last(card: str) -> str:
    """Return the key of a card's second instance at a table: the one that is not in hand."""
    return f"a.{card}.2"


USED = {
    "use satellite": ("use_anytime", "satellite", "action", {}),
    "use neutralization on full_attack": ("use_anytime", "neutralization", "action", {}),
    "counters energy_source 1": ("use_counters", "energy_source", "action", {"counters": 2}),
    "action time_travel_portal": ("use_action", "time_travel_portal", "action", {"counters": 3}),
    "ability scout": ("use_ability", "scout", "attack", {}),
    "move titan": ("move", "titan", "attack", {}),
    "attack titan battlestar": ("attack", "titan", "attack", {}),
    "attack titan station s1 s2 s3": ("attack_station", "titan", "attack", ENEMY),
    "collide pursuiter battlestar": ("collide", "pursuiter", "attack", {}),
}


@pytest.mark.parametrize("text", USED)
def test_the_card_in_play_is_used_although_the_same_card_is_in_hand(text):
    name, card, phase, fields = USED[text]
    t = table(
        a={"hand": [card], "play": [(card, fields)]},
        b={"play": [("battlestar", {"zone": "enemy"}), "full_attack"]},
        phase=phase,
    )
    command = GAME.parse(text, t.view(0))
    assert (command["name"], command.get("card", command.get("attacker"))) == (name, t[last(card)])
    order(t, 0, text)


def test_upkeep_is_paid_for_cards_in_play():
    t = table(a=both("satellite"), turn=6, active=1, phase="attack")
    t.do(1, "end_turn")
    order(t, 0, "keep satellite")
    assert not t.gone(last("satellite"))


def test_a_hand_card_is_played_although_the_same_card_is_in_play():
    t = table(a=both("titan", "drone"))
    order(t, 0, "play titan")
    order(t, 0, "add drone action")
    assert t.hand(0) == []


def test_a_reaction_takes_the_free_card_of_the_hand_or_the_one_in_play():
    t = table(a={"hand": ["drone", "drone"]}, b={"hand": ["avoid", "luck"], "play": ["avoid"]})
    order(t, 0, "play drone")
    order(t, 1, f"react {t.item()} avoid")
    assert t.hand(1) == ["avoid", "luck"]
    order(t, 0, "play drone")
    order(t, 1, f"react {t.item()} luck")
    assert t.discarded(0) == ["drone", "drone"]


AIMS = {
    "play revive_procedure on battlestar battlestar": ("action", ["a.battlestar.3", "a.battlestar.4"]),
    "play discovery mode 2 on battlestar": ("action", ["a.battlestar"]),
    "play ambush on battlestar": ("action", ["b.battlestar"]),
    "play duplication x 2 on battlestar": ("action", ["a.battlestar.2"]),
    "ability big_repair_ship mode 2 on battlestar": ("attack", ["a.battlestar.2"]),
    "ability thunderbolt on battlestar": ("attack", ["a.battlestar.3"]),
}


@pytest.mark.parametrize("text", AIMS)
def test_targets_are_searched_within_the_effects_reach(text):
    phase, aims = AIMS[text]
    t = table(
        a={
            "hand": ["battlestar", "revive_procedure", "discovery", "ambush", "duplication"],
            "play": [("battlestar", {"damage": 1}), "big_repair_ship", "thunderbolt"],
            "discard": ["battlestar", "battlestar"],
            "station": {"draw": ["luck"], "action": ["luck"], "hand": ["luck"]},
        },
        b={"play": [("battlestar", {"zone": "enemy", "damage": 1})], "station": {"draw": ["luck"]}},
        phase=phase,
    )
    assert GAME.parse(text, t.view(0))["targets"] == [t[aim] for aim in aims]
    order(t, 0, text)


# --- picks that leave no choice ---


def pierce(shields: int, face_down: int = 3) -> Table:
    rows = {"draw": ["luck" if face_down > 0 else "luck*"], "action": ["luck" if face_down > 1 else "luck*"]}
    rows["hand"] = ["luck" if face_down > 2 else "luck*"]
    b = {"play": ["shield"] * shields, "station": rows, "life": 20}
    return table(a={"play": [("nuclear_missile", ENEMY)]}, b=b, phase="attack")


def test_a_single_shield_need_not_be_named():
    t = pierce(1)
    order(t, 0, "attack nuclear_missile station")
    assert t.gone("b.shield")
    assert t.side(1).life == 16
    t = pierce(2)
    refusal = t.no(0, "bad_slots", "attack_station", attacker=t["a.nuclear_missile"])
    assert "shields" in refusal["detail"]


def test_all_face_down_cards_need_not_be_named():
    t = table(a={"play": [("pursuiter", ENEMY)]}, phase="attack")
    order(t, 0, "collide pursuiter station")
    assert len(t.flipped(1)) == 3
    t = table(a={"hand": ["supernova"]})
    t.do(0, "play_card", card=t["a.supernova"])
    assert len(t.flipped(1)) == 3


@pytest.mark.parametrize(
    ("text", "phase", "target"),
    [
        ("play ambush", "action", "a.repair_ship"),
        ("ability repair_ship mode 1", "attack", "a.repair_ship"),
        ("use neutralization", "action", "b.satellite"),
    ],
)
def test_a_single_target_need_not_be_named(text, phase, target):
    a = {"hand": ["ambush"], "play": [("repair_ship", {"damage": 1}), "neutralization"]}
    t = table(a=a, b={"play": ["satellite"]}, phase=phase)
    before = t.piece(target)
    order(t, 0, text)
    assert t.gone(target) or t.piece(target).damage != before.damage
    assert t.state.items[-1].note["targets"] == [t[target]]


def test_a_single_target_of_a_reaction_need_not_be_named():
    t = table(a={"play": ["titan"]}, b={"hand": ["ambush"]})
    order(t, 1, "react ambush")
    assert t.piece("a.titan").damage == 3


def test_a_real_choice_must_be_named():
    t = table(a={"hand": ["ambush"], "play": ["titan"]}, b={"play": ["titan"]})
    refusal = t.no(0, "no_target", "play_card", card=t["a.ambush"])
    assert refusal["parameter"] == "targets"
    assert t.piece("a.titan").damage == t.piece("b.titan").damage == 0
    t = table(a={"play": [("battlestar", ENEMY)]}, phase="attack")
    refusal = t.no(0, "bad_slots", "attack_station", attacker=t["a.battlestar"])
    assert refusal["parameter"] == "slots"
    assert t.flipped(1) == []


def test_every_form_with_a_single_choice_may_leave_it_out():
    t = table(a={"hand": ["ambush", "duplication"], "play": ["titan"]})
    for form in GAME.legal_commands(t.state, 0):
        for name, schema in form.parameters.items():
            if "enum" in schema.get("items", {}) and schema["minItems"] == len(schema["items"]["enum"]) == 1:
                assert name not in form.required
    assert "item_opened" in kinds(t.do(0, "play_card", card=t["a.duplication"], x=5))


@pytest.mark.parametrize("text", USED)
def test_a_form_says_what_is_done_with_its_card(text):
    """A menu on a card in hand read "Add a station card" and "Sabotage", which was to play it."""
    name, card, phase, fields = USED[text]
    t = table(
        a={"hand": [card, "sabotage"], "play": [(card, fields)]},
        b={"play": [("battlestar", {"zone": "enemy"}), "full_attack"]},
        phase=phase,
    )
    labels = {form["name"]: form["label"] for form in t.ok({"op": "legal", "seat": 0})["forms"]}
    assert name in labels
    assert not set(labels.values()) & {one.name for one in (*CARDS.values(), *COMMANDERS.values())}
    assert phase != "action" or labels["play_card"].startswith("Play ")
