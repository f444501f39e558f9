"""The sender's own text in a mail: the plain part, else the HTML as text, without quotes, signature and whatever follows END.

Losing an order is worse than keeping a stray line: the receipt shows a surplus line, but a lost one goes unnoticed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from email.message import Message
from itertools import groupby, takewhile, zip_longest
from typing import NamedTuple

from notifications.parsing import markup
from notifications.parsing.lines import FLOWED_COLUMNS, PRESS, QUOTED, columns, lines_of
from notifications.parsing.parts import LONGEST_SOURCE, content
from notifications.parsing.quotes import (
    ADDRESS,
    ATTRIBUTION_LINES,
    COLON,
    DATED,
    before_farewell,
    before_quote,
    introduces_quote,
    is_label,
    is_prose,
    without_disclaimers,
)
from notifications.parsing.refusals import MailRefused

MARK = "##- Reply above this line -##"
END = "END"
LONGEST = 20_000
MOST_BELOW = 60
MOST_LAST = 3
"""The number of paragraphs at the end of a mail in which an answer may stand below a quote without marks."""
WORDS_OF_DEVICE = 5
"""The number of words up to which the line of a phone or program holds nothing of its sender's."""
MOST_STRUCK = 50
LONGEST_STRUCK = 300
"""Characters of a struck-out piece that is looked for in the plain part: orders are shorter."""
_MOST_WITHIN_WORDS = 1000
"""Places within the words of a mail at which a struck-out piece is found. One that is found at more is told above the text."""
_SENT_FROM = re.compile(
    r"^(sent from my|sent from|sent via|sent with|get outlook for|von meinem .* gesendet|gesendet von|gesendet mit|envoyé de mon"
    r"|envoyé depuis|enviado desde|inviato da|verzonden vanaf|skickat från|sendt fra|wysłane z|odesláno z|.*から送信$)",
    re.IGNORECASE,
)
_MARK = re.compile(r"^\W*reply above this line\W*$", re.IGNORECASE)
_FORWARDED = re.compile(
    r"^(-{2,} ?(forwarded message|weitergeleitete nachricht|original message|ursprüngliche nachricht"
    r"|oprindelig meddelelse) ?-{2,}"
    r"|begin forwarded message:|anfang der weitergeleiteten nachricht:)$",
    re.IGNORECASE,
)
# The plain part of a mail that is meant to be read as HTML.
_STUB = re.compile(r"\bhtml\b", re.IGNORECASE)
LONGEST_STUB = 300
_SIGNED, _SIGNATURE, _SIGNATURE_ENDS = (
    f"-----{mark}-----" for mark in ("BEGIN PGP SIGNED MESSAGE", "BEGIN PGP SIGNATURE", "END PGP SIGNATURE")
)
_WORD = re.compile(r"[^\W_]")
_WORD_CHARACTER = re.compile(r"\w")
_WORDY = re.compile(r"[^\W_]|^\s*(--|—)\s*$")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]")
# A header of a quoted mail, in any language: "Od: ...", "差出人: ...".
_HEADER = re.compile(r"^\S[^:：]{0,24}[:：]\s*\S")
# A quoted line of at least this many columns hardly ends there by itself.
_BROKEN_COLUMNS = 72
_LONGEST_WITH_BARS = 1000


class PerhapsQuoted(NamedTuple):
    """Lines of the sender's own text of which nothing tells if they are quoted ones that lost their marks on the way.

    `after`: its end, below quoted lines, if its beginning stands above them. `within`: its lines right between two quoted ones.
    """

    after: str = ""
    within: str = ""


NONE_QUOTED = PerhapsQuoted()


class Written(NamedTuple):
    """The text of a mail that its sender wrote themselves.

    `below`: what is no part of `own` and not marked as quoted, `MOST_BELOW` lines at most: all text above a quote without marks,
    such as what stands below a signature or may be the rest of a quoted line, and the last paragraphs, below such a quote.
    `quoting`: the line that was taken for the introduction of a quote, if running text that no program quoted stands below it.
    """

    own: str
    below: str
    quoting: str = ""
    perhaps_quoted: PerhapsQuoted = NONE_QUOTED


def written(message: Message) -> Written:
    """Return what the sender of a mail wrote themselves. Raises `MailRefused`: empty, too_long.

    Also empty, for HTML alone with text between two quotes.
    """
    plain, html = _sources(message)
    plain = _with_strikes(plain, message)
    # A page shows held mails without the time limit of the workers, and the library may take a second for one look.
    above = markup.before_quote(html)
    shown_above = "" if plain else markup.shown(above)
    marked = _above_marks(plain or shown_above.strip() or markup.around_quotes(html))
    own = _own(marked)
    if len(own) > LONGEST:
        raise MailRefused("too_long", f"{len(own)} characters")
    if not as_message(own):
        raise MailRefused("empty")
    full = _lines(plain or (shown_above if above == html else markup.shown(html)))
    top = _without_attributions(marked if plain else _above_marks(shown_above))
    return Written(own, _left_below(top, full, own), _quoting(top), _perhaps_quoted(marked, own))


def _sources(message: Message) -> tuple[str, str]:
    """Return the plain part, or else the HTML part; the other one of the two is empty."""
    plain, html = content(message, "plain"), content(message, "html")
    stub = html.strip() and len(plain) <= LONGEST_STUB and _STUB.search(plain)
    return (plain, "") if plain.strip() and not stub else ("", html)


def _with_strikes(plain: str, message: Message) -> str:
    """Mark in the plain part what the HTML part shows struck out; above it, what no line of the plain part has as a whole."""
    struck = list(dict.fromkeys(markup.struck_out(content(message, "html")))) if plain else []
    lines = lines_of(plain)
    lost = struck[MOST_STRUCK:]
    for piece in struck[:MOST_STRUCK]:
        within = iter(range(_MOST_WITHIN_WORDS))
        marked = {
            at: _with_strike(line, piece, within) for at, line in enumerate(lines) if piece in line and not QUOTED.match(line)
        }
        own = {at: line for at, line in marked.items() if line != lines[at]}
        for at, line in own.items():
            lines[at] = line
        lost += [] if own and next(within, None) is not None else [piece]
    return "\n".join([*(f"{markup.STRUCK}{piece}{markup.STRUCK}" for piece in lost[:MOST_STRUCK]), *lines]) if struck else plain


def _with_strike(line: str, piece: str, within: Iterator[int]) -> str:
    """Return a line with marks around a piece wherever it stands as a whole: no word goes on at either end.

    `within`: a number for each place within words that is still looked at. A pattern would take quadratic time for long pieces of
    one repeated character.
    """
    if len(piece) > LONGEST_STRUCK:
        return line
    written: list[str] = []
    begins = after = 0
    while (at := line.find(piece, after)) >= 0:
        end = at + len(piece)
        if _WORD_CHARACTER.match(line[at - 1 : at]) or _WORD_CHARACTER.match(line[end : end + 1]):
            if next(within, None) is None:
                break
            after = at + 1
            continue
        written += [line[begins:at], f"{markup.STRUCK}{piece}{markup.STRUCK}"]
        begins = after = end
    return "".join([*written, line[begins:]])


def _left_below(top: Sequence[str], full: Sequence[str], own: str) -> str:
    """Return the paragraphs without marks that are no part of `own`: those at the `top`, above any quote, and the last ones."""
    above = without_disclaimers(before_quote(["" if QUOTED.match(line) or is_label(line) else line for line in top]))
    lines = [line for line in full if line.strip() != END]
    ends = [
        at for at, (line, below) in enumerate(zip_longest(lines, lines[1:], fillvalue="")) if line.strip() and not below.strip()
    ]
    last = lines[ends[-MOST_LAST - 1] + 1 :] if len(ends) > MOST_LAST else lines
    known = {line.strip() for line in lines_of(own)} | {END}
    left = _unknown(above, known)
    left += ["", *_unknown(last, known | set(left))]
    left = "\n".join(left).strip().split("\n")
    half = MOST_BELOW // 2
    return "\n".join(left if len(left) < MOST_BELOW else [*left[: half - 1], "", *left[-half:]])


def _quoting(top: Sequence[str]) -> str:
    """Return the line that seems to introduce a quote and has running text below it, above our mark and beside real quotes.

    A program's own introduction stands right above what it quotes, or names an address. So a person tells what another one wrote.
    """
    lines = [line for line in top if not QUOTED.match(line) and not is_label(line)]
    below = lines[len(before_quote(lines)) :]
    first = next(filter(str.strip, below), "").strip()
    if _HEADER.match(first) or ADDRESS.search(" ".join(below[: ATTRIBUTION_LINES + 1])):
        return ""
    return first if any(map(is_prose, below[1:])) else ""


def _perhaps_quoted(lines: list[str], own: str) -> PerhapsQuoted:
    """Return the lines of the sender's own text that may be quoted. An empty line divides an answer from the quote around it."""
    groups = [(marked, list(group)) for marked, group in groupby(lines, lambda line: bool(QUOTED.match(line)))]
    inner = [group for marked, group in groups[1:-1] if not marked]
    known = set(lines_of(own))
    within = [line.strip() for group in inner if all(map(str.strip, group)) for line in group if line.strip() in known]
    above = strip("\n".join(takewhile(lambda line: not QUOTED.match(line), _without_attributions(lines))))
    return PerhapsQuoted(own[len(above) :].strip() if above else "", "\n".join(within))


def _unknown(lines: Sequence[str], known: Collection[str]) -> list[str]:
    """Return the lines with words that are neither known nor quoted, and empty lines for the others."""
    stripped = (line.strip() for line in lines if not (len(line.split()) <= WORDS_OF_DEVICE and _SENT_FROM.match(line.strip())))
    left = [line if _WORD.search(line) and not QUOTED.match(line) and line not in known else "" for line in stripped]
    return [line for at, line in enumerate(left) if line or (at and left[at - 1])]


def strip(text: str) -> str:
    """Return the sender's own text: without anything below our mark, quoted lines, signature, or anything below END.

    The line END is kept: it says that nothing above it is a signature.
    """
    return _own(_above_marks(text))


def _own(lines: list[str]) -> str:
    """Return what `strip` does of the lines above our mark."""
    lines = _without_attributions(_quoted_whole(lines))
    # Without quoted lines, and without rules of dashes and the like.
    lines = [
        line for line in lines if not QUOTED.match(line) and not is_label(line) and (not line.strip() or _WORDY.search(line))
    ]
    ended = next((at for at, line in enumerate(lines) if line.strip() == END), None)
    if ended is not None:
        # The sender marked the end: no guessing about signatures. But an END below the introduction of a quote is a quoted one.
        above = before_quote(lines[:ended])
        return "\n".join(above if any(map(str.strip, above)) and len(above) < ended else lines[: ended + 1]).strip()
    return _without_signature("\n".join(lines).strip())


def _above_marks(text: str) -> list[str]:
    """Return the lines above our mark, and above a forwarded mail."""
    lines = _without_armour(_lines(text))
    # A mark after a `>` is quoted: the text below it may be an answer written under the quote.
    marked = next((at for at, line in enumerate(lines) if _MARK.match(line) and not QUOTED.match(line)), None)
    if marked is not None:
        lines = _above_mark(lines[:marked])
    forwarded = next((at for at, line in enumerate(lines) if _FORWARDED.match(line.strip())), len(lines))
    return lines[:forwarded]


def _lines(text: str) -> list[str]:
    # Lone surrogates, from broken HTML or charsets, could not even be stored.
    text = text[:LONGEST_SOURCE].encode("utf-8", "replace").decode()
    return _with_bars([_INVISIBLE.sub("", line).replace("\u00a0", " ").rstrip() for line in lines_of(text)])


def _with_bars(lines: Sequence[str]) -> list[str]:
    """Join a line that begins with a bar to the one above it, if that is the writer's own: orders may have bars in them.

    A quote marked with bars stands below an empty line, or below its introduction.
    """
    joined: list[str] = []
    for line in lines:
        above = joined[-1] if joined else ""
        short = len(above) <= _LONGEST_WITH_BARS
        own = short and above.strip() and not QUOTED.match(above) and not introduces_quote(above) and not above.endswith(COLON)
        if own and line.lstrip().startswith("|"):
            joined[-1] = f"{above} {line.strip()}"
        else:
            joined.append(line)
    return joined


def as_message(text: str) -> str:
    """Return the sender's own text as a message to people: without END, or else without a closing line and what follows."""
    lines = text.split("\n")
    return "\n".join(lines[:-1] if lines[-1] == END else before_farewell(lines)).strip()


def below_message(text: str) -> list[str]:
    """Return the lines that `as_message` leaves out below a closing line, with the closing line."""
    lines = text.split("\n")
    return [] if lines[-1] == END else lines[len(before_farewell(lines)) :]


def _without_signature(text: str) -> str:
    """Return the text without a quote lacking `>` (Outlook), a signature and notices of companies."""
    lines = text.split("\n")
    # "-- " begins a signature; many programs lose the blank. A phone's own line is alone at the end.
    ends = (at for at, line in enumerate(lines) if line.strip() in ("--", "—") or _SENT_FROM.match(line.strip()))
    return "\n".join(without_disclaimers(before_quote(lines[: next(ends, len(lines))]))).strip()


def _without_armour(lines: list[str]) -> list[str]:
    """Return the lines without the marks, headers and signature of PGP around a text (RFC 9580, 7). It is not checked."""
    if _SIGNED not in lines:
        return lines
    begins = lines.index(_SIGNED)
    text = next((at for at in range(begins, len(lines)) if not lines[at]), len(lines))
    ends = next((at for at in range(text, len(lines)) if lines[at] == _SIGNATURE), len(lines))
    below = next((at + 1 for at in range(ends, len(lines)) if lines[at] == _SIGNATURE_ENDS), len(lines))
    return [*lines[:begins], *(line.removeprefix("- ") for line in lines[text:ends]), *lines[below:]]


def _without_attributions(lines: list[str]) -> list[str]:
    """Drop "On Friday, X wrote:" right above a quote, also if the answer is below the quote."""
    kept: list[str] = []
    for at, line in enumerate(lines):
        if QUOTED.match(line) and (at == 0 or not QUOTED.match(lines[at - 1])):
            while kept and not kept[-1].strip():
                kept.pop()
            del kept[_attribution(kept) :]
            kept.append("")
        kept.append(line)
    return kept


def _quoted_whole(lines: list[str]) -> list[str]:
    """Mark the rest of a quoted line that a program broke after it had marked it: right below a long quoted line.

    Below the last line of a quote this may also be the sender's answer: it is taken for one if nothing stands above the quote.
    Raises `MailRefused` (`empty`) if more stands further below: then it is either.
    """
    above_quote = [line for line in takewhile(lambda line: not QUOTED.match(line), lines) if line.strip()]
    answers = not above_quote[: _attribution(above_quote)]
    blanks = [at for at, line in enumerate(lines) if not line.strip()]
    last = max((at for at, line in enumerate(lines) if line.strip() not in ("", END) and not QUOTED.match(line)), default=-1)
    whole: list[str] = []
    for at, (line, below) in enumerate(zip_longest(lines, lines[1:], fillvalue="")):
        above = whole[-1] if whole else ""
        if answers and _goes_on(above, line, below, answers=False):
            ends = bisect_left(blanks, at)
            if ends < len(blanks) and blanks[ends] < last:  # own text stands below this paragraph
                raise MailRefused("empty", "written below the broken end of a quote")
        whole.append(f"> {line}" if _goes_on(above, line, below, answers=answers) else line)
    return whole


def _goes_on(above: str, line: str, below: str, *, answers: bool) -> bool:
    """Return True if a line is the rest of the quoted line above it."""
    if not line.strip() or QUOTED.match(line) or not QUOTED.match(above):
        return False
    if QUOTED.match(below):
        return columns(above) >= FLOWED_COLUMNS
    return not answers and columns(above) >= _BROKEN_COLUMNS


def _above_mark(lines: list[str]) -> list[str]:
    """Drop what programs write above a quote without `>`: a block of headers, or one line with a date and an address."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    start = end
    while start and _HEADER.match(lines[start - 1].strip()):
        start -= 1
    block = lines[start:end]
    if len(block) > 2 and any(ADDRESS.search(line) for line in block):
        return lines[:start]
    last = lines[end - 1] if end else ""
    if ADDRESS.search(last) and DATED.search(last) and last.rstrip().endswith((*COLON, "--")):
        return lines[: end - 1]
    return lines


def _attribution(lines: list[str]) -> int:
    """Return where the attribution at the end of these lines, right above a quote, begins; their number if there is none.

    Any line with a colon at its end is one, except the first line of a message.
    """
    if not lines or not lines[-1].strip().endswith(COLON) or QUOTED.match(lines[-1]):
        return len(lines)
    for size in range(1, min(ATTRIBUTION_LINES, len(lines)) + 1):
        part = lines[-size:]
        if not part[0].strip() or QUOTED.match(part[0]):
            break
        if DATED.search(" ".join(part)) or ADDRESS.search(" ".join(part)):
            return len(lines) - size
    return len(lines) - (not PRESS.match(lines[-1].strip()))
