"""Canonical JSON, the hashed bytes of an event and the chain of hashes. No Django: a verifier needs only this module.

`events/README.md` describes the format exactly, with test vectors, for authors of independent verifiers.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson

from gamesvc.errors import GamesvcError
from gamesvc.json_types import JsonMapping, JsonObject

LARGEST = 2**53 - 1
DEEPEST = 100
EVENT_TAG = b"gamesvc.event/1"
STREAM_TAG = b"gamesvc.stream/1"
HASHED = ("match", "version", "type", "type_version", "data", "meta", "occurred_at", "salt")
FULL = frozenset((*HASHED, "digest", "hash"))
SEALED = frozenset(("match", "version", "digest", "hash"))

_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z", re.ASCII)
_PLAIN = frozenset((str, bool, type(None)))
_OPTIONS = orjson.OPT_SORT_KEYS | orjson.OPT_STRICT_INTEGER


class NotCanonical(GamesvcError, ValueError):
    """The value or the bytes do not follow the format; the message says where."""


class Broken(GamesvcError, ValueError):
    """A record's digest or hash does not follow from its content and the hash before it."""


def encode(value: object) -> bytes:
    """Return a value as canonical JSON. Raises `NotCanonical` for floats, large integers, and keys that are not ASCII text."""
    _check(value, 0)
    try:
        written = orjson.dumps(value, option=_OPTIONS)
    except orjson.JSONEncodeError as error:
        raise NotCanonical(f"This cannot be written as canonical JSON: {error}.") from None
    if not written.isascii():
        _check_keys(value)
    return written


def decode(text: bytes) -> Any:
    """Return the value of canonical JSON. Raises `NotCanonical` unless the bytes are exactly those that `encode` would write."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise NotCanonical(f"This is not JSON in UTF-8: {error}.") from None
    if encode(value) != text:
        raise NotCanonical("This JSON is not canonical: keys sorted, no spaces, each key once, text escaped no more than needed.")
    return value


def _check(value: Any, depth: int) -> None:
    kind = type(value)
    if kind is dict:
        value = value.values()
    elif kind is not list and kind is not tuple:
        if kind is int:
            if not -LARGEST <= value <= LARGEST:
                raise NotCanonical(f"{value} is not an integer below 2^53.")
        elif kind not in _PLAIN:
            raise NotCanonical(f"{value!r} ({kind.__name__}) is not one of text, integer, true, false, null, list, object.")
        return
    if depth > DEEPEST:
        raise NotCanonical(f"The value is nested deeper than {DEEPEST} levels.")
    for item in value:
        if type(item) not in _PLAIN:
            _check(item, depth + 1)


def _check_keys(value: object) -> None:
    if isinstance(value, dict):
        for key in value:
            if not key.isascii():
                raise NotCanonical(f"The key {key!r} is not ASCII text.")
        value = value.values()
    if not isinstance(value, str):
        for item in value if isinstance(value, Iterable) else ():
            _check_keys(item)


def in_utc(moment: datetime) -> datetime:
    """Return the same moment in UTC. Raises `NotCanonical` for a time without a zone."""
    if moment.tzinfo is None:
        raise NotCanonical("A time must know its zone.")
    return moment.astimezone(UTC)


def write_time(moment: datetime) -> str:
    """Return `YYYY-MM-DDTHH:MM:SS.ffffffZ`, always in UTC and always with six digits."""
    if moment.tzinfo is not UTC:
        moment = in_utc(moment)
    return moment.isoformat(timespec="microseconds")[:26] + "Z"


def read_time(text: str) -> datetime:
    """Return the moment that `write_time` wrote. Raises `NotCanonical` for anything else."""
    if not isinstance(text, str) or not _TIME.fullmatch(text):
        raise NotCanonical(f"{text!r} is not a time as YYYY-MM-DDTHH:MM:SS.ffffffZ.")
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise NotCanonical(f"{text!r} is not a time: {error}.") from None


_length = struct.Struct(">I").pack


def prefixed(*fields: bytes) -> bytes:
    """Return `P(a, b, ...)` of the format: each field after its length in four bytes."""
    return b"".join([_length(len(field)) + field for field in fields])


_EVENT_TAG = prefixed(EVENT_TAG)


def genesis(stream: UUID) -> bytes:
    """Return the hash that the first event of a stream links to."""
    return hashlib.sha256(prefixed(STREAM_TAG, str(stream).encode())).digest()


def digest(
    *, stream: str, version: int, type: str, type_version: int, data: bytes, meta: bytes, occurred_at: str, salt: bytes
) -> bytes:
    """Return the SHA-256 over the length-prefixed fields. `data` and `meta` are canonical JSON, `occurred_at` is from
    `write_time`.
    """
    # `prefixed` inlined: half the cost of verifying a chain is here.
    match, number, kind, kind_version = stream.encode(), b"%d" % version, type.encode(), b"%d" % type_version
    moment, salted = occurred_at.encode(), salt.hex().encode()
    parts = (
        _EVENT_TAG, _length(len(match)), match, _length(len(number)), number, _length(len(kind)), kind,
        _length(len(kind_version)), kind_version, _length(len(data)), data, _length(len(meta)), meta,
        _length(len(moment)), moment, _length(len(salted)), salted,
    )  # fmt: skip
    return hashlib.sha256(b"".join(parts)).digest()


def link(previous_hash: bytes, digest: bytes) -> bytes:
    """Return the hash of an event: SHA-256 over the hash before it and its digest, 32 bytes each."""
    return hashlib.sha256(previous_hash + digest).digest()


def read_record(line: bytes) -> JsonObject:
    """Return one line of an export as a record: a whole event, a redacted one or a sealed one.

    Raises `NotCanonical` if the bytes are not canonical or the fields not those of an event. `check_record` does the proof.
    """
    record = decode(line.removesuffix(b"\n"))
    if not isinstance(record, dict):
        raise NotCanonical("A record is an object.")
    fields = record.keys()
    if record.get("redacted") is True:
        fits = fields >= SEALED and fields <= FULL | {"redacted"} and not fields >= FULL
    else:
        fits = fields in (FULL, SEALED)
    if not fits:
        raise NotCanonical(f"These are not the fields of an event: {', '.join(sorted(fields))}.")
    for name, value in record.items():
        if not _SHAPES[name](value):
            raise NotCanonical(f"{name} has the wrong form: {str(value)[:80]!r}.")
    if "occurred_at" in record:
        read_time(record["occurred_at"])
    return record


def check_record(record: JsonMapping, previous_hash: bytes) -> bytes:
    """Prove a record from `read_record` against the hash before it. Return its own hash. Raises `Broken`.

    For a whole event the digest is proved too; for a redacted or sealed one only its place in the chain.
    """
    claimed = bytes.fromhex(record["digest"])
    if record.keys() == FULL:
        found = digest(
            stream=record["match"],
            version=record["version"],
            type=record["type"],
            type_version=record["type_version"],
            # Only encoded again: `read_record` has checked the content.
            data=orjson.dumps(record["data"], option=_OPTIONS),
            meta=orjson.dumps(record["meta"], option=_OPTIONS),
            occurred_at=record["occurred_at"],
            salt=bytes.fromhex(record["salt"]),
        )
        if found != claimed:
            raise Broken(
                f"The content of event {record['version']} does not give its digest: {found.hex()}, not {claimed.hex()}."
            )
    hashed = link(previous_hash, claimed)
    if hashed.hex() != record["hash"]:
        raise Broken(f"The hash of event {record['version']} does not follow from the one before it: {hashed.hex()} does.")
    return hashed


def _hex(length: int) -> Callable[[object], bool]:
    pattern = re.compile(f"[0-9a-f]{{{length}}}")
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _whole(value: object) -> bool:
    return type(value) is int and value > 0


def _text(value: object) -> bool:
    return isinstance(value, str)


def _object(value: object) -> bool:
    return isinstance(value, dict)


def _uuid(value: object) -> bool:
    try:
        return isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        return False


_SHAPES: dict[str, Callable[[object], bool]] = {
    "match": _uuid, "version": _whole, "type": _text, "type_version": _whole, "data": _object, "meta": _object,
    "occurred_at": _text, "salt": _hex(32), "digest": _hex(64), "hash": _hex(64), "redacted": lambda value: value is True,
}  # fmt: skip
