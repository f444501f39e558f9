"""API tokens: shown once, found by their hash in one query, revoked for good."""

import hashlib
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
import time_machine
from django.utils import timezone

from accounts.bots import bots
from accounts.models import ApiToken, User
from accounts.tokens import MAX_TOKENS, TokenRefused, create_token, find_token, revoke_all, revoke_token
from tests.racing import at_once


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
    assert bearer[:2] == (ann, {"read", "play"})
    assert make(ann)[1] != plain


def test_last_use_is_written_once_a_minute(ann, django_assert_num_queries):
    # The hour's first use is written to the audit trail as well.
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
        ({"scopes": ["admin"]}, "bad_scopes", "scopes"),
        ({"scopes": ["operate"]}, "scope_not_allowed", "scopes"),
        ({"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, "bad_expiry", "expires_at"),
    ],
)
def test_refusals(ann, fields, code, parameter):
    with pytest.raises(TokenRefused) as refused:
        make(ann, **fields)
    assert (refused.value.code, refused.value.parameter) == (code, parameter)
    assert not ApiToken.objects.exists()


def test_a_key_speaks_for_an_operator_only_with_the_scope_for_it(ann):
    ann.is_staff = True
    ann.save()
    player, operator = (find_token(make(ann, scopes=scopes)[1]).user for scopes in (["play", "organise"], ["operate"]))
    assert (player.is_operator, operator.is_operator, ann.is_operator) == (False, True, True)
    player.save()
    ann.refresh_from_db()
    assert ann.is_staff, "the key does not change who its owner is"


def test_a_key_is_revoked_with_the_one_it_was_made_with(ann):
    first, plain = make(ann, scopes=["account"])
    second, _ = make(ann, scopes=["read"], parent=first)
    _third, last = make(ann, scopes=["read"], parent=second)
    _other, others = make(ann)
    assert revoke_token(user=ann, token_id=first.pk)
    assert (find_token(plain), find_token(last)) == (None, None)
    assert find_token(others) is not None


def test_a_key_of_a_bot_ends_with_the_one_it_was_made_with(ann):
    end = timezone.now() + timedelta(days=1)
    first, _ = make(ann, scopes=["account"], expires_at=end)
    bot = bots.make(owner=ann, name="deep-bot")
    row, plain = bots.new_token(bot, "laptop", first)
    _own, others = bots.new_token(bot, "desk")
    assert row.expires_at == end
    assert revoke_token(user=ann, token_id=first.pk)
    assert find_token(plain) is None
    assert find_token(others) is not None
    with pytest.raises(TokenRefused):
        bots.new_token(bot, "again", first)


def test_a_key_expires_no_later_than_the_one_it_was_made_with(ann):
    end = timezone.now() + timedelta(days=1)
    parent, _ = make(ann, scopes=["account"], expires_at=end)
    assert make(ann, scopes=["read"], parent=parent)[0].expires_at == end
    assert make(ann, scopes=["read"], parent=parent, expires_at=end - timedelta(hours=1))[0].expires_at < end
    with pytest.raises(TokenRefused) as refused:
        make(ann, scopes=["read"], parent=parent, expires_at=end + timedelta(seconds=1))
    assert refused.value.code == "bad_expiry"


@pytest.mark.parametrize("revoked", [True, False])
def test_a_key_gives_no_scope_that_it_lacks_and_none_after_its_end(ann, revoked):
    parent, _ = make(ann, scopes=["account"])
    if revoked:
        revoke_token(user=ann, token_id=parent.pk)
    with pytest.raises(TokenRefused) as refused:
        make(ann, scopes=["account"] if revoked else ["play"], parent=parent)
    assert refused.value.code == "scope_not_allowed"


def test_a_key_made_while_the_other_is_revoked_does_not_outlive_it(transactional_db):
    def child(parent):
        try:
            return make(parent.user, scopes=["read"], parent=parent)[1]
        except TokenRefused:
            return None

    user = User.objects.create_user("racing-ann")
    for _ in range(10):
        parent, _plain = make(user, scopes=["account"])
        made, _done = at_once(partial(child, parent), partial(revoke_token, user=user, token_id=parent.pk))
        assert made is None or find_token(made) is None


def test_all_keys_are_revoked_at_once(ann):
    other = User.objects.create_user("ben")
    keys, kept = [make(ann)[1] for _ in range(3)], make(other)[1]
    assert (revoke_all(ann), revoke_all(ann)) == (3, 0)
    assert [find_token(key) for key in keys] == [None] * 3
    assert find_token(kept) is not None


def test_not_without_end(ann):
    for _ in range(MAX_TOKENS):
        row, _ = make(ann)
    with pytest.raises(TokenRefused) as refused:
        make(ann)
    assert refused.value.code == "too_many_tokens"
    revoke_token(user=ann, token_id=row.pk)
    make(ann)
