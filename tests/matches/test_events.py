"""The service's own events, typed: what is written is read again, and what was recorded keeps its keys and values."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import canonical
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.game import Event
from gamesvc.matches import events
from gamesvc.matches.events import KINDS, MatchEvent, Rewound, TimedOut, read_event, read_events

TESTS = Path(__file__).resolve().parents[1]

# --- written and read ---

keys = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=6)
numbers = st.integers(-5, 2**40)
plain = st.none() | st.booleans() | numbers | st.text(max_size=5)
jsons = st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=5)
objects = st.dictionaries(keys, jsons, max_size=3)
BY_TYPE: dict[Any, st.SearchStrategy[Any]] = {
    int: numbers,
    str: st.text(max_size=8),
    bool: st.booleans(),
    Mapping[str, Any]: objects,
    Mapping[str, int]: st.dictionaries(keys, numbers, max_size=2),
    Sequence[int]: st.lists(numbers, max_size=3),
    Sequence[Mapping[str, Any]]: st.lists(objects, max_size=2),
    type(None): st.none(),
}


def strategy_for(hint: Any) -> st.SearchStrategy[Any]:
    return BY_TYPE[hint] if hint in BY_TYPE else st.one_of([BY_TYPE[part] for part in get_args(hint)])


@st.composite
def written(draw: st.DrawFn, kind: type[MatchEvent]) -> MatchEvent:
    """An event with any values; fields that not every event has are there or not."""
    hints = get_type_hints(kind)
    told = {}
    for one in fields(kind):
        if one.name == "more":  # what a game calls otherwise
            told["more"] = {f"own_{name}": value for name, value in draw(objects).items()}
        elif one.default is MISSING or draw(st.booleans()):
            told[one.name] = draw(strategy_for(hints[one.name]))
    return kind(**told)


@pytest.mark.parametrize("kind", KINDS.values())
@given(data=st.data())
def test_what_is_written_is_read_again(kind: type[MatchEvent], data: st.DataObject) -> None:
    said = data.draw(written(kind))
    event = said.event(7)
    assert (event.type, event.version, event.type_version) == (kind.TYPE, 7, kind.VERSION)
    assert read_event(event) == said
    stored = Event(event.type, json.loads(canonical.encode(event.data)))
    again = read_event(stored)
    assert again == said
    assert canonical.encode(again.as_json()) == canonical.encode(event.data)


def test_every_type_is_known_by_its_name() -> None:
    classes = [one for _name, one in inspect.getmembers(events, inspect.isclass) if issubclass(one, MatchEvent)]
    assert {*classes} - {MatchEvent} == {*KINDS.values()}
    assert all(of_service(name) and name == kind.TYPE for name, kind in KINDS.items())
    assert read_event(Event("played", {"seat": 0})) is None
    assert read_events([Event("played", {"seat": 0}), Event("match.left", {"seat": 1})]) == [events.Left(1)]


# --- recorded ---


def told_in(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The service's events in a recorded match or a golden file, each with its type."""
    if isinstance(value, list):
        if value and isinstance(value[0], str) and value[0] in KINDS:
            yield value[0], next(part for part in value if isinstance(part, dict))
        for part in value:
            yield from told_in(part)
    elif isinstance(value, dict):
        if value.get("type") in KINDS and isinstance(value.get("data"), dict):
            yield value["type"], value["data"]
        for part in value.values():
            yield from told_in(part)


def test_what_is_recorded_keeps_its_bytes() -> None:
    count = 0
    for path in sorted(TESTS.rglob("*.json")):
        for event_type, data in told_in(json.loads(path.read_text())):
            said = read_event(Event(event_type, data))
            assert said is not None
            assert canonical.encode(said.as_json()) == canonical.encode(data), path
            count += 1
    assert count > 20


BEGIN = {"game": "toy", "rules": "toy/1", "options": {"points": 3}, "seats": 2, "commitment": "ab" * 32}
RAN_OUT = {
    "seat": 0,
    "question": "q",
    "due_at": "2026-06-01T00:00:00.000000Z",
    "policy": "default",
    "excused": False,
    "in_row": 1,
}
OLDER: dict[str, tuple[str, dict[str, Any]]] = {
    "a match between bots, without a clock": ("match.opened", BEGIN),
    "nothing but hours": ("match.opened", {**BEGIN, "clock": {"hours": 48}}),
    "a choice of press and undo, none of who may watch": (
        "match.opened",
        {**BEGIN, "clock": {"hours": 48}, "press": "private", "anonymous": False, "undo": "free"},
    ),
    "a seat of a match between bots": ("match.joined", {"seat": 1, "contribution": ""}),
    "a substitute, never one who comes back": ("match.seated", {"seat": 1, "holder": "x", "kind": "user"}),
    "reminders without their deadline": ("match.timed_out", {**RAN_OUT, "reminders": [{"point": "50", "sent_at": "2026"}]}),
    "a position with no salt": ("match.positioned", {"position": {"turn": 1}}),
    "a rewind of a game": ("match.rewound", {"to": 3, "cause": "reaction", "seat": 1, "item": 2, "data": {"cards": {}}}),
    "a rewind that says no cause": ("match.rewound", {"to": 3, "data": {}}),
}
SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "a rewind as others see it": ("match.rewound", {"to": 3, "cause": "undo", "seat": 1}),
    "a position that is hidden": ("match.positioned", {}),
    "the time-out of an anonymous player": ("match.timed_out", RAN_OUT),
}


@pytest.mark.parametrize("name", [*OLDER, *SHOWN])
def test_what_older_releases_wrote_or_viewers_are_shown_keeps_its_keys(name: str) -> None:
    event_type, data = (OLDER | SHOWN)[name]
    said = read_event(Event(event_type, data))
    assert said is not None
    assert said.as_json() == data


def test_a_key_of_a_later_release_is_passed_over() -> None:
    data = {**RAN_OUT, "reminders": [], "weather": "rain"}
    assert read_event(Event(TimedOut.TYPE, data)) == TimedOut.of({**RAN_OUT, "reminders": []})


def test_what_every_event_of_its_type_says_must_be_there() -> None:
    for kind in KINDS.values():
        required = [one.name for one in fields(kind) if one.default is MISSING and one.name != "more"]
        if required:
            with pytest.raises(TypeError, match=required[0]):
                kind.of({})


def test_a_rewind_of_a_game_may_say_anything_more() -> None:
    assert Rewound.of({"to": 1, "more": 5, "data": {}}).as_json() == {"to": 1, "more": 5, "data": {}}
