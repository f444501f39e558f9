"""The hash tree over the heads of streams: its root, the path from a leaf to it, and the way back. Pure.

On each level two neighbours become one node; the last one of an odd level goes up unchanged. `events/README.md` describes it for
authors of independent verifiers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

from events.canonical import prefixed

LEAF_TAG = b"gamesvc.leaf/1"
NODE_TAG = b"gamesvc.node/1"


def leaf(salt: bytes, stream: str, version: int, hash: bytes) -> bytes:
    """Return the leaf of a stream's head. Without the salt, two roots would reveal whether anything had happened."""
    return hashlib.sha256(prefixed(LEAF_TAG, salt.hex().encode(), stream.encode(), b"%d" % version, hash)).digest()


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(prefixed(NODE_TAG, left, right)).digest()


Tree = list[dict[int, bytes]]
"""The known nodes of each level by their index in it. The leaves come first; the last level holds the root alone."""


def levels(leaves: Sequence[bytes]) -> Tree:
    """Return the tree in which every leaf is known. Raises `ValueError` without leaves."""
    if not leaves:
        raise ValueError("A tree needs a leaf.")
    return sparse(dict(enumerate(leaves)), len(leaves), _no_filler)


def sparse(leaves: Mapping[int, bytes], size: int, filler: Callable[[int, int], bytes]) -> Tree:
    """Return the tree of `size` leaves of which some are known. `filler(level, place)` replaces nodes over unknown leaves only.

    Its cost depends on the known leaves, however many places there are.
    """
    found: Tree = []
    nodes = dict(leaves)
    while size > 1:
        level = dict(nodes)
        for place in nodes:
            if place ^ 1 < size and place ^ 1 not in level:
                level[place ^ 1] = filler(len(found), place ^ 1)
        found.append(level)
        pairs = {place // 2: (level[place & ~1], level.get(place | 1)) for place in nodes}
        nodes = {place: left if right is None else node(left, right) for place, (left, right) in pairs.items()}
        size = (size + 1) // 2
    found.append(nodes or {0: filler(len(found), 0)})
    return found


def _no_filler(level: int, place: int) -> bytes:
    raise AssertionError(f"place {place} of level {level} is missing in a tree that is known whole")


def root(leaves: Sequence[bytes]) -> bytes:
    return levels(leaves)[-1][0]


def path(tree: Sequence[Mapping[int, bytes]], index: int) -> list[bytes]:
    """Return the neighbours that lead from leaf `index` up to the root; none where a node goes up unchanged."""
    found = []
    for level in tree[:-1]:
        if index ^ 1 in level:
            found.append(level[index ^ 1])
        index //= 2
    return found


def climb(start: bytes, index: int, size: int, neighbours: Sequence[bytes]) -> bytes:
    """Return the root that a leaf, its index among `size` leaves and its path lead to. Raises `ValueError` if they do not fit."""
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
