"""Ways in which people write orders that the games' notation does not have: marks around a line, several orders in one, names.

Only `with_colours` depends on the match. What decides how the lines of a mail are counted depends on the words alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from gamesvc.games.kernel.wording import SEAT_NAMES

# Lists are often written with a dash, a dot or a number before each line.
_BULLET = re.compile(r"^(?:[-*•·]\s+|\d{1,2}[.)]\s+)")
_PAIRS = ('""', "''", "``", "“”", "„“", "„”", "‘’", "‚‘", "«»", "»«", "**", "__", "()", "[]")
_COMMENT = re.compile(r"(?<=\s)(?:#|//)\s.*$")
_DOUBTS = re.compile(
    r"\?|\b(?:not|don['’]?t|never|wait|hold|only|if|in case|unless|until|after|try|would|preview|undo|ignore|sorry|instead)\b"
    r"|\b(?:mean|cancel|stop|forget|draft|correction)\b|\b(?:no|nein|nicht)\s*(?:[!.,]|$)"
    r"|\btake (?:\w+ ){1,3}back\b|\b(?:nur|warte\w*|wenn|falls|vorschau|zurück|statt|(?:doch|noch|bitte) nicht)\b"
    r"|\bnicht (?:aus|tun|mach)|^\W*#",
    re.IGNORECASE,
)
OTHER_LANGUAGES = {
    "hilfe": "help",
    "brett": "board",
    "blatt": "hand",
    "verlauf": "history",
    "vorschau": "preview",
    "zurück": "undo",
    "zurueck": "undo",
    "urlaub": "vacation",
    "nachricht": "press",
    "warten": "wait",
    "fertig": "ready",
    "aufgeben": "resign",
    "ende": "end",
}
"""Service words in other languages than English."""


def bare(line: str) -> str:
    """Return a line without a bullet, and without quotation marks, asterisks or brackets around all of it."""
    said = _BULLET.sub("", line.strip())
    while len(said) > 2 and said[0] + said[-1] in _PAIRS:
        said = said[1:-1].strip()
    return said


def plain(order: str) -> str:
    """Return an order without a comment behind `#` or `//`, and without a sentence's mark at its end."""
    comment = _COMMENT.search(order)
    if comment and not doubts(comment[0].lstrip("#/ ")):
        order = order[: comment.start()]
    return order.rstrip(" .;,!")


def doubts(said: str) -> bool:
    """Return True for words that may take orders back, or make them depend on something: no, wait, only if, a question."""
    return bool(_DOUBTS.search(said))


def parts(line: str, verbs: Collection[str]) -> list[str]:
    """Split `order; order`. A semicolon within one order stays, where what follows begins with no word of orders."""
    said = [part.strip() for part in line.split(";")]
    said = [part for part in said if part]
    if len(said) > 1 and all(part.split()[0].casefold() in verbs for part in said) and said[0].split()[0].casefold() != "orders":
        return said
    return [line]


def with_colours(order: str, names: Sequence[str]) -> str:
    """Return an order with the colours of seats in place of their players' names. A name of two players stays as it is."""
    folded = [name.casefold() for name in names]
    seats = {name: seat for seat, name in enumerate(folded) if name and folded.count(name) == 1}
    if not seats:
        return order
    return _names(seats).sub(lambda found: SEAT_NAMES[seats[found[0].casefold()]], order)


def _names(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)", re.IGNORECASE)
