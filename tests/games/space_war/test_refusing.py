"""A refusal names the rule that forbids the command."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamesvc.games import records
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.games.protocol import Session
from gamesvc.games.space_war import GAME
from tests.games.space_war.table import table
from tests.games.test_translated import in_marks, left_over, names_in  # noqa: F401

ENEMY = {"zone": "enemy"}
NEW = {"entered": 7}
FULL = {"station": {"draw": 3, "action": 2, "hand": 2}, "commander": "crakux"}


def acting(card: str, command: str, a=None, b=None, fields=None, phase="attack", **parameters):
    """Return an attempt by seat a to use a card in play. Card names in parameters are replaced by instance ids."""
    spec = {**(a or {}), "play": [(card, fields or {}), *(a or {}).get("play", ())]}

    def attempt():
        t = table(a=spec, b=b, phase=phase)
        given = {key: t.names.get(one, one) if isinstance(one, str) else one for key, one in parameters.items()}
        given = {key: [t.names.get(pick, pick) for pick in one] if isinstance(one, list) else one for key, one in given.items()}
        return t, 0, command, {"card": t[f"a.{card}"], **given}

    return attempt


def playing(card: str, a=None, b=None, **parameters):
    spec = {**(a or {}), "hand": [card, *(a or {}).get("hand", ())]}

    def attempt():
        t = table(a=spec, b=b)
        given = {
            key: [t.names.get(pick, pick) for pick in one] if isinstance(one, list) else one for key, one in parameters.items()
        }
        return t, 0, "play_card", {"card": t[f"a.{card}"], **given}

    return attempt


def commanding(commander: str, a=None, phase="action", uses=0, **parameters):
    def attempt():
        t = table(a={"commander": commander, **(a or {})}, phase=phase)
        for _ in range(uses):
            t.do(0, "use_commander", **({"mode": 1, "targets": [t.side(0).discard[0]]} if commander == "naalox" else {}))
        return t, 0, "use_commander", parameters

    return attempt


CASES = {
    "collide with too few slots": (acting("pursuiter", "collide", fields=ENEMY, slots=["s1"]), "bad_slots", "exactly 3"),
    "collide with the station from home": (acting("pursuiter", "collide", slots=["s1"]), "out_of_range", "enemy zone"),
    "collide through a shield": (
        acting("pursuiter", "collide", b={"play": ["shield"]}, fields=ENEMY, slots=["s1", "s2", "s3"]),
        "shielded",
        "never pierces",
    ),
    "collide with the other zone": (
        acting("pursuiter", "collide", b={"play": ["drone"]}, target="b.drone"),
        "out_of_range",
        "same zone",
    ),
    "collide with a duration": (
        acting("pursuiter", "collide", b={"play": ["satellite"]}, fields=ENEMY, target="b.satellite"),
        "no_target",
        "not a duration",
    ),
    "collide against Keve Bakins with slots": (
        acting("pursuiter", "collide", b={"commander": "keve_bakins"}, fields=ENEMY, slots=["s1", "s2", "s3"]),
        "bad_slots",
        "Keve Bakins",
    ),
    "Excellent Work at a full station": (playing("excellent_work", FULL, mode=1, row="draw"), "station_full", "7 cards"),
    "Resource Ship at a full station": (acting("resource_ship", "use_ability", FULL, row="draw"), "station_full", "7 cards"),
    "third Naalox": (
        commanding("naalox", {"discard": ["drone"] * 3}, uses=2, mode=1, targets=["a-09"]),
        "limit_reached",
        "can be used 2 times a turn",
    ),
    "third General Jackson": (commanding("general_jackson", uses=2), "limit_reached", "can be used 2 times a turn"),
    "Naalox without a Drone": (commanding("naalox", mode=1, targets=["a-01"]), "no_target", "no Drone"),
    "Naalox without a flipped card": (commanding("naalox", mode=2, slots=["s1"]), "no_target", "flipped"),
    "Naalox without a mode": (commanding("naalox", {"discard": ["drone"]}), "not_possible", "mode 1 or 2"),
    "Liana Henders without actions": (commanding("liana_henders", {"actions": 2}), "cannot_pay", "costs 3 actions; you have 2"),
    "Liana Henders in the attack phase": (commanding("liana_henders", phase="attack"), "wrong_phase", "action phase"),
    "Nicia Satu without Charges": (commanding("nicia_satu", mode=2, n=1), "cannot_pay", "0 Charges"),
    "Dr. Stein with an empty pile": (commanding("dr_stein", {"pile": []}), "no_target", "draw pile is empty"),
    "Keve Bakins into the same row": (commanding("keve_bakins", slots=["s1"], row="draw"), "bad_slots", "another row"),
    "a commander without ability": (commanding("crakux"), "no_ability", "by itself"),
    "Repair Ship away from home": (
        acting("repair_ship", "use_ability", {"station": {"draw": ["luck*"]}}, fields=ENEMY, mode=2, slots=["s1"]),
        "out_of_range",
        "home zone",
    ),
    "Repair Ship with nothing flipped": (acting("repair_ship", "use_ability", mode=2, slots=["s1"]), "no_target", "flipped"),
    "Repair Ship in another zone": (
        acting("repair_ship", "use_ability", {"play": [("drone", ENEMY | {"paralyzed": True})]}, mode=1, targets=["a.drone"]),
        "no_target",
        "in its own zone",
    ),
    "Repair Ship for a sound ship": (
        acting("repair_ship", "use_ability", {"play": ["drone"]}, mode=1, targets=["a.drone"]),
        "no_target",
        "no damage",
    ),
    "Repair Ship for the enemy": (
        acting("repair_ship", "use_ability", b={"play": [("titan", ENEMY | {"damage": 1})]}, mode=1, targets=["b.titan"]),
        "no_target",
        "of yours",
    ),
    "Carrier in its first turn": (acting("carrier", "use_ability", fields=NEW), "first_turn", "second turn"),
    "Fusion Ship that moved": (acting("fusion_ship", "use_ability", fields={"moved": True}), "already_moved", "moved"),
    "Fusion Ship with too few ships": (
        acting("fusion_ship", "use_ability", {"play": ["drone", "drone"]}, targets=[]),
        "no_target",
        "3 other spaceships",
    ),
    "Hacker alone in its zone": (acting("hacker", "use_ability", targets=["b-01"]), "no_target", "in the zone of"),
    "Disturbing Sensor against an empty hand": (acting("disturbing_sensor", "use_ability"), "no_target", "hand is empty"),
    "Disturbing Sensor against Extra Deposit": (
        acting("disturbing_sensor", "use_ability", b={"play": ["extra_deposit"], "hand": ["luck"]}),
        "forbidden",
        "Extra Deposit",
    ),
    "Thunderbolt with an empty discard pile": (acting("thunderbolt", "use_ability", targets=["a-01"]), "no_target", "empty"),
    "Death Ray Cannon without counters": (acting("death_ray_cannon", "use_ability"), "cannot_pay", "no counters"),
    "a ship without ability": (acting("titan", "use_ability"), "no_ability", "no ability"),
    "Pursuiter's ability": (acting("pursuiter", "use_ability"), "no_ability", "collide"),
    "giving up a card in hand": (
        lambda: (t := table(a={"hand": ["satellite"]}), 0, "use_anytime", {"card": t["a.satellite"]}),
        "not_owned",
        "in your hand",
    ),
    "giving up a suppressed card": (
        acting("satellite", "use_anytime", b={"play": ["great_disturbance"]}),
        "forbidden",
        "suppressed",
    ),
    "giving up Neutralization for nothing": (acting("neutralization", "use_anytime", targets=[]), "no_target", "other duration"),
    "Station Repair with nothing flipped": (
        acting("station_repair", "use_anytime", mode=1, slots=["s1"]),
        "no_target",
        "flipped",
    ),
    "an extra turn too early": (
        acting("time_travel_portal", "use_action", fields={"counters": 2}, phase="action"),
        "cannot_pay",
        "costs 3 counters; it has 2",
    ),
    "Corrupted Outpost without face-down cards": (
        acting("corrupted_outpost", "use_action", {"station": {"hand": []}}, phase="action", slots=["s1"]),
        "no_target",
        "hand row",
    ),
    "more counters than there are": (
        acting("energy_source", "use_counters", fields={"counters": 1}, phase="action", n=2),
        "cannot_pay",
        "It has 1 counter;",
    ),
    "counters that are no actions": (
        acting("time_travel_portal", "use_counters", fields={"counters": 3}, phase="action", n=1),
        "no_ability",
        "actions",
    ),
    "Fatal Error with another x": (
        playing("fatal_error", b={"play": ["titan", "drone"]}, x=5, targets=["b.titan"]),
        "not_possible",
        "for Titan that is 6",
    ),
    "Duplication with another x": (playing("duplication", {"play": ["titan"]}, x=4, targets=["a.titan"]), "not_possible", "is 5"),
    "Revive Procedure beyond 6": (
        playing("revive_procedure", {"discard": ["titan", "hunter"]}, targets=["a.titan", "a.hunter"]),
        "no_target",
        "these cost 8",
    ),
    "Deploy Starship with two cards": (playing("deploy_starship", {"play": ["drone"] * 2}), "no_target", "you have 2"),
    "Death Ray without a Starship": (playing("death_ray", x=1, targets=["a-02"]), "no_target", "Starship"),
    "Déjà Vu without discards": (playing("deja_vu", targets=["a-02"]), "no_target", "empty"),
    "a move into the same row": (
        lambda: (table(), 0, "move_station", {"slot": "s1", "row": "draw"}),
        "not_possible",
        "already",
    ),
    "a move of no card": (lambda: (table(), 0, "move_station", {"slot": "s9", "row": "draw"}), "not_owned", "no slot s9"),
    "the wrong number of discards": (
        lambda: (t := table(a={"hand": ["drone"] * 5}, phase="discard"), 0, "discard", {"cards": list(t.side(0).hand[:1])}),
        "not_possible",
        "exactly 2",
    ),
}


def test_using_a_commander_before_the_choice_is_refused():
    session = Session(GAME)
    session.answer({"op": "new", "seed": "nobody"})
    for seat in (0, 1):
        answer = session.answer({"op": "command", "seat": seat, "command": {"name": "use_commander"}})
        assert answer["refusal"]["code"] in ("wrong_phase", "not_your_turn"), answer


@pytest.mark.parametrize("case", CASES)
def test_a_refusal_names_its_rule(case):
    attempt, code, words = CASES[case]
    t, seat, name, parameters = attempt()
    refusal = t.no(seat, code, name, **parameters)
    assert words in refusal["detail"], refusal


@pytest.mark.usefixtures("in_marks")
def test_every_refusal_can_be_translated_whole():
    known, forgotten = names_in(GAME), {}
    for attempt, _code, _words in CASES.values():
        t, seat, name, parameters = attempt()
        with pytest.raises(Refused) as refused:
            t.session.timeline.command(seat, {"name": name, **parameters}, seeded("refused"))
        assert "⟦" not in refused.value.detail, "what is stored stays English"
        if words := left_over(refused.value.sentence) - known:
            forgotten[refused.value.sentence] = words
    assert not forgotten


@pytest.mark.usefixtures("in_marks")
def test_every_label_of_a_form_can_be_translated_whole():
    known, labels = names_in(GAME), set()
    for path in sorted((Path(__file__).parent / "playthroughs").glob("*.json")):
        record = records.load(path.read_text(encoding="utf-8"))
        timeline = Timeline(GAME)
        for event in map(GAME.lift, record.events):
            timeline.apply(event)
            if event.version % 7 == 0:
                labels |= {form.label for seat in (0, 1) for form in GAME.legal_commands(timeline.state, seat)}
    assert len(labels) > 50
    assert not [label for label in labels if left_over(label) - known]


def test_the_refusal_of_another_phase_is_a_sentence():
    refused = table(phase="attack").no(0, "wrong_phase", "end_phase")
    assert refused["detail"] == "End phase is possible only in your action phase. This is your attack phase."
