"""A row that was read earlier is never written back whole: that would undo what others changed in it since."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import time
from pathlib import Path
from typing import Any

import pytest
from allauth.account.adapter import get_adapter
from django.conf import settings
from django.db.models.signals import pre_save
from django.forms import ModelForm
from django.test import Client

from accounts import absences
from accounts.addresses import add_verified_address
from accounts.models import User
from gamesvc.web.account.forms import ProfileForm
from tests.architecture.trees import statements, walk

PACKAGES = ("gamesvc", "accounts", "notifications", "events")
# Where a row is saved whole, and why nobody else can have changed it since it was read.
NEW = {
    "gamesvc/matches/lobby/opening.py:_write",
    "gamesvc/ops/management/commands/player.py:handle",
    "gamesvc/matches/mail_orders/joining/invitation_mail.py:_sign_up",
    "accounts/absences.py:announce",
}
LOCKED = {
    "gamesvc/matches/lobby/opening.py:_take",
    "gamesvc/matches/lobby/opening.py:_take_all",
    "gamesvc/matches/lobby/opening.py:_seat_bot",
    "gamesvc/matches/lobby/opening.py:_vacate",
    "gamesvc/matches/lobby/substitutes.py:take_over",
    "gamesvc/matches/lobby/substitutes.py:seat_bot",
    "gamesvc/matches/record/rows/projections.py:_mend_row",
    "gamesvc/matches/record/rows/projections.py:_mend_seats",
    "gamesvc/matches/record/rows/following.py:_move",
    "notifications/wanted/wishes.py:set_wishes",
    "accounts/erasure.py:_erase",
}
# Within the transaction that holds the lock on their feed: no other process follows it.
FOLLOWED = {"gamesvc/matches/statistics/totals.py:_apply", "gamesvc/matches/statistics/totals.py:_save"}
# The fields of a form are saved by a method of its own, which names them; the others are no rows.
OTHER = {
    "gamesvc/web/account/profile.py:profile",
    "accounts/signing_in/forms.py:save",
    "gamesvc/ops/management/commands/translations.py:handle",
    "gamesvc/matches/notices/pictures/png.py:to_png",
}


def whole_saves() -> Iterator[str]:
    """Yield where `save()` is called without naming fields, by file and function."""
    for package in PACKAGES:
        for path in sorted((Path(settings.BASE_DIR) / package).rglob("*.py")):
            if {"migrations", "benches", "simulation"} & set(path.parts):
                continue
            source = path.read_text()
            if "save" not in source:
                continue
            for function in statements(ast.parse(source)):
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                    for node in walk(function):
                        if _saves_whole(node):
                            yield f"{path.relative_to(settings.BASE_DIR)}:{function.name}"


def _saves_whole(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("save", "asave")):
        return False
    return not any(keyword.arg == "update_fields" for keyword in node.keywords)


def test_rows_are_saved_whole_only_where_they_are_new_or_locked() -> None:
    assert set(whole_saves()) == NEW | LOCKED | FOLLOWED | OTHER


def test_each_form_of_a_row_names_what_it_saves() -> None:
    def forms(kind: type) -> Iterator[type]:
        for one in kind.__subclasses__():
            yield one
            yield from forms(one)

    own = [form for form in forms(ModelForm) if form.__module__.startswith(PACKAGES)]
    assert ProfileForm in own
    for form in own:
        assert "save" in vars(form), f"{form.__name__} saves the whole row"


@pytest.fixture
def saved_whole() -> Iterator[list[User]]:
    """Collect the users that are written back whole."""
    found: list[User] = []

    def note(instance: User, update_fields: Any = None, **_more: Any) -> None:
        if update_fields is None and not instance._state.adding:
            found.append(instance)

    pre_save.connect(note, sender=User)
    yield found
    pre_save.disconnect(note, sender=User)


@pytest.mark.django_db
def test_signing_in_and_changing_the_password_write_no_whole_user(anna: User, saved_whole: list[User]) -> None:
    add_verified_address(anna, anna.email)
    client = Client()
    assert client.post("/accounts/login/", {"login": "anna", "password": "a long password"}).status_code == 302
    words = {"oldpassword": "a long password", "password1": "quite another one", "password2": "quite another one"}
    assert client.post("/accounts/password/change/", words).status_code == 302
    anna.refresh_from_db()
    assert anna.check_password("quite another one")
    assert client.post("/accounts/logout/").status_code == 302
    assert saved_whole == []


@pytest.mark.django_db
def test_a_new_password_takes_nothing_back_that_changed_since(anna: User) -> None:
    old = User.objects.get(pk=anna.pk)
    absences.set_quiet_hours(user=anna, start=time(22), end=time(7))
    User.objects.filter(pk=anna.pk).update(is_active=False)
    get_adapter().set_password(old, "quite another one")
    row = User.objects.get(pk=anna.pk)
    assert (row.quiet_from, row.is_active, row.check_password("quite another one")) == (time(22), False, True)
