"""Events from which something is hidden look the same as those of their type that hide nothing.

A field with a default is in the data only where it says something. So an event that is whole where the field is missing would
tell others that there was nothing to hide.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, replace
from typing import Any

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel.events import REWOUND
from gamesvc.games.kernel.game import Event, Game, see_event
from tests.games.test_typed_events import FILES, events_of

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
TRADERS = {"maker": {"seat": 0, "hand": ["c01"]}, "taker": {"seat": 3, "hand": []}}
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
    ("star_commander", "trade_completed", {"offer": 1, **TRADERS, "cards": [["c01", "a"]]}, {"cards": [["c02", "b"]]}),
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


# --- every type, with the events of recorded matches ---

SAMPLES = 5
"""The events looked at of each type with the same fields."""
PUBLIC = {"seat", "private"}
"""Fields that decide who sees an event: the seat it is of, and the mark of the events of a race, an option that all know."""
UNSEEN = object()


def texts(value: Any) -> set[str]:
    """Return all texts somewhere in a value."""
    if isinstance(value, Mapping):
        return {*value}.union(*map(texts, value.values()))
    if isinstance(value, (list, tuple)):
        return set().union(*map(texts, value))
    return {value} if isinstance(value, str) else set()


def other(value: Any, known: set[str]) -> Any:
    """Return a value of the same shape that says something else. Known texts stay, since they are shown elsewhere."""
    if isinstance(value, Mapping):
        return {name: one if name in PUBLIC else other(one, known) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [other(one, known) for one in value]
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value + "x" if isinstance(value, str) and value not in known else value


def otherwise(value: Any, shown: Any, known: set[str]) -> Any:
    """Return a value that says something else wherever it is not shown. The length of a list may be known."""
    if shown is UNSEEN or (isinstance(value, (list, tuple)) and isinstance(shown, int)):
        return other(value, known)
    if isinstance(value, Mapping) and isinstance(shown, Mapping):
        return {name: one if name in PUBLIC else otherwise(one, shown.get(name, UNSEEN), known) for name, one in value.items()}
    if isinstance(value, (list, tuple)) and isinstance(shown, (list, tuple)) and len(value) == len(shown):
        return [otherwise(one, seen, known) for one, seen in zip(value, shown, strict=True)]
    return value


def twins(game: Game[Any], event: Event, seen: Event | None) -> Iterator[Event]:
    """Yield events that differ from this one only in what a viewer does not see."""
    if seen is None:
        # Whether one is sealed may depend on a mark, such as that of an answer given early.
        marks = {name: one for name, one in event.data.items() if name in PUBLIC or isinstance(one, bool)}
        worlds = [otherwise(event.data, UNSEEN, set()) | marks]
    else:
        worlds = [otherwise(event.data, seen.data, texts(seen.data))]
        for name in optional(game, event) & {*event.data} - {*seen.data}:
            worlds.append({key: one for key, one in event.data.items() if key != name})
    return (replace(event, data=data) for data in worlds if data != event.data)


def optional(game: Game[Any], event: Event) -> set[str]:
    return {field.name for field in fields(game.events[event.type]) if field.default is not MISSING} - PUBLIC


def hidden(event: Event, seen: Event | None) -> set[str]:
    """Return the fields that are not seen, or not as they are."""
    shown = {} if seen is None else seen.data
    return {name for name, one in event.data.items() if shown.get(name, UNSEEN) != one} - PUBLIC


class Compared:
    """Events compared with their twins for all viewers.

    `tried`: the number of twins by type. `cut`: the types of which somebody does not see all. `found`: twins that look different.
    """

    def __init__(self, game: Game[Any], events: Iterable[Event]) -> None:
        self.game = game
        self.tried, self.cut, self.found = Counter[str](), set[str](), list[str]()
        self.secrets: dict[str, dict[str, Any]] = {}
        samples, met = list[Event](), Counter[object]()
        for event in events:
            met[kind := (event.type, *sorted(event.data))] += 1
            if met[kind] <= SAMPLES:
                samples.append(event)
        for event in samples:
            self._change(event)
        for event in samples:
            self._add(event)

    def _change(self, event: Event) -> None:
        for viewer in (None, 0, 1, 2):
            seen = see_event(self.game, event, viewer)
            if names := hidden(event, seen):
                self.cut.add(event.type)
                for twin in twins(self.game, event, seen):
                    self._compare(event, twin, viewer)
                if viewer is None and seen is not None:
                    self.secrets.setdefault(event.type, {}).update((name, event.data[name]) for name in names - {*seen.data})

    def _add(self, event: Event) -> None:
        """Compare an event with one that also has a field which others of its type hide from spectators."""
        for name, value in self.secrets.get(event.type, {}).items():
            if name not in event.data:
                self._compare(event, replace(event, data={**event.data, name: value}), None)

    def _compare(self, event: Event, twin: Event, viewer: int | None) -> None:
        self.tried[event.type] += 1
        if see_event(self.game, twin, viewer) != see_event(self.game, event, viewer):
            self.found.append(f"{event.type} for {viewer}: {event.data} and {twin.data}")


def recorded(game_id: str) -> Iterator[Event]:
    return (event for path in FILES[game_id] for event in events_of(path))


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_no_event_of_any_type_tells_what_it_hides(game_id):
    """Of a new type there are recorded events (`test_typed_events`). It needs a pair if they show too little."""
    checked = Compared(catalog.game(game_id), recorded(game_id))
    assert checked.found == []
    assert checked.cut - {*checked.tried} <= {event for game, event, *_ in PAIRS if game == game_id}


def whole_without_secret(event: Event, told: Any) -> Any:
    return event.data if event.type == "window_opened" and "later" not in event.data else told


def a_letter_of_the_choice(event: Event, told: Any) -> Any:
    return {**told, "last": event.data["cards"][-1][-1:]} if event.type == "cards_drawn" and told is not event.data else told


@pytest.mark.parametrize(("leak", "event"), [(whole_without_secret, "window_opened"), (a_letter_of_the_choice, "cards_drawn")])
def test_a_type_that_tells_what_it_hides_is_found(leak, event):
    game = catalog.game("stratastar")
    leaking = replace(game, redact=lambda event, viewer: leak(event, game.redact(event, viewer)))
    assert {one.split()[0] for one in Compared(leaking, recorded("stratastar")).found} == {event}
