"""Every column derived from the events is compared by the audit and mended by rebuild; all others are declared as kept."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection, transaction

from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.models import Match
from gamesvc.matches.organising import looks
from gamesvc.matches.proof import audit
from gamesvc.matches.record import loading
from gamesvc.matches.record.rows import projections
from gamesvc.matches.record.rows.read_models import COLUMNS, DERIVED, KEPT
from gamesvc.matches.statistics import ratings, totals
from gamesvc.matches.undo import undoing
from tests.matches.playing import act, play_out, sends

pytestmark = pytest.mark.django_db
LATER = datetime(2031, 1, 1, tzinfo=UTC)


def models():
    return {model.__name__: model for model in apps.get_app_config("matches").get_models()}


def test_every_column_of_every_model_is_derived_or_declared_as_kept():
    assert models().keys() == COLUMNS.keys() | KEPT.keys()
    assert not COLUMNS.keys() & KEPT.keys()
    for name, columns in COLUMNS.items():
        assert {field.name for field in models()[name]._meta.concrete_fields} == columns.keys(), name


@pytest.fixture
def match(toy, anna, ben, player):
    """A running match with a row of every model: a start position, an undo request, a look behind."""
    origin = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    act(origin, 0)
    access = selectors.access_match(user=anna, ident=str(origin.pk))
    made = forks.fork(
        access=access, version=loading.load(origin.id, toy).viewer_version(0), undo="consent", contribution_text="tea"
    )
    made = opening.join_match(by=ben, match=made, link=made.link_token)
    seat = loading.load(made.id, toy).awaited()[0].seat
    act(made, seat)
    undoing.undo(
        match=made,
        sender=sends(made, seat),
        expected_version=loading.load(made.id, toy).viewer_version(seat),
        command_id=uuid.uuid4(),
    )
    version = loading.load(made.id, toy).viewer_version(1)
    looks.look_behind(by=player("operator", is_staff=True), match=made, seat=1, version=version, reason="A dispute")
    totals.rebuild(made.pk)
    made.refresh_from_db()
    return made


@pytest.fixture
def rated(toy, anna, ben, feed):
    """A finished match that is rated."""
    made = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    play_out(made)
    while ratings.follow():
        pass
    made.refresh_from_db()
    return made


# Another value there would make it a row of something else, which other tests damage, or no event can restore it.
NAMES = {("Match", "id"), ("Look", "id"), ("Holding", "holder"), ("Reckoned", "version"), ("Rated", "holder")}
LOST = {("Beginning", column) for column in COLUMNS["Beginning"]} | {("Seat", "index"), ("UndoRequest", "version")}
OTHER = {"status": "finished", "entry": "public", "watch": "all", "press": "none", "undo": "never", "clock": {"hours": 7}}


def damages():
    for name, columns in COLUMNS.items():
        for column, why in columns.items():
            if why == DERIVED and column != "match" and (name, column) not in NAMES:
                yield name, column


def other_value(field, now):
    """Return a value that a column does not have now."""
    if field.name in OTHER:
        return OTHER[field.name]
    if field.is_relation:
        return None
    match field.get_internal_type():
        case "BooleanField":
            return not now
        case "DateTimeField":
            return LATER
        case "JSONField":
            return {"a": 1}
        case "ArrayField":
            return [*now, 3]
        case "UUIDField":
            return uuid.uuid4()
        case "CharField" | "TextField":
            return "{}" if field.name == "position" else "x"
    return (now or 0) + 3


def damaged(match, name, column):
    """Put another value into a column of one row. Return the old value, and a query for the present one."""
    model = models()[name]
    if name == "Match":
        rows = model.objects.filter(pk=match.pk)
    else:
        rows = model.objects.filter(**{"rated__match" if name == "Rating" else "match": match})
    row, field = rows.order_by("pk")[0], model._meta.get_field(column)
    before = getattr(row, field.attname)
    model.objects.filter(pk=row.pk).update(**{field.attname: other_value(field, before)})
    return before, rows.values_list(field.attname, flat=True)


def test_another_value_in_a_derived_column_is_found_and_mended(match, rated):
    running, wrong = match, []
    for name, column in damages():
        match = rated if name in ("Rated", "Rating") else running
        with transaction.atomic():
            before, now = damaged(match, name, column)
            if not audit.check_match(match.pk):
                wrong.append(f"{name}.{column}: the audit finds nothing")
            if (name, column) not in LOST:
                projections.rebuild(match.pk)
                totals.rebuild(match.pk)
                ratings.rebuild(match.pk)
                if (left := audit.check_match(match.pk)) or before not in now.all():
                    wrong.append(f"{name}.{column}: rebuild leaves {left}")
            transaction.set_rollback(True)
    assert wrong == []
    assert audit.check_match(running.pk) == audit.check_match(rated.pk) == []


def test_an_old_match_learns_its_clock_from_the_migration(match):
    Match.objects.filter(pk=match.pk).update(clock={})
    with connection.cursor() as cursor:
        cursor.execute(import_module("gamesvc.matches.migrations.0013_old_clocks").FILL)
    match.refresh_from_db()
    assert match.clock == {"hours": match.hours}
    assert audit.check_match(match.pk) == []
