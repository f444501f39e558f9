"""Limits in views: uses and attacks left, and how long locks, protection and similar effects last."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gamesvc.games.kernel import codec
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Caption, Refused
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.text.lasting import MARKS, UNTIL
from gamesvc.matches.lobby import forks
from gamesvc.matches.record import positions
from tests.games.space_war.table import Table, table

VIEWERS = (None, 0, 1)


def everybody_reads(t: Table, *words: str) -> None:
    """Assert that all viewers read the words on the board, and that a picture can be drawn."""
    for viewer in VIEWERS:
        seen = json.loads(json.dumps(t.view(viewer)))
        text = " ".join(GAME.board_text(seen, Caption("1")).split())
        for part in words:
            assert part in text, text
        assert GAME.picture(seen, Caption("1")).startswith("<svg")


def lasting(t: Table, key: str, viewer: int | None = None) -> list[dict]:
    return next(p for p in t.view(viewer)["pieces"] if p["id"] == t[key])["lasting"]


def test_uses_of_a_commander_that_are_left():
    t = table(a={"commander": "general_jackson"})
    for left, words in ((2, "2 more times"), (1, "1 more time this"), (0, "0 more times")):
        assert {t.view(viewer)["sides"][0]["commander_left"] for viewer in VIEWERS} == {left}
        everybody_reads(t, f"General Jackson may be used {words}")
        if left:
            t.do(0, "use_commander")
    assert t.view(0)["sides"][1]["commander_left"] is None


def test_attacks_that_are_left():
    t = table(a={"play": ["starship"]}, b={"play": [("titan", {"zone": "enemy"})]}, phase="attack")
    everybody_reads(t, "2 of 2 attacks left")
    t.do(0, "attack", attacker=t["a.starship"], target=t["b.titan"])
    [starship] = [p for p in t.view(1)["pieces"] if p["card"] == "starship"]
    assert (starship["attacks_used"], starship["attacks"]) == (1, 2)
    everybody_reads(t, "1 of 2 attacks left")


def test_cards_played_under_destiny_decided():
    t = table(a={"hand": ["drone", "drone"]}, b={"play": ["destiny_decided"]})
    assert t.view(1)["sides"][0]["plays_left"] == 1
    assert t.view(0)["sides"][1]["plays_left"] == 0
    t.do(0, "play_card", card=t["a.drone"], options={"draw": False})
    side = t.view(1)["sides"][0]
    assert (side["plays"], side["plays_left"]) == (1, 0)
    everybody_reads(t, "Destiny Decided: 1 card played this turn, 0 left to play")
    assert table().view(0)["sides"][0]["plays_left"] is None


def test_how_long_a_card_is_locked_disarmed_or_protected():
    a = {"hand": ["target_missed"], "play": ["titan", ("emp_missile", {"paralyzed": True})]}
    t = table(a=a, b={"play": ["moment_of_peace", "disturbing_signals"]})
    t.do(0, "play_card", card=t["a.target_missed"], mode=2, targets=[t["a.titan"]])
    peace = {"by": t["b.moment_of_peace"], "until": "draw_phase", "draw_phases": 2}
    assert lasting(t, "a.titan") == [
        {"mark": "protected", "until": "turn_end"},
        {"mark": "cannot_move", **peace},
        {"mark": "cannot_attack", **peace},
    ]
    signals = {"mark": "cannot_move", "by": t["b.disturbing_signals"], "until": "in_play"}
    assert signals in lasting(t, "a.emp_missile", 1)
    assert {"mark": "paralyzed", "until": "repair"} in lasting(t, "a.emp_missile", 0)
    everybody_reads(
        t,
        "cannot be attacked until this turn ends",
        "cannot attack until the second draw phase of Moment of Peace's owner",
        "cannot move while Disturbing Signals is in play",
        "paralyzed until repaired",
    )


def test_a_moment_of_peace_that_ends_soon():
    t = table(a={"play": ["titan"]}, b={"play": [("moment_of_peace", {"counters": 1})]})
    assert lasting(t, "a.titan")[0]["draw_phases"] == 1
    everybody_reads(t, "cannot move until the next draw phase of Moment of Peace's owner")


def test_how_long_a_text_does_not_count():
    t = table(a={"hand": ["collision_skill"], "play": ["satellite"]}, b={"play": ["great_disturbance"]})
    t.do(0, "play_card", card=t["a.collision_skill"])
    disturbed = {"mark": "suppressed", "until": "in_play", "by": t["b.great_disturbance"]}
    assert lasting(t, "a.satellite") == [disturbed]
    assert lasting(t, "a.collision_skill") == [{"mark": "delayed", "until": "turn_start"}, disturbed]
    everybody_reads(t, "without effect while Great Disturbance is in play", "text delayed until its owner's next turn starts")


def test_a_borrowed_card():
    t = table(a={"play": ["hacker"]}, b={"play": [("titan", {"zone": "enemy"})]}, phase="attack")
    t.do(0, "use_ability", card=t["a.hacker"], targets=[t["b.titan"]])
    assert lasting(t, "b.titan") == [{"mark": "borrowed", "until": "turn_end"}]
    everybody_reads(t, "borrowed until this turn ends")


def test_every_mark_and_end_has_words():
    assert set(MARKS) == {"paralyzed", "protected", "borrowed", "delayed", "suppressed", "cannot_move", "cannot_attack"}
    assert set(UNTIL) == {"repair", "turn_end", "turn_start", "in_play", "draw_phase"}


def asked(held: str) -> tuple[Table, dict[str, Any]]:
    """Return a match whose second seat is asked about a Sacrifice with a card in hand, and its position."""
    t = table(a={"hand": ["sacrifice"], "play": ["drone"]}, b={"hand": [held], "play": ["titan"]})
    t.do(0, "play_card", card=t["a.sacrifice"], targets=[t["a.drone"]])
    assert t.awaited == [(1, "barrier")]
    timeline = t.session.timeline
    return t, json.loads(json.dumps(codec.write_position(GAME, timeline.state, timeline.version, timeline.keep_marked())))


def test_a_fork_does_not_tell_if_the_opponent_can_answer() -> None:
    """An act that ends with a question marks its own version exactly if the other seat holds an answer."""
    marked = set()
    for held in ("titan", "cancel"):
        t, position = asked(held)
        marked.add(any(one["back"] == 0 for one in position["marked"]))
        for seat in (0, 1):
            dealt = positions.redeal(GAME, position, seat, seeded(held), t.session.timeline.version)
            codec.read_position(GAME, dealt, t.session.timeline.version)
    assert marked == {True, False}


def test_a_described_position_is_the_state_that_it_marks_at_its_own_version() -> None:
    t, position = asked("cancel")
    forks.described(GAME, position)
    alone = codec.write_position(GAME, t.state, t.session.timeline.version, {})["state"]
    own = next(one for one in position["marked"] if one["back"] == 0)
    own["state"] = json.loads(json.dumps({**alone, "turn": alone["turn"] + 2}))
    with pytest.raises(Refused, match="another state with `back` 0") as refused:
        forks.described(GAME, position)
    assert refused.value.code == "bad_position"


def offered(t: Table, seat: int, name: str) -> list[dict[str, Any]]:
    """Return the schemas of a command that is offered, one for each of its alternatives."""
    found = [form["parameters"] for form in t.forms(seat, name)]
    while any("oneOf" in schema for schema in found):
        found = [option for schema in found for option in schema.get("oneOf", [schema])]
    return found


def targets_of(schema: dict[str, Any], *path: str) -> dict[str, str]:
    """Return the targets of a parameter's values, by value."""
    for name in path:
        schema = schema["properties"][name]
    return dict(schema.get("items", schema).get("at", {}))


def test_slots_are_targets_in_the_station_that_they_are_chosen_from() -> None:
    rows = {"draw": ["luck*", "luck"], "action": ["luck*"]}
    own, enemy = {"s1": "slot:0:s1", "s3": "slot:0:s3"}, {"s1": "slot:1:s1", "s2": "slot:1:s2", "s3": "slot:1:s3"}
    t = table(a={"commander": "naalox", "station": rows})
    [repair] = [one for one in offered(t, 0, "use_commander") if "slots" in one["properties"]]
    assert targets_of(repair, "slots") == own
    t = table(a={"commander": "keve_bakins"})
    moves = [targets_of(form, "slots") for form in offered(t, 0, "use_commander")]
    assert moves
    assert all(target == f"slot:0:{slot}" for move in moves for slot, target in move.items())
    t = table(a={"play": ["station_repair"], "station": rows})
    assert targets_of(offered(t, 0, "use_anytime")[0], "slots") == own
    t = table(a={"hand": ["supernova"], "station": rows})
    assert targets_of(offered(t, 0, "play_card")[0], "slots") == enemy
    t = table(a={"play": [("battlestar", {"zone": "enemy"})], "station": rows}, phase="attack")
    assert targets_of(offered(t, 0, "attack_station")[0], "slots") == enemy


def test_slots_of_a_reaction_are_targets_where_its_station_is_certain() -> None:
    for turned, found in ((["luck", "luck", "luck"], {}), (["luck*", "luck", "luck"], {"s1": "slot:1:s1"})):
        station = {"draw": turned[:1], "action": turned[1:2], "hand": turned[2:]}
        t = table(a={"station": station}, b={"play": ["station_repair"], "station": {"draw": ["luck*"], "action": ["luck"]}})
        [repair] = [one for one in offered(t, 1, "react") if "slots" in one["properties"]["play"]["properties"]]
        assert targets_of(repair, "play", "slots") == found


def test_cards_to_flip_are_targets_in_their_station_though_both_stations_have_such_slots() -> None:
    battlestar: dict[str, Any] = {"play": [("battlestar", {"zone": "enemy"})]}
    t = table(a=battlestar, b={"commander": "keve_bakins"}, phase="attack")
    t.do(0, "attack_station", attacker=t["a.battlestar"])
    t.do(0, "end_turn")
    assert targets_of(offered(t, 1, "choose")[0], "picks") == {slot: f"slot:1:{slot}" for slot in ("s1", "s2", "s3")}
    t = table(a={"play": ["cluster_nuke"], "commander": "crakux"}, b={"hand": ["ambush"]})
    t.do(0, "end_phase")
    t.react(1, None, card=t["b.ambush"], targets=[t["a.cluster_nuke"]])
    assert targets_of(offered(t, 1, "choose")[0], "picks") == {slot: f"slot:0:{slot}" for slot in ("s1", "s2", "s3")}
