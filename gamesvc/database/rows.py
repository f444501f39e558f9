"""Models from the columns of a query, and into them: each time Django builds one, that costs more than running it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import AutoField, Field, Model

from gamesvc.database.asking import ask

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


def insert(row: M, *, beside: tuple[str, Sequence[object]] | None = None) -> M:
    """Store a new row and return it, with its number if the database counts it. Raises what `save` raises.

    Unlike `save` it sends no signals, and takes no columns whose values are left to the database. `beside`: an insertion of
    others and its values, which looks for a row in `appended` (`outbox.insert_sql`); the database may not count the first then.
    """
    fields, sql, counted = _inserting(type(row))
    values: list[object] = [field.get_db_prep_save(field.pre_save(row, add=True), connection) for field in fields]
    if beside is not None:
        assert counted is None
        others, more = beside
        ask(f"WITH appended AS ({sql} RETURNING true) {others}", [*values, *more])
    else:
        answer = ask(sql, values)
        if counted is not None:
            setattr(row, counted, answer.fetchone()[0])
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    return row


@functools.cache
def _inserting(model: type[Model]) -> tuple[list[Field[Any, Any]], str, str | None]:
    """Return the fields that an insertion names, its statement, and the name of the field that the database counts."""
    fields = [field for field in model._meta.concrete_fields if not isinstance(field, AutoField)]
    counted = next((field for field in model._meta.concrete_fields if isinstance(field, AutoField)), None)
    names = ", ".join(f'"{field.column}"' for field in fields)
    # Without lengths: a cast to one would cut a longer value silently.
    values = ", ".join(f"%s::{re.sub(r'[(][^)]*[)]', '', str(field.db_type(connection)))}" for field in fields)
    returning = f' RETURNING "{counted.column}"' if counted is not None else ""
    sql = f'INSERT INTO "{model._meta.db_table}" ({names}) VALUES ({values}){returning}'  # noqa: S608
    return fields, sql, counted.attname if counted is not None else None
