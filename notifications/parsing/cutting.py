"""Large mails without their attachments: what of a mail with a photo is kept, and what proves the rest.

A mail is read line by line from its file, as the library's parser would read it. The headers of all its parts stay and so do its
texts, up to a limit; the contents of all other parts are left out.
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32
from typing import IO, NamedTuple

from notifications.parsing.reading import FAULTS, LARGEST, LARGEST_HEADERS, MOST_PARTS, Part, body_of
from notifications.parsing.refusals import MailRefused

LARGEST_TAKEN = 10 * 1024 * 1024
"""The size of a mail in bytes up to which it is read without its attachments. A larger one is refused."""
KEPT_OF_TEXTS = 512 * 1024
"""Bytes that are kept of all texts together."""
MOST_BOUNDARIES = 20
"""Parts within parts; the workers refuse a mail with fewer of them than this."""
MOST_LINES_TAKEN = 250_000
"""The number of lines up to which a mail is read without its attachments: 10 MB of base64 have half as many."""
_LINE = 64 * 1024
# As the library's parser finds them: a field, or its continuation.
_FIELD = re.compile(rb"From |[!-9;-~]*:|[\t ]")
# Of a mail server about a mail of ours (RFC 3464, RFC 5965).
_REPORTS = {"message/delivery-status", "message/feedback-report"}
_BLANKS = re.compile(rb"[\t ]+")


class Cut(NamedTuple):
    """A mail as it is stored.

    `digests`: of a mail that was cut, SHA-256 of its whole body in the two forms of RFC 6376 section 3.4, by their names, in
    base64; None of a whole one.
    """

    raw: bytes
    digests: dict[str, str] | None = None


def cut(mail: bytes | IO[bytes]) -> Cut:
    """Return a mail for the store: whole up to `LARGEST`, above it without its attachments.

    Of a mail that is too large for that, too, or has too many lines or parts, the beginning: the workers refuse it as
    `too_large`.
    """
    file = io.BytesIO(mail) if isinstance(mail, bytes) else mail
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    if size <= LARGEST:
        return Cut(file.read())
    kept = _Kept()
    digests = {"simple": _Digest(), "relaxed": _Digest()}
    if size <= LARGEST_TAKEN:
        for number, line in enumerate(_lines(file)):
            if number >= MOST_LINES_TAKEN:
                break
            if kept.in_body:
                digests["simple"].add(line.rstrip(b"\r\n"))
                digests["relaxed"].add(_BLANKS.sub(b" ", line.rstrip(b"\r\n")).rstrip(b" "))
            kept.take(line)
            if kept.overfull:
                break
        else:
            return Cut(bytes(kept.raw), {name: digest.base64(name) for name, digest in digests.items()})
    file.seek(0)
    return Cut(file.read(LARGEST + 1))


def relaxed_digest(raw: bytes) -> str:
    """Return the digest of a whole mail's body that Cut.digests calls `relaxed`."""
    digest = _Digest()
    for line in body_of(raw).split(b"\n"):
        digest.add(_BLANKS.sub(b" ", line.rstrip(b"\r")).rstrip(b" "))
    return digest.base64("relaxed")


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file with their ends; a longer one is cut, and its rest dropped."""
    at_start = True
    while line := file.readline(_LINE):
        if at_start:
            yield line
        at_start = line.endswith(b"\n")


class _Digest:
    """SHA-256 of a body, line by line, without empty lines at its end."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._empty = 0
        self._any = False

    def add(self, line: bytes) -> None:
        if not line:
            self._empty += 1
            return
        self._hash.update(b"\r\n" * self._empty + line + b"\r\n")
        self._empty, self._any = 0, True

    def base64(self, form: str) -> str:
        if not self._any and form == "simple":
            self._hash.update(b"\r\n")
        return base64.b64encode(self._hash.digest()).decode()


class _Kept:
    """The part of a mail that is kept, in `raw`. `overfull`: its headers, or its parts within parts, are more than any mail's."""

    def __init__(self) -> None:
        self.raw = bytearray()
        self.in_body = False
        self.overfull = False
        self._head: bytearray | None = bytearray()
        self._boundaries: list[bytes] = []
        self._parts = 0
        self._left = 0  # bytes that may be kept of the part's content
        self._texts = KEPT_OF_TEXTS

    def take(self, line: bytes) -> None:
        """Read the next line of the mail."""
        if (at := self._boundary(line)) is not None:
            if self._head is not None and not self._head and at == len(self._boundaries) - 1:
                self._keep(line)  # the library takes any more of them for the same one
                return
            begins = line.rstrip(b"\r\n\t ")[2:] == self._boundaries[at]
            self._end_head()
            del self._boundaries[at + begins :]  # below the last part nothing is read
            self._keep(line)
            self._left = 0
            self._head = bytearray() if begins else None
        elif self._head is not None:
            self._take_header(line)
        elif self._left > 0:
            self._keep(line[: self._left])
            self._texts -= len(line)
            self._left -= len(line)

    def _take_header(self, line: bytes) -> None:
        assert self._head is not None
        if _FIELD.match(line) and len(self._head) <= LARGEST_HEADERS:
            self._head += line
            self._keep(line)
            return
        self._end_head()
        if line.strip():
            self.take(line)
        else:
            self._keep(line)

    def _boundary(self, line: bytes) -> int | None:
        """Return the place of the boundary that a line is, counted from the outermost; None for any other line."""
        if not self._boundaries or not line.startswith(b"--"):
            return None
        said = line.rstrip(b"\r\n\t ")[2:]
        inner = range(len(self._boundaries) - 1, -1, -1)
        return next((at for at in inner if said in (self._boundaries[at], self._boundaries[at] + b"--")), None)

    def _end_head(self) -> None:
        """Decide what is kept of the content below a part's headers."""
        if self._head is None:
            return
        head, self._head, self.in_body = bytes(self._head), None, True
        self._parts += 1
        self.overfull |= self._parts > MOST_PARTS + 1
        try:
            part = BytesHeaderParser(Part, policy=compat32).parsebytes(head)
            boundary = part.get_boundary() if part.get_content_maintype() == "multipart" else None
            self._left = self._texts if _is_text(part) else 0
        except (*FAULTS, MailRefused):
            self._left = 0  # the workers refuse it
            return
        if boundary:
            self._boundaries.append(boundary.encode("utf-8", "surrogateescape"))
            self.overfull |= len(self._boundaries) > MOST_BOUNDARIES

    def _keep(self, line: bytes) -> None:
        self.raw += line
        self.overfull |= len(self.raw) > LARGEST


def _is_text(part: Message) -> bool:
    """Return True for a part that may hold what the sender wrote, or say that a calendar or a mail server did."""
    if part.get_content_type() in _REPORTS:
        return True
    return part.get_content_maintype() == "text" and part.get_content_disposition() != "attachment" and not part.get_filename()
