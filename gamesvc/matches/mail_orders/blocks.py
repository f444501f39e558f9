"""Find the orders in a mail: one block, with at most a greeting above it.

Only the words of a line decide, never the position: a mail that is handled again, after some of its orders have been carried out,
has the same block. In doubt a line is meant as an order, and one that cannot be read keeps the whole mail from being carried out.
"""

from __future__ import annotations

import difflib
import functools
import itertools
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from gamesvc.games.kernel.game import Game
from gamesvc.matches.mail_orders import remarks, tolerance
from gamesvc.matches.mail_orders.words import lines as service_lines
from notifications.parsing.quotes import COLON, is_attribution, is_farewell, may_introduce_quote

_MACHINE = re.compile(r"\d|[@<>\[\]]|^-{2}|://|www\.|^\S{1,25}\s?[:：]\s*\S")
# Lines that say that the writer's own orders follow, behind a greeting at most. Any other line that names orders tells which ones
# they are, and any other one with a colon at its end may introduce a quote, in a language we do not know.
_INTRODUCES = re.compile(
    r"(?:[^:,!.]{1,40}[,!.]\s*)?"
    r"\W*(?:(?:and |so |now |then |und |also |dann |jetzt )?(?:here (?:are|come|is)|these are|hier (?:sind|kommen)|voici)\s+)?"
    r"(?:(?:my|our|the|meine?|unsere?|die|der|mes|les) )?(?:new |next |first |neuen? |nächsten? |ersten? )?"
    r"(?:orders?|moves?|commands?|turn|befehle?|zug|züge|ordres|coups)"
    r"(?: (?:(?:for|of|für)(?: (?:the|this|den|die|diese[nr]?))?|this|now|today|jetzt|heute)"
    r"(?: (?:turn|round|phase|runde|zug))?)?\W*$"
    r"|\W*(?:as|like|wie|so wie) (?:\w+ ){0,2}"
    r"(?:discussed|agreed|promised|planned|besprochen|abgemacht|vereinbart|versprochen)\b",
    re.IGNORECASE,
)
_NAMES_ORDERS = re.compile(r"\b(?:orders|moves|commands|befehle|züge|ordres|coups)\b", re.IGNORECASE)
# The orders' own heading: it is none, not even where a game has an order of that name.
_HEADING = re.compile(
    r"\W*(?:(?:my|our|the|new|next|meine|unsere|die|neue|mes|les)\s+){0,2}"
    r"(?:orders|moves|commands|befehle|züge|ordres|coups)\W*",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\W*(?:turn|round|runde|zug|spielzug|tour)\s+#?\d{1,3}\W*", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)?[.!,]?")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?;…])\s+(?!\d)")
MOST_GREETING = 3
"""Lines of a greeting at most."""
LONGEST_GREETING = 120
"""Characters of such a line at most."""
MOST_REMARK = 14
"""The number of words up to which a paragraph below the orders may be a remark on them. Disclaimers are longer."""
MOST_REMARKS = 2
"""The number of paragraphs below the orders that may be remarks of any kind. Further below a quote may have begun."""
LIKENESS = 0.8
"""The likeness, from 0 to 1, from which a word counts as a mistyped word of orders."""
LONGEST_LIKE = 60
"""Characters beyond which a word is like none of an order. The results for many words are remembered."""
SHORT_LINE_WORDS = 8
SHORTEST_ABBREVIATION = 3
"""Letters from which the beginning of a word counts as the word."""
VAGUE_WORDS = 2


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of a mail that are meant as orders, from the index `first` up to and without `end`.

    `orders_below`: the number of lines below the block that look like orders. `in_doubt`: what stands below the block may revoke
    the orders, so that none is carried out before the player was asked.
    """

    first: int
    end: int
    orders_below: int = 0
    name_last: bool = False
    """True if the last paragraph is nothing but what may be a name: with capitals, below orders without them."""
    in_doubt: bool = False


def find(lines: Sequence[str], words: Collection[str], game: Game) -> Block:
    """Return the block of orders. `words`: the service words. Empty lines separate paragraphs.

    A mail without anything like an order, with more than a greeting above it, or with orders below a remark that may revoke or
    replace the first ones, is one block: all its lines are read.
    """
    whole = Block(0, len(lines))
    if not game.verbs:
        return whole
    known = {*game.verbs, *words}
    meant = [means_order(line, known, game) for line in lines]
    first = next((at for at, means in enumerate(meant) if means), None)
    if first is not None and _HEADING.fullmatch(lines[first]):
        first = next((at for at in range(first + 1, len(lines)) if meant[at]), first)
    if first is None or not _greets([line for line in lines[:first] if line.strip()]):
        return whole
    vague = [means and is_vague(line, known, game) for line, means in zip(lines, meant, strict=True)]
    end = _without_names(lines, vague, first, _end(lines, meant, first))
    if _is_revoked(lines[end:]):
        return whole if any(meant[end:]) else Block(first, end, in_doubt=True)
    sure = [at for at in range(end, len(lines)) if meant[at] and not vague[at]]
    again = next((at for at in sure if _word(lines[at].split()[0]) in known), end)
    between = lines[end:again]
    if between and sum(len(line.split()) for line in between) <= MOST_REMARK and not any(map(is_farewell, between)):
        return whole  # so little stands between them that the second ones may replace the first
    return Block(first, end, len(sure), _ends_with_name(lines[first:end], game))


def _ends_with_name(lines: Sequence[str], game: Game) -> bool:
    *above, last = [""] + [line for line in lines if line.strip()]
    alone = bool(lines) and next(
        (at for at in range(len(lines) - 1, 0, -1) if lines[at] == last and not lines[at - 1].strip()), 0
    )
    words = last.split()
    return (
        bool(alone)
        and bool(_NAME.fullmatch(last))
        and all(word[0].isupper() and word[1:] == word[1:].lower() for word in words)
        and not any(line[:1].isupper() for line in above)
        and not _id_of(game.id_pattern).search(last)
    )


def _is_revoked(below: Sequence[str]) -> bool:
    """Return True if the orders may be revoked below them: by any remark right below them, or a clear one further below."""
    closed = next((at for at, line in enumerate(below) if is_farewell(line)), len(below))
    above, signed = paragraphs(below[:closed]), list(below[closed + 1 :])
    name = next((at for at, line in enumerate(signed) if line.strip()), len(signed))
    if name < len(signed) and remarks.is_name(signed[name]):
        del signed[name]
    near, far = above[:MOST_REMARKS], above[MOST_REMARKS:]
    sentences = [one for paragraph in near for one in _SENTENCE_ENDS.split(" ".join(paragraph)) if not _is_foreign(one)]
    return (
        any(_takes_back(paragraph, remarks.is_doubtful) for paragraph in near)
        or any(_takes_back(paragraph, remarks.is_revocation) for paragraph in far)
        or any(map(remarks.doubts_orders, sentences))
        or _revoked_apart(paragraphs(signed))
    )


def revokes(below: str, *, ended: bool = False) -> bool:
    """Return True if a paragraph that is cut off from the orders may revoke them: below a signature, beside a quote or below it.

    `ended`: the sender wrote END above it, and only a short and plain revocation counts.
    """
    found = paragraphs(below.split("\n"))
    if ended:
        return any(_is_short(" ".join(one)) and remarks.holds_revocation(" ".join(one)) for one in found)
    return _revoked_apart(found)


def _revoked_apart(said: Sequence[Sequence[str]]) -> bool:
    """Return True if the orders are revoked apart from them, where a signature may stand: each short line may be a remark."""
    signed = [paragraph for paragraph in said if max(map(len, paragraph)) < tolerance.WRAPPED_AT]
    lines = [[line] for paragraph in signed for line in paragraph]
    return any(_takes_back(paragraph, remarks.is_revocation) for paragraph in [*said, *lines])


def _takes_back(paragraph: Sequence[str], is_doubt: Callable[[str], bool]) -> bool:
    """Return True if a paragraph plainly revokes the orders, or is a short remark that may do so.

    Of notices, and of what may introduce a quote, the beginning counts alone.
    """
    said = " ".join(paragraph)
    if remarks.holds_revocation(said):
        return True
    if _is_foreign(said):
        return _is_short(said) and remarks.begins_revoking(said)
    return _is_short(said) and any(map(is_doubt, (said, *_SENTENCE_ENDS.split(said))))


def _is_foreign(said: str) -> bool:
    return may_introduce_quote(said) or remarks.is_notice(said)


def _is_short(said: str) -> bool:
    return len(said.split()) <= MOST_REMARK


def paragraphs(lines: Sequence[str]) -> list[list[str]]:
    """Return the paragraphs of a text, without the empty lines between them."""
    by_blank = itertools.groupby(lines, lambda line: bool(line.strip()))
    return [[line.strip() for line in paragraph] for has_text, paragraph in by_blank if has_text]


def left_orders(below: str, known: Collection[str], game: Game) -> list[str]:
    """Return the lines that look like orders at the ends of the paragraphs that are cut off from the orders."""
    ends = [
        itertools.takewhile(lambda line: means_order(line, known, game), reversed(paragraph))
        for paragraph in paragraphs(below.split("\n"))
    ]
    return [line for end in ends for line in reversed(list(end))]


def _end(lines: Sequence[str], meant: Sequence[bool], first: int) -> int:
    """Return where the block ends: at a closing line, or at a line that is no order and has none below it in its paragraph."""
    closed = next((at for at in range(first + 1, len(lines)) if is_farewell(lines[at])), len(lines))
    followed = [False] * (closed + 1)
    for at in range(closed - 1, first, -1):
        followed[at] = bool(lines[at].strip()) and (meant[at] or followed[at + 1])
    for at in range(first, closed):
        if meant[at] or not lines[at].strip() or followed[at]:
            continue  # between two orders something is mistyped
        if not (meant[at - 1] and len(lines[at - 1]) >= tolerance.WRAPPED_AT):  # below a long one its end may stand
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
    if word in known or service_lines.find(line) is not None or service_lines.is_options(line):
        return True
    short, names = len(words) <= SHORT_LINE_WORDS, bool(_id_of(game.id_pattern).search(line))
    if word and any(verb.startswith(word) for verb in known):
        return names or len(words) <= 2 or (short and len(word) >= SHORTEST_ABBREVIATION)
    return short and (names or (len(word) <= LONGEST_LIKE and _is_like(word, frozenset(known))))


@functools.lru_cache(maxsize=2_000)
def _is_like(word: str, known: frozenset[str]) -> bool:
    return bool(difflib.get_close_matches(word, known, n=1, cutoff=LIKENESS))


def is_vague(line: str, known: Collection[str], game: Game) -> bool:
    """Return True for one or two words that only begin like an order, without an id: also a name or its letter may be meant."""
    few = len(line.split()) <= VAGUE_WORDS and not service_lines.is_options(line)
    return few and begins_otherwise(line, known, game)


def begins_otherwise(line: str, known: Collection[str], game: Game) -> bool:
    """Return True for a line whose first word is no known word of orders, and which names no id."""
    words = line.split()
    return bool(words) and _word(words[0]) not in known and not _id_of(game.id_pattern).search(line)


def _word(written: str) -> str:
    return written.casefold().strip("*_\"'`„“”‚‘’:.,;!?…#-•·")


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
    if len(lines) > MOST_GREETING:
        return False
    lines = [line for line in lines if not _NUMBERED.fullmatch(line)]
    if any(len(line) > LONGEST_GREETING or _MACHINE.search(line) for line in lines):
        return False
    if any(remarks.is_doubtful(line) or remarks.holds_revocation(line) for line in lines):
        return False
    named = [line for line in lines if line.rstrip().endswith(COLON) or _NAMES_ORDERS.search(line)]
    return not any(map(is_attribution, lines)) and all(map(_INTRODUCES.match, named))
