"""Changed copies of frozen dataclasses are those that `dataclasses.replace` makes."""

from __future__ import annotations

import dataclasses
import importlib

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel.frozen import replace


@dataclasses.dataclass(frozen=True, slots=True)
class Base:
    first: int
    second: tuple[int, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class More(Base):
    third: str = "three"


@pytest.mark.parametrize("changes", [{}, {"first": 2}, {"third": "", "second": (1,)}, {"first": 0, "second": (), "third": "x"}])
def test_a_changed_copy_differs_in_the_named_fields_alone(changes):
    value = More(1, (5, 6), "z")
    assert replace(value, **changes) == dataclasses.replace(value, **changes)
    assert value == More(1, (5, 6), "z")


def test_a_name_that_is_no_field_is_an_error():
    with pytest.raises(TypeError, match="More has no field fourth"):
        replace(More(1), second=(2,), fourth=4)


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_field_of_a_state_is_copied(game_id):
    module = importlib.import_module(f"gamesvc.games.{game_id}.state")
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and dataclasses.is_dataclass(kind)]
    assert catalog.game(game_id).state in kinds
    for kind in kinds:
        assert kind.__match_args__ == tuple(field.name for field in dataclasses.fields(kind)), kind
