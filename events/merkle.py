"""The hash tree over the heads of all streams: its root, the path from a leaf to it, and the way back. Pure.

Level by level two neighbours become one node; the last of an odd level goes up as it is. `events/README.md`
describes it for those who write a verifier of their own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from events.canonical import prefixed

LEAF_TAG = b"gamesvc.leaf/1"
NODE_TAG = b"gamesvc.node/1"


def leaf(salt: bytes, stream: str, version: int, hash: bytes) -> bytes:
    """The leaf of a stream's head. The salt is the checkpoint's: without it two roots would tell whether anything happened."""
    return hashlib.sha256(prefixed(LEAF_TAG, salt.hex().encode(), stream.encode(), b"%d" % version, hash)).digest()


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(prefixed(NODE_TAG, left, right)).digest()


def levels(leaves: Sequence[bytes]) -> list[list[bytes]]:
    """All levels of the tree, the leaves first, the root alone in the last. Raises `ValueError` without leaves."""
    if not leaves:
        raise ValueError("A tree needs a leaf.")
    found = [list(leaves)]
    while len(below := found[-1]) > 1:
        above = [node(below[at], below[at + 1]) for at in range(0, len(below) - 1, 2)]
        found.append(above + below[-1:] if len(below) % 2 else above)
    return found


def root(leaves: Sequence[bytes]) -> bytes:
    return levels(leaves)[-1][0]


def path(tree: Sequence[Sequence[bytes]], index: int) -> list[bytes]:
    """The neighbours that lead from leaf `index` to the root, from below; none where a node goes up as it is."""
    found = []
    for level in tree[:-1]:
        if (index ^ 1) < len(level):
            found.append(level[index ^ 1])
        index //= 2
    return found


def climb(start: bytes, index: int, size: int, neighbours: Sequence[bytes]) -> bytes:
    """The root that a leaf, its index among `size` leaves and its path lead to. Raises `ValueError` where they do not fit."""
    if not 0 <= index < size:
        raise ValueError(f"leaf {index} is not one of {size}")
    left = list(neighbours)
    while size > 1:
        if index % 2 or index + 1 < size:
            if not left:
                raise ValueError("the path is too short")
            start = node(left.pop(0), start) if index % 2 else node(start, left.pop(0))
        index, size = index // 2, (size + 1) // 2
    if left:
        raise ValueError("the path is too long")
    return start
