"""The audit finds what a superuser changes past the triggers, and nothing if nothing was changed."""

from __future__ import annotations

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from events import audit, canonical
from events.proofs import checkpoints, statements
from gamesvc.games import catalog
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.proof import audit as auditing
from gamesvc.matches.record import loading, snapshots
from gamesvc.matches.record.stream import STORE
from tests.matches.playing import act, duel, of_bots, play_out, time_out

pytestmark = pytest.mark.django_db


def run(sql, *params):
    with connection.cursor() as cursor:
        cursor.execute(sql, params)


@pytest.fixture
def behind_the_walls():
    """Disable the triggers, as a superuser may; the test's rollback restores them."""

    def change(sql, *params, table="events_event"):
        run("SET CONSTRAINTS ALL IMMEDIATE")
        run(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        run(sql, *params)
        run("SET CONSTRAINTS ALL IMMEDIATE")
        run(f"ALTER TABLE {table} ENABLE TRIGGER USER")

    return change


@pytest.fixture
def running(toy, anna, ben):
    return duel(anna, ben)


def found(match):
    return [(finding.code, finding.version) for finding in auditing.check_match(match.id)]


def test_nothing_is_found_where_nothing_was_changed(toy, anna, ben, tmp_path, settings):
    settings.CHECKPOINT_FILE = tmp_path / "checkpoints.jsonl"
    duel(anna, ben)
    finished = duel(anna, ben)
    play_out(finished)
    checkpoints.make()
    opening.cancel_match(by=anna, match=opening.create_match(by=anna, game=toy))
    opening.leave_match(by=ben, match=opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, take_seat=False)))
    of_bots(anna, "space_fleet_commander")
    time_out(opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy)))
    checkpoints.make()
    assert checkpoints.append_file() == 2
    out = io.StringIO()
    call_command("audit", "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert told == {"ok": True, "matches": 6, "checkpoints": 2, "roots_not_computed": 0, "findings": []}
    call_command("audit", "--match", str(finished.number), stdout=io.StringIO())


CHANGES = {
    "payload": "replace(payload, '1', '2')",
    "meta": "replace(meta, 'toy', 'top')",
    "type": "type || 'x'",
    "type_version": "type_version + 1",
    "occurred_at": "occurred_at + interval '1 microsecond'",
    "salt": "set_byte(salt, 3, get_byte(salt, 3) # 1)",
    "hash": "set_byte(hash, 31, get_byte(hash, 31) # 1)",
    "command_id": "gen_random_uuid()",
    "command_seq": "command_seq + 1",
}


@pytest.mark.parametrize("column", CHANGES)
def test_a_change_of_any_column_is_found(running, behind_the_walls, column):
    set_it = f"UPDATE events_event SET {column} = {CHANGES[column]} WHERE stream = %s AND version = 6"  # noqa: S608
    behind_the_walls(set_it, running.id)
    assert found(running) == [("changed_event", 6)]
    with pytest.raises(CommandError, match="1 fault"):
        call_command("audit", "--match", str(running.number), stdout=io.StringIO())


def test_removed_and_cut_and_inserted_events_are_found(running, behind_the_walls):
    version = max(one.version for one in STORE.read(running.id) if one.type.startswith("toy."))
    behind_the_walls("DELETE FROM events_event WHERE stream = %s AND version >= %s", running.id, version)
    assert found(running) == [("cut_tail", version)], "the match row knows"
    Match.objects.filter(pk=running.pk).update(version=version - 1)
    assert found(running) != [], "the open question knows"
    behind_the_walls("DELETE FROM events_event WHERE stream = %s AND version = 4", running.id)
    assert found(running) == [("missing_event", 4)]
    behind_the_walls(
        "INSERT INTO events_event (stream, version, type, type_version, payload, meta, command_id, command_seq, occurred_at,"
        " salt, hash) SELECT stream, 4, type, type_version, payload, meta, command_id, 9, occurred_at, salt, hash"
        " FROM events_event WHERE stream = %s AND version = 5",
        running.id,
    )
    assert found(running)[0] == ("changed_event", 4)


def rewrite(behind_the_walls, match, change):
    """Write the whole stream again with valid hashes, as only the owner of the database could."""
    before = canonical.genesis(match.id)
    for stored in STORE.read(match.id):
        data, meta, moment = change(stored)
        digest = canonical.digest(
            stream=str(match.id), version=stored.version, type=stored.type, type_version=stored.type_version,
            data=canonical.encode(data), meta=canonical.encode(meta), occurred_at=canonical.write_time(moment), salt=stored.salt,
        )  # fmt: skip
        before = canonical.link(before, digest)
        behind_the_walls(
            "UPDATE events_event SET payload = %s, meta = %s, occurred_at = %s, hash = %s WHERE stream = %s AND version = %s",
            canonical.encode(data).decode(), canonical.encode(meta).decode(), moment, before, match.id, stored.version,
        )  # fmt: skip


def test_a_stream_written_anew_is_found_by_its_checkpoint(running, behind_the_walls):
    checkpoints.make()
    last = len(STORE.read(running.id))
    act(running, 0, {"name": "set_orders", "text": "more"})
    checkpoints.make()
    rewrite(behind_the_walls, running, lambda stored: (stored.data, stored.meta, stored.occurred_at - timedelta(seconds=1)))
    assert found(running) == [("rewritten_stream", last)]


def test_a_tail_cut_everywhere_is_found_by_its_checkpoint(running, behind_the_walls):
    made = checkpoints.make()
    last = len(STORE.read(running.id))
    behind_the_walls("DELETE FROM events_event WHERE stream = %s AND version > 8", running.id)
    Match.objects.filter(pk=running.pk).update(version=8)
    assert found(running) == [("cut_tail", 9)]
    behind_the_walls("DELETE FROM events_event WHERE stream = %s", running.id)
    Match.objects.filter(pk=running.pk).delete()
    assert running.id in auditing.all_ids()
    assert ("cut_tail", 1) in found(running)
    assert checkpoints.make().streams == made.streams, "what was in a checkpoint stays in the next ones"
    assert last > 8


def test_a_draw_played_wrongly_is_found(running, behind_the_walls):
    def other_hands(stored):
        data = dict(stored.data)
        if stored.type == "toy.dealt":
            data["deck"] = [card ^ 3 for card in data["deck"]]  # each 1 becomes a 2, and vice versa
        return data, stored.meta, stored.occurred_at

    rewrite(behind_the_walls, running, other_hands)
    assert found(running) == [("decided_otherwise", 6)]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"status": "finished"}, "match_row"),
        ({"outcome": {"reason": "charm"}}, "match_row"),
        ({"options": {"points": 4}}, "match_row"),
        ({"started_at": None}, "match_row"),
        ({"version": 3}, "match_row"),
        ({"version": 300}, "cut_tail"),
        ({"game": "chess"}, "unknown_game"),
        ({"key_id": "k9"}, "secret"),
        ({"sealed_secret": b"cut"}, "secret"),
    ],
)
def test_a_match_row_that_does_not_follow_is_found(running, change, code):
    Match.objects.filter(pk=running.pk).update(**change)
    assert {finding.code for finding in auditing.check_match(running.id)} == {code}


def test_questions_and_seats_that_do_not_follow_are_found(running):
    [question] = Question.objects.filter(match=running)
    Question.objects.filter(pk=question.pk).update(question="turn99")
    assert [code for code, _ in found(running)] == ["questions", "questions"]
    Question.objects.filter(pk=question.pk).update(question=question.question)
    Seat.objects.filter(match=running, index=0).update(holder="00000000-0000-4000-8000-000000000000")
    assert [code for code, _ in found(running)] == ["match_row"]


def test_a_snapshot_that_differs_from_replay_is_found(running, monkeypatch):
    monkeypatch.setattr(snapshots, "TAIL", 2)
    loading.forget_all()
    loading.load(running.id, running.game)
    loading.save_snapshot(loading.load(running.id, running.game))
    assert found(running) == []
    loaded = loading.load(running.id, running.game)
    head, contents = snapshots.get(loaded.game, running.id)
    plain = {name: contents[name] for name in contents.keys() - {"state", "kept", "occurred_at"}}
    other = loading.state_at(catalog.game("toy"), running.id, 6)
    snapshots.put(loaded.game, running.id, head, plain, other, contents["kept"])
    [finding] = auditing.check_match(running.id)
    assert (finding.code, finding.version) == ("snapshot", head.version)
    assert "state" in finding.detail


def test_changed_checkpoints_are_found(running, behind_the_walls, tmp_path, settings):
    settings.CHECKPOINT_FILE = tmp_path / "checkpoints.jsonl"
    for _ in range(3):
        checkpoints.make()
        act(running, 0, {"name": "set_orders", "text": "more"})
    checkpoints.append_file()
    assert audit.check_checkpoints().findings == []

    def details():
        return " ".join(finding.detail for finding in audit.check_checkpoints().findings)

    table = "events_checkpoint"
    behind_the_walls("UPDATE events_checkpoint_head SET version = 2 WHERE checkpoint = 2", table="events_checkpoint_head")
    assert "checkpoint 2 do not give its signed root" in details()
    behind_the_walls("UPDATE events_checkpoint SET streams = 5 WHERE number = 2", table=table)
    assert "signature of checkpoint 2" in details()
    assert "Checkpoint 3 is not chained" in details()
    behind_the_walls("DELETE FROM events_checkpoint_head", table="events_checkpoint_head")
    behind_the_walls("DELETE FROM events_checkpoint", table=table)
    assert "has checkpoint 1; the database has none" in details()
    checkpoints.make()
    assert "has checkpoint 1; the database has another one" in details()
    with pytest.raises(checkpoints.FileParted):
        checkpoints.append_file()
    settings.CHECKPOINT_KEY = "A" * 43 + "="
    assert "not among the keys" in details()
    settings.CHECKPOINT_FILE.unlink()
    assert "is missing" in details()
    settings.CHECKPOINT_FILE.write_text("tea\n")
    assert "Line 1" in details()
    assert statements.read_seeds(settings.CHECKPOINT_KEY) == [bytes(32)]
