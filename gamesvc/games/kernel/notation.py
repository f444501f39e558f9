"""Helpers for orders as text: splitting, tolerant matching, and suggestions for unreadable words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

from gamesvc.games.kernel.game import Refused

FILLERS = frozenset({"to", "from", "at", "the", "with", "on", "a", "an", "and", "of", "in", "->"})


def words(text: str, fillers: frozenset[str] = FILLERS) -> list[str]:
    """Split an order into words. Case, commas, semicolons and filler words such as "to" are ignored."""
    cleaned = re.sub(r"->|=>|[,;]", " ", text.strip())
    return [word for word in cleaned.split() if word.casefold() not in fillers]


def suggest(word: str, known: Iterable[str], most: int = 3) -> str:
    """Return " Did you mean C4?" or an empty string."""
    options = {item.casefold(): item for item in known}
    close = difflib.get_close_matches(word.casefold(), options, n=most, cutoff=0.5)
    return f" Did you mean {' or '.join(options[item] for item in close)}?" if close else ""


def pick(word: str, known: Mapping[str, str] | Iterable[str], what: str) -> str:
    """Return the known name that `word` stands for: an exact match or an unambiguous prefix. Raises `Refused` otherwise.

    `known` maps accepted spellings to names; a plain list maps each name to itself.
    """
    names = known if isinstance(known, Mapping) else {name: name for name in known}
    folded = {name.casefold().replace("_", "").replace("-", ""): meant for name, meant in names.items()}
    key = word.casefold().replace("_", "").replace("-", "")
    if key in folded:
        return folded[key]
    starting = {meant for name, meant in folded.items() if key and name.startswith(key)}
    if len(starting) == 1:
        return starting.pop()
    if len(starting) > 1:
        raise Refused("unreadable", f"{word!r} may mean {' or '.join(sorted(map(str, starting)))}. Write more of the word.", what)
    raise Refused("unreadable", f"There is no {what} {word!r} here.{suggest(word, names)}", what)


def number(word: str, what: str) -> int:
    """Read an integer. Raises `Refused` for anything else."""
    if not re.fullmatch(r"[+-]?\d{1,9}", word):
        raise Refused("unreadable", f"{word!r} is not a number for {what}.", what)
    return int(word)
