"""Typed events of Stratastar: what the tests of all games leave open."""

from __future__ import annotations

from gamesvc.games.stratastar.events import KINDS
from gamesvc.games.stratastar.secrecy import redact
from gamesvc.games.stratastar.text import narrate


def test_secrecy_and_sentences_know_no_other_types():
    listed = (redact._CUTS, redact._QUIET, redact._OFFER_ENDS, redact._TELLING)
    assert {name for names in listed for name in names} <= set(KINDS)
    assert set(narrate._SENTENCES) == set(KINDS)
