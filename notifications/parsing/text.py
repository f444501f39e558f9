"""The sender's own text in a mail: the plain part, else the HTML as text, without quotes, signature and whatever follows END.

Losing an order is worse than keeping a stray line: the receipt shows a surplus line, but a lost one goes unnoticed.
"""

from __future__ import annotations

import codecs
import contextlib
import re
from email.message import Message
from itertools import dropwhile, pairwise, takewhile, zip_longest
from typing import NamedTuple
from unicodedata import east_asian_width

from inscriptis import get_text
from lxml.etree import LxmlError

from notifications.parsing.quotes import (
    ADDRESS,
    ATTRIBUTION_LINES,
    COLON,
    DATED,
    before_farewell,
    before_quote,
    is_label,
    without_disclaimers,
)
from notifications.parsing.reading import FAULTS
from notifications.parsing.refusals import MailRefused

MARK = "##- Reply above this line -##"
END = "END"
LONGEST = 20_000
LONGEST_SOURCE = 200_000

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
# Some programs put the initials of the quoted writer before the mark, or use a colon.
_QUOTED = re.compile(r"^\s*(?:(?:[A-Za-z]{1,3}(?=>))?[>|]|:(?=\s))")
# The plain part of a mail that is meant to be read as HTML.
_STUB = re.compile(r"\bhtml\b", re.IGNORECASE)
LONGEST_STUB = 300
_SIGNED, _SIGNATURE, _SIGNATURE_ENDS = (
    f"-----{mark}-----" for mark in ("BEGIN PGP SIGNED MESSAGE", "BEGIN PGP SIGNATURE", "END PGP SIGNATURE")
)
_WORDY = re.compile(r"[^\W_]|^\s*(--|—)\s*$")
# Labels that text in UTF-8 often has. Text in one of them is hardly ever valid UTF-8, unless it is ASCII.
_ONE_BYTE = {"ascii", "iso8859-1", "iso8859-15", "cp1252"}
# Encodings of Python that no mail is written in. Decoding the first takes minutes for a few hundred kilobytes.
_NO_TEXT = {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"}
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]")
_PRESS = re.compile(r"^press\b", re.IGNORECASE)
# A header of a quoted mail, in any language: "Od: ...", "差出人: ...".
_HEADER = re.compile(r"^\S[^:：]{0,24}[:：]\s*\S")
# A line of at least this many columns that ends with a blank was broken by a program (RFC 3676) and not by a person.
_FLOWED_COLUMNS = 50
# A quoted line of at least this many columns hardly ends there by itself.
_BROKEN_COLUMNS = 72


class Written(NamedTuple):
    """The text of a mail that its sender wrote themselves.

    `below`: the last paragraph of the mail, if it is no part of `own` and not marked as quoted. It stands below a quote without
    marks: the end of the quoted mail, or an answer below it.
    """

    own: str
    below: str


def written(message: Message) -> Written:
    """Return what the sender of a mail wrote themselves. Raises `MailRefused`: empty, too_long.

    Also empty, for HTML alone with text between two quotes.
    """
    plain, html = _sources(message)
    own = strip(plain or shown(_before_quote(html)).strip() or _around_quotes(html))
    if len(own) > LONGEST:
        raise MailRefused("too_long", f"{len(own)} characters")
    if not as_message(own):
        raise MailRefused("empty")
    return Written(own, _left_below(plain or shown(html), own))


def _sources(message: Message) -> tuple[str, str]:
    """Return the plain part, or else the HTML part; the other one of the two is empty."""
    plain, html = _content(message, "plain"), _content(message, "html")
    stub = html.strip() and len(plain) <= LONGEST_STUB and _STUB.search(plain)
    return (plain, "") if plain.strip() and not stub else ("", html)


def _left_below(full: str, own: str) -> str:
    lines = [line for line in _lines(full) if line.strip() != END]
    last = list(takewhile(str.strip, dropwhile(lambda line: not line.strip(), reversed(lines))))[::-1]
    known = {line.strip() for line in own.splitlines()}
    return "" if any(_QUOTED.match(line) or line.strip() in known for line in last) else "\n".join(last)


def strip(text: str) -> str:
    """Return the sender's own text: without anything below our mark, quoted lines, signature, or anything below END.

    The line END is kept: it says that nothing above it is a signature.
    """
    lines = _without_armour(_lines(text))
    # A mark after a `>` is quoted: the text below it may be an answer written under the quote.
    marked = next((at for at, line in enumerate(lines) if _MARK.match(line) and not _QUOTED.match(line)), None)
    if marked is not None:
        lines = _above_mark(lines[:marked])
    forwarded = next((at for at, line in enumerate(lines) if _FORWARDED.match(line.strip())), None)
    if forwarded is not None:
        lines = lines[:forwarded]
    lines = _without_attributions(_quoted_whole(lines))
    # Without quoted lines, and without rules of dashes and the like.
    lines = [
        line for line in lines if not _QUOTED.match(line) and not is_label(line) and (not line.strip() or _WORDY.search(line))
    ]
    ended = next((at for at, line in enumerate(lines) if line.strip() == END), None)
    if ended is not None:
        # The sender marked the end: no guessing about signatures.
        return "\n".join(lines[: ended + 1]).strip()
    return _without_signature("\n".join(lines).strip())


def _lines(text: str) -> list[str]:
    # Lone surrogates, from broken HTML or charsets, could not even be stored.
    text = text[:LONGEST_SOURCE].encode("utf-8", "replace").decode()
    return [_INVISIBLE.sub("", line).replace("\u00a0", " ").rstrip() for line in text.splitlines()]


def as_message(text: str) -> str:
    """Return the sender's own text as a message to people: without END, or else without a closing line and what follows."""
    lines = text.split("\n")
    return "\n".join(lines[:-1] if lines[-1] == END else before_farewell(lines)).strip()


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
        if _QUOTED.match(line) and (at == 0 or not _QUOTED.match(lines[at - 1])):
            while kept and not kept[-1].strip():
                kept.pop()
            del kept[_attribution(kept) :]
            kept.append("")
        kept.append(line)
    return kept


def _quoted_whole(lines: list[str]) -> list[str]:
    """Mark the rest of a quoted line that a program broke after it had marked it: right below a long quoted line.

    Below the last line of a quote this may also be the sender's answer: it is taken for one if nothing stands above the quote.
    """
    above_quote = [line for line in takewhile(lambda line: not _QUOTED.match(line), lines) if line.strip()]
    answers = not above_quote[: _attribution(above_quote)]
    whole: list[str] = []
    for line, below in zip_longest(lines, lines[1:], fillvalue=""):
        above = whole[-1] if whole else ""
        whole.append(f"> {line}" if _goes_on(above, line, below, answers=answers) else line)
    return whole


def _goes_on(above: str, line: str, below: str, *, answers: bool) -> bool:
    """Return True if a line is the rest of the quoted line above it."""
    if not line.strip() or _QUOTED.match(line) or not _QUOTED.match(above):
        return False
    if _QUOTED.match(below):
        return _columns(above) >= _FLOWED_COLUMNS
    return not answers and _columns(above) >= _BROKEN_COLUMNS


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
    if not lines or not lines[-1].strip().endswith(COLON) or _QUOTED.match(lines[-1]):
        return len(lines)
    for size in range(1, min(ATTRIBUTION_LINES, len(lines)) + 1):
        part = lines[-size:]
        if not part[0].strip() or _QUOTED.match(part[0]):
            break
        if DATED.search(" ".join(part)) or ADDRESS.search(" ".join(part)):
            return len(lines) - size
    return len(lines) - (not _PRESS.match(lines[-1].strip()))


def _before_quote(html: str) -> str:
    """Return HTML up to what mail programs mark as the quoted mail."""
    found = _HTML_QUOTE.search(html)
    return html[: found.start()] if found else html


# The inside of a tag: limited, so that a mail of nothing but opening tags is not searched for minutes.
_IN_TAG = "[^<>]{0,1000}"
# Any quoted block, because a damaged mail may have lost its program's own mark; but not a block without a border, which browsers
# write for indented lines. (Outlook removes the other borders from a quote and keeps the left one.)
_QUOTED_BLOCK = rf"<blockquote\b(?:(?!{_IN_TAG}border:\s*none)|(?={_IN_TAG}(?:border-left|\bcite|gmail_quote)))"
# Gmail, Outlook on the web and on the desktop, Apple Mail, Yahoo, Thunderbird: the start of each one's quote.
_HTML_QUOTE = re.compile(
    rf"{_QUOTED_BLOCK}|<div{_IN_TAG}class=\"?[^\"<>]{{0,1000}}(?:gmail_quote|yahoo_quoted|moz-cite-prefix|protonmail_quote)"
    rf"|<div{_IN_TAG}id=\"?(?:appendonsend|divRplyFwdMsg|mail-editor-reference)"
    rf"|<div{_IN_TAG}style=\"border:none;border-top:solid #[0-9A-F]{{6}} 1.0pt",
    re.IGNORECASE,
)
_QUOTED_BLOCKS = re.compile(_QUOTED_BLOCK, re.IGNORECASE)
_BLOCK_TAG = re.compile(r"<(/?)blockquote\b[^<>]{0,1000}>", re.IGNORECASE)


def _around_quotes(html: str) -> str:
    """Return an answer written under the quote: the rest without everything from the first quote to the end of the last.

    Text between two quotes may be the sender's own or, in a damaged mail, quoted. They are asked to write it again.
    """
    depth = ended = 0
    for tag in _BLOCK_TAG.finditer(html):
        if tag[1]:
            depth, ended = max(depth - 1, 0), tag.end()
            continue
        if not depth and ended and shown(html[ended : tag.start()]).strip():
            raise MailRefused("empty", "written between quotes")
        depth += 1
    begins = _QUOTED_BLOCKS.search(html)
    closings = [tag.end() for tag in _BLOCK_TAG.finditer(html) if tag[1]]
    if begins and closings and closings[-1] > begins.start():
        html = f"{html[: begins.start()]}<div>&gt;</div>{html[closings[-1] :]}"  # so that an attribution stands above a quote
    return shown(html)


# A tag with all its attributes; in it the two kinds of style that decide what is shown, and on which lines.
_TAG = re.compile(r"<(/?)([a-z][a-z0-9]{0,20})\b([^<>]{0,4000})>", re.IGNORECASE)
_STYLE = re.compile(r"style\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_DECIDES = re.compile(r"(?:display|white-space)\s*:\s*[a-z-]{1,20}", re.IGNORECASE)
_AS_BLOCKS = {"table", "tr"}
_AS_WORDS = {"td", "th"}


def shown(html: str) -> str:
    """Return the text that HTML shows. Raises `MailRefused` for HTML that the library cannot parse.

    Widths and margins are dropped and tables become lines: the library draws both with blanks, gigabytes of them on request.
    """
    try:
        return str(get_text(_TAG.sub(_plain_tag, html)))
    except (*FAULTS, LxmlError) as fault:
        raise MailRefused("broken", f"{type(fault).__name__} in the HTML") from fault


def _plain_tag(tag: re.Match[str]) -> str:
    slash, name, attributes = tag[1], tag[2].lower(), tag[3]
    style = _STYLE.search(attributes)
    kept = ";".join(_DECIDES.findall(style[1] or style[2] or "")) if style else ""
    shown = f' style="{kept}"' if kept else ""
    if name in _AS_WORDS:
        return "</span> " if slash else f"<span{shown}>"
    return f"<{slash}{'div' if name in _AS_BLOCKS else name}{shown}>"


def _content(message: Message, kind: str) -> str:
    """Return the text of the mail's own parts of this kind, cut at the limit; empty if there is none."""
    texts = []
    for part in _body_parts(message, f"text/{kind}"):
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            payload = payload[: 4 * LONGEST_SOURCE]  # no charset takes more bytes for a character
            text = _decoded(payload, part.get_content_charset("ascii"))[:LONGEST_SOURCE]
            texts.append(_unflowed(part, text) if kind == "plain" else text)
    return "\n".join(texts)[:LONGEST_SOURCE]


def _decoded(payload: bytes, charset: str) -> str:
    """Return bytes as text, also with a wrong label: Latin-1 called UTF-8, and UTF-8 called Latin-1 or nothing."""
    with contextlib.suppress(LookupError, ValueError):
        charset = codecs.lookup(charset).name
    if charset in _NO_TEXT:
        charset = "cp1252"
    if charset in _ONE_BYTE:
        with contextlib.suppress(UnicodeDecodeError):
            return payload.decode("utf-8")
    try:
        return payload.decode(charset)
    except (LookupError, ValueError):
        # A wrong charset, or a name with a zero in it: the ASCII of the orders survives any of them.
        return payload.decode("cp1252", "replace")


def _body_parts(message: Message, kind: str) -> list[Message]:
    """Return the first part of this type that is the mail's own, and those below it that only pictures divide from it.

    Own is what is not attached, has no file's name, and is not in an attached mail. (Found by the fuzzer: an attached file
    without its mark still has its name, and no program names its text.)
    """
    waiting: list[tuple[Message, list[Message]]] = [(message, [])]
    while waiting:
        part, below = waiting.pop()
        if part.get_content_disposition() == "attachment":
            continue
        if part.get_content_type() == kind:
            return [] if part.get_filename() else [part, *_below_pictures(below, kind)]
        inner = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(inner, list):
            parts = [each for each in inner if isinstance(each, Message)]
            # In multipart/related the first part is the text; its pictures follow (RFC 2387).
            parts = parts[:1] if part.get_content_subtype() == "related" else parts
            mixed = part.get_content_subtype() == "mixed"
            waiting += reversed([(each, parts[at:] if mixed else []) for at, each in enumerate(parts, 1)])
    return []


def _below_pictures(parts: list[Message], kind: str) -> list[Message]:
    """Return the texts that go on below a picture, as some programs divide a text in which one stands."""
    texts = []
    for above, part in pairwise(parts):
        if above.get_content_maintype() != "image" or part.get_content_type() != kind or part.get_filename():
            break
        if part.get_content_disposition() == "attachment":
            break
        texts.append(part)
    return texts


def _unflowed(part: Message, text: str) -> str:
    """Return the text with broken lines joined (RFC 3676, format=flowed): a long order must not be parsed in two pieces."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    joint = "" if str(part.get_param("delsp", "")).lower() == "yes" else " "
    paragraphs: list[list[str]] = []
    broken = False
    for line in text.splitlines():
        if broken and line.strip() and not _QUOTED.match(line):
            paragraphs[-1].append(line.removeprefix(" "))
        else:
            paragraphs.append([line])
        broken = line.endswith(" ") and not _QUOTED.match(line) and _columns(line) >= _FLOWED_COLUMNS
    return "\n".join(joint.join([*(line.rstrip() for line in lines[:-1]), lines[-1]]) for lines in paragraphs)


def _columns(line: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in line)
