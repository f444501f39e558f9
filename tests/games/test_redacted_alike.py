"""Events from which something is hidden look the same as those of their type that hide nothing.

A field with a default is in the data only where it says something. So an event that is whole where the field is missing would
tell others that there was nothing to hide.
"""

from __future__ import annotations

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel.events import REWOUND
from gamesvc.games.kernel.game import Event, see_event

MOVE = {"id": 3, "seat": 0, "name": "move", "asked": [1, 2]}
ITEM = {"id": 4, "seat": 0, "kind": "card", "params": {}}
ENTERED = {"phase": "combat", "window": "after_assign", "priority": 1, "passed": []}
PASSED = {"seats": [0], "auto": False, "closed": False}
ASSIGNED = {"seat": 0, "cell": "1,1", "turn": 3, "shots": [], "more": False, "auto": False}
PAIRS = [
    ("stratastar", "window_opened", MOVE, {**MOVE, "then": "battle"}),
    ("stratastar", "window_opened", MOVE, {**MOVE, "later": {"0": {}}}),
    ("stratastar", "window_opened", MOVE, {**MOVE, "later": {"0": {"name": "play"}}, "then": "end_turn"}),
    ("stratastar", "action_declared", MOVE, {**MOVE, "auto": True, "then": "battle"}),
    ("stratastar", "battle_declared", {"seat": 0}, {"seat": 0, "auto": True}),
    ("stratastar", "offer_rejected", {"id": 1, "by": 0}, {"id": 1, "by": 0, "auto": True}),
    (
        "stratastar",
        "passed",
        {"seat": 0, "action": 3, "how": "orders"},
        {"seat": 0, "action": 3, "how": "passes", "after": True, "then": {"name": "play"}},
    ),
    ("star_commander", "phase_entered", ENTERED, {**ENTERED, "passed": [0]}),
    ("star_commander", "priority_passed", PASSED, {**PASSED, "rest": True}),
    ("star_commander", "damage_assigned", ASSIGNED, {**ASSIGNED, "passes": True, "stays": True}),
    ("star_commander", "card_played", {"item": ITEM}, {"item": {**ITEM, "hold": True}}),
    ("space_war", "turn_started", {"seat": 0, "turn": 3}, {"seat": 0, "turn": 3, "todo": []}),
    ("space_war", "life_changed", {"seat": 0, "to": 9}, {"seat": 0, "to": 9, "cmd": {"seat": 0, "replay": False}}),
    ("space_fleet_commander", "turn_started", {"seat": 0, "turn": 3}, {"seat": 0, "turn": 3, "todo": []}),
    ("space_fleet_commander", REWOUND, {"to": 3, "cause": "undo", "seat": 0}, {"to": 3, "cause": "undo", "seat": 0, "kept": [5]}),
    ("star_commander", REWOUND, {"to": 3, "cause": "host"}, {"to": 3, "cause": "host", "data": {"industry": ["a"]}}),
]

OPENED = {"item": 1, "seq": 9, "by": 1, "kind": "play", "card": "drone", "what": "b-01", "note": {}, "answers": [], "last": None}
OFFER = {"id": 1, "seat": 0, "to": 3, "keep": False, "wait": False, "want": {}}
CHOSEN = [
    ("stratastar", "attack_committed", {"seat": 0, "cards": []}, {"cards": ["attack", "research"]}),
    ("stratastar", "reaction_prepared", {"seat": 0, "action": 3, "command": {}}, {"command": {"name": "retreat"}}),
    ("stratastar", "spied", {"seat": 0, "target": "deck", "cards": ["trade"]}, {"cards": ["attack", "attack"]}),
    ("stratastar", "cards_drawn", {"seat": 0, "cards": ["trade"]}, {"cards": ["attack"]}),
    ("stratastar", "card_taken", {"seat": 0, "victim": 3, "card": "trade", "index": 0}, {"card": "attack", "index": 2}),
    ("stratastar", "offer_made", {**OFFER, "give": {"trade": 1}}, {"give": {"attack": 2}}),
    ("stratastar", "deck_reshuffled", {"deck": ["trade", "attack"]}, {"deck": ["attack", "trade"]}),
    ("star_commander", "card_drawn", {"seat": 0, "domain": "industry", "uid": "c01", "card": "a"}, {"uid": "c02", "card": "b"}),
    ("star_commander", "choice_made", {"seat": 0, "what": "discard", "value": "c01"}, {"value": "c02"}),
    ("star_commander", "deck_reshuffled", {"domain": "industry", "deck": ["c01", "c02"]}, {"deck": ["c02", "c01"]}),
    ("star_commander", "trade_offered", {"offer": 1, "seat": 0, "to": 3, "give": {"credits": 1}}, {"give": {"credits": 2}}),
    ("space_war", "seat_prepared", {"seat": 0, "commander": "crakux", "rows": []}, {"commander": "zyre", "rows": ["hand"]}),
    ("space_war", "turn_ended", {"seat": 0, "flip_slots": []}, {"flip_slots": ["s1"]}),
    ("space_war", "prompt_answered", {"prompt": 1, "seat": 0, "kind": "discard", "picks": []}, {"picks": ["a-01"]}),
    ("space_war", "item_opened", OPENED, {"answers": ["a-01"], "left": []}),
    ("space_war", "cards_drawn", {"seat": 0, "cards": ["a-01"]}, {"cards": ["a-02"]}),
    ("space_war", "moved", {"card": "a-01", "zone": 1, "turn": 3}, {"settles": [2]}),
    ("stratastar", "card_lost", {"seat": 0, "victim": 0, "card": "trade", "index": 0}, {"index": 2}),
    ("stratastar", "space_scouted", {"seat": 0, "from": "J1", "space": "I1", "kind": "world", "taken": []}, {"kind": "rift"}),
    ("stratastar", "space_revealed", {"space": "I1", "kind": "world", "taken": []}, {"taken": ["world"]}),
    ("star_commander", "choice_requested", {"seat": 0, "prompt": "choice", "work": []}, {"card": "a", "uid": "c1"}),
    ("star_commander", "action_declared", {"item": ITEM}, {"item": {**ITEM, "params": {"uids": ["c01"]}}}),
    ("star_commander", "ability_activated", {"item": ITEM}, {"item": {**ITEM, "params": {"discard": "c01"}, "hold": True}}),
]
"""Events with what their seat has chosen or drawn in secret. Self-play cannot find that they tell it.

Where it deals anew, the same command is sent with the same secret.
"""
PAIRS += [(game, event, plain, {**plain, **secret}) for game, event, plain, secret in CHOSEN]


@pytest.mark.parametrize(("game", "event", "plain", "hiding"), PAIRS)
def test_no_other_viewer_can_tell_whether_an_event_hides_something(game, event, plain, hiding):
    for viewer in (None, 1, 2):
        seen = [see_event(catalog.game(game), Event(event, data, 9), viewer) for data in (plain, hiding)]
        assert [(one.data, one.redacted) for one in seen] == [(seen[0].data, True)] * 2
