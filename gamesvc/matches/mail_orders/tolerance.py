"""Ways in which people write orders that the games' notation does not have: marks around a line, several orders in one, comments.

What decides how the lines of a mail are counted depends on the words alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from gamesvc.matches.mail_orders import remarks

# Lists are often written with a dash, a dot or a number before each line.
_BULLET = re.compile(r"^(?:[-*•·]\s+|\d{1,2}[.)]\s+)")
_PAIRS = ('""', "''", "``", "“”", "„“", "„”", "‘’", "‚‘", "«»", "»«", "**", "__", "()", "[]")
_COMMENT = re.compile(r"(?<=\s)(?:#|//)\s.*$")


def bare(line: str) -> str:
    """Return a line without a bullet, and without quotation marks, asterisks or brackets around all of it."""
    said = _BULLET.sub("", line.strip())
    while len(said) > 2 and said[0] + said[-1] in _PAIRS:
        said = said[1:-1].strip()
    return said


def plain(order: str) -> str:
    """Return an order without a comment behind `#` or `//`, and without a sentence's mark at its end."""
    comment = _COMMENT.search(order)
    said = comment[0].lstrip("#/ ") if comment else ""
    if comment and not remarks.is_doubtful(said) and not remarks.holds_revocation(said):
        order = order[: comment.start()]
    return order.rstrip(" .;,!")


def parts(line: str, verbs: Collection[str]) -> list[str]:
    """Split `order; order`. A semicolon within one order stays, where what follows begins with no word of orders."""
    said = [part.strip() for part in line.split(";")]
    said = [part for part in said if part]
    if len(said) > 1 and all(part.split()[0].casefold() in verbs for part in said) and said[0].split()[0].casefold() != "orders":
        return said
    return [line]
