"""Limits on JSON from outside, whatever it describes."""

from __future__ import annotations

from gamesvc.games.kernel.codec.hints import Malformed, of
from gamesvc.games.kernel.codec.parts import PART
from gamesvc.json_types import JsonMapping

# Limits on a position. Real ones have about 2,000 values and ten levels.
DEEPEST = 40
MOST_VALUES = 100_000
LARGEST = 2**53 - 1
LONGEST_KEY = 100


def _is_text(text: str) -> bool:
    """Return True if every reader can store the text: it has no U+0000 and no lone surrogates."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def check_plain(document: object) -> None:
    """Raise `Malformed` for JSON that is too deep, too large or not plain, and for text that some readers cannot store."""
    waiting: list[tuple[_Path, object, int]] = [(None, document, 0)]
    count = 0
    while waiting:
        path, value, depth = waiting.pop()
        count += 1
        if count > MOST_VALUES:
            raise Malformed(f"it has more than {MOST_VALUES} values")
        if depth > DEEPEST:
            raise Malformed(f"{_written(path)[:80]}... is nested deeper than {DEEPEST} levels")
        if isinstance(value, dict):
            for key, item in value.items():
                if not isinstance(key, str) or not _is_text(key) or len(key) > LONGEST_KEY:
                    where = _written(path) or "it"
                    raise Malformed(f"{where} has the key {key!r:.40}; keys are text without U+0000 and half characters")
                waiting.append(((path, key), item, depth + 1))
        elif isinstance(value, (list, tuple)):
            waiting += [((path, at), item, depth + 1) for at, item in enumerate(value)]
        elif fault := _fault(value):
            raise Malformed(f"{_written(path)} must be {fault}")


_Path = tuple["_Path", str | int] | None
"""The path of a value: that of the value around it, and its own name or number. Written out only where something is wrong:
hundreds of thousands of values may lie below forty names of a hundred letters.
"""


def _written(path: _Path) -> str:
    names = []
    while path is not None:
        path, name = path
        names.append(f"/{name}")
    return "".join(reversed(names))


def _fault(value: object) -> str:
    """Return what a single value must be instead; empty if it can be stored."""
    if isinstance(value, str):
        return "" if _is_text(value) else "text without U+0000 and half characters"
    if isinstance(value, int):
        return "" if abs(value) <= LARGEST else f"a whole number up to {LARGEST}"
    return "" if value is None else "text, a whole number, true, false, null, a list or an object"


def check_written_out(position: JsonMapping) -> None:
    """Raise `Malformed` for a position whose states hold too many values in all, however few parts they are made of.

    Each state is judged as a whole: a few kilobytes of parts can stand for hundreds of the largest states. A part may refer to
    earlier ones alone, so that each is counted once, in order.
    """
    parts: list[int] = []
    for part in of(position.get("parts", []), list, "/parts"):
        parts.append(_count(part, parts, f"/parts/{len(parts)}"))
    if _count([position.get("state"), position.get("marked")], parts, "the state") > MOST_VALUES:
        raise Malformed(f"its states have more than {MOST_VALUES} values in all, counting each part wherever it is referred to")


def _count(value: object, parts: list[int], where: str) -> int:
    """Return the number of values in plain JSON, with all that its references to parts stand for, whose numbers are `parts`."""
    if isinstance(value, dict) and isinstance(number := value.get(PART), int):
        if not 0 <= number < len(parts):
            raise Malformed(f"{where} refers to part {number}, and there is no such part before it")
        return parts[number] + _count(value.get("and"), parts, where)
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return min(1 + sum(_count(item, parts, where) for item in items), MOST_VALUES + 1)
