"""Cookies are read in one pass, whatever the version of Python.

Python before 3.11.10 and 3.12.6 takes the square of the length of a quoted cookie with backslashes (CVE-2024-7592). Django reads
the cookies of a request before anything could refuse it, so a few requests of anyone would keep everybody waiting for a minute.
"""

from __future__ import annotations

import http.cookies
import re

_ESCAPED = re.compile(r"\\(?:([0-3][0-7][0-7])|(.))")


def unquote(value: str) -> str:
    """Return the value of a cookie without its quotation marks and backslashes, if it is quoted."""
    if len(value) < 2 or value[0] != '"' or value[-1] != '"':
        return value
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)) if found[1] else found[2], value[1:-1])


def read_in_one_pass() -> None:
    """Let Django's `parse_cookie` use `unquote`."""
    http.cookies._unquote = unquote  # type: ignore[assignment]
