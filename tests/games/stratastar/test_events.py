"""Every event that Stratastar writes, or has ever written, is read as a typed one and written again unchanged."""

from __future__ import annotations

import typing

import pytest

from gamesvc.games import records
from gamesvc.games.kernel.game import Event
from gamesvc.games.stratastar import GAME
from gamesvc.games.stratastar.events import KINDS
from gamesvc.games.stratastar.rules.evolve import HANDLERS
from gamesvc.games.stratastar.secrecy import redact
from gamesvc.games.stratastar.text import narrate
from tests.games.golden.record import FOLDER as GOLDEN
from tests.games.golden.record import read
from tests.games.stratastar.test_playthroughs import EARLIER, FILES

KEPT = sorted((GOLDEN / GAME.id).glob("*.json"))


def told(path) -> list[Event]:
    """Return the events of the game in a recorded match."""
    events = read(path)["events"] if path in KEPT else records.load(path.read_text(encoding="utf-8")).events
    return [event for event in events if not event.type.startswith("match.")]


@pytest.mark.parametrize("path", [*FILES, *EARLIER, *KEPT], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_recorded_events_are_read_and_written_again_unchanged(path):
    events = told(path)
    assert events
    for event in events:
        assert KINDS[event.type].of(event.data).event(event.version) == Event(event.type, event.data, event.version)
        assert event.type_version == KINDS[event.type].VERSION


def test_every_kind_is_met_in_a_recorded_match():
    met = {event.type for path in (*FILES, *EARLIER, *KEPT) for event in told(path)}
    assert met == set(KINDS)


def test_evolve_handles_every_kind_and_no_other():
    assert set(HANDLERS) == set(KINDS.values())


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.TYPE)
def test_a_handler_takes_the_events_that_it_is_given(kind):
    hint = typing.get_type_hints(HANDLERS[kind])["event"]
    assert any(issubclass(kind, one) for one in typing.get_args(hint) or (hint,))


def test_secrecy_and_sentences_know_no_other_types():
    listed = (redact._CUTS, redact._QUIET, redact._OFFER_ENDS, redact._TELLING)
    assert {name for names in listed for name in names} <= set(KINDS)
    assert set(narrate._SENTENCES) == set(KINDS)
