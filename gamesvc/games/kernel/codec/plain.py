"""Limits on JSON from outside, whatever it describes."""

from __future__ import annotations

from gamesvc.games.kernel.codec.hints import Malformed

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
    waiting, count = [("", document, 0)], 0
    while waiting:
        path, value, depth = waiting.pop()
        count += 1
        if count > MOST_VALUES:
            raise Malformed(f"it has more than {MOST_VALUES} values")
        if depth > DEEPEST:
            raise Malformed(f"{path[:80]}... is nested deeper than {DEEPEST} levels")
        if isinstance(value, dict):
            for key, item in value.items():
                if not isinstance(key, str) or not _is_text(key) or len(key) > LONGEST_KEY:
                    raise Malformed(f"{path or 'it'} has the key {key!r:.40}; keys are text without U+0000 and half characters")
                waiting.append((f"{path}/{key}", item, depth + 1))
        elif isinstance(value, (list, tuple)):
            waiting += [(f"{path}/{at}", item, depth + 1) for at, item in enumerate(value)]
        elif isinstance(value, str):
            if not _is_text(value):
                raise Malformed(f"{path} must be text without U+0000 and half characters")
        elif isinstance(value, int):
            if abs(value) > LARGEST:
                raise Malformed(f"{path} must be a whole number up to {LARGEST}")
        elif value is not None:
            raise Malformed(f"{path} must be text, a whole number, true, false, null, a list or an object")
