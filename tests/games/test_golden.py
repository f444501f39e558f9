"""Every event type version ever written has a golden file and still folds to the recorded state.

`evolve` looks nothing up: events carry every number that a rules change could alter (costs, ranges, decks).
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
import types

import pytest

from gamesvc.games import catalog, records
from gamesvc.games.kernel.game import Event
from gamesvc.games.kernel.timeline import replay
from tests.games.golden.record import FOLDER, GAMES, asked, kept, read, written_today

FILES = sorted(FOLDER.glob("*/*.json"))
PLAYTHROUGHS = {game_id: sorted((FOLDER.parent / game_id / "playthroughs").glob("*.json")) for game_id in catalog.OFFERED}

# Data that `evolve` may read: name orders for sorting lists. They contain no number of the rules.
ORDERS = {
    "stratastar": {"changes.RANK"},
    "space_fleet_commander": {"evolve.ORDER", "state.ORDER"},
    "star_commander": {"state.WINDOWS"},
    "space_war": set(),
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_golden_file_folds_to_the_recorded_state(path):
    recorded = read(path)
    game = catalog.game(recorded["game"])
    timeline = replay(game, [game.lift(event) for event in recorded["events"]])
    assert asked(game, timeline.state) == recorded["asked"]
    holds = {(event.type, event.type_version) for event in recorded["events"]}
    assert {tuple(one) for one in recorded["holds"]} <= holds


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_event_that_can_be_written_has_a_golden_file(game_id):
    game = catalog.game(game_id)
    lacking = written_today(game) - kept(game).keys()
    assert not lacking, f"{sorted(lacking)}: run `python -m tests.games.golden.record` (see there)"


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_older_type_version_is_lifted_to_the_newest(game_id):
    game = catalog.game(game_id)
    newest = dict(written_today(game))
    for event_type, type_version in kept(game):
        if event_type in newest:
            assert game.lift(Event(event_type, {}, 1, newest[event_type])).type_version == newest[event_type]
            steps = range(type_version, newest[event_type])
            assert all((event_type, step) in game.upcasters for step in steps), f"{event_type} cannot be lifted"


# --- the data that evolve may read ---


class Looked(AssertionError):
    """Code read a value that it must not read."""


class Tripwire:
    """A stand-in for a value of the rules that raises when used."""

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_tripwire", name)

    def __getattribute__(self, name: str) -> object:
        raise Looked(f"evolve reads {object.__getattribute__(self, '_tripwire')}")


def _trip(self: Tripwire, *_: object) -> object:
    raise Looked(f"evolve reads {object.__getattribute__(self, '_tripwire')}")


_ACTS = """
    getitem iter len eq ne lt le gt ge hash bool call contains index int float str
    repr neg add radd sub rsub mul rmul mod rmod floordiv rfloordiv truediv rtruediv or ror and rand
"""
for _name in _ACTS.split():
    setattr(Tripwire, f"__{_name}__", _trip)

_CODE = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
_PLAIN = (bool, int, float, str, tuple, list, dict, set, frozenset, types.MappingProxyType)


def _of_the_rules(game_id: str, value: object) -> bool:
    """Return True if a global holds data: not code, not a table of handlers."""
    if isinstance(value, _CODE):
        return False
    if isinstance(value, (dict, types.MappingProxyType)) and value and all(map(callable, value.values())):
        return False
    return isinstance(value, _PLAIN) or type(value).__module__.startswith(f"gamesvc.games.{game_id}")


@pytest.fixture
def wired(request, monkeypatch):
    """Replace all data of a game, in each of its modules, by tripwires."""
    game_id = request.param
    package = importlib.import_module(f"gamesvc.games.{game_id}")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    recorded = [records.load(path.read_text(encoding="utf-8")) for path in PLAYTHROUGHS[game_id]]
    golden = [read(path)["events"] for path in FILES if path.parent.name == game_id]
    expected = [replay(catalog.game(game_id), one.events).state for one in recorded]
    for events in golden:
        # Resolve the type hints of states before the tripwires: they refer to data.
        replay(catalog.game(game_id), events)
    wires = 0
    for name, module in sorted(sys.modules.items()):
        if not name.startswith(f"{package.__name__}."):
            continue
        short = name.rpartition(".")[2]
        for key, value in list(vars(module).items()):
            if key.startswith("__") or f"{short}.{key}" in ORDERS[game_id] or not _of_the_rules(game_id, value):
                continue
            monkeypatch.setattr(module, key, Tripwire(f"{short}.{key}"))
            wires += 1
    assert wires > 10
    return catalog.game(game_id), recorded, expected, golden


@pytest.mark.parametrize("wired", catalog.OFFERED, indirect=True)
def test_evolve_reads_no_data_of_the_rules(wired):
    game, recorded, expected, golden = wired
    assert recorded
    found = [replay(game, one.events).state for one in recorded]
    # Comparing texts would be too slow, and comparing states reads none of the data.
    assert found == expected
    for events in golden:
        replay(game, events)


def test_a_tripwire_is_tripped(monkeypatch):
    from gamesvc.games.stratastar.rules import changes

    monkeypatch.setattr(changes, "RANK", Tripwire("changes.RANK"))
    played = records.load(PLAYTHROUGHS["stratastar"][0].read_text(encoding="utf-8"))
    with pytest.raises(Looked, match=r"changes\.RANK"):
        replay(catalog.game("stratastar"), played.events)


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_evolve_has_no_number_of_the_rules_in_its_code(game_id):
    """Checks literals beyond 0 and 1 in the modules of `evolve`, and names that it imports from data modules."""
    rules = GAMES / game_id / "rules"
    paths = sorted({*rules.glob("evolve*.py"), *rules.glob("evolving/*.py"), *rules.glob("changes.py")})
    assert paths
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        numbers = [
            (node.lineno, node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value not in (0, 1)
        ]
        assert numbers == [], f"{path.name}: a number of the rules belongs into the event"
        taken = {
            f"{path.stem}.{alias.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").endswith(".data")
            for alias in node.names
        }
        assert taken <= ORDERS[game_id], f"{path.name} takes data of the rules"
