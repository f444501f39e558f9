"""Secrets of matches: made, sealed while the match runs, opened for draws, revealed at the end.

Keys come from `MATCH_KEYS` ("id:base64 of 32 bytes", comma-separated). The first key seals and all open, so keys are rotated by
adding one in front. The key's id is stored beside each sealed secret.
"""

from __future__ import annotations

import base64
import functools
import hmac
import os
import secrets as system
import uuid

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from gamesvc.errors import GamesvcError

_HALF, _TURNS = 2**26, 6
"""The two halves of a veiled number, and how often one of them is mixed into the other."""


class WrongKey(GamesvcError):
    """A stored secret that none of the configured keys opens."""


@functools.cache
def _keys(text: str) -> dict[str, bytes]:
    keys: dict[str, bytes] = {}
    for part in filter(None, text.split(",")):
        key_id, _, value = part.strip().partition(":")
        try:
            keys[key_id] = base64.b64decode(value, validate=True)
        except ValueError:
            keys[key_id] = b""
        if not key_id or len(keys[key_id]) != 32:
            raise ImproperlyConfigured('MATCH_KEYS must be "id:base64 of 32 bytes", several separated by commas.')
    if not keys:
        raise ImproperlyConfigured(
            "Set MATCH_KEYS: the key that seals the secrets of running matches (deploy/README.md, Settings)."
        )
    return keys


def new_secret() -> bytes:
    return system.token_bytes(32)


def seal(secret: bytes, match_id: uuid.UUID) -> tuple[str, bytes]:
    """Return the id of the key used and the sealed secret, bound to this match."""
    key_id, key = next(iter(_keys(settings.MATCH_KEYS).items()))
    nonce = os.urandom(12)
    return key_id, nonce + AESGCM(key).encrypt(nonce, secret, match_id.bytes)


def open_secret(key_id: str, sealed: bytes | memoryview, match_id: uuid.UUID) -> bytes:
    """Open a sealed secret. Raises `WrongKey` with the id of the key that is missing or does not fit."""
    key = _keys(settings.MATCH_KEYS).get(key_id)
    if key is None:
        raise WrongKey(f"MATCH_KEYS has no key {key_id!r}, with which the secret of match {match_id} is sealed.")
    sealed = bytes(sealed)
    try:
        return AESGCM(key).decrypt(sealed[:12], sealed[12:], match_id.bytes)
    except (InvalidTag, ValueError):  # the second one for a stump
        raise WrongKey(
            f"The key {key_id!r} in MATCH_KEYS does not open the secret of match {match_id}; it is another key."
        ) from None


def _keyed(parts: tuple[object, ...]) -> bytes:
    # Length prefixes, so that no two lists of parts give the same message.
    message = "".join(f"{len(str(part))}:{part}" for part in parts).encode()
    return hmac.digest(settings.SECRET_KEY.encode(), message, "sha256")


def keyed_uuid(*parts: object) -> uuid.UUID:
    """Return a stable id for the given parts that nobody can guess without our key."""
    return uuid.UUID(bytes=_keyed(parts)[:16])


def keyed_token(*parts: object) -> str:
    """Return a stable token for links and reply addresses: 160 bits in lower-case base32."""
    return base64.b32encode(_keyed(parts)[:20]).decode().lower()


def veiled(number: int, *parts: object) -> int:
    """Return another number for a row's id, which `unveiled` turns back. Two of them do not tell how far apart the ids are.

    The ids themselves count the rows of all users. Both numbers are below 2^52.
    """
    left, right = divmod(number, _HALF)
    for turn in range(_TURNS):
        left, right = right, left ^ _round(turn, right, parts)
    return left * _HALF + right


def unveiled(number: int, *parts: object) -> int:
    """Return the id of a row whose veiled number this is; for a number that is none, some id."""
    left, right = divmod(number % _HALF**2, _HALF)
    for turn in reversed(range(_TURNS)):
        left, right = right ^ _round(turn, left, parts), left
    return left * _HALF + right


def _round(turn: int, half: int, parts: tuple[object, ...]) -> int:
    return int.from_bytes(_keyed(("veiled", *parts, turn, half))[:8]) % _HALF
