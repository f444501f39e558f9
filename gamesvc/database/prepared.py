"""Querysets of Django as prepared queries: for frequent reads, where building the SQL costs more than running it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model, QuerySet, Value
from django.db.models.query import get_related_populators
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError
from psycopg.sql import Literal

from gamesvc.database.asking import ask

M = TypeVar("M", bound=Model)


class Given(Value):
    """A value that is known when the query is asked, by its name and its type in PostgreSQL."""

    def __init__(self, name: str, pg_type: str) -> None:
        super().__init__(name)
        self.pg_type = pg_type

    def as_sql(self, _compiler: SQLCompiler, _connection: object) -> tuple[str, list[Any]]:  # type: ignore[override]
        return f"%s::{self.pg_type}", [self]


class OneOf(Given):
    """One value of a list: `Row.objects.filter(pk=OneOf("wanted", "uuid"))`."""

    def as_sql(self, _compiler: SQLCompiler, _connection: object) -> tuple[str, list[Any]]:  # type: ignore[override]
        return f"ANY (%s::{self.pg_type}[])", [self]


class Prepared(Generic[M]):
    """A queryset whose SQL is built once. It has `Given` values, and neither prefetches nor annotations.

    Its other values become part of the SQL, so that PostgreSQL knows them when it chooses an index.
    """

    def __init__(self, build: Callable[[], QuerySet[M, Any]]) -> None:
        self._build = build
        self._built: _Built | None = None

    def rows(self, **given: object) -> list[M]:
        """Return the rows, with what `select_related` names."""
        built, found = self._asked(given)
        return [built.instance(values) for values in found]

    def values(self, **given: object) -> list[tuple[Any, ...]]:
        """Return the values that `values_list` names."""
        return [tuple(values) for values in self._asked(given)[1]]

    def _asked(self, given: dict[str, object]) -> tuple[_Built, Sequence[Sequence[Any]]]:
        built = self._built = self._built or _Built(self._build())
        if built.locks and connection.get_autocommit():
            raise TransactionManagementError("rows are locked in a transaction only")
        return built, built.read(ask(built.sql, [given[name] for name in built.names]).fetchall())


def attach(parents: Mapping[Any, Model], name: str, children: Iterable[Model], *, by: str) -> None:
    """Give rows, by their key, the rows related to them under a name, as `prefetch_related` does. `by` is the child's key."""
    found: dict[Any, list[Model]] = {key: [] for key in parents}
    for child in children:
        found[getattr(child, by)].append(child)
    for key, parent in parents.items():
        manager = getattr(parent, name)
        for child in found[key]:
            setattr(child, manager.field.name, parent)
        related = manager.all()
        related._result_cache, related._prefetch_done = found[key], True
        vars(parent).setdefault("_prefetched_objects_cache", {})[name] = related


class _Built:
    """The SQL of a queryset, and how its rows are read."""

    def __init__(self, queryset: QuerySet[Any, Any]) -> None:
        query = queryset.query
        self._compiler = query.get_compiler(DEFAULT_DB_ALIAS)
        sql, values = self._compiler.as_sql()
        self.sql, self.names = _with_constants(sql, values)
        if vars(queryset)["_prefetch_related_lookups"] or query.annotations:
            raise TypeError("a prepared query has neither prefetches nor annotations")
        self.locks = query.select_for_update
        self._converters = self._compiler.get_converters([column for column, _sql, _alias in self._compiler.select])
        if (found := self._compiler.klass_info) is not None:
            self._model = found["model"]
            self._own = slice(found["select_fields"][0], found["select_fields"][-1] + 1)
            self._names = [column.target.attname for column, _sql, _alias in self._compiler.select[self._own]]
            self._populators = get_related_populators(found, self._compiler.select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]

    def read(self, rows: Sequence[Sequence[Any]]) -> Sequence[Sequence[Any]]:
        """Return the rows with their values as the fields have them."""
        return list(self._compiler.apply_converters(rows, self._converters)) if self._converters else rows

    def instance(self, values: Sequence[Any]) -> Any:
        row = self._model.from_db(DEFAULT_DB_ALIAS, self._names, values[self._own])
        for populator in self._populators:
            populator.populate(values, row)
        return row


def _with_constants(sql: str, values: Sequence[object]) -> tuple[str, list[str]]:
    """Return the SQL with all values but the given ones as constants in it, and the names of the given ones in order."""
    first, *rest = sql.split("%s")
    written, names = [first], []
    for value, following in zip(values, rest, strict=True):
        if isinstance(value, Given):
            names.append(str(value.value))
            written.append("%s")
        else:
            written.append(Literal(value).as_string(connection.connection).replace("%", "%%"))
        written.append(following)
    return "".join(written), names
