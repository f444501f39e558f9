"""The proof of all draws: the commitment against the revealed secret, the contributions, every draw recomputed. Pure.

`gamesvc/games/README.md`, section Chance, describes the algorithm.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gamesvc.games.kernel.dice import KeyedSource, commitment, draw_key
from gamesvc.matches.events import Ended, Joined, Left, Opened, Started
from gamesvc.matches.record.evidence import Record, Wrong, field

KINDS = ("of", "choose", "shuffle", "sample")
# Far more than any deck has. A higher limit would only let a forged file exhaust the memory.
MOST_ITEMS = 100_000
_HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Chance:
    """The values that fix the draws of a match. `source` is None until the secret is revealed."""

    commitment: str
    contributions: dict[int, str]
    source: KeyedSource | None


def read_chance(records: Sequence[Record], secret: bytes | None = None) -> Chance:
    """Return commitment, contributions and secret, and check that they fit together. Raises `Wrong`.

    `secret`: what only the service knows while a match runs.
    """
    first = records[0]
    if first.get("type") != Opened.TYPE:
        raise Wrong(1, "The first event of a match is match.opened; this one is not.")
    committed = field(first, str, "data", "commitment")
    if not _HEX.fullmatch(committed):
        raise Wrong(1, "data.commitment must be a SHA-256 in hex.")
    contributions = _contributions(records, field(first, int, "data", "seats"))
    last = records[-1]
    if last.get("type") == Ended.TYPE:
        text = field(last, str, "data", "secret")
        if not _HEX.fullmatch(text):
            raise Wrong(last["version"], "data.secret must be 32 bytes in hex.")
        secret = bytes.fromhex(text)
        if commitment(secret) != committed:
            raise Wrong(
                last["version"],
                f"The revealed secret does not fit the commitment of version 1: its SHA-256 is {commitment(secret)}.",
            )
    if secret is None:
        return Chance(committed, contributions, None)
    given = [contributions[seat] for seat in sorted(contributions) if contributions[seat]]
    return Chance(committed, contributions, KeyedSource(draw_key(secret, first["match"], given)))


def _contributions(records: Sequence[Record], seats: int) -> dict[int, str]:
    """Return the contribution of each seat at the start; an empty text if there is none."""
    found: dict[int, str] = {}
    started = False
    for record in records:
        kind = record.get("type")
        if kind not in (Joined.TYPE, Left.TYPE, Started.TYPE):
            continue
        version = record["version"]
        if started:
            raise Wrong(version, f"{kind} comes after the start, when the key of the draws is fixed.")
        if kind == Started.TYPE:
            started = True
            if len(found) != seats:
                raise Wrong(version, f"The match starts with seats {sorted(found)} taken, of {seats}.")
            continue
        seat = field(record, int, "data", "seat")
        if kind == Left.TYPE:
            if found.pop(seat, None) is None:
                raise Wrong(version, f"Seat {seat} is left, and nobody had taken it.")
            continue
        given = field(record, str, "data", "contribution")
        if seat in found or not 0 <= seat < seats:
            raise Wrong(version, f"Seat {seat} cannot be taken: it is taken already, or there is none.")
        if given and not _HEX.fullmatch(given):
            raise Wrong(version, "data.contribution must be empty or a SHA-256 in hex.")
        found[seat] = given
    return found


def check_draws(records: Sequence[Record], source: KeyedSource | None) -> int:
    """Check that draws are numbered without gaps and, with the source, that each follows from the key. Raises `Wrong`.

    Returns the number of draws. Without the source only their form is proved.
    """
    following = 0
    for record in records:
        meta = record.get("meta")
        if meta is None or "draws" not in meta:
            continue
        for draw in field(record, list, "meta", "draws"):
            kind, n, got = _read(draw, record["version"])
            if draw["i"] != following:
                raise Wrong(record["version"], f"Draw {draw['i']} is recorded where draw {following} comes next.")
            if source is not None and (found := _draw(source, following, kind, n, got)) != got:
                raise Wrong(record["version"], f"Draw {following} ({kind} {n}) gives {found}; {got} is recorded.")
            following += 1
    return following


def _read(draw: Any, version: int) -> tuple[str, int, int | list[int]]:
    kind = next((kind for kind in KINDS if isinstance(draw, dict) and draw.keys() == {"i", kind, "got"}), None)
    if kind is None:
        raise Wrong(version, f"A draw is an object of i, got and one of {', '.join(KINDS)}; {str(draw)[:80]} is none.")
    n, got = draw[kind], draw["got"]
    least = 1 if kind in ("of", "choose") else 0
    if type(draw["i"]) is not int or type(n) is not int or n < least:
        raise Wrong(version, f"i and {kind} of a draw must be whole numbers.")
    if kind in ("of", "choose"):
        if type(got) is not int:
            raise Wrong(version, f"got of draw {draw['i']} must be a whole number.")
    elif not isinstance(got, list) or n > MOST_ITEMS or len(got) > n or (kind == "shuffle" and len(got) != n):
        raise Wrong(version, f"got of draw {draw['i']} must be a list of indices below {n}.")
    return kind, n, got


def _draw(source: KeyedSource, i: int, kind: str, n: int, got: int | list[int]) -> int | list[int]:
    if isinstance(got, list):
        return list(source.order(i, n, len(got)))
    return source.below(i, n) + (kind == "of")
