"""Find the orders in a mail: one block, with at most a greeting above it.

Only the words of a line decide, never the position: a mail that is handled again, after some of its orders have been carried out,
has the same block. In doubt a line is meant as an order, and one that cannot be read keeps the whole mail from being carried out.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gamesvc.games.kernel.game import Game
from gamesvc.matches.mail_orders import remarks
from notifications.parsing.quotes import COLON, is_attribution, is_farewell, may_introduce_quote

_MACHINE = re.compile(r"\d|[@<>\[\]]|^-{2}|://|www\.|^\S{1,25}\s?[:：]\s*\S")
# Lines that say that orders follow. Any other line with a colon at its end may introduce a quote, in a language we do not know.
_INTRODUCES = re.compile(
    r"\W*(?:\w+[\s,!.]+){0,3}(?:here (?:are|come|is)|these are|my|our|the|hier (?:sind|kommen)|meine?|unsere?|voici|mes)?\s*"
    r"(?:my |our |the |meine |unsere |mes )?(?:new |next |neue )?(?:orders?|moves?|turn|befehle?|zug|züge|ordres|coups)\b",
    re.IGNORECASE,
)
_POSTSCRIPT = re.compile(r"\W*p\.?\s?s\b", re.IGNORECASE)
MOST_GREETING = 3
"""Lines of a greeting at most."""
LONGEST_GREETING = 120
"""Characters of such a line at most."""
MOST_REMARK = 14
"""The number of words up to which a paragraph below the orders may be a remark on them. Disclaimers are longer."""
MOST_REMARKS = 2
"""The number of paragraphs below the orders that may be such remarks."""
MOST_SIGNED = 4
"""The number of short lines below the closing line that may be such remarks."""
MOST_PARAGRAPHS = 6
"""The number of paragraphs below the orders in which they may be revoked."""
LIKENESS = 0.8
"""The likeness, from 0 to 1, from which a word counts as a mistyped word of orders."""
SHORT_LINE_WORDS = 8
SHORTEST_ABBREVIATION = 3
"""Letters from which the beginning of a word counts as the word."""
VAGUE_WORDS = 2
WRAPPED_AT = 60
"""The columns from which mail programs may break a line."""


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of a mail that are meant as orders, from the index `first` up to and without `end`.

    `orders_below`: the number of lines below the block that look like orders.
    """

    first: int
    end: int
    orders_below: int = 0


def find(lines: Sequence[str], words: Collection[str], game: Game) -> Block:
    """Return the block of orders. `words`: the service words. Empty lines separate paragraphs.

    A mail without anything like an order, with more than a greeting above it, or with a remark that may revoke or replace the
    orders, is one block: all its lines are read.
    """
    whole = Block(0, len(lines))
    if not game.verbs:
        return whole
    known = {*game.verbs, *words}
    meant = [means_order(line, known, game) for line in lines]
    first = next((at for at, means in enumerate(meant) if means), None)
    if first is None or not _greets([line for line in lines[:first] if line.strip()]):
        return whole
    vague = [means and is_vague(line, known, game) for line, means in zip(lines, meant, strict=True)]
    end = _without_names(lines, vague, first, _end(lines, meant, first))
    if _is_revoked(lines[end:]):
        return whole
    sure = [at for at in range(end, len(lines)) if meant[at] and not vague[at]]
    again = next((at for at in sure if _word(lines[at].split()[0]) in known), end)
    between = lines[end:again]
    if between and sum(len(line.split()) for line in between) <= MOST_REMARK and not any(map(is_farewell, between)):
        return whole  # so little stands between them that the second ones may replace the first
    return Block(first, end, len(sure))


def _is_revoked(below: Sequence[str]) -> bool:
    """Return True if the orders may be revoked below them: by a remark above the closing line or in a postscript, or plainly."""
    closed = next((at for at, line in enumerate(below) if is_farewell(line)), len(below))
    above, later = _paragraphs(below[:closed]), _paragraphs(below[closed:])
    doubted = [*_short(above)[:MOST_REMARKS], *(paragraph for paragraph in later if _POSTSCRIPT.match(paragraph))]
    # A remark may stand right below the closing line and the name, in one paragraph with them.
    signed = _short([line for line in below[closed + 1 :] if line.strip() and not remarks.is_notice(line)])[:MOST_SIGNED]
    return (
        any(map(remarks.is_doubtful, doubted))
        or any(map(remarks.is_revocation, signed))
        or any(map(remarks.holds_revocation, [*above, *later][:MOST_PARAGRAPHS]))
    )


def _short(paragraphs: Sequence[str]) -> list[str]:
    return [paragraph for paragraph in paragraphs if len(paragraph.split()) <= MOST_REMARK]


def _paragraphs(lines: Sequence[str]) -> list[str]:
    """Return the paragraphs that may be remarks, each in one line: no notices, and no introductions of quotes."""
    by_blank = itertools.groupby(lines, lambda line: bool(line.strip()))
    found = [" ".join(paragraph) for has_text, paragraph in by_blank if has_text]
    return [paragraph for paragraph in found if not may_introduce_quote(paragraph) and not remarks.is_notice(paragraph)]


def _end(lines: Sequence[str], meant: Sequence[bool], first: int) -> int:
    """Return where the block ends: at a closing line, or at a line that is no order and has none below it in its paragraph."""
    closed = next((at for at in range(first + 1, len(lines)) if is_farewell(lines[at])), len(lines))
    followed = [False] * (closed + 1)
    for at in range(closed - 1, first, -1):
        followed[at] = bool(lines[at].strip()) and (meant[at] or followed[at + 1])
    for at in range(first, closed):
        if meant[at] or not lines[at].strip() or followed[at]:
            continue  # between two orders something is mistyped
        if not (meant[at - 1] and len(lines[at - 1]) >= WRAPPED_AT):  # below a long one its end may stand
            return at
    return closed


def means_order(line: str, known: Collection[str], game: Game) -> bool:
    """Return True if a line is meant as an order: it begins with a known word, or nearly so, or is short and names an id.

    True for every line that a game's `parse` reads, since games read the beginning of a word for the word.
    """
    words = line.split()
    if not words:
        return False
    word = _word(words[0])
    if word in known:
        return True
    short, names = len(words) <= SHORT_LINE_WORDS, bool(_id_of(game.id_pattern).search(line))
    if word and any(verb.startswith(word) for verb in known):
        return names or len(words) <= 2 or (short and len(word) >= SHORTEST_ABBREVIATION)
    return short and (names or bool(difflib.get_close_matches(word, known, n=1, cutoff=LIKENESS)))


def is_vague(line: str, known: Collection[str], game: Game) -> bool:
    """Return True for one or two words that only begin like an order, without an id: also a name or its letter may be meant."""
    words = line.split()
    if not words or len(words) > VAGUE_WORDS or _id_of(game.id_pattern).search(line):
        return False
    return _word(words[0]) not in known


def _word(written: str) -> str:
    return written.casefold().strip("*_\"'`„“”‚‘’:.,;!?#-•·")


def _without_names(lines: Sequence[str], vague: Sequence[bool], first: int, end: int) -> int:
    """Return where the block ends without last paragraphs of nothing but vague lines: signatures."""
    kept = end
    for at in range(end - 1, first, -1):
        if lines[at].strip():
            if not vague[at]:
                return kept
        else:
            kept = at
    return kept


@functools.cache
def _id_of(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b")


def _greets(lines: Sequence[str]) -> bool:
    """Return True if these lines can only be the writer's own words to us: few, short, and nothing like a program's."""
    if len(lines) > MOST_GREETING or any(len(line) > LONGEST_GREETING or _MACHINE.search(line) for line in lines):
        return False
    if any(remarks.is_doubtful(line) or remarks.holds_revocation(line) for line in lines):
        return False
    return not any(is_attribution(line) or (line.rstrip().endswith(COLON) and not _INTRODUCES.match(line)) for line in lines)
