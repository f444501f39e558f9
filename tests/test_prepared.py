"""Prepared querysets: they find what Django finds."""

from __future__ import annotations

import threading

import pytest
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import Count, Q, QuerySet
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import ApiToken, FormerName, User
from gamesvc.database.prepared import Given, OneOf, Prepared, attach
from gamesvc.database.rows import insert
from notifications.models import Mute, Outbox, Scope, Status

pytestmark = pytest.mark.django_db

PERCENT = "100 %s of 'all' \\ %"


@pytest.fixture
def queued() -> list[Outbox]:
    """Notices to two users and to a mailbox, one of them with a topic of hostile characters."""
    users = [User.objects.create_user(name) for name in ("anna", "ben")]
    now = timezone.now()
    made = [
        Outbox(kind=kind, user=user, address="" if user else "a@b.example", topic=topic, payload={"n": [1, "ü"]}, due_at=now)
        for kind in ("receipt", "press")
        for user in (*users, None)
        for topic in ("", PERCENT)
    ]
    return Outbox.objects.bulk_create(made)


def everything(rows: list[Outbox]) -> list[dict[str, object]]:
    """All values of rows, with the user of each where it has been read."""
    return [
        {field.attname: getattr(row, field.attname) for field in Outbox._meta.concrete_fields}
        | {"reads": row._state.fields_cache.get("user", "not read"), "adding": row._state.adding, "db": row._state.db}
        for row in rows
    ]


def by_kind(kind: object, users: object) -> QuerySet[Outbox]:
    return Outbox.objects.filter(Q(kind=kind), Q(user=users) | Q(user=None), status=Status.QUEUED).order_by("pk")


@pytest.mark.parametrize("related", [False, True], ids=["alone", "with its user"])
def test_rows_are_those_of_django_with_all_values(queued: list[Outbox], *, related: bool) -> None:
    anna = queued[0].user_id
    prepared = Prepared(lambda: by_kind(Given("kind", "text"), OneOf("users", "bigint")).select_related(*["user"] * related))
    for kind in ("receipt", "press", "none"):
        wanted = (
            Outbox.objects.filter(Q(user__in=[anna]) | Q(user=None), kind=kind).order_by("pk").select_related(*["user"] * related)
        )
        assert everything(prepared.rows(kind=kind, users=[anna])) == everything(list(wanted))
    assert len(prepared.rows(kind="press", users=[anna])) == 4


def test_values_are_those_of_django(queued: list[Outbox]) -> None:
    prepared = Prepared(
        lambda: Outbox.objects.filter(pk=OneOf("wanted", "uuid")).order_by("-pk").values_list("pk", "payload")[:3]
    )
    wanted = [one.pk for one in queued]
    assert prepared.values(wanted=wanted) == list(Outbox.objects.order_by("-pk").values_list("pk", "payload")[:3])
    assert prepared.values(wanted=[]) == []


def test_constants_are_part_of_the_query(queued: list[Outbox]) -> None:
    prepared = Prepared(lambda: Outbox.objects.exclude(topic=PERCENT).filter(kind=Given("kind", "text")))
    with CaptureQueriesContext(connection) as asked:
        found = {one.pk for one in prepared.rows(kind="press")}
    assert found == {one.pk for one in queued if (one.kind, one.topic) == ("press", "")}
    assert "100 %s of ''all''" in asked[0]["sql"]


def test_a_value_that_is_not_given_is_refused(queued: list[Outbox]) -> None:
    with pytest.raises(KeyError, match="kind"):
        Prepared(lambda: Outbox.objects.filter(kind=Given("kind", "text"))).rows(topic="")


@pytest.mark.parametrize(
    "build",
    [lambda: User.objects.prefetch_related("seats"), lambda: User.objects.annotate(held=Count("seats"))],
    ids=["prefetches", "annotations"],
)
def test_what_it_cannot_read_is_refused(build: object) -> None:
    with pytest.raises(TypeError, match="neither"):
        Prepared(build).rows()  # type: ignore[arg-type]


@pytest.mark.django_db(transaction=True)
def test_rows_are_locked_in_a_transaction_only() -> None:
    User.objects.create_user("anna")
    prepared = Prepared(lambda: User.objects.filter(username=Given("name", "text")).select_for_update())
    with transaction.atomic():
        assert prepared.rows(name="anna")
    with pytest.raises(TransactionManagementError, match="in a transaction"):
        prepared.rows(name="anna")


@pytest.mark.django_db(transaction=True)
def test_another_thread_asks_on_its_own_connection() -> None:
    User.objects.create_user("anna")
    prepared = Prepared(lambda: User.objects.filter(username=Given("name", "text")))
    found: list[User] = []

    def look() -> None:
        found.extend(prepared.rows(name="anna"))
        connection.close()

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert [one.username for one in [*found, *prepared.rows(name="anna")]] == ["anna", "anna"]


def test_related_rows_are_attached_as_django_prefetches_them() -> None:
    anna, ben, _none = (User.objects.create_user(name) for name in ("anna", "ben", "cleo"))
    for user, value in ((anna, "press"), (ben, "press"), (anna, "receipt")):
        Mute.objects.create(user=user, scope=Scope.KIND, value=value)
    users = {user.pk: user for user in User.objects.all()}
    attach(users, "mutes", Mute.objects.all(), by="user_id")
    with CaptureQueriesContext(connection) as asked:
        found = {user.username: {mute.value for mute in user.mutes.all() if mute.user is user} for user in users.values()}
    assert found == {"anna": {"press", "receipt"}, "ben": {"press"}, "cleo": set()}
    assert not asked.captured_queries


@pytest.mark.parametrize("prepared", [True, False], ids=["inserted", "saved"])
def test_a_row_that_is_inserted_is_the_one_that_django_saves(*, prepared: bool) -> None:
    user = User.objects.create_user("anna")
    token = ApiToken(user=user, name=PERCENT, digest="ab", scopes=["read", 'p"lay', "{,}"], expires_at=timezone.now())
    for row in (token, FormerName(user=user, name="Änne's \\ 'name'")):
        if prepared:
            assert insert(row) is row
        else:
            row.save()
        stored = type(row).objects.get(pk=row.pk)
        assert [getattr(stored, field.attname) for field in row._meta.concrete_fields] == [
            getattr(row, field.attname) for field in row._meta.concrete_fields
        ]
        assert (row.pk is not None, row._state.adding, row._state.db) == (True, False, "default")


def test_an_inserted_row_keeps_the_rules_of_its_table() -> None:
    user = User.objects.create_user("anna")
    with pytest.raises(DataError), transaction.atomic():
        insert(FormerName(user=user, name="a" * 500))
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(FormerName(user=user, name=None))
    assert not FormerName.objects.exists()
