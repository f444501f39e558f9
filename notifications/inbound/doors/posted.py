"""Mail that a provider posts, raw or in fields: turned into one raw mail in time proportional to its length.

anymail reads the providers' formats and hands their fields to the class `Posted`, in the process that serves the pages. anymail's
own class parses every header with the modern policy of the `email` package, in quadratic time, fails on a second Message-ID, and
takes parts apart to write them again. Nothing is parsed here: the worker does that, within its limits, and refuses what exceeds
them.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode, encodebytes
from collections.abc import Iterable, Mapping
from email.parser import HeaderParser
from email.policy import Compat32, compat32
from email.utils import quote
from itertools import chain
from typing import Self

from anymail.inbound import AnymailInboundMessage

from notifications.parsing import cutting, reading
from notifications.parsing.cutting import Cut

_KIND = re.compile(r"(?!multipart/)[\w.+-]{1,60}/[\w.+-]{1,60}", re.ASCII | re.IGNORECASE)
_ADDRESS = re.compile(r"[^<>,;\s]+@[^<>,;\s]+")
_BREAKS = re.compile(r"[\r\n]+")
# Fields of the posted mail that the new mail has itself.
_REPLACED = {"content-type", "content-transfer-encoding", "mime-version"}


class _AsText(Compat32):
    """Header fields as plain text: unparsed, in any number, without lone surrogates."""

    def header_store_parse(self, name: str, value: object) -> tuple[str, str]:
        return name, _text(value)

    def header_fetch_parse(self, name: str, value: object) -> str:
        return _text(value)


_POLICY = _AsText()


class Posted(AnymailInboundMessage):  # type: ignore[misc]
    """A mail that a provider posted. `mail` is what is stored of it, for the worker."""

    def __init__(self, policy: Compat32 = _POLICY) -> None:
        super().__init__(policy)
        self.body = b""
        self._came: bytes | None = None

    @property
    def mail(self) -> Cut:
        """Return the mail as it came, or one built from the posted fields; a large one without its attachments."""
        if self._came is not None:
            return cutting.cut(self._came)
        head = "".join(_BREAKS.sub(" ", f"{name}: {value}") + "\r\n" for name, value in self.raw_items())
        return cutting.cut(_text(head).encode() + self.body)

    def get_filename(self, failobj: object = None) -> object:
        """Return no name: nothing needs one here, and the library's search for it is slow with a hostile field."""
        return failobj

    @classmethod
    def parse_raw_mime(cls, s: str | bytes) -> Self:
        """Return a mail that was posted raw."""
        return cls.parse_raw_mime_bytes(_text(s).encode() if isinstance(s, str) else bytes(s))

    @classmethod
    def parse_raw_mime_bytes(cls, b: bytes) -> Self:
        """Return a mail that was posted raw. anymail reads a few of its headers."""
        message = cls()
        for name, value in reading.headers_of(b).raw_items():
            message.set_raw(name, value)
        message._came = b
        return message

    @classmethod
    def parse_raw_mime_chunks(cls, chunks: Iterable[bytes]) -> Self:
        """Return a mail that was posted raw, in pieces."""
        return cls.parse_raw_mime_bytes(b"".join(chunks))

    @classmethod
    def construct(
        cls,
        raw_headers: str | None = None,
        from_email: str | None = None,
        to: str | None = None,
        cc: str | None = None,
        bcc: str | None = None,
        subject: str | None = None,
        headers: Mapping[str, str] | Iterable[tuple[str, str]] | None = None,
        text: str | None = None,
        text_charset: str = "utf-8",
        html: str | None = None,
        html_charset: str = "utf-8",
        attachments: Iterable[Posted] | None = None,
    ) -> Self:
        """Return a mail that was posted in fields. Its headers are cut just above the limits of the worker, which refuses it."""
        if raw_headers is not None and len(raw_headers) > reading.LARGEST_HEADERS:
            return cls.parse_raw_mime(raw_headers)
        message = cls()
        own = {"From": from_email, "To": to, "Cc": cc, "Bcc": bcc, "Subject": subject}
        own = {name: value for name, value in own.items() if value is not None}
        above = HeaderParser(policy=compat32).parsestr(raw_headers or "").raw_items()
        more = headers.items() if isinstance(headers, Mapping) else headers or ()
        length = 0
        for name, value in chain(own.items(), (field for field in above if field[0].title() not in own), more):
            if name.lower() in _REPLACED:
                continue
            # As it will be written: longer than that, it would have the fields below it left out of a mail within the limits.
            written = _BREAKS.sub(" ", _text(value))
            message[name] = written
            length += len(name) + len(written) + len(": \r\n")
            if length > reading.LARGEST_HEADERS or len(message) > reading.MOST_FIELDS:
                break
        bodies = (("text/plain", text), ("text/html", html))
        texts = [_part(f"{kind}; charset=utf-8", _text(said).encode()) for kind, said in bodies if said]
        message.body = _together([*texts, *(part.body for part in attachments or ())])
        return message

    @classmethod
    def construct_attachment(
        cls,
        content_type: str | None,
        content: str | bytes,
        charset: str | None = None,
        filename: str | None = None,
        content_id: str | None = None,
        base64: bool = False,
    ) -> Self:
        """Return an attached file. Its name does not matter here, nor the text that shows it."""
        given = b64decode(content) if base64 else content
        kind = _KIND.match((content_type or "").strip())
        part = cls()
        part.body = _part(
            kind[0] if kind else "application/octet-stream",
            _text(given).encode() if isinstance(given, str) else given,
            "Content-Disposition: attachment\r\n",
        )
        return part


class _Raw(bytes):
    """A raw mail, of any bytes: where anymail would read it as UTF-8, and fail, it stays as it is."""

    def decode(self, *_: object, **__: object) -> Self:  # type: ignore[override]
        return self


def raw_mail(encoded: str) -> bytes:
    """Return the mail that a provider posts in base64."""
    return _Raw(b64decode(encoded))


def address(display_name: str = "", addr_spec: str = "") -> str:
    """Return an address in header syntax; an empty text for an invalid one, which is no reason to lose the mail."""
    spec = _text(addr_spec or "")
    if not _ADDRESS.fullmatch(spec):
        return ""
    return f'"{quote(_text(display_name))}" <{spec}>' if display_name else spec


def _text(value: object) -> str:
    """Return a value as text that can be encoded: lone surrogates become question marks."""
    return str(value).encode("utf-8", "replace").decode()


def _part(kind: str, content: bytes, more: str = "") -> bytes:
    """Return one part of a mail. An attached mail or report is included unencoded (RFC 2046 section 5.2)."""
    if kind.lower().startswith("message/"):
        return f"Content-Type: {kind}\r\n{more}\r\n".encode() + content
    return f"Content-Type: {kind}\r\nContent-Transfer-Encoding: base64\r\n{more}\r\n".encode() + encodebytes(content)


def _together(parts: list[bytes]) -> bytes:
    """Return the parts as a body below headers. The boundary is their hash: the same mail posted twice gives the same bytes."""
    boundary = hashlib.sha256(b"\n".join(parts)).hexdigest().encode()
    start = b'MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="%s"\r\n\r\n' % boundary
    return start + b"".join(b"--%s\r\n%s\r\n" % (boundary, part) for part in parts) + b"--%s--\r\n" % boundary
