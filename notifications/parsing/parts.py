"""The texts of a mail's own parts, decoded. Attached files and mails are no such parts."""

from __future__ import annotations

import codecs
import contextlib
from email.message import Message

from notifications.parsing.lines import FLOWED_COLUMNS, QUOTED, columns, lines_of

LONGEST_SOURCE = 200_000
_KINDS = {"plain": ("text/plain", "text/markdown"), "html": ("text/html",)}
# Labels that text in UTF-8 often has. Text in one of them is hardly ever valid UTF-8, unless it is ASCII.
_ONE_BYTE = {"ascii", "iso8859-1", "iso8859-15", "cp1252"}
# Encodings of Python that no mail is written in. Decoding the first takes minutes for a few hundred kilobytes.
_NO_TEXT = {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"}


def content(message: Message, kind: str) -> str:
    """Return the text of the mail's own parts of this kind, cut at the limit; empty if there is none."""
    texts = []
    for part in _body_parts(message, kind):
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
    """Return the first part of this type that is the mail's own, and those below it that only files divide from it.

    Own is what is not attached, has no file's name, and is not in an attached mail. (Found by the fuzzer: an attached file
    without its mark still has its name, and no program names its text.) Of parts one below the other the first with a text is the
    mail: the others are a list's footers and the like.
    """
    waiting: list[tuple[Message, list[Message]]] = [(message, [])]
    while waiting:
        part, below = waiting.pop()
        if part.get_content_disposition() == "attachment":
            continue
        if part.get_content_type() in _KINDS[kind]:
            return [] if part.get_filename() else [part, *_below_files(below, kind)]
        parts = _inner(part)
        if part.get_content_subtype() != "mixed":
            waiting += reversed([(each, []) for each in parts])
            continue
        first = next((at for at, each in enumerate(parts) if _has_text(each)), len(parts) - 1)
        waiting += [(each, parts[at:]) for at, each in enumerate(parts[: first + 1], 1) if at == first + 1]
    return []


def _inner(part: Message) -> list[Message]:
    """Return the parts of a multipart. In multipart/related the first part is the text; its pictures follow (RFC 2387)."""
    inner = part.get_payload()
    if part.get_content_maintype() != "multipart" or not isinstance(inner, list):
        return []
    parts = [each for each in inner if isinstance(each, Message)]
    return parts[:1] if part.get_content_subtype() == "related" else parts


def _has_text(part: Message) -> bool:
    """Return True for a text that is not empty and of the mail's own, or for a multipart with one."""
    if part.get_content_disposition() == "attachment":
        return False
    if part.get_content_type() in (*_KINDS["plain"], *_KINDS["html"]):
        return not part.get_filename() and bool(str(part.get_payload()).strip())
    return any(map(_has_text, _inner(part)))


def _below_files(parts: list[Message], kind: str) -> list[Message]:
    """Return the texts that go on below pictures and other files, as some programs divide a text in which one stands."""
    texts: list[Message] = []
    below_file = False
    for part in parts:
        of_its_own = not part.get_filename() and part.get_content_disposition() != "attachment"
        if part.get_content_maintype() != "text" or not of_its_own:
            below_file = True
        elif not below_file or part.get_content_type() not in _KINDS[kind]:
            break
        else:
            texts.append(part)
            below_file = False
    return texts


def _unflowed(part: Message, text: str) -> str:
    """Return the text with broken lines joined (RFC 3676, format=flowed): a long order must not be parsed in two pieces."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    joint = "" if str(part.get_param("delsp", "")).lower() == "yes" else " "
    paragraphs: list[list[str]] = []
    broken = False
    for line in lines_of(text):
        if broken and line.strip() and not QUOTED.match(line):
            paragraphs[-1].append(line.removeprefix(" "))
        else:
            paragraphs.append([line])
        broken = line.endswith(" ") and not QUOTED.match(line) and columns(line) >= FLOWED_COLUMNS
    return "\n".join(joint.join([*(line.rstrip() for line in lines[:-1]), lines[-1]]) for lines in paragraphs)
