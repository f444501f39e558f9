"""From raw bytes to a message: size, shape, the few headers needed. Malformed mail is refused with a code.

All limits are checked before anything is parsed. Headers are read with the plain policy of the `email` package (`compat32`): its
modern one parses every header in full, in quadratic time.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from email.errors import MessageError
from email.message import Message
from email.parser import BytesFeedParser, BytesHeaderParser
from email.policy import Policy, compat32
from typing import Any

from notifications.parsing import charsets
from notifications.parsing.refusals import MailRefused

LARGEST = 1024 * 1024
LARGEST_HEADERS = 64 * 1024
MOST_FIELDS = 200
# Longest header field that is read. Real ones are far shorter; their parsers are slow on long ones.
LONGEST_FIELD = 4000
MOST_PARTS = 100
DEEPEST = 5
# The parser compares each line with the boundaries of all enclosing parts.
MOST_LINES = 50_000
_MOST_MULTIPARTS = 4 * DEEPEST

_HEAD_END = re.compile(rb"\n\r?\n")
_BARE_RETURN = re.compile(rb"\r(?!\n)")
# RFC 5322 section 2.2, one line at a time: the start of a field, or its continuation. mbox files begin with "From ".
_FIELD_LINE = re.compile(rb"[!-9;-~]+:|[ \t]")
_MULTIPART = re.compile(rb"^content-type:[ \t\r\n]*(?:multipart|message)/", re.IGNORECASE | re.MULTILINE)
_MESSAGE_ID_FIELD = re.compile(rb"^message-id:([^\n]{0,400}(?:\n[ \t][^\n]{0,400})?)", re.IGNORECASE | re.MULTILINE)
_MESSAGE_ID = re.compile(rb"<[!-;=?-~]{1,240}>")
# Header fields of which a mail has one at most (RFC 5322 section 3.6, RFC 2045), as far as anything here depends on them: of two,
# one reader takes the first and another the last. From and To have checks of their own, with other answers.
_ONCE = (
    b"content-disposition",
    b"content-transfer-encoding",
    b"content-type",
    b"date",
    b"message-id",
    b"mime-version",
    b"subject",
)
# The library reads these fields while it splits the parts, and we after it.
_PART_FIELDS = {"content-type", "content-disposition", "content-transfer-encoding"}
# Addresses that every parser reads alike: no quoting, comment or encoding is possible in them.
PLAIN_ADDRESS = r"[A-Za-z0-9_=+-]+(?:\.[A-Za-z0-9_=+-]+)*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*"
# Known exceptions of the library on hostile mail.
FAULTS = (MessageError, ValueError, LookupError, TypeError, AttributeError, IndexError, AssertionError, RecursionError)


def parse(raw: bytes) -> Message:
    """Return the message. Raises `MailRefused`: too_large, too_many_headers, too_many_parts, too_deep, broken."""
    check_head(raw)
    message = parse_parts(raw)
    _check_depth(message)
    return message


def parse_parts(raw: bytes) -> Message:
    """Return the message, however damaged its headers are. Raises `MailRefused`: too_many_parts, too_deep, broken."""
    # Counted before parsing: the parser is recursive.
    if len(_MULTIPART.findall(raw)) > _MOST_MULTIPARTS:
        raise MailRefused("too_deep")
    try:
        parser = BytesFeedParser(_counting(), policy=compat32)
        parser.feed(raw)
        return parser.close()
    except FAULTS as fault:
        raise MailRefused("broken", f"{type(fault).__name__}: {fault}") from fault


def parse_head(raw: bytes) -> Message:
    """Return only the headers, as a message without a body. Raises `MailRefused`: too_large, too_many_headers, broken."""
    check_head(raw)
    try:
        return BytesHeaderParser(Part, policy=compat32).parsebytes(head_of(raw))
    except FAULTS as fault:
        raise MailRefused("broken", f"{type(fault).__name__}: {fault}") from fault


def check_head(raw: bytes) -> None:
    """Check what needs no parser. Raises `MailRefused`: too_large, too_many_headers, broken.

    Parsers disagree where a header line or the headers end if there are bare returns or lines that are no field, and which of two
    fields counts: one would verify the signature of something another does not show. Such headers are broken.
    """
    if len(raw) > LARGEST:
        raise MailRefused("too_large", f"{len(raw)} bytes")
    if max(raw.count(b"\n"), raw.count(b"\r")) > MOST_LINES:
        raise MailRefused("too_large", "lines")
    head = head_of(raw)
    if len(head) > LARGEST_HEADERS:
        raise MailRefused("too_large", "headers")
    if _BARE_RETURN.search(head):
        raise MailRefused("broken", "a bare return in the headers")
    lines = [line.removesuffix(b"\r") for line in head.split(b"\n")]
    if lines[0].startswith(b"From "):
        del lines[0]
    names: list[bytes] = []
    for line in lines:
        if not line:
            continue  # the end of the headers
        if not _FIELD_LINE.match(line) or (not names and line[:1] in b" \t"):
            raise MailRefused("broken", "a line in the headers that is not a header field")
        if line[:1] not in b" \t":
            names.append(line.partition(b":")[0].lower())
    if len(names) > MOST_FIELDS:
        raise MailRefused("too_many_headers", str(len(names)))
    if twice := next((name for name in _ONCE if names.count(name) > 1), None):
        raise MailRefused("broken", f"two fields {twice.decode()}")


def head_of(raw: bytes) -> bytes:
    """Return the headers of a raw mail up to the empty line, cut just above the limit."""
    if raw.startswith((b"\n", b"\r\n")):
        return b""
    end = _HEAD_END.search(raw, 0, LARGEST_HEADERS + 4)
    return raw[: end.start() + 1] if end else raw[: LARGEST_HEADERS + 4]


def headers_of(raw: bytes) -> Message:
    """Return the headers of any raw mail. Never raises, since it is called before the mail is stored."""
    try:
        return BytesHeaderParser(policy=compat32).parsebytes(head_of(raw)[:LARGEST_HEADERS])
    except FAULTS:
        return Message()


def message_id(raw: bytes) -> str:
    """Return the Message-ID of a raw mail, or an empty text. Never raises, since it is called before the mail is stored."""
    field = _MESSAGE_ID_FIELD.search(head_of(raw))
    found = _MESSAGE_ID.search(field[1]) if field else None
    return found[0].decode("ascii") if found else ""


def body_of(raw: bytes) -> bytes:
    """Return the part below the headers, for the hash of mails without a Message-ID."""
    return re.split(rb"\r?\n\r?\n", raw, maxsplit=1)[-1]


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Refuse a mail as `broken` if the library fails in this block."""
    try:
        yield
    except FAULTS as fault:
        raise MailRefused("broken", f"{type(fault).__name__}: {fault}") from fault


class Part(Message):
    """A message or a part of one. The parser sets each field before it reads the fields that define the part.

    The library decodes contents and parameters when they are asked for. With some names of charsets it fails at that.
    """

    def set_raw(self, name: str, value: str) -> None:
        if name.lower() in _PART_FIELDS and len(value) > LONGEST_FIELD:
            raise MailRefused("broken", f"a {name[:40]} field that is too long")
        super().set_raw(name, value)

    def get_payload(self, i: int | None = None, decode: bool = False) -> Any:
        """Return the parts, the decoded bytes, or the text as it came: the library would decode it by its named charset."""
        if not decode and not self.is_multipart():
            return vars(self)["_payload"]
        with _refusing():
            return super().get_payload(i, decode)  # type: ignore[call-overload]  # it distinguishes literals

    def get_param(self, *args: Any, **options: Any) -> Any:
        with _refusing():
            return super().get_param(*args, **options)

    def get_filename(self, *args: Any) -> Any:
        with _refusing():
            return super().get_filename(*args)

    def get_content_charset(self, *args: Any) -> Any:
        with _refusing():
            return super().get_content_charset(*args)

    def get_content_disposition(self) -> str | None:
        with _refusing():
            return super().get_content_disposition()


charsets.forget_unknown()


def _counting() -> Callable[..., Message]:
    """Return the factory of the parser's messages. It stops the parser at the first part beyond the limit."""
    parts = -1  # the parser tries its factory once

    def make(policy: Policy) -> Message:
        nonlocal parts
        parts += 1
        if parts > MOST_PARTS:
            raise MailRefused("too_many_parts")
        return Part(policy)

    return make


def _check_depth(message: Message) -> None:
    waiting = [(message, 1)]
    while waiting:
        part, depth = waiting.pop()
        if depth > DEEPEST:
            raise MailRefused("too_deep")
        payload = part.get_payload()
        if isinstance(payload, list):
            waiting += [(inner, depth + 1) for inner in payload if isinstance(inner, Message)]
