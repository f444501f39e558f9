"""The signed content of a checkpoint: the root over all heads, chained to the checkpoint before. Pure; all a verifier needs.

Not here: storing and making checkpoints (`checkpoints`), the tree (`merkle`).
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from datetime import datetime

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from events import canonical
from events.proofs import merkle
from gamesvc.errors import GamesvcError
from gamesvc.json_types import JsonMapping, JsonObject

TAG = b"gamesvc.checkpoint/1"
NONE_BEFORE = bytes(32)
_HEX = re.compile(r"[0-9a-f]*", re.ASCII)


class BadCheckpoint(GamesvcError, ValueError):
    """A checkpoint or a proof of inclusion with a wrong format, or that does not prove its claim."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One signed statement about the heads of all streams."""

    number: int
    made_at: datetime
    streams: int
    root: bytes
    previous: bytes
    key: bytes
    signature: bytes

    @property
    def statement(self) -> JsonObject:
        return {
            "made_at": canonical.write_time(self.made_at),
            "number": self.number,
            "previous": self.previous.hex(),
            "root": self.root.hex(),
            "streams": self.streams,
        }

    @property
    def signed(self) -> bytes:
        """Return the bytes that are signed."""
        return canonical.prefixed(TAG, canonical.encode(self.statement))

    @property
    def hash(self) -> bytes:
        """Return the hash that the next checkpoint holds as `previous`."""
        return hashlib.sha256(self.signed).digest()

    def as_json(self) -> JsonObject:
        return {"statement": self.statement, "key": self.key.hex(), "signature": self.signature.hex()}


@dataclass(frozen=True, slots=True)
class Inclusion:
    """The proof that a stream had this head at a checkpoint."""

    checkpoint: Checkpoint
    version: int
    hash: bytes
    salt: bytes
    index: int
    path: tuple[bytes, ...]

    def as_json(self) -> JsonObject:
        """Return the checkpoint with its proof, as in the trailer of an export."""
        proof = {
            "version": self.version,
            "hash": self.hash.hex(),
            "salt": self.salt.hex(),
            "index": self.index,
            "path": [one.hex() for one in self.path],
        }
        return {**self.checkpoint.as_json(), "proof": proof}


def sign(seed: bytes, *, number: int, made_at: datetime, streams: int, root: bytes, previous: bytes = NONE_BEFORE) -> Checkpoint:
    """Return a statement signed with the 32-byte seed of an Ed25519 key."""
    private = Ed25519PrivateKey.from_private_bytes(seed)
    unsigned = Checkpoint(number, made_at, streams, root, previous, public_key(seed), b"")
    signature = private.sign(unsigned.signed)
    return Checkpoint(number, made_at, streams, root, previous, unsigned.key, signature)


def public_key(seed: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def check_signature(checkpoint: Checkpoint) -> None:
    """Raise `BadCheckpoint` unless the signature was made with the key the checkpoint names."""
    try:
        Ed25519PublicKey.from_public_bytes(checkpoint.key).verify(checkpoint.signature, checkpoint.signed)
    except (InvalidSignature, ValueError):
        raise BadCheckpoint(f"The signature of checkpoint {checkpoint.number} does not fit its statement and key.") from None


def check_inclusion(inclusion: Inclusion, stream: str) -> None:
    """Raise `BadCheckpoint` unless the path leads from the stream's head to the signed root."""
    start = merkle.leaf(inclusion.salt, stream, inclusion.version, inclusion.hash)
    try:
        found = merkle.climb(start, inclusion.index, inclusion.checkpoint.streams, inclusion.path)
    except ValueError as error:
        raise BadCheckpoint(f"The proof of inclusion is wrong: {error}.") from None
    if found != inclusion.checkpoint.root:
        raise BadCheckpoint(f"The proof of inclusion leads to {found.hex()}, not to the signed root.")


def read_checkpoint(value: object) -> Checkpoint:
    """Return the checkpoint that `Checkpoint.as_json` wrote. Raises `BadCheckpoint` for anything else."""
    outer = _fields(value, {"statement", "key", "signature"}, "A checkpoint")
    inner = _fields(outer["statement"], {"made_at", "number", "previous", "root", "streams"}, "The statement of a checkpoint")
    try:
        made_at = canonical.read_time(inner["made_at"])
    except canonical.NotCanonical as error:
        raise BadCheckpoint(f"made_at of a checkpoint: {error}") from None
    return Checkpoint(
        _whole(inner, "number", 1),
        made_at,
        _whole(inner, "streams", 1),
        _bytes(inner, "root", 32),
        _bytes(inner, "previous", 32),
        _bytes(outer, "key", 32),
        _bytes(outer, "signature", 64),
    )


def read_inclusion(value: object) -> Inclusion:
    """Return the proof that `Inclusion.as_json` wrote. Raises `BadCheckpoint` for anything else."""
    outer = _fields(value, {"statement", "key", "signature", "proof"}, "A checkpoint with its proof")
    checkpoint = read_checkpoint({name: one for name, one in outer.items() if name != "proof"})
    proof = _fields(outer["proof"], {"version", "hash", "salt", "index", "path"}, "The proof of inclusion")
    if not isinstance(proof["path"], list):
        raise BadCheckpoint("path of a proof of inclusion must be a list.")
    return Inclusion(
        checkpoint,
        _whole(proof, "version", 1),
        _bytes(proof, "hash", 32),
        _bytes(proof, "salt", 16),
        _whole(proof, "index", 0),
        tuple(_bytes({"path": one}, "path", 32) for one in proof["path"]),
    )


def read_key(text: str) -> bytes:
    """Return a public key in one of the usual formats: 64 hex digits, the JSON of `/api/v1/checkpoints/key/`, or PEM.

    Raises `BadCheckpoint`.
    """
    if "-----BEGIN" in text:
        try:
            loaded = load_pem_public_key(text.encode())
        except ValueError as error:
            raise BadCheckpoint(f"This PEM cannot be read: {error}.") from None
        if not isinstance(loaded, Ed25519PublicKey):
            raise BadCheckpoint("This PEM holds no Ed25519 public key.")
        return loaded.public_bytes_raw()
    bare = text.strip()
    if bare.startswith("{"):
        try:
            bare = str(orjson.loads(bare)["key"])
        except (ValueError, KeyError, TypeError):
            raise BadCheckpoint('This JSON holds no "key".') from None
    if len(bare) == 64 and _HEX.fullmatch(bare):
        return bytes.fromhex(bare)
    raise BadCheckpoint("A public key is 64 hex digits, the answer of /api/v1/checkpoints/key/, or PEM.")


def read_seeds(text: str) -> list[bytes]:
    """Return the keys in `CHECKPOINT_KEY`: base64 of 32 bytes, separated by commas; the first signs. Raises `ValueError`."""
    seeds = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        seed = base64.b64decode(part, validate=True)
        if len(seed) != 32:
            raise ValueError("a key has 32 bytes")
        seeds.append(seed)
    return seeds


def _fields(value: object, names: set[str], what: str) -> JsonMapping:
    if not isinstance(value, dict) or value.keys() != names:
        raise BadCheckpoint(f"{what} is an object of {', '.join(sorted(names))}.")
    return value


def _whole(value: JsonMapping, name: str, least: int) -> int:
    found = value[name]
    if type(found) is not int or found < least:
        raise BadCheckpoint(f"{name} must be a whole number from {least}.")
    return found


def _bytes(value: JsonMapping, name: str, length: int) -> bytes:
    found = value[name]
    if not isinstance(found, str) or len(found) != 2 * length or not _HEX.fullmatch(found):
        raise BadCheckpoint(f"{name} must be {2 * length} hex digits in small letters.")
    return bytes.fromhex(found)
