"""Tables that grow for ever are declared; all others are deleted at their age, by an index and in batches."""

from __future__ import annotations

import itertools
import uuid
from datetime import timedelta

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone

import notifications.retention
from accounts import retention as engine
from accounts import tokens
from accounts.models import ApiToken, SignIn
from gamesvc.matches import retention, tasks
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Outage
from notifications import outbox
from notifications.inbound import addresses
from notifications.models import Bounce, Handover, InboundMail, MailStatus, Outbox, ReplyAddress, Status
from notifications.outbox import Notice
from notifications.sending import threads
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act

pytestmark = pytest.mark.django_db
LONG_AGO = timedelta(days=2000)
OLDS = [(name, old) for name, olds in retention.RULES.items() if not isinstance(olds, str) for old in olds]


def labelled(old):
    return old if isinstance(old, str) else old.column


def test_every_model_is_kept_for_a_reason_or_deleted_at_an_age():
    assert {model._meta.label for model in apps.get_models()} == retention.RULES.keys()
    assert all(retention.RULES.values())


def test_every_table_has_a_model_or_is_declared():
    with connection.cursor() as cursor:
        tables = set(connection.introspection.table_names(cursor))
    assert tables - {model._meta.db_table for model in apps.get_models()} == retention.TABLES.keys() - {"cache"}


@pytest.mark.parametrize(("name", "old"), OLDS, ids=labelled)
def test_an_index_finds_what_is_old(name, old):
    model = apps.get_model(name)
    rows = old.rows(model, timezone.now()).order_by(old.column, "pk").only("pk", old.column)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        sql, params = rows[: engine.BATCH].query.sql_with_params()
        cursor.execute(f"EXPLAIN {sql}", params)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    column = model._meta.get_field(old.column).column
    assert f"Index Cond: ({column} <" in plan, plan


def aged(model, pk, column, age=LONG_AGO):
    model.objects.filter(pk=pk).update(**{column: timezone.now() - age})


@pytest.fixture
def match(toy, anna, ben):
    verify(anna, ben)
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))


def queue(*users, topic=""):
    """Queue a notice to each of these users. Return the ids."""
    notices = [Notice(kind="press", user_id=user.pk, topic=topic) for user in users]
    outbox.notify(*notices)
    return [notice.id for notice in notices]


def test_notices_of_matches_that_are_over_go_with_what_belongs_to_them(match, mailing):  # noqa: F811
    mailing.work()
    row = Outbox.objects.filter(topic=str(match.pk), status=Status.SENT).first()
    Handover.objects.create(notice=row, channel="webhook", due_at=timezone.now(), status=Handover.Status.SENT)
    Match.objects.update(status=Match.Status.FINISHED)
    Outbox.objects.update(due_at=timezone.now() - timedelta(days=91))
    young = queue(row.user, topic=str(match.pk))
    tasks.forget()
    assert set(Outbox.objects.values_list("pk", flat=True)) == set(young)
    assert not Handover.objects.exists()


def test_of_a_running_match_the_root_of_a_thread_and_what_is_asked_stay(match, mailing, anna, ben):  # noqa: F811
    mailing.work()
    for _round in range(3):
        seat = match.questions.first().seat
        act(match, seat, {"name": "draw"})
        mailing.work()
    Outbox.objects.update(due_at=timezone.now() - LONG_AGO)
    before = Outbox.objects.count()
    tasks.forget()
    rows = list(Outbox.objects.all())
    assert len(rows) < before
    assert {row.receiver for row in rows if row.message_id == threads.root_id(row)} == {f"user:{anna.pk}", f"user:{ben.pk}"}
    asked = match.seats.get(index=match.questions.get().seat).user_id
    assert {row.user_id for row in rows if row.kind == "your_turn" and row.message_id != threads.root_id(row)} == {asked}


def test_the_next_mail_of_a_running_match_bears_an_id_of_its_own(match, mailing, anna):  # noqa: F811
    mailing.work()
    Outbox.objects.update(due_at=timezone.now() - LONG_AGO)
    tasks.forget()
    used = set(Outbox.objects.values_list("message_id", flat=True))
    seat = match.questions.first().seat
    act(match, seat, {"name": "draw"})
    mailing.work()
    ids = list(Outbox.objects.exclude(message_id="").values_list("message_id", flat=True))
    assert len(ids) == len(set(ids)) > len(used)


def test_a_notice_that_is_not_settled_stays(anna):
    [queued] = queue(anna)
    aged(Outbox, queued, "due_at")
    tasks.forget()
    assert Outbox.objects.filter(pk=queued).exists()


def test_mail_that_waits_stays_with_its_address(anna, mailing):  # noqa: F811
    def arrive(status):
        to = addresses.make("turn", key=uuid.uuid4(), user=anna, expires_at=timezone.now() - LONG_AGO)
        address = ReplyAddress.objects.get(token_hash=ReplyAddress.objects.latest("created_at").token_hash)
        moment = timezone.now() - LONG_AGO
        fields = {"body_hash": to[:60], "raw": b"", "received_at": moment, "counts_at": moment, "status": status}
        return InboundMail.objects.create(address=address, **fields)

    waiting, refused = arrive(MailStatus.WAITING), arrive(MailStatus.REFUSED)
    tasks.forget()
    assert list(InboundMail.objects.all()) == [waiting]
    assert list(ReplyAddress.objects.all()) == [waiting.address] != [refused.address]


def test_tokens_that_open_nothing_any_more_go(anna):
    rows = {
        name: tokens.create_token(user=anna, name=name, scopes=["read"])[0] for name in ("valid", "expired", "revoked", "young")
    }
    aged(ApiToken, rows["expired"].pk, "expires_at")
    aged(ApiToken, rows["revoked"].pk, "revoked_at")
    aged(ApiToken, rows["young"].pk, "revoked_at", timedelta(days=1))
    SignIn.objects.create(user=anna, token=rows["expired"], kind=SignIn.Kind.TOKEN, channel="api")
    tasks.forget()
    assert set(ApiToken.objects.values_list("name", flat=True)) == {"valid", "young"}
    assert SignIn.objects.get().token is None


def test_sessions_and_reports_of_bounces_go():
    now = timezone.now()
    for key, ends in (("old", now - timedelta(seconds=1)), ("young", now + timedelta(days=1))):
        Session.objects.create(session_key=key, session_data="", expire_date=ends)
        moment = now if key == "young" else now - LONG_AGO
        Bounce.objects.create(key=key, address_hash="a", report="soft", source="dsn", happened_at=moment)
    tasks.forget()
    assert Session.objects.get().session_key == Bounce.objects.get().key == "young"


def test_the_shortest_times_hold_whatever_the_settings_say(settings, anna):
    settings.NOTICES_KEPT_DAYS = settings.BOUNCES_KEPT_DAYS = 0
    [pk] = queue(anna)
    Outbox.objects.filter(pk=pk).update(status=Status.SENT, due_at=timezone.now() - timedelta(days=29))
    Bounce.objects.create(key="b", address_hash="a", report="soft", source="dsn", happened_at=timezone.now() - timedelta(days=55))
    tasks.forget()
    assert Outbox.objects.count() == Bounce.objects.count() == 1


def test_batches_pass_over_what_stays_and_end(monkeypatch, match, anna, ben):
    monkeypatch.setattr(engine, "BATCH", 2)
    moment = timezone.now() - LONG_AGO
    ids = queue(anna, anna, anna, anna, anna)
    Outbox.objects.filter(pk__in=ids).update(status=Status.SENT, due_at=moment)
    roots = queue(anna, ben, topic=str(match.pk))
    for row in Outbox.objects.filter(pk__in=roots):
        Outbox.objects.filter(pk=row.pk).update(status=Status.SENT, due_at=moment, message_id=threads.root_id(row))
    Outbox.objects.exclude(pk__in=[*ids, *roots]).delete()
    assert tasks.forget() == 5
    assert set(Outbox.objects.values_list("pk", flat=True)) == set(roots)


def test_a_table_that_cannot_be_cleaned_keeps_no_other_from_it(anna, monkeypatch):
    [pk] = queue(anna)
    Outbox.objects.filter(pk=pk).update(status=Status.SENT, due_at=timezone.now() - LONG_AGO)
    moment = timezone.now() - LONG_AGO
    Outage.objects.create(started_at=moment, ended_at=moment, settled_at=moment)

    def broken(topics):
        raise ValueError

    monkeypatch.setattr(notifications.retention, "_living", [broken])
    assert retention.forget() == 1
    assert Outbox.objects.exists()
    assert not Outage.objects.exists()


@pytest.fixture
def one_batch_a_sweep(monkeypatch):
    """Return a sweep of the notices that ends after two rows."""
    seconds = itertools.count()
    monkeypatch.setattr(engine.time, "monotonic", lambda: next(seconds))
    monkeypatch.setattr(engine, "BATCH", 2)
    monkeypatch.setattr(engine, "_ended", {})
    return lambda: engine.sweep({"notifications.Outbox": retention.RULES["notifications.Outbox"]}, lasting=1.5)


def test_rows_that_stay_do_not_use_up_the_time_of_each_sweep(one_batch_a_sweep, monkeypatch, anna):
    ids = queue(*[anna] * 6)
    for at, pk in enumerate(ids):
        moment = timezone.now() - LONG_AGO + timedelta(hours=at)
        Outbox.objects.filter(pk=pk).update(status=Status.SENT, due_at=moment, topic="stays" if at < 4 else "")
    monkeypatch.setattr(notifications.retention, "_living", [lambda topics: topics])
    monkeypatch.setattr(notifications.retention, "_asks", lambda row: True)
    assert [one_batch_a_sweep() for _ in range(4)] == [0, 0, 2, 0]
    Outbox.objects.filter(pk=ids[0]).update(topic="")
    assert sum(one_batch_a_sweep() for _ in range(4)) == 1, "it begins again"


def test_rows_that_cannot_be_judged_keep_none_behind_them(one_batch_a_sweep, monkeypatch, anna):
    ids = queue(*[anna] * 4)
    for at, pk in enumerate(ids):
        moment = timezone.now() - LONG_AGO + timedelta(hours=at)
        Outbox.objects.filter(pk=pk).update(status=Status.SENT, due_at=moment, topic="broken" if at < 2 else "")

    def broken(topics):
        raise ValueError

    monkeypatch.setattr(notifications.retention, "_living", [lambda topics: broken(topics) if topics else set()])
    assert [one_batch_a_sweep() for _ in range(2)] == [0, 2]


def test_a_sweep_without_time_deletes_nothing(anna):
    SignIn.objects.create(user=anna, kind=SignIn.Kind.IN, channel="web", at=timezone.now() - LONG_AGO)
    assert retention.forget(lasting=0) == 0
    assert SignIn.objects.exists()
