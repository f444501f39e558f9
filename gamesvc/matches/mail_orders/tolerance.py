"""Ways in which people write orders that the games' notation does not have: marks around a line, several orders in one, comments.

What decides how the lines of a mail are counted depends on the words alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from gamesvc.matches.mail_orders import remarks
from notifications.parsing.lines import PRESS
from notifications.parsing.quotes import introduces_quote, may_introduce_quote
from notifications.parsing.text import END

WRAPPED_AT = 60
"""The columns from which mail programs may break a line."""
BLOCK = re.compile(rf"{PRESS.pattern}\s+(?P<to>[^:]{{1,60}}):$", re.IGNORECASE)
STANDING = "standing"
"""The word with which a conditional order begins. Its orders are divided by semicolons."""
# Between the parts of an order: behind one of them at the end of a long line more is to come.
_DIVIDES = (",", ";", "|")

# Pictures that only say that the writer is glad, or where the order is. A cross or a raised hand may mean the opposite.
_MARKS = "✓✔✅☑►▶➡➔→👉⭐★🚀🛸🌍🙂😀😁😃😄😅😉😊😎😈👍👌💪🎉🔥⚔🙏❤🤞🏻🏼🏽🏾🏿\ufe0f\u200d"
# Lists are often written with a dash, a plus, a dot, a number or a letter before each line.
_BULLET = re.compile(rf"^(?:[-+*•·]\s+|\(?(?:\d{{1,2}}|[a-z])(?:[.)]\s+|\.\)\s+)|\[[x✓✔]\]\s+|[{_MARKS}]+\s*)", re.IGNORECASE)
_TAIL = f".;,!…{_MARKS}"
_SMILE = re.compile(r"[:;]-?[)D]$")
# No brackets: what stands in them may be a thought aside.
_PAIRS = ('""', "''", "``", "“”", "„“", "„”", "‘’", "‚‘", "«»", "»«", "**", "__")
_COMMENT = re.compile(r"(?<=\s)(?:#|//)\s.*$")
# A comment tells where an order leads or what it is for, or is glad. Any other one may say that the order does not hold.
_DESCRIBES = re.compile(
    r"(?:to|into|onto|towards?|from|at|in|on|near|against|because|since|so|for|with|by|via|as|and|the|a|an|my|our|this is"
    r"|zu|zum|zur|nach|von|vom|aus|in|ins|im|an|am|auf|gegen|weil|denn|damit|mit|für|der|die|das|den|mein|meine|unser|unsere|und"
    r"|good|great|nice|fine|finally|hello|hi|gut|schön|super|endlich)\b|\W*$",
    re.IGNORECASE,
)


def bare(line: str) -> str:
    """Return a line without a bullet, and without quotation marks, asterisks or brackets around all of it."""
    said = _BULLET.sub("", line.strip())
    while len(said) > 2 and said[0] + said[-1] in _PAIRS:
        said = said[1:-1].strip()
    return said


def plain(order: str) -> str:
    """Return an order without a describing comment behind `#` or `//`, and without a sentence's mark or a smile at its end."""
    comment = _COMMENT.search(order)
    said = comment[0].lstrip("#/ ") if comment else ""
    if comment and _DESCRIBES.match(said) and not remarks.is_doubtful(said) and not remarks.holds_revocation(said):
        order = order[: comment.start()]
    return order[: _tail_of(order)]


def _tail_of(order: str) -> int:
    """Return where the marks, smiles and blanks at the end of an order begin. Each character is looked at once."""
    end = len(order)
    while end:
        if order[end - 1].isspace() or order[end - 1] in _TAIL:
            end -= 1
        elif smile := _SMILE.search(order[max(0, end - 3) : end]):
            end -= len(smile[0])
        else:
            break
    return end


def parts(line: str, verbs: Collection[str]) -> list[str]:
    """Split `order; order`. A semicolon within one order stays, where what follows begins with no word of orders."""
    said = [part.strip() for part in line.split(";")]
    said = [part for part in said if part]
    if len(said) > 1 and all(part.split()[0].casefold() in verbs for part in said) and said[0].split()[0].casefold() != "orders":
        return said
    return [line]


def lines(text: str, known: Collection[str]) -> list[str]:
    """Return the lines. A message below `press NAME:` counts as one, up to an empty line, END, or the introduction of a quote.

    So does a long line with a message and its rest, which a program has put on the next line, and a conditional order with its
    next one. If that begins with a `known` word, nobody knows if it is the rest: it is joined with a line's end.
    """
    found: list[str] = []
    message: list[str] = []
    above = ""
    for line in [*text.split("\n"), ""]:
        if message and line.strip() not in ("", END) and not introduces_quote(line):
            message.append(line)
            if not may_introduce_quote(line):
                continue
            line = ""
        if message:
            found.append("\n".join(message))
            message = []
        if BLOCK.match(line.strip()):
            message = [line.strip()]
        elif found and (_goes_on(found[-1], above, line) or _has_more_orders(found[-1], above, line)):
            found[-1] += ("\n" if first_word(line) in known else " ") + line.strip()
        else:
            found.append(line)
        above = line
    return found


def first_word(line: str) -> str:
    """Return the first word of a line, without a bullet and without marks."""
    return next(iter(bare(line).casefold().split()), "").rstrip(":.,;!?")


def is_open(line: str) -> bool:
    """Return True for a long line that ends between two parts of an order: a program may have put the next part below it."""
    return len(line) >= WRAPPED_AT and line.rstrip().endswith(_DIVIDES)


def _has_more_orders(found: str, above: str, line: str) -> bool:
    """Return True if a conditional order may go on in the next line: `above` is its last line so far."""
    return is_open(above) and line.strip() not in ("", END) and first_word(found) == STANDING


def _goes_on(found: str, above: str, line: str) -> bool:
    """Return True if a message may go on in the next line: `above` is its last line so far, long and without a sentence's end."""
    if not PRESS.match(found.lstrip()):
        return False
    ended = "\n" in found or len(above) < WRAPPED_AT or above.rstrip().endswith((".", "!", "?", "…", ")"))
    return not ended and line.strip() not in ("", END) and not may_introduce_quote(line)
