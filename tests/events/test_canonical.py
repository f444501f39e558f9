"""Canonical JSON and the chain of hashes, against the README's own verifier and vectors."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events import canonical
from events.canonical import Broken, NotCanonical

README = (Path(canonical.__file__).parent / "README.md").read_text(encoding="utf-8")
VECTORS = [line.encode() for line in re.findall(r"```json\n(.*?)```", README, re.DOTALL)[0].splitlines()]
STREAM = UUID("6f1c2a54-3d0e-4b7a-9c11-0a5d2e8f7b90")

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-canonical.LARGEST, canonical.LARGEST) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(max_codepoint=127)), inner, max_size=4),
    max_leaves=12,
)


def chain(lines: list[bytes]) -> bytes:
    previous = canonical.genesis(STREAM)
    for line in lines:
        previous = canonical.check_record(canonical.read_record(line), previous)
    return previous


def test_the_readme_s_verifier_and_ours_agree_on_its_vectors() -> None:
    source = re.findall(r"```python\n(import hashlib.*?)```", README, re.DOTALL)[0]
    names: dict[str, Any] = {}
    exec(source, names)
    assert names["verify"](VECTORS) == chain(VECTORS).hex()
    assert canonical.genesis(STREAM).hex() in README
    assert [canonical.encode(json.loads(line)) for line in VECTORS] == VECTORS


@given(VALUES)
def test_what_is_written_is_what_the_standard_library_would_write(value: Any) -> None:
    text = canonical.encode(value)
    assert canonical.decode(text) == value
    assert text == json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "text",
    [
        b'{"b":1,"a":2}', b'{"a": 1}', b'{"a":1,"a":1}', b'{"a":1.0}', b'{"a":1e3}', b'{"a":-0}', b'{"a":01}',
        b'{"a":9007199254740992}', b'{"a":"\\u00fc"}', b'{"a":"\\/"}', b'{"a":"\\u000A"}', b'{"a":"\\u000a"}',
        '{"ä":1}'.encode(), b'{"a":"\xff"}', b'\xef\xbb\xbf{}', b"{}\n", b" {}", b"", b"{", b"NaN", b"[Infinity]",
        b"[" * 102 + b"]" * 102, b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_not_canonical_is_refused(text: bytes) -> None:
    with pytest.raises(NotCanonical):
        canonical.decode(text)


@pytest.mark.parametrize("value", [0.0, float("nan"), 2**53, -(2**53), {1: 2}, {"ü": 1}, b"", {1}, datetime.now(UTC), STREAM])
def test_what_json_cannot_say_exactly_is_refused(value: Any) -> None:
    with pytest.raises(NotCanonical):
        canonical.encode({"deep": [value]} if not isinstance(value, dict) else value)


def test_times_are_utc_with_six_digits() -> None:
    moment = datetime(2026, 1, 1, 1, 0, 0, tzinfo=timezone(timedelta(hours=2)))
    assert canonical.write_time(moment) == "2025-12-31T23:00:00.000000Z"
    assert canonical.read_time("2025-12-31T23:00:00.000000Z") == moment
    for wrong in ("2025-12-31T23:00:00Z", "2025-12-31T23:00:00.000000+00:00", "2025-02-30T23:00:00.000000Z", "", None):
        with pytest.raises(NotCanonical):
            canonical.read_time(wrong)  # type: ignore[arg-type]
    with pytest.raises(NotCanonical):
        canonical.write_time(datetime(2026, 1, 1))  # noqa: DTZ001 - the point


CHANGES: dict[str, Any] = {
    "match": "6f1c2a54-3d0e-4b7a-9c11-0a5d2e8f7b91", "version": 3, "type": "toy.take", "type_version": 2, "data": {},
    "meta": {}, "occurred_at": "2026-11-20T20:00:00.000002Z", "salt": "f" * 31 + "e", "digest": "0" * 64, "hash": "0" * 64,
}  # fmt: skip


@pytest.mark.parametrize("field", CHANGES)
def test_a_change_of_any_field_is_found(field: str) -> None:
    changed = canonical.encode({**json.loads(VECTORS[1]), field: CHANGES[field]})
    with pytest.raises(Broken):
        chain([VECTORS[0], changed])


def test_a_missing_or_moved_line_is_found() -> None:
    for lines in ([VECTORS[1]], [VECTORS[1], VECTORS[0]], [VECTORS[0], VECTORS[0]]):
        with pytest.raises(Broken):
            chain(lines)


def test_redacted_and_sealed_lines_keep_the_chain() -> None:
    whole = json.loads(VECTORS[0])
    sealed = {name: whole[name] for name in ("match", "version", "digest", "hash")}
    redacted = {**sealed, "type": whole["type"], "data": {}, "redacted": True}
    for shown in (sealed, redacted):
        assert chain([canonical.encode(shown), VECTORS[1]]) == chain(VECTORS)


@pytest.mark.parametrize(
    "change",
    [{"extra": 1}, {"salt": "FF" * 16}, {"version": 0}, {"version": True}, {"match": "x"}, {"data": []}, {"type": 1},
     {"redacted": False}, {"occurred_at": "now"}, {"digest": "ab"}],
)  # fmt: skip
def test_records_of_the_wrong_shape_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(NotCanonical):
        canonical.read_record(canonical.encode({**json.loads(VECTORS[0]), **change}))
    with pytest.raises(NotCanonical):
        canonical.read_record(b"[]")
    short = {name: value for name, value in json.loads(VECTORS[0]).items() if name != "salt"}
    with pytest.raises(NotCanonical):
        canonical.read_record(canonical.encode(short))
