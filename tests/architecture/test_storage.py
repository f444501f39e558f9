"""What one person can store has a bound: each table, and each column without a maximum, says where it is."""

from __future__ import annotations

import re
from collections.abc import Sized
from functools import reduce
from importlib import import_module
from numbers import Number

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db.models import BinaryField, Field, JSONField, TextField

from tests.architecture.storage import GROWTH

MODELS = {model._meta.label: model for model in apps.get_models(include_auto_created=True)}


def _is_endless(column: Field) -> bool:
    """Return True for a column that takes values of any length."""
    if isinstance(column, ArrayField):
        return column.size is None
    return isinstance(column, TextField | JSONField | BinaryField) and column.max_length is None


def _value(path: str) -> object:
    if path.startswith("settings."):
        return getattr(settings, path.removeprefix("settings."))
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            module = import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        return reduce(getattr, parts[cut:], module)
    raise AssertionError(f"no module: {path}")


def test_each_table_says_what_makes_it_grow():
    assert MODELS.keys() == GROWTH.keys()


@pytest.mark.parametrize("label", sorted(MODELS))
def test_each_column_without_a_maximum_says_what_limits_it(label):
    endless = {column.name for column in MODELS[label]._meta.concrete_fields if _is_endless(column)}
    assert endless == GROWTH[label].columns.keys()


@pytest.mark.parametrize("label", sorted(GROWTH))
def test_the_limits_that_are_named_exist(label):
    for path in re.findall(r"\{([^}]+)\}", " ".join([GROWTH[label].rows, *GROWTH[label].columns.values()])):
        limit = _value(path)
        assert (limit if isinstance(limit, Number) else len(limit) if isinstance(limit, Sized) else 0) > 0, path
