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


@pytest.mark.parametrize(("game", "event", "plain", "hiding"), PAIRS)
def test_no_other_viewer_can_tell_whether_an_event_hides_something(game, event, plain, hiding):
    for viewer in (None, 1, 2):
        seen = [see_event(catalog.game(game), Event(event, data, 9), viewer) for data in (plain, hiding)]
        assert [(one.data, one.redacted) for one in seen] == [(seen[0].data, True)] * 2
