"""Parsers of what comes before everything that could refuse a request: its cookies, its Content-Type and the fields of a form.

Those of Python take the square of the length of what they read, so a few requests of anybody would keep all others waiting for
minutes. Here cookies and parameters are gone through once, as in later versions of Python: cookies from 3.11.10 and 3.12.6 on
(CVE-2024-7592), parameters from 3.13.6 on (gh-136063). Fields with many `%` took two hundred times their length in memory; here
they are read piece by piece. A Content-Type that Django cannot read raised an error before any middleware was asked, so such
requests were not counted, and each wrote as much to the log as its sender wanted. One may name an encoding that takes the square
of the length to decode, so a long one is not read.
"""

from __future__ import annotations

import email.message
import http.cookies
import re
import urllib.parse
from collections.abc import Iterator, Mapping

from django.http import HttpRequest

AT_ONCE = 16 * 1024
"""Bytes of a form whose escapes are read at once."""
LONGEST_TYPE = 1_000
"""Characters of a Content-Type. Anybody may send 65,000, and it is read before anything counts the request."""
_ESCAPED = re.compile(r"\\(?:([0-3][0-7][0-7])|(.))")


def unquote(value: str) -> str:
    """Return the value of a cookie without its quotation marks and backslashes, if it is quoted."""
    if len(value) < 2 or value[0] != '"' or value[-1] != '"':
        return value
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)) if found[1] else found[2], value[1:-1])


def parameters(header: object) -> list[str]:
    """Return the parts of a header between semicolons that are in no quotes, the names of parameters in lower case."""
    text, found, start = f";{header}", [], 0
    while text.startswith(";", start):
        start += 1
        end = _part_end(text, start)
        name, equals, value = text[start:end].partition("=")
        found.append(f"{name.strip().lower()}={value.lstrip()}".strip() if equals else name.strip())
        start = end
    return found


def _part_end(text: str, start: int) -> int:
    """Return the place of the next semicolon that is in no quotes, or the end of the text."""
    counted, end, quotes = start, text.find(";", start), 0
    while end > 0:
        quotes += text.count('"', counted, end) - text.count('\\"', counted, end)
        if quotes % 2 == 0:
            return end
        counted, end = end, text.find(";", end + 1)
    return len(text)


def unescape(string: str | bytes | bytearray) -> bytes:
    """Return bytes without the escapes (`%41`) of web addresses. Python makes two objects of each, and joins all of them."""
    data = string.encode() if isinstance(string, str) else bytes(string)
    return _unescape(data) if len(data) <= AT_ONCE else b"".join(map(_unescape, _pieces(data)))


def _pieces(data: bytes) -> Iterator[bytes]:
    """Yield bytes piece by piece; no escape is cut in two."""
    start = 0
    while start < len(data):
        end = start + AT_ONCE
        if (escape := data.rfind(b"%", end - 2, end)) > start and end < len(data):
            end = escape
        yield data[start:end]
        start = end


def has_readable_type(request: HttpRequest) -> bool:
    return not getattr(request, "type_is_unreadable", False)


_unescape = urllib.parse.unquote_to_bytes
_read_type = HttpRequest._set_content_type_params  # type: ignore[attr-defined]


def _read_or_note_type(request: HttpRequest, meta: Mapping[str, object]) -> None:
    """Read the Content-Type of a request. One that is too long or cannot be read is noted, for the border to refuse."""
    try:
        if len(str(meta.get("CONTENT_TYPE", ""))) > LONGEST_TYPE:
            raise ValueError("The Content-Type is too long.")
        _read_type(request, meta)
    except ValueError:
        request.content_type, request.content_params = "", {}
        request.type_is_unreadable = True  # type: ignore[attr-defined]


def use() -> None:
    """Let Django read requests with these functions, and all else that reads cookies and parameters."""
    http.cookies._unquote = unquote  # type: ignore[assignment]
    email.message._parseparam = parameters  # type: ignore[attr-defined]
    urllib.parse.unquote_to_bytes = unescape
    HttpRequest._set_content_type_params = _read_or_note_type  # type: ignore[attr-defined]
