"""Ways in which people write orders that the games' notation does not have: marks around a line, several orders in one, names.

Only the names depend on the match. What decides how the lines of a mail are counted depends on the words alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeVar

from django.utils.translation import gettext as _

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import SEAT_NAMES

T = TypeVar("T")

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
# Said of the orders themselves, unlike "not" or "if", which stand in every notice of a company.
_TAKES_BACK = re.compile(
    r"\b(?:ignore|forget|scrap|drop|disregard|cancel) (?:that|these|my|all of|the (?:above|orders?|moves?|first|second|last))\b"
    r"|\b(?:do not|don['’]?t) (?:do|play|carry|execute|run|make) (?:that|this|it|them|these|any|out|the)\b"
    r"|\bon second thoughts?\b|\bchanged my mind\b|\bnot yet\b|\b(?:just|only) a (?:draft|preview|test)\b"
    r"|\bwait (?:for|until|till|with)\b|\btake (?:\w+ ){1,3}back\b"
    r"|\bvergiss (?:das|die)\b|\b(?:doch|noch) nicht\b|\bnicht ausführen\b"
    r"|\bnur (?:ein |eine )?(?:entwurf|vorschau)\b|\bignorier",
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


def takes_back(said: str) -> bool:
    """Return True for words that take orders back wherever they stand in a mail, however much is said around them."""
    return bool(_TAKES_BACK.search(said))


def parts(line: str, verbs: Collection[str]) -> list[str]:
    """Split `order; order`. A semicolon within one order stays, where what follows begins with no word of orders."""
    said = [part.strip() for part in line.split(";")]
    said = [part for part in said if part]
    if len(said) > 1 and all(part.split()[0].casefold() in verbs for part in said) and said[0].split()[0].casefold() != "orders":
        return said
    return [line]


def read_with_names(order: str, names: Sequence[str], read: Callable[[str], T]) -> T:
    """Read an order that names players where the game has the colours of seats. Raises the refusal of what is written.

    An order that means something else once its names are read as players is refused: a player may be called like a colour.
    """
    coloured = with_colours(order, names)
    written = _tried(read, order)
    named = written if coloured == order else _tried(read, coloured)
    if isinstance(named, Refused):
        named = written
    if isinstance(named, Refused):
        raise named
    if not isinstance(written, Refused) and written != named:
        detail = _("A player has a name that also means something else here. Write the colour of their seat: %(order)s")
        raise Refused("unreadable", detail % {"order": coloured})
    return named


def _tried(read: Callable[[str], T], order: str) -> T | Refused:
    try:
        return read(order)
    except Refused as refused:
        return refused


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
