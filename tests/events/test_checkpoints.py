"""Checkpoints: the tree, the signature, their chain, the database's protection, the file beside the database."""

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from events import audit, canonical
from events.proofs import checkpoints, merkle, statements
from events.proofs.statements import BadCheckpoint, Checkpoint
from events.store import Head, PostgresStore
from tests.events.conftest import event
from tests.racing import at_once

README = Path(__file__).resolve().parents[2] / "events" / "README.md"
SEED = bytes(range(32))
NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@pytest.fixture
def log(database: str, settings: Settings, tmp_path: Path) -> Iterator[PostgresStore]:
    """The store, rolled back after the test: checkpoints cover all streams there are."""
    settings.CHECKPOINT_FILE = tmp_path / "checkpoints.jsonl"
    with transaction.atomic(database):
        yield PostgresStore(database)
        transaction.set_rollback(True, using=database)


def append(log: PostgresStore, stream: UUID, count: int = 1) -> None:
    command = uuid4()
    head = log.head(stream) or Head.empty(stream)
    first = event(meta={"command_id": str(command)})
    log.append(stream, [first, *(event() for _ in range(count - 1))], expected=head, command_id=command)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9, 31, 100])
def test_every_leaf_leads_to_the_root_and_no_other_does(size: int) -> None:
    rng = random.Random(size)
    leaves = [rng.randbytes(32) for _ in range(size)]
    tree = merkle.levels(leaves)
    for index, leaf in enumerate(leaves):
        path = merkle.path(tree, index)
        assert merkle.climb(leaf, index, size, path) == merkle.root(leaves)
        assert merkle.climb(rng.randbytes(32), index, size, path) != merkle.root(leaves)
        with pytest.raises(ValueError, match="too long"):
            merkle.climb(leaf, index, size, [*path, leaf])
        if path:
            with pytest.raises(ValueError, match="too short"):
                merkle.climb(leaf, index, size, path[:-1])
    with pytest.raises(ValueError, match="is not one of"):
        merkle.climb(leaves[0], size, size, [])


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 31, 1000])
def test_a_tree_of_few_known_leaves_proves_each_of_them(size: int) -> None:
    rng = random.Random(size)
    for count in {0, 1, min(size, 3), size // 2}:
        leaves = {place: rng.randbytes(32) for place in rng.sample(range(size), count)}
        filled: list[tuple[int, int]] = []

        def filler(level: int, place: int, filled: list[tuple[int, int]] = filled) -> bytes:
            filled.append((level, place))
            return hashlib.sha256(b"%d %d" % (level, place)).digest()

        tree = merkle.sparse(leaves, size, filler)
        for place, leaf in leaves.items():
            assert merkle.climb(leaf, place, size, merkle.path(tree, place)) == tree[-1][0]
        assert len(filled) <= max(1, count * size.bit_length()), "it costs what is known"
        assert all(place >> level != where for level, where in filled for place in leaves), "nothing known is filled"


def test_a_checkpoint_costs_what_moved(log: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many streams there are: a checkpoint, or a proof from it, reads neither their heads nor their leaves."""
    hashed: list[str] = []
    leaf = merkle.leaf
    monkeypatch.setattr(merkle, "leaf", lambda salt, stream, *head: hashed.append(stream) or leaf(salt, stream, *head))
    streams = [uuid4() for _ in range(60)]
    for stream in streams:
        append(log, stream)
    first = checkpoints.make(log.using)
    for stream in streams[:2]:
        append(log, stream)
    hashed.clear()
    with CaptureQueriesContext(connections[log.using]) as queries:
        second = checkpoints.make(log.using)
        assert first is not None
        assert second is not None
        assert checkpoints.prove(streams[0], second.number, log.using) is not None
    assert set(hashed) == {str(stream) for stream in streams[:2]}
    assert not any("RECURSIVE" in one["sql"] or "DISTINCT ON" in one["sql"] for one in queries)
    assert second.streams == first.streams >= 60, "how many moved is not told"


def test_what_was_written_after_a_restore_is_in_the_next_checkpoint(owner: str, settings: Settings) -> None:
    """Although the transactions of a restored server may count from below those before it."""
    copied = "type, type_version, payload, meta, command_id, command_seq, occurred_at, salt, hash"
    taken = copied.replace("command_seq", "1")
    with transaction.atomic(owner), connections[owner].cursor() as cursor:
        append(PostgresStore(owner), stream := uuid4())
        first = checkpoints.make(owner)
        cursor.execute("UPDATE events_epoch SET epoch = epoch + 2 RETURNING epoch")
        cursor.execute(
            f"INSERT INTO events_event (stream, version, {copied}, epoch, xid) SELECT stream, 2, {taken},"  # noqa: S608
            " c.epoch - 1, '3' FROM events_event, events_epoch c WHERE stream = %s::uuid",
            [stream],
        )
        second = checkpoints.make(owner)
        heads = [(number, version) for number, version, _hash in checkpoints.heads_of(stream, owner)]
        transaction.set_rollback(True, using=owner)
    assert first is not None
    assert second is not None
    assert heads == [(second.number, 2), (first.number, 1)]


def test_what_was_being_written_while_a_checkpoint_was_made_is_in_the_next(database: str, owner: str, settings: Settings) -> None:
    """An event may be committed after another one with a later transaction id was seen."""
    begun, made_one = threading.Event(), threading.Event()
    slow, quick = uuid4(), uuid4()

    def write() -> None:
        with transaction.atomic(database):
            append(PostgresStore(database), slow)
            begun.set()
            assert made_one.wait(30)

    def make() -> tuple[Any, Any]:
        assert begun.wait(30)
        append(PostgresStore(database), quick)
        checkpoints.make(database)
        before = checkpoints.heads_of(slow, database), checkpoints.heads_of(quick, database)
        made_one.set()
        return before

    try:
        _none, before = at_once(write, make)
        assert before[0] == []
        assert len(before[1]) == 1
        checkpoints.make(database)
        assert len(checkpoints.heads_of(slow, database)) == 1
        assert len(checkpoints.heads_of(quick, database)) == 1
        faults = [one.detail for one in audit.check_checkpoints(database).findings if one.code == "bad_checkpoint"]
        assert not faults
    finally:
        _take_away(owner)


def test_checkpoints_over_all_heads_go_on_being_proved(log: PostgresStore) -> None:
    """As they were made before checkpoints held only what moved."""
    using = log.using
    streams = [uuid4() for _ in range(7)]
    for stream in streams:
        append(log, stream, 2)
    salt = bytes(range(16))
    with connections[using].cursor() as cursor:
        cursor.execute(checkpoints.HEADS)
        heads = {str(stream): (version, bytes(hash)) for stream, version, hash in cursor.fetchall()}
        root = checkpoints.root_of(heads, salt)
        old = statements.sign(checkpoints.seeds()[0], number=1, made_at=NOON, streams=len(heads), root=root)
        cursor.execute(
            f"INSERT INTO events_checkpoint ({checkpoints.COLUMNS}, salt) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",  # noqa: S608
            [1, NOON, old.streams, old.root, old.previous, old.key, old.signature, salt],
        )
        for stream, (version, hash) in heads.items():
            cursor.execute("INSERT INTO events_checkpoint_head VALUES (%s, 1, %s, %s)", [stream, version, hash])
    append(log, streams[0])
    append(log, late := uuid4())
    new = checkpoints.make(using)
    assert new is not None
    assert (new.number, new.streams, new.previous) == (2, old.streams + 1, old.hash)
    for stream, number in ((streams[0], 1), (streams[3], 1), (streams[0], 2), (late, 2)):
        proved = checkpoints.prove(stream, number, using)
        assert proved is not None
        statements.check_inclusion(statements.read_inclusion(proved.as_json()), str(stream))
    assert [len(checkpoints.heads_of(stream, using)) for stream in (streams[0], streams[3], late)] == [2, 1, 1]
    checkpoints.append_file(using)
    assert audit.check_checkpoints(using).findings == []
    with connections[using].cursor() as cursor:
        cursor.execute("INSERT INTO events_checkpoint_head VALUES (%s, 2, 2, %s, 0)", [streams[5], bytes(32)])
    assert [one.code for one in audit.check_checkpoints(using).findings] == ["bad_checkpoint"]


def guessed(proof: statements.Inclusion, log: PostgresStore, other: UUID) -> bool:
    """Return True if the known head of another stream can be confirmed from a proof's nearest neighbour."""
    head = log.read(other)[-1]
    return merkle.leaf(proof.salt, str(other), head.version, head.hash) in proof.path


@pytest.mark.parametrize("own", [True, False], ids=["a salt for each leaf", "one salt, as it once was"])
def test_a_proof_does_not_tell_when_another_stream_had_which_head(
    log: PostgresStore, monkeypatch: pytest.MonkeyPatch, own: bool
) -> None:
    append(log, uuid4())
    checkpoints.make(log.using)
    streams = [uuid4(), uuid4()]
    for stream in streams:
        append(log, stream, 2)
    with monkeypatch.context() as patch:
        if not own:
            patch.setattr(checkpoints, "SALTED_BY_LEAF", bytes(range(16)))
        # The two are neighbours.
        patch.setattr(checkpoints, "_chance", SimpleNamespace(sample=lambda _places, count: list(range(count))))
        made = checkpoints.make(log.using)
    assert made is not None
    checkpoints.forget_trees()
    first, second = (checkpoints.prove(stream, made.number, log.using) for stream in streams)
    assert first is not None
    assert second is not None
    for stream, proof in zip(streams, (first, second), strict=True):
        statements.check_inclusion(statements.read_inclusion(proof.as_json()), str(stream))
    assert not [one for one in audit.check_checkpoints(log.using).findings if one.code == "bad_checkpoint"]
    assert guessed(first, log, streams[1]) is guessed(second, log, streams[0]) is not own
    assert (first.salt != second.salt) is own


def test_the_vectors_of_the_description() -> None:
    """The vectors in `events/README.md`."""
    streams = [str(UUID(int=number)) for number in (1, 2, 3)]
    salt = bytes(range(16))
    leaves = [
        merkle.leaf(salt, stream, version, hashlib.sha256(stream.encode()).digest())
        for stream, version in zip(streams, (7, 1, 62), strict=True)
    ]
    made = statements.sign(SEED, number=1, made_at=NOON, streams=3, root=merkle.root(leaves))
    described = README.read_text(encoding="utf-8")
    for value in (leaves[0], merkle.node(leaves[0], leaves[1]), made.root, made.key, made.hash, made.signature):
        assert value.hex() in described
    assert canonical.encode(made.statement).decode() in described


def test_a_statement_is_believed_with_its_own_signature_only() -> None:
    made = statements.sign(SEED, number=3, made_at=NOON, streams=2, root=bytes(32), previous=b"\1" * 32)
    statements.check_signature(made)
    assert statements.read_checkpoint(made.as_json()) == made
    changes: list[dict[str, Any]] = [{"number": 4}, {"streams": 3}, {"root": b"\1" * 32}, {"previous": bytes(32)}]
    for change in (*changes, {"key": bytes(32)}, {"signature": bytes(64)}):
        with pytest.raises(BadCheckpoint, match="does not fit"):
            statements.check_signature(replace(made, **change))
    good = made.as_json()
    wrongs: list[Any] = [{}, [], None, {**good, "more": 1}, {**good, "key": "AB" * 32}, {**good, "statement": {}}]
    for wrong in wrongs:
        with pytest.raises(BadCheckpoint):
            statements.read_checkpoint(wrong)


def test_keys_are_read_in_the_forms_people_keep_them_in() -> None:
    key = statements.public_key(SEED)
    pem = Ed25519PublicKey.from_public_bytes(key).public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for text in (key.hex(), f" {key.hex()}\n", f'{{"algorithm":"Ed25519","key":"{key.hex()}","former":[]}}', pem.decode()):
        assert statements.read_key(text) == key
    for wrong in ("", "tea", "AB" * 32, "{}", "[]", '{"key":3}', "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"):
        with pytest.raises(BadCheckpoint):
            statements.read_key(wrong)


def test_checkpoints_are_chained_over_all_heads_and_keep_what_changed(log: PostgresStore) -> None:
    using = log.using
    streams = [uuid4() for _ in range(5)]
    for stream in streams:
        append(log, stream, 2)
    first = checkpoints.make(using)
    append(log, streams[0], 3)
    append(log, late := uuid4())
    second = checkpoints.make(using)
    third = checkpoints.make(using)
    assert first is not None and second is not None and third is not None  # noqa: PT018
    assert [one.number for one in checkpoints.page(using=using)] == [third.number, second.number, first.number]
    assert (second.previous, third.previous) == (first.hash, second.hash)
    assert second.streams == first.streams + 1 == third.streams
    assert second.root != third.root, "a root does not tell that nothing happened"
    kept = [(number, version) for number, version, _ in checkpoints.heads_of(streams[0], using)]
    assert kept == [(second.number, 5), (first.number, 2)]
    for stream, version, made in ((streams[0], 5, second), (streams[1], 2, first), (late, 1, second)):
        proved = checkpoints.prove(stream, made.number, using)
        assert proved is not None
        assert (proved.version, proved.hash) == (version, log.read(stream)[-1].hash)
        statements.check_inclusion(statements.read_inclusion(proved.as_json()), str(stream))
        with pytest.raises(BadCheckpoint, match="leads to"):
            statements.check_inclusion(proved, str(streams[2]))
        assert checkpoints.prove(stream, third.number, using) is None, "nothing moved; an older one of the chain proves it"
    assert checkpoints.prove(late, first.number, using) is None
    assert checkpoints.prove(late, 999, using) is None
    assert checkpoints.make(using, unless=(late, 1)) == third
    append(log, late)
    made = checkpoints.make(using, unless=(late, 2))
    assert made is not None
    assert made.number == third.number + 1
    assert audit.check_stream(late, using).findings == []
    assert audit.check_checkpoints(using).findings[0].code == "checkpoint_file"


def test_the_file_gets_what_it_lacks_and_nothing_else(log: PostgresStore, settings: Settings) -> None:
    append(log, uuid4())
    made = [checkpoints.make(log.using) for _ in range(3)]
    assert checkpoints.append_file(log.using) == 3
    assert checkpoints.append_file(log.using) == 0
    assert list(checkpoints.read_file(settings.CHECKPOINT_FILE.read_bytes())) == made
    assert audit.check_checkpoints(log.using).findings == []
    made.append(checkpoints.make(log.using))
    assert checkpoints.append_file(log.using) == 1
    text = settings.CHECKPOINT_FILE.read_bytes()
    assert list(checkpoints.read_file(text)) == made
    settings.CHECKPOINT_FILE.write_bytes(text.replace(b'"number":4', b'"number":9'))
    with pytest.raises(checkpoints.FileParted, match="none of that number"):
        checkpoints.append_file(log.using)


@pytest.mark.parametrize("torn", [lambda text: text[:-40], lambda text: text[:-1], lambda text: text[:-40] + bytes(40)])
def test_a_line_torn_by_a_power_cut_is_written_anew(
    log: PostgresStore, settings: Settings, torn: Callable[[bytes], bytes]
) -> None:
    append(log, uuid4())
    made = [checkpoints.make(log.using) for _ in range(2)]
    checkpoints.append_file(log.using)
    settings.CHECKPOINT_FILE.write_bytes(torn(settings.CHECKPOINT_FILE.read_bytes()))
    assert checkpoints.append_file(log.using) == 1
    made.append(checkpoints.make(log.using))
    assert checkpoints.append_file(log.using) == 1
    assert list(checkpoints.read_file(settings.CHECKPOINT_FILE.read_bytes())) == made
    assert audit.check_checkpoints(log.using).findings == []


def test_without_streams_there_is_nothing_to_sign_and_without_a_key_it_is_refused(
    log: PostgresStore, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "HEADS", "SELECT gen_random_uuid(), 1, ''::bytea WHERE false")
    assert checkpoints.make(log.using) is None
    for wrong, said in (("", "Set CHECKPOINT_KEY"), ("tea", "base64"), ("AAAA", "base64")):
        settings.CHECKPOINT_KEY = wrong
        with pytest.raises(ImproperlyConfigured, match=said):
            checkpoints.make(log.using)
        [problem] = checkpoints.check_key(None)
        assert problem.id in ("events.W002", "events.E002")


def test_a_new_key_signs_and_the_old_one_stays_trusted(log: PostgresStore, settings: Settings) -> None:
    append(log, uuid4())
    first = checkpoints.make(log.using)
    assert first is not None
    settings.CHECKPOINT_KEY = f"{'A' * 43}=,{settings.CHECKPOINT_KEY}"
    second = checkpoints.make(log.using)
    assert second is not None
    assert checkpoints.check_key(None) == []
    assert checkpoints.trusted() == [second.key, first.key]
    checkpoints.append_file(log.using)
    assert audit.check_checkpoints(log.using).findings == []


CHANGES = [
    "UPDATE events_checkpoint SET streams = 1",
    "DELETE FROM events_checkpoint",
    "TRUNCATE events_checkpoint CASCADE",
    "UPDATE events_checkpoint_head SET version = 1",
    "DELETE FROM events_checkpoint_head",
    "TRUNCATE events_checkpoint_head",
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("who", ["runtime", "owner"])
def test_nobody_changes_a_checkpoint(database: str, owner: str, change: str, who: str) -> None:
    using = database if who == "runtime" else owner
    with transaction.atomic(using):
        store = PostgresStore(using)
        append(store, uuid4())
        checkpoints.make(using)
        with pytest.raises(DatabaseError, match=r"append-only|permission denied"), transaction.atomic(using):
            connections[using].cursor().execute(change)
        transaction.set_rollback(True, using=using)


def test_a_superuser_in_replica_mode_meets_the_walls_too(owner: str) -> None:
    with connections[owner].cursor() as cursor:
        cursor.execute("SELECT tgname, tgenabled FROM pg_trigger WHERE tgname LIKE 'events_checkpoint%%' AND NOT tgisinternal")
        assert dict(cursor.fetchall()) == dict.fromkeys(
            [f"events_checkpoint{middle}{end}" for middle in ("", "_head") for end in ("_rows", "_table")], "A"
        )


def test_two_processes_at_once_make_two_that_are_chained(database: str, owner: str, settings: Settings) -> None:
    """Committed, and removed afterwards by the owner: only here may the protection be switched off."""
    append(PostgresStore(database), uuid4())

    def one() -> Checkpoint:
        made = checkpoints.make(database)
        assert made is not None
        return made

    try:
        made = sorted(at_once(*[one] * 4), key=lambda one: one.number)
        assert [one.number for one in made] == [1, 2, 3, 4]
        assert [one.previous for one in made[1:]] == [one.hash for one in made[:-1]]
    finally:
        _take_away(owner)


def _take_away(owner: str) -> None:
    """Delete committed checkpoints as the owner: only here may the protection be switched off."""
    with transaction.atomic(owner), connections[owner].cursor() as cursor:
        for table in ("events_checkpoint_head", "events_checkpoint"):
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in ("events_checkpoint_head", "events_checkpoint"):
            cursor.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_rows")
            cursor.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_table")
