"""`bench sweep`: 100,000 open matches, 10,000 of them due at once, two competing sweepers, and more deadlines meanwhile.

The matches are copies of one real beginning of each game: their events are linked and hashed again for each, their rows copied in
bulk. Everything measured is real: the claims, the default commands through `submit`, appends, new deadlines, notices, and the
heartbeat with an address that the sweepers probe.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import random
import socket
import time
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, connections

from accounts.models import User
from events.chain import forge
from events.store import Head, NewEvent, StoredEvent
from gamesvc.games import catalog
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Heartbeat, Match, Question, Seat
from gamesvc.matches.play import turns
from gamesvc.matches.record import availability, loading, secrets
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import timeout_sweep
from gamesvc.ops.benches import Row, owner, row
from gamesvc.ops.match_limits import lift_match_limits

MATCHES = 100_000
DUE = 10_000
# Deadlines that come one after the other while the sweepers work on the ten thousand: ten times as dense as 90,000 deadlines over
# two days.
MEANWHILE = 150
PER_SECOND = 5
PATIENCE = 120.0
LATE = 2.0
IDLE = 0.5
TARGET_SECONDS = 30.0

_EVENT = "stream, version, type, type_version, payload, meta, occurred_at, salt, hash, command_id, command_seq"
_COPY = f"COPY events_event ({_EVENT}) FROM STDIN"
_TABLE = "CREATE TEMP TABLE bench_copy (id uuid PRIMARY KEY, template uuid, key_id text, sealed bytea, link text)"


@dataclass(frozen=True, slots=True)
class Template:
    """One real match at the moment when the first seat is asked."""

    match: Match
    events: Sequence[StoredEvent]
    secret: bytes
    defaults: int
    """Number of default commands needed to close its first question."""


def rows(seconds: float) -> list[Row]:
    """Fill the database, wait for the deadlines, watch two sweepers. `seconds` has no effect: the load is fixed."""
    lift_match_limits()
    templates = [_template(game.id) for game in catalog.games()]
    ids = fill(templates, MATCHES)
    Question.objects.filter(match__in=[template.match.pk for template in templates]).delete()
    begin = datetime.now(UTC) + timedelta(seconds=3)
    due = _set_deadlines(list(ids), begin)
    Heartbeat.objects.update_or_create(name=availability.NAME, defaults={"beat_at": datetime.now(UTC)})
    connections.close_all()
    context = multiprocessing.get_context("fork")
    with socket.create_server(("127.0.0.1", 0)) as door, ProcessPoolExecutor(2, mp_context=context) as pool:
        sweepers = [pool.submit(_sweep_until_done, begin, door.getsockname()[1]) for _ in range(2)]
        door.settimeout(0.1)
        while not all(sweeper.done() for sweeper in sweepers):
            with contextlib.suppress(TimeoutError):
                door.accept()[0].close()
        fired = [sweeper.result() for sweeper in sweepers]
    return [_judge(templates, ids, due, begin, fired)]


def _template(game: str) -> Template:
    people = [_user(f"sweep{number}") for number in range(2)]
    options = {"homeworld_choice": "random"} if game == "stratastar" else {}
    match = opening.create_match(by=people[0], game=game, options=options)
    for person in people[1 : match.seat_count]:
        match = opening.join_match(by=person, match=match)
    loaded = loading.load(match.id, game)
    asked, timeline, steps = loaded.awaited()[0], loaded.timeline, 0
    dice = secrets.open_secret(match.key_id, match.sealed_secret, match.id)
    while any((one.seat, one.id) == (asked.seat, asked.id) for one in loaded.game.awaited(timeline.state)):
        command = loaded.game.default_command(timeline.state, asked.seat)
        timeline.follow(timeline.command(asked.seat, command, turns.dice_for(match, loaded)))
        steps += 1
    return Template(match, STORE.read(match.id), dice, steps)


def template_of(match: Match) -> Template:
    """Return a match to copy whose questions are never due."""
    secret = secrets.open_secret(match.key_id, match.sealed_secret, match.id)
    return Template(Match.objects.get(pk=match.pk), STORE.read(match.id), secret, 0)


def _user(name: str) -> User:
    return User.objects.filter(username=name).first() or User.objects.create_user(username=name, email=f"{name}@players.example")


def fill(templates: Sequence[Template], count: int) -> dict[uuid.UUID, Template]:
    """Copy the templates in turn, each copy with a valid chain and its own sealed secret. Return the template of each match."""
    made = {uuid.uuid4(): templates[at % len(templates)] for at in range(count)}
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_copy")
        cursor.execute(_TABLE)
    _copy_events(made)
    _copy_matches(made)
    own = {"id": "c.id", "key_id": "c.key_id", "sealed_secret": "c.sealed", "link_token": "c.link"}
    copies = "bench_copy c"
    copy_rows(Match, {**own, "number": "nextval('matches_number')"}, copies, "t.id = c.template")
    copy_rows(Seat, {"id": None, "match_id": "c.id"}, copies, "t.match_id = c.template")
    copy_rows(Question, {"id": "gen_random_uuid()", "match_id": "c.id"}, copies, "t.match_id = c.template")
    owner.analyze()
    return made


def _copy_events(made: dict[uuid.UUID, Template]) -> None:
    """Copy the templates' events for every match, linked and hashed again."""
    raw: Any = connection.connection
    with raw.cursor() as cursor, cursor.copy(_COPY) as copy:
        for match_id, template in made.items():
            news = [NewEvent(one.type, one.type_version, one.data, one.meta, one.occurred_at) for one in template.events]
            command, seq = "", 0
            for stored in forge(match_id, news, Head.empty(match_id)):
                command, seq = (stored.meta["command_id"], 0) if "command_id" in stored.meta else (command, seq + 1)
                kind = stored.type, stored.type_version
                copy.write_row(
                    (match_id, stored.version, *kind, *stored.written, stored.occurred_at, stored.salt, stored.hash, command, seq)
                )


def _copy_matches(made: dict[uuid.UUID, Template]) -> None:
    """Fill the table of copies: each match with its template and its own sealed secret."""
    raw: Any = connection.connection
    with raw.cursor() as cursor, cursor.copy("COPY bench_copy FROM STDIN") as copy:
        for match_id, template in made.items():
            key_id, sealed = secrets.seal(template.secret, match_id)
            copy.write_row((match_id, template.match.id, key_id, sealed, match_id.hex))


def copy_rows(model: Any, instead: Mapping[str, str | None], others: str, on: str) -> None:
    """Copy rows `t` of a model for every row of other tables that fits, with other values in some columns (None: the default)."""
    columns = [field.column for field in model._meta.concrete_fields if instead.get(field.column, "") is not None]
    taken = ", ".join(instead.get(column) or f't."{column}"' for column in columns)
    into = ", ".join(f'"{column}"' for column in columns)
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({into}) SELECT {taken} FROM {table} t CROSS JOIN {others} WHERE {on}")  # noqa: S608


def _set_deadlines(ids: list[uuid.UUID], begin: datetime) -> dict[uuid.UUID, datetime]:
    """Set ten thousand deadlines at once, some at intervals after that, all others days away. One seat per match is due."""
    chosen = random.Random(1).sample(ids, DUE + MEANWHILE)
    due = dict.fromkeys(chosen[:DUE], begin)
    due |= {match_id: begin + timedelta(seconds=at / PER_SECOND) for at, match_id in enumerate(chosen[DUE:], 1)}
    with connection.cursor() as cursor:
        cursor.execute("UPDATE matches_question SET due_at = now() + interval '1 day' + random() * interval '6 days'")
        cursor.execute(
            "UPDATE matches_question q SET due_at = d.due_at FROM unnest(%s::uuid[], %s::timestamptz[]) AS d(id, due_at)"
            " WHERE q.match_id = d.id AND q.seat = (SELECT min(seat) FROM matches_question o WHERE o.match_id = d.id)",
            [list(due), list(due.values())],
        )
    owner.analyze()
    return due


def _sweep_until_done(begin: datetime, door: int) -> tuple[int, float]:
    """Sweep until nothing of the load is left, or for a maximum time. Return how many were closed, and the CPU seconds."""
    settings.HEARTBEAT_PROBES = [f"tcp://127.0.0.1:{door}"]
    time.sleep(max(0.0, (begin - datetime.now(UTC)).total_seconds()))
    started, fired, cpu = time.monotonic(), 0, time.process_time()
    until = begin + timedelta(seconds=MEANWHILE / PER_SECOND)
    while time.monotonic() - started < PATIENCE:
        swept = timeout_sweep.sweep()
        fired += swept
        if not swept:
            if datetime.now(UTC) > until and not Question.objects.filter(due_at__lte=datetime.now(UTC)).exists():
                break
            time.sleep(IDLE)
    connections.close_all()
    return fired, time.process_time() - cpu


def _judge(
    templates: Sequence[Template],
    ids: dict[uuid.UUID, Template],
    due: dict[uuid.UUID, datetime],
    begin: datetime,
    fired: list[tuple[int, float]],
) -> Row:
    """Return the figures from the log: when each match timed out, and how often."""
    originals = [template.match.id for template in templates]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT stream, occurred_at, command_seq FROM events_event WHERE occurred_at >= %s::timestamptz"
            """ AND starts_with(meta, '{"actor":{"kind":"clock"') AND NOT stream = ANY(%s::uuid[])""",
            [begin - timedelta(seconds=3), originals],
        )
        found = cursor.fetchall()
    commands = Counter(stream for stream, _, seq in found if seq == 0)
    last: dict[uuid.UUID, datetime] = {}
    for stream, moment, _ in found:
        last[stream] = max(moment, last.get(stream, moment))
    at_once = [match_id for match_id, moment in due.items() if moment == begin]
    late_by = [(last[one] - due[one]).total_seconds() for one in due if due[one] != begin and one in last]
    seconds = max((last[one] - begin).total_seconds() for one in at_once if one in last)
    return row(
        "sweep",
        seconds,
        "s",
        raw=TARGET_SECONDS,
        matches=len(ids),
        due=len(at_once),
        meanwhile=len(due) - len(at_once),
        doubled=sum(count > ids[match_id].defaults for match_id, count in commands.items()),
        missed=sum(commands[match_id] < ids[match_id].defaults for match_id in due),
        early=sum(match_id not in due for match_id in commands),
        late=sum(delay > LATE for delay in late_by),
        latest_s=round(max(late_by, default=0.0), 3),
        by_sweeper=[closed for closed, _ in fired],
        cpu_s=[round(cpu, 2) for _, cpu in fired],
        commands=sum(commands.values()),
    )
