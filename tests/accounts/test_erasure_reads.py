"""An erasure reads nothing of what it deletes: the orders, notices and mails of one player may be more than the memory holds."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import BinaryField, JSONField, TextField
from django.test.utils import CaptureQueriesContext

from accounts import erasure
from accounts.models import User
from gamesvc.matches.models import Match, Premove, Report
from notifications.models import Outbox, ReplyAddress
from tests.accounts.test_erasure import busy_life, quixotella  # noqa: F401
from tests.mailing import mailing  # noqa: F401
from tests.matches.playing import play_out

pytestmark = pytest.mark.django_db


def contents() -> set[str]:
    """Return the columns of any length, of rows that belong to users. Matches stay, and reports of others about the user."""
    owned = [one for one in apps.get_models() if any(field.related_model is User for field in one._meta.concrete_fields)]
    return {
        f'"{model._meta.db_table}"."{field.column}"'
        for model in owned
        if model not in (Match, Report)
        for field in model._meta.concrete_fields
        if isinstance(field, BinaryField | JSONField | TextField)
    }


def test_nothing_of_what_is_deleted_is_read(toy, quixotella, ben, mailing, program, monkeypatch):  # noqa: F811
    match = busy_life(quixotella, ben, mailing, program)
    play_out(match)
    one = Premove.objects.get(match=match)
    Premove.objects.create(match=match, seat=one.seat, user=quixotella, number=2, after=one, condition={}, commands=[])
    assert Outbox.objects.filter(user=quixotella).count() > 2
    monkeypatch.setattr(erasure, "AT_ONCE", 2)
    with CaptureQueriesContext(connection) as asked:
        erasure.erase(quixotella)
    reads = [one["sql"] for one in asked if one["sql"].startswith("SELECT")]
    assert {column for column in contents() if any(column in sql for sql in reads)} == set()
    for model in (Outbox, Premove, ReplyAddress):
        assert not model.objects.filter(user=quixotella).exists()
