"""Models from the columns of a query: each time Django builds one, that costs more than running it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model

M = TypeVar("M", bound=Model)


def columns(table: str, model: type[Model]) -> list[str]:
    """Return all columns of a model, in the order in which `row_of` reads them."""
    return [f"{table}.{field.column}" for field in model._meta.concrete_fields]


def row_of(model: type[M], values: Sequence[object]) -> M:
    """Return the row of a model from the values of all its columns."""
    names, converted = _fields(model)
    read = [*values]
    for place, column, converters in converted:
        for convert in converters:
            read[place] = convert(read[place], column, connection)
    return model.from_db(DEFAULT_DB_ALIAS, names, read)


@functools.cache
def _fields(model: type[Model]) -> tuple[list[str], list[tuple[int, Any, Sequence[Callable[..., Any]]]]]:
    """Return the names of a model's fields in order, and those whose values Django converts: place, column, functions."""
    fields = model._meta.concrete_fields
    converted = [(place, field.cached_col, field.get_db_converters(connection)) for place, field in enumerate(fields)]
    return [field.attname for field in fields], [one for one in converted if one[2]]
