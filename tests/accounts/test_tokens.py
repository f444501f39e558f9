"""Bearer keys: shown once, found by their hash in one query, withdrawn for good."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts.models import ApiToken, User
from accounts.tokens import MAX_TOKENS, TokenRefused, create_token, find_token, revoke_token


@pytest.fixture
def ann(db):
    return User.objects.create_user("ann")


def make(user, **fields):
    return create_token(**{"user": user, "name": "my bot", "scopes": ["play", "read"], **fields})


def test_the_key_is_shown_once_and_stored_as_a_hash(ann):
    row, plain = make(ann)
    assert plain.startswith("gsk_")
    assert len(plain) >= len("gsk_") + 43, "256 bits"
    row.refresh_from_db()
    assert row.digest == hashlib.sha256(plain.encode()).hexdigest()
    assert plain not in str(list(ApiToken.objects.values()))
    assert plain.startswith(row.hint)
    assert row.scopes == ["read", "play"]
    assert str(row) == f"my bot ({row.hint}…)"


def test_found_in_one_query(ann, django_assert_num_queries):
    _, plain = make(ann)
    find_token(plain)
    with django_assert_num_queries(1):
        bearer = find_token(plain)
    assert bearer == (ann, {"read", "play"})
    assert make(ann)[1] != plain


def test_last_use_is_written_once_a_minute(ann, django_assert_num_queries):
    # Of the hour's first use the audit trail is written as well.
    row, plain = make(ann)
    start = datetime(2030, 1, 1, tzinfo=UTC)
    for seconds, queries in [(0, 3), (59, 1), (60, 2), (90, 1)]:
        with time_machine.travel(start + timedelta(seconds=seconds), tick=False), django_assert_num_queries(queries):
            assert find_token(plain) is not None
    row.refresh_from_db()
    assert row.last_used_at == start + timedelta(seconds=60)


@pytest.mark.parametrize("wrong", ["", "gsk_", "gsk_" + "A" * 43, "Bearer x", "gsk_ü\x00", "x" * 100_000])
def test_what_is_no_key(ann, wrong):
    make(ann)
    assert find_token(wrong) is None


def test_a_key_changed_by_one_letter(ann):
    _, plain = make(ann)
    assert find_token(plain[:-1] + ("A" if plain[-1] != "A" else "B")) is None
    assert find_token(plain.removeprefix("gsk_")) is None


def test_withdrawn_keys_open_nothing(ann):
    row, plain = make(ann)
    stranger = User.objects.create_user("eve")
    assert revoke_token(user=stranger, token_id=row.pk) is False
    assert find_token(plain) is not None
    assert revoke_token(user=ann, token_id=row.pk) is True
    row.refresh_from_db()
    first = row.revoked_at
    assert revoke_token(user=ann, token_id=row.pk) is True
    row.refresh_from_db()
    assert (row.revoked_at, row.usable(at=timezone.now())) == (first, False)
    assert find_token(plain) is None


def test_expired_keys_open_nothing(ann):
    end = timezone.now() + timedelta(days=1)
    row, plain = make(ann, expires_at=end)
    assert find_token(plain) is not None
    assert row.usable(at=end - timedelta(seconds=1))
    with time_machine.travel(end):
        assert find_token(plain) is None
        assert not row.usable(at=end)


def test_a_deactivated_user_has_no_keys(ann):
    _, plain = make(ann)
    User.objects.update(is_active=False)
    assert find_token(plain) is None


def test_playing_needs_reading(ann):
    _, plain = make(ann, scopes=["play"])
    assert find_token(plain).scopes == {"play", "read"}


@pytest.mark.parametrize(
    ("fields", "code", "parameter"),
    [
        ({"name": " "}, "bad_token_name", "name"),
        ({"name": "x" * 61}, "bad_token_name", "name"),
        ({"name": "a\nb"}, "bad_token_name", "name"),
        ({"scopes": []}, "bad_scopes", "scopes"),
        ({"scopes": ["read", "write"]}, "bad_scopes", "scopes"),
        ({"scopes": ["admin"]}, "scope_not_allowed", "scopes"),
        ({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, "bad_expiry", "expires_at"),
    ],
)
def test_refusals(ann, fields, code, parameter):
    with pytest.raises(TokenRefused) as refused:
        make(ann, **fields)
    assert (refused.value.code, refused.value.parameter) == (code, parameter)
    assert not ApiToken.objects.exists()


def test_staff_may_have_admin_keys(ann):
    ann.is_staff = True
    assert make(ann, scopes=["admin"])[0].scopes == ["admin"]


def test_not_without_end(ann):
    for _ in range(MAX_TOKENS):
        row, _ = make(ann)
    with pytest.raises(TokenRefused) as refused:
        make(ann)
    assert refused.value.code == "too_many_tokens"
    revoke_token(user=ann, token_id=row.pk)
    make(ann)
