"""A row that is handed on is whole: a missing field would read as its default, or ask the database where nobody expects it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.db import models

from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Seat

PACKAGES = ("gamesvc", "accounts", "notifications", "events")
PARTLY_READ = {
    "accounts/erasure.py:delete": "deletes the rows it reads, by their keys",
    "accounts/retention.py:_batches": "deletes the rows it reads, by their keys",
}
"""Where only some columns of rows are read, and why nobody else gets these rows."""

FILLED_LATER = {
    "gamesvc/matches/lobby/opening.py:_seal Match": "`_opened` gives the number and the hash of the head, once it is stored",
    "gamesvc/matches/mail_orders/joining/invitation_mail.py:_sign_up User": "is given a name and a password before it is stored",
    "gamesvc/ops/management/commands/player.py:handle User": "is given a password before it is stored",
}
"""Where a row is made whose required fields are not all named, and what fills them."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    for package in PACKAGES:
        for path in sorted((Path(settings.BASE_DIR) / package).rglob("*.py")):
            if not {"migrations", "games", "benches", "simulation"} & set(path.relative_to(settings.BASE_DIR).parts):
                yield str(path.relative_to(settings.BASE_DIR)), ast.parse(path.read_text(encoding="utf-8"))


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls of a module, each with the name of its function."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from ((function.name, node) for node in ast.walk(function) if isinstance(node, ast.Call))


def test_whole_rows_are_read() -> None:
    found = {
        f"{path}:{name}"
        for path, tree in modules()
        for name, call in calls(tree)
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("only", "defer")
    }
    assert found == set(PARTLY_READ)


def needed(model: type[models.Model]) -> set[str]:
    """Return the fields that a new row must be given."""
    return {
        field.name
        for field in model._meta.concrete_fields
        if not (field.has_default() or field.has_db_default() or field.null or field.blank or field.primary_key)
    }


def unfilled(call: ast.Call, kinds: dict[str, type[models.Model]]) -> str:
    """Return the name of the model of which a call makes a row without all its fields; empty for any other call."""
    name = ast.unparse(call.func)
    if name not in kinds:
        return ""
    named = {word.arg or "" for word in call.keywords}
    given = named | {word.removesuffix("_id") for word in named}
    return "" if needed(kinds[name]) <= given else name


def test_whole_rows_are_made() -> None:
    own = [model for model in apps.get_models() if model.__module__.startswith(PACKAGES)]
    found = set()
    for path, tree in modules():
        imported = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and "models" in str(node.module)
            for alias in node.names
        }
        kinds = {model.__name__: model for model in own if model.__name__ in imported}
        found |= {f"{path}:{name} {model}" for name, call in calls(tree) if (model := unfilled(call, kinds))}
    assert found == set(FILLED_LATER)


@pytest.mark.django_db
def test_the_match_and_the_seats_of_a_turn_are_whole(toy, anna, ben) -> None:
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, reliability={"finished": 50}))
    for ident in (str(match.number), str(match.pk)):
        access = selectors.access_seat(user=anna, ident=ident)
        seats = list(Seat.objects.filter(match=match).order_by("index"))
        for read, stored in [(access.match, Match.objects.get(pk=match.pk)), *zip(access.seats, seats, strict=True)]:
            assert read.get_deferred_fields() == set()
            for field in type(read)._meta.concrete_fields:
                value, kept = getattr(read, field.attname), getattr(stored, field.attname)
                assert bytes(value or b"") == bytes(kept or b"") if isinstance(field, models.BinaryField) else value == kept
