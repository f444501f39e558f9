"""The only source of chance. Each draw is numbered and recorded, so that anyone can check it later.

This module holds the draws an engine may request, the sources of their results (a key, a script, or none), and the exact
algorithm. It does not hold the secret (`gamesvc.matches`) or the storage of draws (`events`). The algorithm and its test vectors
are documented in `gamesvc/games/README.md`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from gamesvc.errors import GamesvcError
from gamesvc.json_types import JsonObject

T = TypeVar("T")
Draw = JsonObject


class DrawNeeded(GamesvcError):
    """A preview has reached a point that needs a draw."""


class Source(Protocol):
    """A source of results. `i` is the number of the draw, counted from 0 within a match."""

    def below(self, i: int, n: int) -> int:
        """Return an integer from 0 to n-1."""

    def order(self, i: int, n: int, k: int) -> tuple[int, ...]:
        """Return `k` different integers from 0 to n-1, in the order drawn."""


def commitment(secret: bytes) -> str:
    """Return the commitment published before anyone joins: SHA-256 of the 32-byte secret, in hex."""
    return hashlib.sha256(secret).hexdigest()


def contribution(match_id: str, text: str) -> str:
    """Return the recorded form of a player's contribution: SHA-256 of match id, newline and text, in hex."""
    return hashlib.sha256(f"{match_id}\n{text}".encode()).hexdigest()


def draw_key(secret: bytes, match_id: str, contributions: Sequence[str]) -> bytes:
    """Derive the key for all draws from the secret, the match id and the contributed hashes in seat order."""
    message = "\n".join(["gamesvc dice 1", match_id, *contributions]).encode()
    return hmac.new(secret, message, hashlib.sha256).digest()


class KeyedSource:
    """Draws from HMAC-SHA256 under a key: unbiased, and reproducible for everyone who has the key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def _words(self, i: int) -> Iterator[int]:
        block = 0
        while True:
            message = i.to_bytes(8, "big") + block.to_bytes(4, "big")
            digest = hmac.digest(self._key, message, "sha256")
            for at in range(0, 32, 8):
                yield int.from_bytes(digest[at : at + 8], "big")
            block += 1

    @staticmethod
    def _below(words: Iterator[int], n: int) -> int:
        limit = (1 << 64) - (1 << 64) % n
        while (word := next(words)) >= limit:
            pass
        return word % n

    def below(self, i: int, n: int) -> int:
        return self._below(self._words(i), n)

    def order(self, i: int, n: int, k: int) -> tuple[int, ...]:
        words = self._words(i)
        items = list(range(n))
        for at in range(min(k, n - 1)):
            other = at + self._below(words, n - at)
            items[at], items[other] = items[other], items[at]
        return tuple(items[:k])


class BadScript(GamesvcError, ValueError):
    """A scripted result does not fit the draw."""


def _are_places(got: Sequence[object]) -> bool:
    return all(isinstance(at, int) and not isinstance(at, bool) for at in got)


class ScriptedSource:
    """Scripted results, followed by those of another source. For the engine protocol and tests only."""

    def __init__(self, script: Sequence[Any], then: Source) -> None:
        self.script = list(script)
        self.then = then

    def below(self, i: int, n: int) -> int:
        if not self.script:
            return self.then.below(i, n)
        if not isinstance(self.script[0], int) or isinstance(self.script[0], bool):
            raise BadScript(f"the script has {self.script[0]!r} where a number below {n} is drawn")
        return int(self.script.pop(0))

    def order(self, i: int, n: int, k: int) -> tuple[int, ...]:
        if not self.script:
            return self.then.order(i, n, k)
        if not isinstance(self.script[0], list):
            raise BadScript(f"the script has {self.script[0]!r} where {k} of {n} items are drawn in order")
        return tuple(self.script.pop(0))


class NoSource:
    """A source that refuses every draw, for previews."""

    def below(self, i: int, n: int) -> int:
        raise DrawNeeded

    def order(self, i: int, n: int, k: int) -> tuple[int, ...]:
        raise DrawNeeded


class Dice:
    """The dice handed to an engine. `next` is the number of the next draw; it never decreases, not even after a rewind."""

    def __init__(self, source: Source, next_draw: int = 0) -> None:
        self.source = source
        self.next = next_draw
        self._taken: list[Draw] = []

    def _record(self, kind: str, n: int, got: int | list[int]) -> None:
        self._taken.append({"i": self.next, kind: n, "got": got})
        self.next += 1

    def roll(self, sides: int) -> int:
        """Return an integer from 1 to `sides`. A scripted result is the number on the die. Recorded as `{"i", "of", "got"}`."""
        if isinstance(self.source, ScriptedSource) and self.source.script:
            got = self.source.below(self.next, sides)
        else:
            got = self.source.below(self.next, sides) + 1
        if not 1 <= got <= sides:
            raise BadScript(f"a die of {sides} sides cannot show {got}")
        self._record("of", sides, got)
        return got

    def choose(self, n: int) -> int:
        """Return an integer from 0 to n-1. Recorded as `{"i", "choose", "got"}`."""
        got = self.source.below(self.next, n)
        if not 0 <= got < n:
            raise BadScript(f"{got} is not below {n}")
        self._record("choose", n, got)
        return got

    def shuffle(self, items: Sequence[T]) -> tuple[T, ...]:
        """Return the items in random order. Recorded as `{"i", "shuffle", "got"}`; `got` holds indices into `items`."""
        got = self.source.order(self.next, len(items), len(items))
        if not _are_places(got) or sorted(got) != list(range(len(items))):
            raise BadScript(f"{list(got)} is not an order of {len(items)} items")
        self._record("shuffle", len(items), list(got))
        return tuple(items[at] for at in got)

    def sample(self, items: Sequence[T], k: int) -> tuple[T, ...]:
        """Return `k` of the items in the order drawn. Recorded as `{"i", "sample", "got"}`; `got` holds indices into `items`."""
        if not 0 <= k <= len(items):
            raise ValueError(f"cannot draw {k} of {len(items)}")
        got = self.source.order(self.next, len(items), k)
        if not _are_places(got) or len(got) != k or len(set(got)) != k or any(not 0 <= at < len(items) for at in got):
            raise BadScript(f"{list(got)} are not {k} of {len(items)} items")
        self._record("sample", len(items), list(got))
        return tuple(items[at] for at in got)

    def permute(self, groups: Iterable[Sequence[str]]) -> dict[str, str]:
        """Shuffle the ids of each group. Return the new id for each old one."""
        return {old: new for group in groups for old, new in zip(group, self.shuffle(group), strict=True)}

    def taken(self) -> tuple[Draw, ...]:
        """Return the draws made since the last call."""
        taken, self._taken = tuple(self._taken), []
        return taken


def seeded(seed: str, match_id: str = "", next_draw: int = 0) -> Dice:
    """Return dice seeded with any text, for self-play, tests and the engine protocol."""
    return Dice(KeyedSource(draw_key(seed_secret(seed), match_id, ())), next_draw)


def seed_secret(seed: str) -> bytes:
    """Return the secret (32 bytes) of a match that is seeded with a text."""
    return hashlib.sha256(seed.encode()).digest()
