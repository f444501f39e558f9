"""An event that is sealed for a viewer changes nothing in their view at any version, not even in the middle of an act."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gamesvc.games import catalog, records
from gamesvc.games.kernel.game import see_event
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.games.secrecy import apart

FOLDER = Path(__file__).parent
RECORDED = {
    "space_fleet_commander": ("race_two", "race_three_lockstep"),
    "space_war": ("busy_constructed",),
    "stratastar": ("no_extras",),
}
ENDS_A_WAIT = frozenset({"items_settled"})
"""Sealed events after which the match passes a barrier: everyone sees that the decision was answered."""
LOOKS = 150
"""The number of sealed events checked per match."""


@pytest.mark.parametrize(("game_id", "name"), [(game, name) for game, names in RECORDED.items() for name in names])
def test_a_sealed_event_changes_no_view(game_id, name):
    game = catalog.game(game_id)
    record = records.load((FOLDER / game_id / "playthroughs" / f"{name}.json").read_text(encoding="utf-8"))
    hidden = {
        event.version: [viewer for viewer in (None, *range(record.seats)) if see_event(game, event, viewer) is None]
        for event in record.events
        if event.type not in ENDS_A_WAIT
    }
    sealed = [version for version, viewers in hidden.items() if viewers]
    assert sealed
    chosen = set(random.Random(name).sample(sealed, min(LOOKS, len(sealed))))
    timeline = Timeline(game)
    for event in record.events:
        viewers = hidden[event.version] if event.version in chosen and timeline.started else []
        before = {viewer: game.view(timeline.state, viewer) for viewer in viewers}
        timeline.apply(event)
        for viewer, seen in before.items():
            after = game.view(timeline.state, viewer)
            assert after == seen, f"version {event.version}, {event.type}, for {viewer}: {apart(seen, after)}"
