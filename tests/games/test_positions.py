"""Positions: real ones are accepted, wrong ones are refused with a reason."""

from __future__ import annotations

import copy
import dataclasses
import io
import itertools
import json
import random
import subprocess
import sys
import tracemalloc
import types
import typing
from collections.abc import Iterator
from typing import Any

import pytest

from gamesvc.games import catalog, dealing, trial
from gamesvc.games.kernel import codec, limits
from gamesvc.games.kernel.codec import plain
from gamesvc.games.kernel.codec.positions import MOST_MARKED
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.games.protocol import Session, serve
from gamesvc.games.space_war.rules import pending, reactions
from gamesvc.games.space_war.rules.facts import Board
from tests.games import mutants, positions

GAMES = (*catalog.OFFERED, "auction")
pytestmark = pytest.mark.usefixtures("auction")


NUMBERS = "^-?[0-9]+$"
"""The pattern of keys that are numbers."""


def _patterns(schema: object) -> Iterator[str]:
    """Yield every `pattern` of a schema."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        yield from itertools.chain.from_iterable(map(_patterns, schema.values()))
    elif isinstance(schema, list):
        yield from itertools.chain.from_iterable(map(_patterns, schema))


@pytest.mark.long
@pytest.mark.parametrize("game_id", GAMES)
def test_real_positions_are_accepted_and_read_back(game_id: str) -> None:
    game = catalog.game(game_id)
    for position in positions.corpus(game):
        timeline = trial.begin(game, position)
        assert mutants.described(timeline)["state"] == position["state"] or "parts" in position
        again, _ = codec.read_position(game, mutants.described(timeline), timeline.version)
        assert again == timeline.state


@pytest.mark.long
@pytest.mark.parametrize("game_id", GAMES)
def test_a_position_redealt_for_a_seat_is_accepted(game_id: str) -> None:
    """Forks begin from such a position, redealt for a seat."""
    game = catalog.game(game_id)
    for number, position in enumerate(positions.corpus(game)[::3]):
        state, marked = codec.read_position(game, position, 1)
        seat = number % game.seats(state)
        dealt, kept = dealing.deal(game, state, marked.__getitem__, seat, seeded(f"redealt {number}"))
        begun = trial.begin(game, json.loads(json.dumps(codec.write_position(game, dealt, 1, kept))))
        assert game.view(begun.state, seat) == game.view(state, seat)


def _fields_of(hint: Any, path: str, seen: set[type]) -> Iterator[tuple[str, Any, tuple[Any, ...]]]:
    """Yield every leaf of a state's types with its limits."""
    kind, kept = limits.bare(hint)
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if kind not in seen:
            seen.add(kind)
            for name, sub in limits.fields(kind).items():
                yield from _fields_of(sub, f"{kind.__name__}.{name}", seen)
        return
    yield path, kind, kept
    for arg in typing.get_args(kind):
        if arg is not Ellipsis and arg is not types.NoneType and typing.get_origin(kind) is not typing.Literal:
            yield from _fields_of(arg, path, seen)


@pytest.mark.parametrize("game_id", GAMES)
def test_every_text_and_every_free_value_of_a_state_has_a_limit(game_id: str) -> None:
    """A type that allows any text or value would let a position contain things the rules never wrote."""
    game = catalog.game(game_id)
    loose = {path for path, kind, kept in _fields_of(game.state, "", set()) if kind in (str, Any) and not kept}
    assert not loose


@pytest.mark.parametrize("game_id", GAMES)
def test_the_schema_of_a_position_includes_its_limits(game_id: str) -> None:
    game = catalog.game(game_id)
    schema = Session(game).answer({"op": "schema"})["schema"]["position"]
    written = json.dumps(schema)
    assert '"maximum"' in written
    assert '"enum"' in written
    texts = {
        limit.schema()["pattern"]
        for _path, _kind, kept in _fields_of(game.state, "", set())
        for limit in kept
        if isinstance(limit, limits.Written)
    }
    assert set(_patterns(schema)) - {NUMBERS} == texts


CASES = {
    "no steps left": ("star_commander", ("state", "work"), [], "/work"),
    "a step nobody knows": ("star_commander", ("state", "work", 0, "do"), "dance", "/".join(("", "work", "0", "do"))),
    "a combat that is asked for and not fought": ("star_commander", ("state", "prompt", "kind"), "combat_assign", "/prompt"),
    "a phase that is none": ("space_war", ("state", "phase"), "nonsense", "/phase"),
    "a card that is none": ("space_war", ("state", "cards", "a-01"), "ace", "/cards/a-01"),
    "a seat that is none": ("stratastar", ("state", "turn", "active"), 3, "seat 3"),
    "a die of seven": ("space_fleet_commander", ("state", "formation", 0), 7, "/formation/0"),
    "a huge number": ("stratastar", ("state", "turn", "round"), 10**12, "/turn/round"),
    "half a character": ("stratastar", ("state", "turn", "phase"), "\ud800", "/state/turn/phase"),
    "a broken number": ("star_commander", ("state", "turn"), float("nan"), "/state/turn"),
}


CASE_SEATS = {"stratastar": 2, "space_fleet_commander": 1, "star_commander": 2, "space_war": 2}


def test_sheets_in_lockstep_stand_in_one_turn() -> None:
    """A race whose sheets stand in several turns cannot be declared one in lockstep: a sheet would wait for those ahead of it."""
    game = catalog.game("space_fleet_commander")
    apart = []
    for position in positions.corpus(game):
        state = codec.read_position(game, position, 1)[0]
        turns = {sheet.turn for sheet in state.sheets if not sheet.finished and sheet.phase != "fleet"}
        if state.mode == "race" and not state.lockstep and not state.over and len(turns) > 1:
            apart.append(copy.deepcopy(position))
            apart[-1]["state"]["lockstep"] = True
    assert len(apart) > 3
    for wrong in apart:
        with pytest.raises(Refused, match="lockstep"):
            trial.begin(game, wrong)


def test_no_two_dice_of_a_race_draw_the_same_number() -> None:
    """A die whose `index` is left out stands in place 0 of its colour, where another one stands already."""
    game = catalog.game("space_fleet_commander")
    dropped = 0
    for position in positions.corpus(game):
        state = position["state"]
        for seat, sheet in enumerate(state.get("sheets", []) if state.get("mode") == "race" else []):
            for number, die in enumerate(sheet.get("dice", [])):
                if sheet.get("attempt") and die.get("index") and die.get("status", "live") != "aside":
                    wrong = copy.deepcopy(position)
                    wrong["state"]["sheets"][seat]["dice"][number].pop("index")
                    with pytest.raises(Refused, match="same place of the stream"):
                        trial.begin(game, wrong)
                    dropped += 1
    assert dropped > 10


@pytest.mark.parametrize("name", CASES)
def test_the_refusal_names_the_path(name: str) -> None:
    game_id, path, value, named = CASES[name]
    game = catalog.game(game_id)
    session = Session(game)
    assert session.answer({"op": "new", "seats": CASE_SEATS[game_id], "seed": "cases"})["ok"]
    position = json.loads(json.dumps(session.answer({"op": "position"})["position"]))
    mutants.at(position, path[:-1])[path[-1]] = value
    before = session.answer({"op": "view"})
    answer = session.answer({"op": "new", "position": position})
    assert answer["refusal"]["code"] == "bad_position"
    assert answer["refusal"]["parameter"] == "position"
    assert named in answer["refusal"]["detail"]
    assert session.answer({"op": "view"}) == before, "the match that was played goes on"


@pytest.mark.parametrize("game_id", GAMES)
def test_the_size_and_depth_of_a_position_are_limited(game_id: str) -> None:
    game = catalog.game(game_id)
    position = positions.corpus(game)[0]
    deep: Any = []
    for _ in range(plain.DEEPEST + 1):
        deep = [deep]
    wide = {**position, "state": {**position["state"], "more": [0] * plain.MOST_VALUES}}
    marked = {**position, "marked": [{"back": at, "state": position["state"]} for at in range(MOST_MARKED + 1)]}
    for wrong in ({**position, "rules": deep}, wide, marked, {**position, "parts": [{"=part": 0, "first": -1, "and": []}]}):
        if wrong.get("parts"):
            wrong["state"] = {"=part": 0}
        with pytest.raises(Refused) as refused:
            codec.read_position(game, wrong, 1)
        assert refused.value.code == "bad_position"


def crowded(marked: int, items: int) -> dict[str, Any]:
    """Return a position of The Space War: one part is its state and many marked ones, with items to react to at each of them."""
    game = catalog.game("space_war")
    state = next(
        copy.deepcopy(position["state"])
        for position in positions.corpus(game)
        if not position["marked"] and position["state"]["phase"] == "action" and not position["state"]["prompts"]
    )
    other = 1 - state["active"]
    state["cards"] |= dict.fromkeys(state["sides"][other]["hand"], "discovery")
    plays = pending.plain(reactions.reaction_plays(Board(codec.from_json(state, game.state)), other))
    assert plays
    opened = {"seq": -1, "by": state["active"], "kind": "phase", "card": "turn", "what": "", "note": {}, "plays": None}
    first, state["next_item"] = state["next_item"], state["next_item"] + items
    state["items"] = [{**opened, "n": first + at, "end": -1 - at % marked} for at in range(items)]
    state["items"][0]["plays"] = plays
    back = [{"back": at + 1, "state": {"=part": 0}} for at in range(marked)]
    return {"format": 1, "game": "space_war", "state": {"=part": 0}, "marked": back, "parts": [state]}


def test_a_part_counts_for_the_size_of_a_position_as_often_as_it_is_referred_to() -> None:
    """Sixty kilobytes of 300 marked states that are one part, with 200 items, took 400 s of computing time."""
    game = catalog.game("space_war")
    trial.begin(game, crowded(marked=5, items=20))
    deep = {**crowded(1, 1), "parts": [*crowded(1, 1)["parts"], *({"a": [{"=part": at}] * 2} for at in range(99))]}
    for wrong in (crowded(marked=MOST_MARKED, items=200), {**deep, "state": {"=part": 99}}):
        assert len(json.dumps(wrong)) < 100_000
        with pytest.raises(Refused, match="values in all") as refused:
            codec.read_position(game, wrong, 1)
        assert refused.value.code == "bad_position"


@pytest.mark.parametrize(
    ("parts", "where"),
    [
        ([{"=part": 0}], "/parts/0 refers to part 0"),
        ([{"a": {"=part": at + 1}} for at in range(3_000)], "/parts/0 refers to part 1"),
        ([[], {"=part": -1, "first": 0, "and": []}], "/parts/1 refers to part -1"),
        ([], "the state refers to part 0"),
    ],
)
def test_a_part_refers_to_earlier_ones_alone(parts: list[Any], where: str) -> None:
    """A chain of references forwards was refused by the depth of Python's stack, which tells nobody what is wrong."""
    with pytest.raises(Refused, match=where) as refused:
        codec.read_position(catalog.game("space_war"), {**crowded(1, 1), "parts": parts}, 1)
    assert refused.value.code == "bad_position"


def test_the_names_above_many_values_take_little_memory() -> None:
    """A body of 250 kB took 1.3 GB: the path of each value was written out, for the case that it is at fault."""
    document: Any = [0] * 50_000
    for _ in range(30):
        document = {"\U0001f680" * plain.LONGEST_KEY: document}
    tracemalloc.start()
    try:
        plain.check_plain(document)
        _now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 50_000_000
    with pytest.raises(codec.Malformed, match=r"^/a/0/1 must be text, a whole number"):
        plain.check_plain({"a": [[0, 1.5]]})


def test_what_could_be_done_at_a_marked_state_is_found_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    game, versions = catalog.game("space_war"), []
    real = pending.reaction_plays
    monkeypatch.setattr(pending, "reaction_plays", lambda board, seat: versions.append(seat) or real(board, seat))
    codec.read_position(game, crowded(marked=10, items=40), 1)
    assert len(versions) == 10


def test_an_item_is_named_once_however_many_reactions_it_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    game, named = catalog.game("space_war"), []
    real = reactions._item_label
    monkeypatch.setattr(reactions, "_item_label", lambda *given: named.append(given) or real(*given))
    state, _marked = codec.read_position(game, crowded(marked=1, items=50), 1)
    offered = [form for form in game.legal_commands(state, 1 - state.active) if form.name == "react"]
    assert len(offered) > 1
    assert len(named) == 50


def test_marked_states_that_nothing_goes_back_to_are_refused() -> None:
    """They would only fill the record. A position from a stored event may have them: it was accepted once."""
    game = catalog.game("space_war")
    marked = next(position for position in positions.corpus(game) if position["marked"])
    plain_one = next(position for position in positions.corpus(game) if not position["marked"])
    for position in (marked, plain_one):
        trial.begin(game, position)
        unused = max([0, *(one["back"] for one in position["marked"])]) + 1
        padded = {**position, "marked": [*position["marked"], {"back": unused, "state": position["state"]}]}
        with pytest.raises(Refused, match=f"/marked has .*leave out those {unused} versions back") as refused:
            trial.begin(game, padded)
        assert refused.value.code == "bad_position"
        state = codec.read_position(game, position, 1)[0]
        assert codec.read_position(game, padded, 1, judge=False)[0] == state


def test_a_marked_state_does_not_lie_ahead() -> None:
    game = catalog.game("space_war")
    position = next(one for one in positions.corpus(game) if one["marked"])
    ahead = {**position, "marked": [*position["marked"], {"back": -1, "state": position["state"]}]}
    with pytest.raises(Refused, match="`back` must be at least 0") as refused:
        codec.read_position(game, ahead, 1)
    assert refused.value.code == "bad_position"


# --- the protocol ---


def _requests(game: Game[Any], rng: random.Random) -> Iterator[Any]:
    """Yield requests of every kind, each with an error."""
    command = {"name": sorted(game.commands)[0]}
    right: list[dict[str, Any]] = [
        {"op": "new", "seats": 2, "options": {}, "seed": "x"},
        {"op": "new", "position": positions.corpus(game)[0]},
        {"op": "dice", "script": [1, [0, 1]]},
        {"op": "command", "seat": 0, "command": command},
        {"op": "order", "seat": 0, "text": "pass"},
        {"op": "events", "since": 0, "seat": 0},
        {"op": "rewind", "version": 1},
        *({"op": op, "seat": 0} for op in ("legal", "view", "default", "picture", "position", "schema")),
    ]
    for request, name in itertools.chain.from_iterable(((one, name) for name in one) for one in right):
        for value in mutants.STRANGE:
            yield {**request, name: copy.deepcopy(value)}
        yield {key: item for key, item in request.items() if key != name}
    for form_name, schema in game.commands.items():
        for key in (*schema["properties"], "unknown"):
            for value in rng.sample(mutants.STRANGE, 8):
                yield {"op": "command", "seat": 0, "command": {"name": form_name, key: copy.deepcopy(value)}}


@pytest.mark.parametrize("game_id", GAMES)
def test_no_request_stops_the_protocol(game_id: str) -> None:
    game, rng = catalog.game(game_id), random.Random("requests")
    lines = ['{"op":"new","seed":"requests"}', "[" * 5_000 + "]" * 5_000, '{"op":"view","seat":' + "9" * 5_000 + "}"]
    lines += [
        "null",
        "[]",
        "7",
        '"op"',
        "{",
        "NaN",
        '{"op":NaN}',
        "\0",
        '{"op":"new","options":' + '{"a":' * 600 + "0" + "}" * 601,
    ]
    begin = json.dumps({"op": "new", "seed": "requests"})
    for request in _requests(game, rng):
        lines += [json.dumps(request), begin] if request.get("op") in ("new", "dice") else [json.dumps(request)]
    out = io.StringIO()
    serve(game, [f"{line}\n" for line in lines], out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(answers) == len([line for line in lines if line.strip()])
    assert all(isinstance(answer["ok"], bool) for answer in answers)
    failed = [
        (line[:200], answer) for line, answer in zip(lines, answers, strict=True) if "the rules failed" in answer.get("error", "")
    ]
    assert not failed


def test_the_process_continues_after_bytes_that_are_not_text() -> None:
    sent = b'{"op":"new","seed":"\xff\xfe"}\n{"op":"view"\xc3\n{"op":"new"}\n{"op":"view","seat":null}\n'
    done = subprocess.run(
        [sys.executable, "-m", "gamesvc.games", "stratastar"], input=sent, capture_output=True, timeout=60, check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["ok"] for answer in answers] == [True, False, True, True]
