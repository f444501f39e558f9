"""Golden samples of events that self-play hardly ever produces.

`pytest -p tests.games.golden.from_tests tests/games/GAME` keeps the matches in which a test of the rulings produces one. If the
test's match begins from a described position, so does the golden file.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Event
from gamesvc.games.kernel.timeline import Run
from tests.games.golden.record import Sample, keep, kept, written_today

_missing: dict[str, set[Sample]] = {}
_found: dict[str, dict[Sample, tuple[int, list[Event]]]] = {}
_add = Run._add


def _watch(run: Run[Any], event: Event, state: Any) -> Any:
    after = _add(run, event, state)
    game, sample = run.game, (event.type, event.type_version)
    if sample in _missing.get(game.id, ()) and sample not in _found[game.id]:
        events = [*run._timeline.whole_log(), *run.events]
        if [one.version for one in events] == list(range(1, len(events) + 1)):
            plain = [Event(e.type, json.loads(json.dumps(e.data)), e.version, e.type_version, e.draws) for e in events]
            _found[game.id][sample] = (event.version, plain)
    return after


def pytest_sessionstart(session: pytest.Session) -> None:
    for game in catalog.games():
        _missing[game.id], _found[game.id] = written_today(game) - kept(game).keys(), {}
    Run._add = _watch  # type: ignore[method-assign]


def pytest_sessionfinish(session: pytest.Session) -> None:
    for game in catalog.games():
        keep(game, _found[game.id])
