"""The block of lines in a mail that are meant as orders: below a greeting at most, and above everything else.

Only the words of a line decide, never the position: a mail that is handled again, after some of its orders have been carried out,
has the same block. In doubt a line is meant as an order, and one that cannot be read keeps the whole mail from being carried out.
"""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gamesvc.games.kernel.game import Game
from gamesvc.matches.mail_orders import tolerance
from notifications.parsing.quotes import COLON, is_attribution

# An id, a space, a die or a number of cards: E5, c12, a-07, 9.1, 2,1, 1M+.
_ID = re.compile(r"\b(?:[A-Za-z]{1,2}-?\d{1,3}|\d{1,2}[.,]\d|\d[AMBTRFW]\+?)\b")
_MACHINE = re.compile(r"\d|@|://|www\.|^\S{1,25}\s?[:：]\s*\S")
# Words that say that orders follow. Any other line with a colon at its end may introduce a quote, in a language we do not know.
_INTRODUCES = re.compile(r"\b(?:orders?|moves?|turn|befehle?|zug|züge|ordres|coups)\b", re.IGNORECASE)
MOST_GREETING = 3
LONGEST_GREETING = 120
MOST_REMARK = 14
"""The number of words up to which a paragraph below the orders may be a remark on them. Disclaimers are longer."""
MOST_PARAGRAPHS = 6
"""The number of paragraphs below the orders in which they may be taken back."""
CLOSE = 0.8
"""The likeness from which a word counts as a mistyped word of orders."""
FEW_WORDS = 8
WRAPPED_AT = 60
"""The columns at which mail programs may break a line."""
SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Block:
    """The lines `first` to `last` of a mail (indices; `last` is not in the block).

    `orders_below`: the number of lines below the block that look like orders.
    """

    first: int
    last: int
    orders_below: int = 0


def find(lines: Sequence[str], words: Collection[str], game: Game) -> Block:
    """Return the block of orders. `words`: the service words. Empty lines separate paragraphs.

    A mail without anything like an order, with more than a greeting above it, or with a remark at them that may take the orders
    back, is one block: all its lines are read.
    """
    if not game.verbs:
        return Block(0, len(lines))
    known = {*game.verbs, *words}
    meant = [means_order(line, known) for line in lines]
    first = next((at for at, means in enumerate(meant) if means), None)
    if first is None or not _greets([line for line in lines[:first] if line.strip()]):
        return Block(0, len(lines))
    last = _end(lines, meant, first)
    below = [" ".join(paragraph) for said, paragraph in itertools.groupby(lines[last:], lambda line: bool(line.strip())) if said]
    if any(tolerance.takes_back(said) for said in below[:MOST_PARAGRAPHS]):
        return Block(0, len(lines))
    if below and len(below[0].split()) <= MOST_REMARK and tolerance.doubts(below[0]):
        return Block(0, len(lines))
    return Block(first, last, sum(meant[last:]))


def _end(lines: Sequence[str], meant: Sequence[bool], first: int) -> int:
    """Return where the block ends: at the first line that is no order, unless an order follows it in the same paragraph."""
    followed = [False] * (len(lines) + 1)
    for at in range(len(lines) - 1, first, -1):
        followed[at] = bool(lines[at].strip()) and (meant[at] or followed[at + 1])
    for at in range(first, len(lines)):
        if meant[at] or not lines[at].strip() or followed[at]:
            continue  # between two orders something is mistyped
        if not (meant[at - 1] and len(lines[at - 1]) >= WRAPPED_AT):  # below a long one its end may stand
            return at
    return len(lines)


def means_order(line: str, known: Collection[str]) -> bool:
    """Return True if a line is meant as an order: it begins with a word of orders, or nearly so, or is short and names an id.

    True for every line that a game's `parse` reads, since games read the beginning of a word for the word.
    """
    said = line.split()
    if not said:
        return False
    word = said[0].casefold().strip("*_\"'`„“”‚‘’:.,;!?#-•·")
    if word in known:
        return True
    short, names = len(said) <= FEW_WORDS, bool(_ID.search(line))
    if word and any(verb.startswith(word) for verb in known):
        return names or len(said) <= 2 or (short and len(word) >= SHORTEST)
    return short and (names or bool(difflib.get_close_matches(word, known, n=1, cutoff=CLOSE)))


def _greets(lines: Sequence[str]) -> bool:
    """Return True if these lines can only be the writer's own words to us: few, short, and nothing like a program's."""
    if len(lines) > MOST_GREETING or any(len(line) > LONGEST_GREETING or _MACHINE.search(line) for line in lines):
        return False
    if any(tolerance.doubts(line) for line in lines):
        return False
    return not any(is_attribution(line) or (line.rstrip().endswith(COLON) and not _INTRODUCES.search(line)) for line in lines)
