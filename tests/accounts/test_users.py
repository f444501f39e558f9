"""User names, time zones, addresses, limits, erasure."""

import io
import itertools
import json
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts import erasure
from accounts.addresses import add_verified_address, sending_address, user_of_address, verified_addresses
from accounts.models import ApiToken, Throttle, User
from accounts.throttling import throttle
from accounts.tokens import create_token, find_token
from gamesvc.matches.retention import forget
from tests.racing import at_once


@pytest.fixture
def ann(db):
    return User.objects.create_user("ann", "ann@players.example", "a long password", timezone="Europe/Berlin", language="de")


@pytest.mark.parametrize("name", ["ann", "Ann_2", "a-b.c", "x" * 30, "Jo"])
def test_good_names(db, name):
    user = User(username=name, password="x")
    user.full_clean(exclude=["email"])
    user.save()
    assert User.objects.get(username=name) == user


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a",
        "x" * 31,
        "an n",
        "ann\n",
        "-ann",
        "ann.",
        "ann@x",
        "änn",
        "аnn",
        "a\u200bnn",
        "a\u202enn",
        "<b>",
        'a"b',
        "a/b",
        "a\x00b",
    ],
)
def test_bad_names(db, name):
    with pytest.raises(ValidationError) as refused:
        User(username=name, password="x").full_clean(exclude=["email"])
    assert "username" in refused.value.message_dict


def test_names_differ_by_more_than_case(ann):
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("ANN")


@pytest.mark.parametrize("zone", ["", "Mars/Olympus", "../../etc/passwd", "GMT+25", "x" * 65])
def test_bad_zones(db, zone):
    with pytest.raises(ValidationError):
        User(username="ann", password="x", timezone=zone).full_clean(exclude=["email"])


def test_defaults(db):
    user = User.objects.create_user("bob")
    assert (user.timezone, user.language, user.zone) == ("UTC", "en", ZoneInfo("UTC"))
    assert (user.get_full_name(), user.get_short_name()) == ("bob", "bob")
    assert user.created <= timezone.now()


def test_addresses(ann):
    assert (verified_addresses(ann), sending_address(ann), user_of_address("ann@players.example")) == ([], None, None)
    EmailAddress.objects.create(user=ann, email="ann@players.example", primary=True)
    assert sending_address(ann) is None, "not proved to be hers"
    EmailAddress.objects.create(user=ann, email="old@players.example", verified=True)
    assert sending_address(ann) == "old@players.example"
    EmailAddress.objects.filter(primary=True).update(verified=True)
    assert verified_addresses(ann) == ["ann@players.example", "old@players.example"]
    assert sending_address(ann) == "ann@players.example"
    assert user_of_address("OLD@players.example") == ann
    add_verified_address(ann, "New@players.example")
    add_verified_address(ann, "New@players.example")
    ann.refresh_from_db()
    assert (sending_address(ann), ann.email, EmailAddress.objects.count()) == ("new@players.example", "new@players.example", 3)


def test_where_verification_is_off(ann, settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "none"
    assert sending_address(ann) == "ann@players.example"


def added(*arguments):
    """Run `manage.py player` and return what it prints."""
    out = io.StringIO()
    call_command("player", *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_the_command_makes_an_operator_and_finds_them_again(db):
    found = added("anna", "anna@example.org", "--operator")
    anna = User.objects.get(username="anna")
    assert anna.is_staff
    assert anna.check_password(found["password"])
    again = added("anna", "Anna@Example.org")
    assert again["password"] == ""
    assert {find_token(one["token"]).user for one in (found, again)} == {anna}


@pytest.mark.parametrize("proved", [True, False])
def test_a_stranger_who_signed_up_with_the_name_first_is_not_made_operator(db, proved):
    """Nor gets a password or a token: the name is a stranger's, who may even have given the operator's address."""
    stranger = User.objects.create_user("anna", "anna@example.org", "a long password")
    EmailAddress.objects.create(user=stranger, email="anna@example.org")
    if proved:
        add_verified_address(stranger, "stranger@players.example")
    with pytest.raises(CommandError, match="not a verified address"):
        added("anna", "anna@example.org", "--operator", "--password", "another long one")
    stranger.refresh_from_db()
    assert not stranger.is_staff
    assert stranger.check_password("a long password")
    assert not ApiToken.objects.exists()


def test_caps(db):
    start = timezone.now()
    with time_machine.travel(start, tick=False):
        assert [throttle("invite:ann", 3, 60) for _ in range(5)] == [0, 0, 0, 60, 60]
        assert throttle("invite:bob", 3, 60) == 0
    with time_machine.travel(start + timedelta(seconds=45.5), tick=False):
        assert throttle("invite:ann", 3, 60) == 15
        assert throttle("invite:ann", 100, 60) == 0
    with time_machine.travel(start + timedelta(seconds=60), tick=False):
        assert throttle("invite:ann", 1, 60) == 0
        assert throttle("invite:ann", 1, 60) == 60
        forget()
        assert Throttle.objects.count() == 2
    with time_machine.travel(start + timedelta(seconds=200)):
        forget()
    assert not Throttle.objects.exists()


def test_caps_keep_no_address(db):
    throttle("invite:ann@players.example", 3, 60)
    assert "ann" not in str(list(Throttle.objects.values("key")))


def test_caps_are_exact_under_concurrency(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock():
        tries = at_once(*[lambda: [throttle("race", 20, 3600) == 0 for _ in range(10)]] * 8)
        Throttle.objects.all().delete()
    passed = list(itertools.chain(*tries))
    assert (len(passed), sum(passed)) == (80, 20)


def test_erasing(ann, monkeypatch, client):
    monkeypatch.setattr(erasure, "_erasers", {})
    seen = []
    add_verified_address(ann, "ann@players.example")
    erasure.register("above", lambda user: seen.append(verified_addresses(user)))
    _, plain = create_token(user=ann, name="bot", scopes=["read"])
    client.force_login(ann)
    erasure.erase(ann)
    assert seen == [["ann@players.example"]], "called while the addresses were still known"
    erased = User.objects.get(pk=ann.pk)
    assert erased.username.startswith("erased-")
    assert (erased.email, erased.is_active, erased.timezone, erased.language) == ("", False, "UTC", "en")
    assert not erased.check_password("a long password")
    assert not EmailAddress.objects.exists()
    assert not ApiToken.objects.exists()
    assert find_token(plain) is None
    assert "_auth_user_id" not in client.session
    assert client.login(username="ann", password="a long password") is False
    User.objects.create_user("ann")
    erasure.erase(ann)


def test_erased_everywhere_or_nowhere(ann, monkeypatch):
    monkeypatch.setattr(erasure, "_erasers", {})

    def broken(user):
        raise RuntimeError

    erasure.register("one", lambda user: User.objects.filter(pk=user.pk).update(language="en"))
    erasure.register("two", broken)
    with pytest.raises(RuntimeError):
        erasure.erase(ann)
    ann.refresh_from_db()
    assert (ann.username, ann.language) == ("ann", "de")


def test_an_eraser_registers_once(monkeypatch):
    monkeypatch.setattr(erasure, "_erasers", {})
    erasure.register("one", print)
    erasure.register("one", print)
    with pytest.raises(ValueError):
        erasure.register("one", repr)
