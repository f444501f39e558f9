"""The `shape` of a text field completes the sentence "... must be ...": a phrase, without a capital letter or a full stop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.timeline import replay
from gamesvc.matches.clock import notation
from tests.games.golden.record import FOLDER, read

READS_RIGHT = re.compile(r"note must be [a-z][^.!?]*[^.!?,;: ]\.")


def shaped(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema with a `shape`, at any depth."""
    if isinstance(schema, dict):
        if isinstance(schema.get("shape"), str):
            yield schema
        for part in schema.values():
            yield from shaped(part)
    elif isinstance(schema, (list, tuple)):
        for part in schema:
            yield from shaped(part)


def wrong(schemas: Any) -> set[str]:
    """Return the refusals that do not read as one sentence."""
    sentences = set()
    for schema in shaped(schemas):
        fault = forms.fault({**schema, "minLength": 0}, "\n", "note")
        assert fault is not None, f"a line break is {schema['shape']}"
        sentences.add(fault.detail)
    return {sentence for sentence in sentences if not READS_RIGHT.fullmatch(sentence)}


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_command_and_option_refuses_a_text_in_one_sentence(game_id: str) -> None:
    game = catalog.game(game_id)
    assert wrong([*game.commands.values(), game.manifest.options]) == set()


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_form_on_offer_refuses_a_text_in_one_sentence(game_id: str) -> None:
    game = catalog.game(game_id)
    for path in sorted(FOLDER.glob(f"{game_id}/*.json")):
        timeline = replay(game, map(game.lift, read(path)["events"]))
        for seat in range(game.seats(timeline.state)):
            assert wrong([form.parameters for form in game.legal_commands(timeline.state, seat)]) == set()


def test_every_setting_of_a_clock_refuses_a_text_in_one_sentence() -> None:
    assert list(shaped(notation.SCHEMA))
    assert wrong(notation.SCHEMA) == set()


@pytest.mark.parametrize("shape", ["Not used. Write a message.", "left out.", "left out; ", "left out. Write a message"])
def test_a_shape_that_does_not_read_right_is_found(shape: str) -> None:
    assert wrong({"pattern": "(?!)", "shape": shape})
