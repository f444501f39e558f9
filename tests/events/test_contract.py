"""The contract of every store."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID, uuid4

import pytest

from events import canonical
from events.feeds import FeedReader
from events.store import START, Cursor, DuplicateCommand, Head, NotCanonical, Store, StoredEvent, VersionConflict
from tests.events.conftest import MORNING, event


def put(store: Store, stream: UUID, *numbers: int, command: UUID | None = None) -> tuple[StoredEvent, ...]:
    head = store.head(stream) or Head.empty(stream)
    return store.append(stream, [event(number) for number in numbers], expected=head, command_id=command or uuid4())


def test_reads_what_was_appended(store: Store) -> None:
    stream = uuid4()
    assert store.head(stream) is None
    assert store.read(stream) == []
    first = put(store, stream, 1)
    more = put(store, stream, 2, 3, 4)
    assert store.read(stream) == [*first, *more]
    assert [stored.version for stored in store.read(stream)] == [1, 2, 3, 4]
    assert store.read(stream, 1) == list(more)
    assert store.read(stream, 1, 3) == list(more[:2])
    assert store.read(stream, 4) == []
    assert store.head(stream) == more[-1].head
    assert more[0].data == {"stones": 2, "text": "grün \u0000 \u2028"}


def test_the_chain_holds_and_every_line_proves_itself(store: Store) -> None:
    stream = uuid4()
    put(store, stream, 1, 2)
    put(store, stream, 3)
    previous = canonical.genesis(stream)
    for stored in store.read(stream):
        line = canonical.encode(stored.as_record())
        assert canonical.read_record(line) == stored.as_record()
        previous = canonical.check_record(stored.as_record(), previous)
        assert previous == stored.hash
    assert len({stored.salt for stored in store.read(stream)}) == 3


def test_a_stale_head_conflicts(store: Store) -> None:
    stream = uuid4()
    [first] = put(store, stream, 1)
    put(store, stream, 2)
    stale = [Head.empty(stream), first.head, Head(7, first.hash, MORNING), Head(2, bytes(32), MORNING), Head(0, bytes(32), None)]
    for expected in stale:
        with pytest.raises(VersionConflict):
            store.append(stream, [event(3)], expected=expected, command_id=uuid4())
        with pytest.raises(VersionConflict):
            store.append(stream, [event(3), event(4)], expected=expected, command_id=uuid4())
    assert len(store.read(stream)) == 2


def test_a_conflict_uses_up_no_command_id(store: Store) -> None:
    stream, command = uuid4(), uuid4()
    put(store, stream, 1)
    with pytest.raises(VersionConflict):
        store.append(stream, [event(2)], expected=Head.empty(stream), command_id=command)
    assert store.command(stream, command) == []
    assert put(store, stream, 2, command=command)[0].version == 2


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("stale", [True, False])
def test_a_repeated_command_is_told_where_it_stands(store: Store, count: int, stale: bool) -> None:
    stream, command = uuid4(), uuid4()
    put(store, stream, 0)
    before = store.head(stream)
    assert before
    applied = put(store, stream, *range(count), command=command)
    put(store, stream, 8, 9)
    head = before if stale else store.head(stream)
    assert head
    for again in ([event(1)], [event(1), event(2)]):
        with pytest.raises(DuplicateCommand) as caught:
            store.append(stream, again, expected=head, command_id=command)
        assert (caught.value.version, caught.value.count) == (2, count)
    assert store.command(stream, command) == list(applied)
    assert len(store.read(stream)) == 3 + count


def test_the_last_command_is_found_and_other_streams_may_use_its_id(store: Store) -> None:
    stream, other, command = uuid4(), uuid4(), uuid4()
    applied = put(store, stream, 1, 2, command=command)
    put(store, other, 5, command=command)
    assert store.command(stream, command) == list(applied)
    assert store.command(uuid4(), command) == []


def test_time_never_goes_back(store: Store) -> None:
    stream = uuid4()
    later = MORNING + timedelta(hours=1)
    [first] = store.append(stream, [event(occurred_at=later)], expected=Head.empty(stream), command_id=uuid4())
    batch = [event(occurred_at=MORNING), event(occurred_at=later + timedelta(microseconds=1)), event(occurred_at=MORNING)]
    moved = store.append(stream, batch, expected=first.head, command_id=uuid4())
    assert [stored.occurred_at for stored in moved] == [
        later,
        later + timedelta(microseconds=1),
        later + timedelta(microseconds=1),
    ]
    assert store.read(stream) == [first, *moved]


def test_a_time_of_another_zone_is_the_same_moment(store: Store) -> None:
    stream = uuid4()
    local = datetime(2026, 3, 29, 3, 0, 0, 5, tzinfo=timezone(timedelta(hours=2)))
    [stored] = store.append(stream, [event(occurred_at=local)], expected=Head.empty(stream), command_id=uuid4())
    assert stored.as_record()["occurred_at"] == "2026-03-29T01:00:00.000005Z"
    assert store.read(stream)[0].as_record() == stored.as_record()


@pytest.mark.parametrize(
    "bad",
    [
        {"data": {"x": 0.5}},
        {"data": {"x": 2**53}},
        {"data": {"ü": 1}},
        {"data": {1: 1}},
        {"meta": {"x": b""}},
        {"meta": {"x": "\ud800"}},
        {"occurred_at": datetime(2026, 1, 1)},  # noqa: DTZ001 - the point
    ],
)
def test_what_cannot_be_written_is_refused_whole(store: Store, bad: dict[str, Any]) -> None:
    stream = uuid4()
    with pytest.raises(NotCanonical):
        store.append(stream, [event(), event(**bad)], expected=Head.empty(stream), command_id=uuid4())
    with pytest.raises(ValueError):
        store.append(stream, [], expected=Head.empty(stream), command_id=uuid4())
    assert store.read(stream) == []


def test_the_feed_gives_every_event_once(store: Store) -> None:
    streams = [uuid4() for _ in range(3)]
    _, cursor = drain(store, START)
    for number in range(4):
        for stream in streams:
            put(store, stream, number, number)
    seen, cursor = drain(store, cursor, 5)
    assert Counter((stored.stream, stored.version) for stored in seen) == Counter(
        (stream, version) for stream in streams for version in range(1, 9)
    )
    assert drain(store, cursor) == ([], cursor)
    again = FeedReader(store, lambda stream: 3 if stream in streams else 10**9)
    assert sum(len(taken) for taken in iter(lambda: again.take(4), [])) == 3 * 5


def drain(store: Store, cursor: Cursor, limit: int = 500) -> tuple[list[StoredEvent], Cursor]:
    seen: list[StoredEvent] = []
    while True:
        found, cursor = store.feed(cursor, limit)
        if not found:
            return seen, cursor
        seen += found


def test_of_many_writers_with_one_version_one_wins(store: Store, in_threads) -> None:
    stream = uuid4()
    put(store, stream, 0)
    head = store.head(stream)
    assert head

    def write(number: int):
        return lambda: store.append(stream, [event(number), event(number)], expected=head, command_id=uuid4())

    results = in_threads([write(number) for number in range(8)])
    assert [type(result) for result in results if isinstance(result, Exception)] == [VersionConflict] * 7
    assert [stored.version for stored in store.read(stream)] == [1, 2, 3]


def test_of_many_tries_of_one_command_one_wins(store: Store, in_threads) -> None:
    stream, command = uuid4(), uuid4()
    put(store, stream, 0)
    head = store.head(stream)
    assert head
    results = in_threads(
        [lambda: store.append(stream, [event(1), event(2)], expected=head, command_id=command) for _ in range(8)]
    )
    duplicates = [result for result in results if isinstance(result, DuplicateCommand)]
    assert len(duplicates) == 7
    assert {(duplicate.version, duplicate.count) for duplicate in duplicates} == {(2, 2)}


def test_writers_who_try_again_all_get_in(store: Store, in_threads) -> None:
    stream = uuid4()

    def write(number: int):
        def run() -> int:
            done = conflicts = 0
            while done < 20:
                try:
                    put(store, stream, number, done)
                    done += 1
                except VersionConflict:
                    conflicts += 1
            return conflicts

        return run

    results = in_threads([write(number) for number in range(6)])
    assert all(isinstance(result, int) for result in results), results
    stored = store.read(stream)
    assert [one.version for one in stored] == list(range(1, 241))
    previous = canonical.genesis(stream)
    for one in stored:
        previous = canonical.check_record(one.as_record(), previous)
    for number in range(6):
        assert [one.data["stones"] for one in stored if one.data["stones"] == number]
