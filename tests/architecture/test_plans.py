"""Frequent sweeps and pages read no large table from end to end."""

from __future__ import annotations

import importlib
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.addresses import add_verified_address
from events.proofs import checkpoints
from gamesvc.matches import tasks
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Holding, Match, Premove, Rating
from gamesvc.matches.record.stream import STORE
from notifications.inbound import addresses, store
from notifications.inbound.doors import rates
from notifications.models import Handover, InboundMail, MailStatus, Outbox, ReplyAddress
from notifications.parsing.cutting import Cut
from notifications.sending import delivery
from tests.mailing import mailing  # noqa: F401
from tests.matches.playing import act

pytestmark = [pytest.mark.django_db, pytest.mark.long]

ROWS = 10_000
LARGE = (
    "events_event",
    "matches_question",
    "matches_match",
    "matches_seat",
    "matches_premove",
    "matches_rating",
    "notifications_outbox",
    "notifications_handover",
    "notifications_inbound_mail",
)
# Tasks that run at least once a minute.
OFTEN = sorted({entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values() if entry["schedule"] <= 60})
PAGES = (
    "/",
    "/lobby/",
    "/lobby/watch/",
    "/lobby/archive/",
    "/lobby/archive/?game=toy",
    "/lobby/archive/?player=anna",
    "/substitutes/",
    "/games/toy/",
    "/games/toy/leaderboard/",
    "/api/v1/matches/",
    "/api/v1/matches/?mine=false",
    "/api/v1/me/notices/",
)


def copied(table, instead, times):
    """Copy the rows of a table, with other values in some columns, once for each row of `times`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT column_name FROM information_schema.columns WHERE table_name = %s", [table])
        columns = [name for (name,) in cursor.fetchall()]
        into = ", ".join(f'"{name}"' for name in columns)
        taken = ", ".join(instead.get(name) or f't."{name}"' for name in columns)
        cursor.execute(f"INSERT INTO {table} ({into}) SELECT {taken} FROM {table} t, {times}")  # noqa: S608


def settled(match, user):
    """Add ten thousand rows of finished work that is kept for a while: notices, their channels, answers, conditional orders."""
    now = timezone.now()
    notice = Outbox.objects.create(kind="settled", user=user, status="sent", due_at=now, sent_at=now)
    others = {"id": "gen_random_uuid()", "user_id": "NULL", "address": "'x@x.example'"}
    copied("notifications_outbox", others, f"generate_series(1, {ROWS}) AS n WHERE t.kind = 'settled'")
    Handover.objects.create(notice=notice, channel="webhook", due_at=now, done_at=now, status=Handover.Status.SENT)
    of_another = "notifications_outbox o WHERE o.kind = 'settled' AND o.id <> t.notice_id"
    copied("notifications_handover", {"id": "gen_random_uuid()", "notice_id": "o.id"}, of_another)
    address = ReplyAddress.objects.create(token_hash="x", purpose="turn", user=user, expires_at=now)
    InboundMail.objects.create(
        address=address, message_id="<0@x>", raw=b"x", received_at=now, counts_at=now, status=MailStatus.DONE, finished_at=now
    )
    mails = {"id": "gen_random_uuid()", "message_id": "n::text", "owner": "(- n % 100)::text"}
    copied("notifications_inbound_mail", mails, f"generate_series(1, {ROWS}) AS n")
    done = Premove.Status.DONE
    Premove.objects.create(match=match, seat=0, user=user, number=1, condition={}, commands=[], status=done, ended_at=now)
    copied("matches_premove", {"id": "gen_random_uuid()", "match_id": "m.id"}, "matches_match m WHERE m.id <> t.match_id")


def recorded():
    """Add ten thousand events of one other match, written earlier."""
    like = "type, type_version, payload, meta, command_id, 1, occurred_at, salt, hash"
    columns = "type, type_version, payload, meta, command_id, command_seq, occurred_at, salt, hash"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO events_event (stream, version, {columns}, xid) SELECT %s, n, {like}, (3 + n %% 5)::text::xid8"  # noqa: S608
            " FROM (SELECT * FROM events_event LIMIT 1) AS one, generate_series(1, %s) AS n",
            [uuid4(), ROWS],
        )


@pytest.fixture
def full(toy, anna, ben):
    """Add ten thousand running matches of other users: only their rows, since nothing looks further."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    own = {"id": "gen_random_uuid()", "number": "nextval('matches_number')", "link_token": "gen_random_uuid()::text"}
    copied("matches_match", {**own, "creator_id": "NULL"}, f"generate_series(1, {ROWS}) AS n")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO matches_seat (match_id, index, bot, contribution, seen_version) SELECT id, 0, '', '', 0"
            " FROM matches_match WHERE id <> %s",
            [match.pk],
        )
    over = {**own, "creator_id": "NULL", "status": "'finished'", "watch": "'all'", "ended_at": "now()"}
    copied("matches_match", over, f"generate_series(1, {ROWS}) AS n WHERE t.creator_id IS NOT NULL")
    later = {
        "id": "gen_random_uuid()",
        "match_id": "m.id",
        "due_at": "now() + m.number * interval '1 minute' + interval '9 days'",
        "look_at": "now() + m.number * interval '1 minute' + interval '7 days'",
    }
    copied("matches_question", later, "matches_match m WHERE m.id <> t.match_id AND m.status = 'running'")
    settled(match, anna)
    recorded()
    Rating.objects.create(game=toy, pool=Rating.Pool.PEOPLE, matches=20, won=10)
    copied("matches_rating", {"id": "gen_random_uuid()"}, f"generate_series(1, {ROWS}) AS n")
    for _ in range(3):
        opening.create_match(by=ben, game=toy)
        Match.objects.update(created_at="2026-01-01T00:00:00Z")
    with connection.cursor() as cursor:
        for table in LARGE:
            cursor.execute(f"ANALYZE {table}")
    return match


def scanned():
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname, seq_scan FROM pg_stat_xact_user_tables WHERE relname = ANY(%s)", [list(LARGE)])
        return dict(cursor.fetchall())


@pytest.fixture
def told(full):
    """Return which large tables an act has read from end to end, and how many rows it read if they are many, as of an index."""

    def check(act):
        before, rows = scanned(), fetched(*LARGE)
        act()
        found = {name: count - before[name] for name, count in scanned().items() if count != before[name]}
        read = fetched(*LARGE) - rows
        return found | ({"rows": read} if read > ROWS / 20 else {})

    return check


def test_no_sweep_reads_a_large_table_from_end_to_end(told):
    assert len(OFTEN) > 10
    found = {}
    for name in OFTEN:
        module, _, task = name.rpartition(".")
        sweep = getattr(importlib.import_module(module), task)
        sweep()  # after a start, some look once at everything
        if read := told(sweep):
            found[name] = read
    assert found == {}


def test_a_checkpoint_reads_of_the_log_what_was_written_since_the_one_before(told, full):
    tasks.make_checkpoint()
    act(full, 0, {"name": "draw"})
    assert told(tasks.make_checkpoint) == {}
    assert told(lambda: tasks.checkpoint_ended(str(full.pk))) == {}
    assert checkpoints.heads_of(full.pk, most=1)[0][1] == STORE.head(full.pk).version


def test_no_list_reads_a_large_table_from_end_to_end(told, anna, full):
    client = Client()
    client.force_login(anna)
    for path in (*PAGES, f"/matches/{full.number}/", f"/api/v1/matches/{full.number}/"):
        assert told(lambda path=path: client.get(path)) == {}, path


RARE = ("seats=3", "pace=slow", "game=stratastar", "seats=3&pace=usual", "game=stratastar&pace=usual", "seats=2&pace=slow")


def fetched(*tables):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int FROM pg_stat_xact_user_tables WHERE relname = ANY (%s)",
            [list(tables)],
        )
        return cursor.fetchone()[0]


def test_lists_read_only_the_rows_that_they_show(full):
    """Also where a filter fits nothing, late in the archive, and with figures of the players."""
    client = Client()
    late = Match.objects.order_by("number")[ROWS + ROWS // 2].number
    paths = {f"/lobby/archive/?{query}": "No finished match fits." for query in RARE}
    paths |= {f"/lobby/archive/?before={late}": 'class="rows', "/lobby/?finished=90&timeouts=0&answer_hours=24": "<h1>"}
    read = {}
    for path, shown in paths.items():
        before = fetched("matches_match")
        assert shown in client.get(path).content.decode(), path
        read[path] = fetched("matches_match") - before
    assert {path: count for path, count in read.items() if count > ROWS / 100} == {}


def test_figures_of_players_are_added_up_for_open_matches_alone(full, anna):
    """In the archive each match has a player who does not meet them."""
    Holding.objects.update(timeouts=9, last_at=timezone.now())
    assert Holding.objects.filter(user=anna).exists()
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO matches_seat (match_id, index, user_id, bot, contribution, seen_version) SELECT id, 0, %s, '', '', 0"
            " FROM matches_match WHERE status = 'finished'",
            [anna.pk],
        )
        cursor.execute("ANALYZE matches_seat")
    read = {}
    for which in ("public=true&status=finished", "public=true", "mine=false"):
        before = fetched("matches_match", "matches_seat")
        assert Client().get(f"/api/v1/matches/?{which}&players_timeouts=0").json()["results"] == [], which
        read[which] = fetched("matches_match", "matches_seat") - before
    assert {which: count for which, count in read.items() if count > ROWS / 100} == {}


def test_a_mail_is_taken_and_claimed_without_reading_those_of_others(full, ben):
    """Ten thousand mails of other players came within the last hour."""
    add_verified_address(ben, ben.email)
    made = addresses.make("turn", key=uuid4(), user=ben, expires_at=timezone.now() + timedelta(days=1))
    tables = ("notifications_inbound_mail", "notifications_reply_address")
    before = fetched(*tables)
    address = addresses.resolve(made)
    rates.check(address, ben.email, network="192.0.2.1")
    store.store(Cut(b"Subject: x\r\n\r\nend", None), address=address, envelope_from=ben.email, received_at=timezone.now())
    assert len(store.claim(25)) == 1
    assert fetched(*tables) - before < ROWS / 100


def test_a_notice_is_sent_without_reading_those_of_others(full, mailing, anna, ben):  # noqa: F811
    """Ten thousand notices went to others."""
    for user in (anna, ben):
        add_verified_address(user, user.email)
    tables = ("notifications_outbox", "notifications_handover", "notifications_reply_address")
    before = fetched(*tables)
    assert delivery.sweep() == 2
    assert fetched(*tables) - before < ROWS / 100
